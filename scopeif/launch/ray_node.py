"""One node's part of a job's Ray cluster, started by `train_job` on every node.

It runs until its standard input ends, that is until `train_job` is done or gone. Then every process of Ray on this node
is ended, the logs are kept in the job's folder, and the node's temporary folder is removed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from scopeif.launch.slurm import own_address_towards
from scopeif.training.own_ray import RUN_FOLDER, keep_logs
from scopeif.watchdog import Watchdog

NODE_LABEL = "slurm-node"
"""Label of a Ray node that holds SLURM's name of it."""

JOIN_RETRY_S = 1.0
STARTS = 3
EARLY_S = 60.0
"""Ray gives up a start after 30 s; on a busy node, or with a slow file system, the next one is faster."""


def main() -> int:
    """Run one Ray node to its end; returns 0 when it was asked to end, else the exit status of Ray."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", required=True, help="SLURM's name of this node")
    parser.add_argument("--address", required=True, help="host:port of the head")
    parser.add_argument("--head", action="store_true")
    parser.add_argument("--folder", required=True, type=Path, help="temporary folder on this node")
    parser.add_argument("--logs", required=True, type=Path, help="where the logs of Ray are kept")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    shutil.rmtree(given.folder, ignore_errors=True)  # of an earlier start of this job that was killed
    given.folder.mkdir(parents=True, mode=0o700)
    watchdog = Watchdog(given.folder)
    try:
        if not given.head:
            _wait_for_head(given.address)
        for _ in range(STARTS):
            began = time.monotonic()
            status = _run(_command(given), given.folder)
            if status == 0 or time.monotonic() - began > EARLY_S:
                break
        return status
    finally:
        keep_logs(given.folder, given.logs)
        watchdog.finish()


def _command(given: argparse.Namespace) -> list[str]:
    host, _, port = given.address.rpartition(":")
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats"]
    if given.head:
        command += ["--head", f"--port={port}", f"--node-ip-address={host}", "--include-dashboard=false"]
        command += [f"--ray-client-server-port={int(port) + 1}"]
    else:
        command += [f"--address={given.address}", f"--node-ip-address={own_address_towards(host)}"]
    command += [f"--temp-dir={given.folder}", f"--labels={NODE_LABEL}={given.node}"]
    # Ray's fixed ports and ranges would forbid two jobs on a node; 0 takes free ones.
    command += ["--min-worker-port=0", "--max-worker-port=0", "--dashboard-agent-listen-port=0"]
    for option, variable in (("--num-cpus", "SLURM_CPUS_ON_NODE"), ("--num-gpus", "SLURM_GPUS_ON_NODE")):
        if variable in os.environ:
            command.append(f"{option}={os.environ[variable]}")
    return command + shlex.split(os.environ.get("SCOPEIF_RAY_ARGS", ""))


def _run(command: list[str], folder: Path) -> int:
    variables = {"TMPDIR": str(folder), RUN_FOLDER: str(folder)}
    ray = subprocess.Popen(command, stdin=subprocess.DEVNULL, env={**os.environ, **variables})
    while ray.poll() is None:
        if _input_ended(timeout_s=0.5):
            ray.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):  # the watchdog ends what is left
                ray.wait(timeout=15)
            return 0
    return ray.returncode


def _input_ended(timeout_s: float) -> bool:
    return bool(select.select([sys.stdin], [], [], timeout_s)[0]) and not os.read(sys.stdin.fileno(), 1)


def _wait_for_head(address: str) -> None:
    """Until the head takes connections; `train_job` says how long that may take, and ends the input."""
    host, _, port = address.rpartition(":")
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=JOIN_RETRY_S).close()
            return
        except OSError as error:
            why = error
        if _input_ended(timeout_s=JOIN_RETRY_S):
            sys.exit(f"the head {address} took no connection: {why}")


if __name__ == "__main__":
    sys.exit(main())
