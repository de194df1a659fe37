"""A training run as a SLURM job: Ray on every node, the training command, and the end of both.

    python -m scopeif.launch.train_job recipe=NAME [key=value ...]         (in a job: launch/train.sbatch)

Exit status
    0      finished
    75     saved and stopped by SIGUSR1 (time limit, preemption); the job is queued again
    69     a node did not come up, or was lost
    1, 2   another error, wrong input: the same command would end the same
    143    ended by SIGTERM (scancel)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from scopeif.errors import ClusterError, InvalidInputError, ScopeIFError
from scopeif.launch.job_log import say
from scopeif.launch.numbers import read_number
from scopeif.launch.ray_cluster import RayCluster
from scopeif.launch.slurm import Job, address_of, own_address_towards

QUEUE_AGAIN = 75
"""EX_TEMPFAIL of sysexits.h."""
NODES_LOST = 69
"""EX_UNAVAILABLE of sysexits.h."""
POLL_S = 0.5
STOP_GRACE_S = 60.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit status."""
    try:
        job = Job.current()
        arguments = sys.argv[1:] if arguments is None else arguments
        return TrainJob(job, _cluster(job), [sys.executable, "-m", "scopeif.train", *arguments]).run()
    except ScopeIFError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        if isinstance(error, ClusterError):
            return NODES_LOST
        return 2 if isinstance(error, InvalidInputError) else 1


def _cluster(job: Job) -> RayCluster:
    """The cluster that the job's environment asks for; launch/train.sbatch explains the variables."""
    variables = os.environ
    # Nodes have several addresses: the one on the way to the other nodes is the one that they reach.
    host = variables.get("SCOPEIF_HEAD_IP") or own_address_towards(address_of(job.nodes[-1]))
    # Two ports, below those that systems give to outgoing connections, and others for each job of a node.
    port = int(read_number(variables, "SCOPEIF_RAY_PORT", 20000 + 2 * (job.id % 5000)))
    jobs = Path(variables.get("SCOPEIF_JOBS") or "runs/jobs").absolute()
    return RayCluster(
        job,
        f"{host}:{port}",
        jobs / f"{job.id}" / f"start-{job.restarts + 1}",
        node_tmp=Path(variables.get("SCOPEIF_NODE_TMP") or "/tmp"),
    )


class TrainJob:
    """One start of the job."""

    def __init__(self, job: Job, cluster: RayCluster, command: Sequence[str]) -> None:
        self._job, self._cluster, self._command = job, cluster, command
        self._training: subprocess.Popen[bytes] | None = None
        self._deadline_s = read_number(os.environ, "SCOPEIF_NODES_DEADLINE_S", 600.0)

    def run(self) -> int:
        """Run it to its end; returns the exit status.

        Raises:
            ClusterError: a node did not come up, or was lost.
        """
        for number in (signal.SIGUSR1, signal.SIGTERM):
            signal.signal(number, self._received)
        try:
            say(f"job {self._job.id}, start {self._job.restarts + 1}: Ray on {', '.join(self._job.nodes)}")
            say(f"logs of the nodes: {self._cluster.folder}")
            self._cluster.start()
            self._cluster.wait_until_up(self._deadline_s)
            say("all nodes are up")
            status = self._train()
        except _Stopped as stop:
            status = 128 + stop.number
        finally:
            for number in (signal.SIGUSR1, signal.SIGTERM):
                signal.signal(number, signal.SIG_IGN)
            self._cluster.end()
        if status != 128 + signal.SIGUSR1:
            return status
        say("queued again" if self._job.requeue() else "not queued again; sbatch with the same arguments resumes")
        return QUEUE_AGAIN

    def _train(self) -> int:
        self._training = subprocess.Popen(self._command, env={**os.environ, **self._cluster.variables})
        try:
            while self._training.poll() is None:
                self._cluster.require_running()
                time.sleep(POLL_S)
        except ClusterError:
            self._training.send_signal(signal.SIGINT)
            try:
                self._training.wait(STOP_GRACE_S)
            except subprocess.TimeoutExpired:
                self._training.kill()
            raise
        status = self._training.returncode
        return status if status >= 0 else 128 - status  # killed by a signal

    def _received(self, number: int, _: FrameType | None) -> None:
        """Pass a signal on to the training, which saves; before there is one, end.

        `scancel` signals the training too: two signals have it stop at once, as there is no Ray left to save with.
        """
        say(f"received {signal.Signals(number).name}")
        if self._training is None:
            raise _Stopped(number)
        self._training.send_signal(number)


class _Stopped(Exception):
    """A signal came before the training began."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


if __name__ == "__main__":
    sys.exit(main())
