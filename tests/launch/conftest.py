"""A real SLURM, where Debian's packages are installed; the tests of this folder import the modules beside this file."""

import os
import secrets
import shutil
import signal
import socket
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from local_slurm import CONFIG, Slurm, free_ports, idle
from waiting import wait_for


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    """A SLURM of two nodes, n1 and n2, both this machine; jobs of the partition `high` preempt those of `low`."""
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"no SLURM here: {', '.join(missing)} not found (Debian: apt-get install slurm-wlm munge)")
    if os.geteuid() != 0:
        pytest.skip("SLURM's daemons run as root")
    folder = tmp_path_factory.mktemp("slurm")
    ports = free_ports(3)
    (folder / "state").mkdir()
    (folder / "slurm.conf").write_text(
        CONFIG.format(host=socket.gethostname(), folder=folder, ctld=ports[0], n1=ports[1], n2=ports[2])
    )
    key = folder / "munge.key"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(128))
    running = Slurm(folder)
    try:
        files = [f"--{kind}-file={folder}/munge.{kind}" for kind in ("pid", "log", "seed", "key")]
        running.start("munged", "munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *files)
        wait_for(lambda: (folder / "munge.socket").exists(), "munged")
        running.start("slurmctld", "slurmctld", "-D")
        for node in ("n1", "n2"):
            running.start(node, "slurmd", "-D", "-N", node)
        wait_for(lambda: idle(running) == 2, "both nodes")
        yield running
        running.run("scancel", "--user=root")
        wait_for(lambda: not running.run("squeue", "--noheader"), "the end of all jobs", 60)
    finally:
        for daemon in reversed(running.daemons.values()):
            daemon.send_signal(signal.SIGCONT)
            daemon.terminate()
            daemon.wait(timeout=20)
