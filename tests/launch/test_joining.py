"""What a training run does differently in a cluster that it joins, and in a job that is queued again."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from scopeif.errors import ClusterError, ResourceError
from scopeif.training import launcher, own_ray, run_dir
from scopeif.training.composing import compose_config
from scopeif.training.cpu.weight_socket import own_socket

VARIABLES = {"TENSORBOARD_DIR": "/runs/tb", "TMPDIR": "/tmp/sif-x", own_ray.RUN_FOLDER: "/tmp/sif-x"}


@pytest.fixture(scope="module")
def config():
    return compose_config(["recipe=tiny"])


def test_alone_a_run_starts_its_own_ray(config, monkeypatch):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    options = own_ray._options(config, Path("/tmp/sif-x"), VARIABLES)
    assert (options["address"], options["_temp_dir"]) == ("local", "/tmp/sif-x")


def test_in_a_cluster_it_joins_and_brings_its_variables_but_no_folder_of_this_node(config, monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:20154")
    options = own_ray._options(config, Path("/tmp/sif-x"), VARIABLES)
    assert options["address"] == "10.0.0.1:20154"
    assert options["runtime_env"]["env_vars"] == {"TENSORBOARD_DIR": "/runs/tb"}
    assert not {"_temp_dir", "num_cpus", "num_gpus"} & set(options)


def test_a_run_links_to_the_logs_of_its_nodes(tmp_path, monkeypatch):
    monkeypatch.delenv(own_ray.NODE_LOGS, raising=False)
    own_ray._link_node_logs(tmp_path / "logs")
    assert not (tmp_path / "logs").exists()
    nodes = tmp_path / "jobs" / "77" / "start-2"
    monkeypatch.setenv(own_ray.NODE_LOGS, str(nodes))
    for _ in range(2):
        own_ray._link_node_logs(tmp_path / "logs")
    assert (tmp_path / "logs" / "77-start-2").readlink() == nodes


def test_the_cluster_is_no_part_of_a_run_s_identity(config):
    there = compose_config(["recipe=tiny", "+ray_kwargs.ray_init.address=10.0.0.1:20154"])
    assert launcher._what_matters(there) == launcher._what_matters(config)


def test_the_weight_socket_lies_in_the_node_s_folder_if_there_is_one(monkeypatch):
    handle = "ipc:///tmp/rl-colocate-zmq-01000000-replica-0-rank-0.sock"
    monkeypatch.setenv(own_ray.RUN_FOLDER, "/tmp/sif-77-1")
    assert own_socket(handle) == "ipc:///tmp/sif-77-1/rl-colocate-zmq-01000000-replica-0-rank-0.sock"
    monkeypatch.delenv(own_ray.RUN_FOLDER)
    assert own_socket(handle) == handle


@pytest.fixture
def held(tmp_path):
    """A run directory that another process holds, as a start of the job 77 does; `release` ends it."""
    code = """
import sys
from pathlib import Path
from scopeif.training import run_dir
lock = run_dir._try_lock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={"SLURM_JOB_ID": "77", "PYTHONPATH": ":".join(sys.path)},
    )
    assert holder.stdout.readline() == "held\n"
    yield tmp_path, holder.stdin.close
    holder.stdin.close()
    holder.stdout.close()
    holder.wait()


def test_a_restarted_job_waits_for_its_own_lock(held, monkeypatch):
    folder, release = held
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    timer = threading.Timer(0.5, release)
    timer.start()
    lock = run_dir._try_lock(folder, patience_s=30)
    timer.join()
    assert lock is not None
    lock.close()


def test_a_restarted_job_does_not_begin_anew_when_its_lock_stays(held, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    with pytest.raises(ClusterError, match="an earlier start of job 77 holds the run"):
        run_dir._try_lock(held[0], patience_s=0)


@pytest.mark.parametrize("job", [None, "78"])
def test_another_job_does_not_wait(held, monkeypatch, job):
    monkeypatch.setenv("SLURM_JOB_ID", job) if job else monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    assert run_dir._try_lock(held[0]) is None


def test_a_file_system_without_locks_is_named(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(run_dir.fcntl, "flock", refuse)
    with pytest.raises(ResourceError, match="gives no locks"):
        run_dir._try_lock(tmp_path)


def test_the_watchdog_outlives_slurm_s_term(tmp_path):
    """SLURM ends a job by SIGTERM to all of its processes; the watchdog still has to clean up after them."""
    code = """
import os, signal, sys, time
from pathlib import Path
from scopeif.watchdog import Watchdog

def ignores_term():
    (mask,) = [line.split()[1] for line in Path(f"/proc/{dog.pid}/status").read_text().splitlines() if "SigIgn" in line]
    return int(mask, 16) >> (signal.SIGTERM - 1) & 1

dog = Watchdog(Path(sys.argv[1]))
deadline = time.monotonic() + 20
while not ignores_term() and time.monotonic() < deadline:
    time.sleep(0.05)
os.kill(dog.pid, signal.SIGTERM)
dog.finish()
"""
    folder = tmp_path / "sif-77-0"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", code, str(folder)], timeout=60, check=True)
    assert not folder.exists()
