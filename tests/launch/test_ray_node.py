"""One real Ray node: it is in the cluster under its own name, and gone when its input ends."""

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from local_slurm import free_ports
from waiting import processes, wait_for

from scopeif.launch.ray_cluster import RayCluster
from scopeif.launch.slurm import Job


@pytest.fixture
def folder():
    """Below /tmp: sockets have short names."""
    return Path(f"/tmp/sif-test-{secrets.token_hex(3)}")


@pytest.mark.timeout(200)
def test_a_node_joins_under_its_name_and_leaves_nothing(folder, tmp_path):
    cluster = RayCluster(Job(1, ("n1",), 0), f"127.0.0.1:{free_ports(2)[0]}", tmp_path / "job")
    cluster.folder.mkdir()
    (cluster.folder / "token").write_text(secrets.token_hex(32))
    environment = os.environ | cluster.variables
    environment["SCOPEIF_RAY_ARGS"] = "--num-cpus=1 --object-store-memory=100000000"
    options = ["--node=n1", f"--address={cluster.address}", f"--logs={tmp_path}/logs", f"--folder={folder}", "--head"]
    with cluster.log("n1").open("w") as log:
        node = subprocess.Popen(
            [sys.executable, "-m", "scopeif.launch.ray_node", *options],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
        )
    try:
        wait_for(lambda: node.poll() is not None or cluster._members() == ["n1"], "the node", 120)
        assert node.poll() is None, cluster.log("n1").read_text()
        assert processes(folder)
    finally:
        node.stdin.close()
        status = node.wait(timeout=60)
    assert status == 0
    assert processes(folder) == []
    assert not folder.exists()
    assert (tmp_path / "logs" / "raylet.out").is_file()
