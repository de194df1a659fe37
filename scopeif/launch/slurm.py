"""The SLURM job that this process runs in: its nodes, how to start a process on one, how to be queued again."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scopeif.errors import ClusterError, InvalidInputError


@dataclass(frozen=True)
class Job:
    """One start of a job: `restarts` counts how often SLURM queued it again."""

    id: int
    nodes: tuple[str, ...]
    restarts: int

    @classmethod
    def current(cls) -> Job:
        """The job of this process; the batch script, and so this process, runs on the first node.

        Raises:
            InvalidInputError: this is no SLURM job.
        """
        if "SLURM_JOB_ID" not in os.environ:
            raise InvalidInputError("SLURM_JOB_ID is not set", fix="submit the script: sbatch launch/train.sbatch ...")
        nodes = _scontrol("show", "hostnames", os.environ["SLURM_JOB_NODELIST"]).split()
        return cls(int(os.environ["SLURM_JOB_ID"]), tuple(nodes), int(os.environ.get("SLURM_RESTART_COUNT", "0")))

    def requeue(self) -> bool:
        """Have SLURM queue this job again, which ends it here; False where SLURM refuses, and says why."""
        return subprocess.run(["scontrol", "requeue", str(self.id)], check=False).returncode == 0


def start_on(node: str, command: Sequence[str], environment: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start a command on one node of the job, with all that the job has there.

    Its standard input is a pipe: what it runs ends at the end of the file, so also when this process is killed.
    """
    step = ["srun", "--overlap", "--nodes=1", "--ntasks=1", f"--nodelist={node}", "--mem=0", "--cpu-bind=none"]
    # srun refuses --mem beside what sbatch was told of memory for each CPU or GPU.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SLURM_MEM_PER_")}
    with log.open("wb") as output:
        return subprocess.Popen(
            [*step, *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=inherited | dict(environment),
        )


def address_of(node: str) -> str:
    """The IP address under which SLURM reaches a node."""
    fields = dict(text.partition("=")[::2] for text in _scontrol("show", "node", node, "--oneliner").split())
    try:
        return socket.gethostbyname(fields.get("NodeAddr", node))
    except OSError as error:
        raise ClusterError(
            f"the address {fields.get('NodeAddr')!r} of node {node} is unknown here: {error}",
            fix="SCOPEIF_HEAD_IP names the address of the first node",
        ) from error


def own_address_towards(address: str) -> str:
    """The IP address of this node on the way to another: nodes have several, and their own name may mean 127.0.1.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect((address, 9))  # sends nothing
        return str(probe.getsockname()[0])


def _scontrol(*arguments: str) -> str:
    result = subprocess.run(["scontrol", *arguments], capture_output=True, text=True, check=False)
    if result.returncode:
        raise ClusterError(f"scontrol {' '.join(arguments)} failed: {result.stderr.strip()}")
    return result.stdout
