"""A real SLURM with two node names on this machine, from Debian's packages slurm-wlm and munge."""

import os
import secrets
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from waiting import ROOT

CONFIG = """\
ClusterName=scopeif-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
# A job that is queued again may start once its old credential has expired; the default is 2 minutes.
AuthInfo=socket={folder}/munge.socket,cred_expire=10
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool-%n
SlurmdPidFile={folder}/%n.pid
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
JobRequeue=1
KillWait=20
SchedulerParameters=sched_interval=3,bf_interval=3
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
NodeName=n[1-2] NodeHostname={host} NodeAddr=127.0.0.1 Port=[{n1}-{n2}] CPUs=1 RealMemory=4000
PartitionName=low Nodes=n[1-2] Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime=120 MaxTime=INFINITE
PartitionName=high Nodes=n[1-2] PriorityTier=9 PreemptMode=OFF MaxTime=INFINITE
"""


@dataclass
class Slurm:
    """A running SLURM: its commands, and its daemons by name."""

    folder: Path
    daemons: dict[str, subprocess.Popen] = field(default_factory=dict)

    def environment(self, **variables):
        return os.environ | {"SLURM_CONF": str(self.folder / "slurm.conf")} | variables

    def run(self, *command, cwd=ROOT, **variables):
        """Output of a command of SLURM."""
        result = subprocess.run(
            command, cwd=cwd, env=self.environment(**variables), capture_output=True, text=True, timeout=60, check=False
        )
        assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
        return result.stdout

    def start(self, name, *command):
        with (self.folder / f"{name}.out").open("w") as output:
            self.daemons[name] = subprocess.Popen(
                command, env=self.environment(), stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
            )

    def submit(self, *options, **variables):
        """Submit a job; returns its number."""
        return int(self.run("sbatch", "--parsable", *options, **variables))

    def show(self, job):
        """What SLURM knows of a job."""
        text = self.run("scontrol", "show", "job", str(job), "--oneliner")
        return dict(word.partition("=")[::2] for word in text.split())

    def wait_until(self, job, states, timeout):
        """Until a job is in one of these states; returns what SLURM knows of it."""
        deadline = time.monotonic() + timeout
        while (shown := self.show(job))["JobState"] not in states:
            assert time.monotonic() < deadline, f"job {job} is {shown['JobState']} after {timeout} s, not {states}"
            time.sleep(0.5)
        return shown


def idle(slurm):
    try:
        return slurm.run("sinfo", "--noheader", "--Node", "--partition=low", "--states=idle").count("\n")
    except AssertionError:  # the controller is not up yet
        return 0


def free_ports(count):
    """Consecutive ports that nobody listens on."""
    for first in range(17000 + secrets.randbelow(2000), 20000, count):
        try:
            for port in range(first, first + count):
                with socket.socket() as probe:
                    probe.bind(("", port))
        except OSError:
            continue
        return list(range(first, first + count))
    raise AssertionError("no free ports")
