"""The Ray cluster of a SLURM job: one `ray_node` on each of its nodes, the head on the first."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scopeif.errors import ClusterError
from scopeif.launch.job_log import last_words
from scopeif.launch.slurm import Job, start_on
from scopeif.training.own_ray import JOB_NODES, NODE_LOGS

POLL_S = 1.0
CONNECT_S = 2.0
ASK_S = 20.0
END_GRACE_S = 30.0


@dataclass
class RayCluster:
    """Start with `start` and `wait_until_up`; `end` in any case."""

    job: Job
    address: str
    """host:port of the head."""
    folder: Path
    """On the shared file system: the token, and the logs of every node."""
    node_tmp: Path = Path("/tmp")
    """Where each node has its own temporary folder; short, because paths of sockets are bounded."""
    _steps: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict, init=False)

    @property
    def variables(self) -> dict[str, str]:
        """What a process needs in its environment to use the cluster."""
        return {
            "RAY_ADDRESS": self.address,
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN_PATH": str(self._token),
            "RAY_USAGE_STATS_ENABLED": "0",
            NODE_LOGS: str(self.folder),
            JOB_NODES: str(len(self.job.nodes)),
        }

    def log(self, node: str) -> Path:
        """What SLURM and Ray said while that node started, and when it ended."""
        return self.folder / f"{node}.log"

    def start(self) -> None:
        """Start all nodes; returns before they are up."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._token.unlink(missing_ok=True)
        with open(os.open(self._token, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as token:
            token.write(secrets.token_hex(32))
        for index, node in enumerate(self.job.nodes):
            options = [f"--node={node}", f"--address={self.address}", f"--logs={self.folder / node}"]
            options.append(f"--folder={self.node_tmp / f'sif-{self.job.id}-{index}'}")
            options += ["--head"] if index == 0 else []
            command = [sys.executable, "-m", "scopeif.launch.ray_node", *options]
            self._steps[node] = start_on(node, command, self.variables, self.log(node))

    def wait_until_up(self, deadline_s: float) -> None:
        """Until every node of the job is in the cluster.

        Raises:
            ClusterError: some are not after `deadline_s`, or Ray has ended on one; the message names them.
        """
        deadline = time.monotonic() + deadline_s
        while missing := self._missing():
            self.require_running()
            if time.monotonic() > deadline:
                raise self._error(f"not up after {deadline_s:g} s", missing)
            time.sleep(POLL_S)

    def require_running(self) -> None:
        """Raises ClusterError when Ray has ended on a node."""
        if ended := [node for node, step in self._steps.items() if step.poll() is not None]:
            raise self._error("Ray has ended", ended)

    def end(self) -> None:
        """End Ray on all nodes, and wait until it is gone there."""
        for step in self._steps.values():
            assert step.stdin is not None
            with contextlib.suppress(OSError):
                step.stdin.close()
        deadline = time.monotonic() + END_GRACE_S
        for step in self._steps.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                step.wait(max(0.0, deadline - time.monotonic()))
            step.kill()
            step.wait()
        self._token.unlink(missing_ok=True)

    @property
    def _token(self) -> Path:
        return self.folder / "token"

    def _missing(self) -> list[str]:
        members = self._members()
        return [node for node in self.job.nodes if node not in members]

    def _members(self) -> list[str]:
        """SLURM's names of the nodes that are in the cluster; none while the head takes no connection."""
        host, _, port = self.address.rpartition(":")
        try:
            socket.create_connection((host, int(port)), timeout=CONNECT_S).close()
            command = [sys.executable, "-m", "scopeif.launch.ray_members"]
            environment = {**os.environ, **self.variables}
            asked = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=ASK_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return []
        return asked.stdout.split()

    def _error(self, what: str, nodes: Sequence[str]) -> ClusterError:
        said = "".join(f"\n  {node}: {last_words(self.log(node))}" for node in nodes)
        return ClusterError(
            f"{len(nodes)} of {len(self.job.nodes)} nodes: {what}: {', '.join(nodes)}{said}",
            place=f"job {self.job.id}",
            fix=f"see {self.log('NODE')} and scontrol show node NODE; sbatch --exclude={','.join(nodes)} avoids them",
        )
