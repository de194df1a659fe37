"""launch/train.sbatch and what it runs, with stand-ins for the commands of SLURM."""

import os
import re
import signal
import subprocess
import sys
import time

import pytest
from waiting import ROOT, wait_for

from scopeif.errors import ClusterError
from scopeif.launch.judge_job import JudgeSettings
from scopeif.launch.ray_cluster import END_GRACE_S, RayCluster
from scopeif.launch.slurm import Job
from scopeif.training.composing import compose_config

SCRIPTS = ("train.sbatch", "judge.sbatch")

SCONTROL = """\
#!/bin/sh
case "$1 $2" in
"show hostnames") echo n1; echo n2;;
"show node") echo "NodeName=$3 Arch=x86_64 NodeAddr=127.0.0.1 State=IDLE";;
"requeue 77") echo "$@" >> "$FAKE_SLURM/requeued"; exit "${REQUEUE_STATUS:-0}";;
*) exit 1;;
esac
"""

# A node where nothing answers: the step lives until its input ends.
SRUN = """\
#!/bin/sh
echo "$@" >> "$FAKE_SLURM/srun"
echo "srun: waiting for the node"
cat > /dev/null
touch "$FAKE_SLURM/ended-$$"
"""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Stand-ins for scontrol and srun first in PATH; a job 77 of the nodes n1 and n2."""
    commands = tmp_path / "commands"
    commands.mkdir()
    for name, text in (("scontrol", SCONTROL), ("srun", SRUN)):
        (commands / name).write_text(text)
        (commands / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE_SLURM", str(tmp_path))
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-2]")
    monkeypatch.setenv("SLURM_SUBMIT_DIR", str(ROOT))
    monkeypatch.setenv("SCOPEIF_PYTHON", sys.executable)
    monkeypatch.setenv("SCOPEIF_JOBS", str(tmp_path / "jobs"))
    monkeypatch.setenv("SCOPEIF_NODE_TMP", str(tmp_path))
    return tmp_path


def submitted(*arguments):
    """Run the batch script to its end."""
    command = ["bash", str(ROOT / "launch" / "train.sbatch"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def directives(script):
    lines = (ROOT / "launch" / script).read_text().splitlines()
    return [line.removeprefix("#SBATCH ") for line in lines if line.startswith("#SBATCH ")]


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_script_is_bash(script):
    assert subprocess.run(["bash", "-n", str(ROOT / "launch" / script)], check=False).returncode == 0
    assert os.access(ROOT / "launch" / script, os.X_OK)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_directives_stand_before_the_first_command(script):
    """sbatch reads no further."""
    text = (ROOT / "launch" / script).read_text()
    assert "#SBATCH" not in text[text.index("\nset -euo") :]
    assert "--requeue" in directives(script)


def seconds_before_the_limit(script):
    (found,) = [match[1] for line in directives(script) if (match := re.fullmatch(r"--signal=B:USR1@(\d+)", line))]
    return int(found)


def test_the_signal_leaves_time_for_saving():
    config = compose_config(["recipe=tiny"])
    assert seconds_before_the_limit("train.sbatch") > config.run.stop_grace_s + 2 * END_GRACE_S


def test_the_signal_leaves_time_for_draining():
    assert seconds_before_the_limit("judge.sbatch") > JudgeSettings.drain_s + 60


def test_a_job_that_never_comes_up_ends_within_the_bound_and_names_its_nodes(fake, monkeypatch):
    monkeypatch.setenv("SCOPEIF_NODES_DEADLINE_S", "1")
    monkeypatch.setenv("SCOPEIF_HEAD_IP", "127.0.0.1")
    result = submitted("recipe=tiny")
    assert result.returncode == 69, result.stdout + result.stderr
    assert "job 77: 2 of 2 nodes: not up after 1 s: n1, n2" in result.stderr
    assert "n2: srun: waiting for the node" in result.stderr
    steps = (fake / "srun").read_text().splitlines()
    assert len(steps) == 2
    assert all("--overlap" in step and "scopeif.launch.ray_node" in step for step in steps)
    assert "--nodelist=n1" in steps[0] + steps[1]
    assert ["--head" in step for step in steps] == ["--node=n1" in step for step in steps]
    assert len(list(fake.glob("ended-*"))) == 2
    assert list(fake.rglob("token")) == []


def test_outside_slurm_it_says_how_to_submit(monkeypatch):
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    monkeypatch.setenv("SLURM_SUBMIT_DIR", str(ROOT))
    monkeypatch.setenv("SCOPEIF_PYTHON", sys.executable)
    result = submitted("recipe=tiny")
    assert result.returncode == 2
    assert "sbatch launch/train.sbatch" in result.stderr


@pytest.fixture
def cluster(fake):
    cluster = RayCluster(Job.current(), "127.0.0.1:1", fake / "jobs" / "77", node_tmp=fake)
    yield cluster
    cluster.end()


def test_only_the_missing_node_is_named(cluster, monkeypatch):
    monkeypatch.setattr(cluster, "_members", lambda: ["n1"])
    cluster.start()
    with pytest.raises(ClusterError, match=r"1 of 2 nodes: not up after 0.5 s: n2\n  n2: srun: waiting") as caught:
        cluster.wait_until_up(0.5)
    assert "n1:" not in str(caught.value)
    assert "--exclude=n2" in caught.value.fix


def test_a_node_whose_ray_ends_at_once_is_named_at_once(cluster, fake, monkeypatch):
    (fake / "commands" / "srun").write_text(
        '#!/bin/sh\necho "$@" | grep -q node=n1 && exec cat\necho "no venv"; exit 1\n'
    )
    monkeypatch.setattr(cluster, "_members", lambda: ["n1"])
    cluster.start()
    begun = time.monotonic()
    with pytest.raises(ClusterError, match=r"1 of 2 nodes: Ray has ended: n2\n  n2: no venv"):
        cluster.wait_until_up(60)
    assert time.monotonic() - begun < 30


def test_the_token_is_secret_and_new_for_each_start(cluster, fake):
    cluster.start()
    token = fake / "jobs" / "77" / "token"
    assert token.stat().st_mode & 0o777 == 0o600
    other = RayCluster(cluster.job, cluster.address, fake / "jobs" / "78", node_tmp=fake)
    other.start()
    assert len(token.read_text()) == 64
    assert token.read_text() != (fake / "jobs" / "78" / "token").read_text()
    other.end()
    assert not (fake / "jobs" / "78" / "token").exists()


# A job whose cluster is up at once, or takes for ever, or loses a node; its training notes the signals that it gets.
DRIVER = """\
import sys, time
from pathlib import Path
from scopeif.errors import ClusterError, ScopeIFError
from scopeif.launch import train_job
from scopeif.launch.slurm import Job

class Cluster:
    folder, variables = Path("logs"), {"RAY_ADDRESS": "n1:1"}
    def start(self): pass
    def wait_until_up(self, deadline_s): time.sleep(60 if sys.argv[1] == "waits" else 0)
    def require_running(self):
        if sys.argv[1] == "loses" and Path(sys.argv[2], "trains").exists(): raise ClusterError("n2 is lost")
    def end(self): Path(sys.argv[2], "cluster-ended").touch()

train_job._cluster = lambda job: Cluster()
train_job.Job.current = classmethod(lambda cls: Job(77, ("n1", "n2"), 0))
train_job.sys.executable = sys.argv[3]
sys.exit(train_job.main(sys.argv[4:]))
"""

# In place of `python -m scopeif.train STATUS`: ends with that status, or by a signal as the launcher does.
TRAINING = """\
#!{python}
import os, signal, sys, time
from pathlib import Path
folder = Path({folder!r})
def stop(number, _):
    (folder / "signal").write_text(signal.Signals(number).name)
    sys.exit(128 + number)
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
    signal.signal(number, stop)
assert sys.argv[1:3] == ["-m", "scopeif.train"] and os.environ["RAY_ADDRESS"] == "n1:1"
(folder / "trains").touch()
if sys.argv[3] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] != "long":
    sys.exit(int(sys.argv[3]))
time.sleep(60)
"""


@pytest.fixture
def train(fake):
    training = fake / "training"
    training.write_text(TRAINING.format(python=sys.executable, folder=str(fake)))
    training.chmod(0o755)
    started = []

    def train(cluster, argument):
        with (fake / "out").open("w") as output:
            command = [sys.executable, "-c", DRIVER, cluster, str(fake), str(training), argument]
            started.append(subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT))
        return started[-1]

    yield train
    for process in started:
        process.kill()
        process.wait()


def told(fake):
    return (fake / "out").read_text()


@pytest.mark.parametrize("argument, status", [("0", 0), ("1", 1), ("2", 2), ("killed", 128 + signal.SIGKILL)])
def test_the_training_s_exit_status_is_the_job_s(train, fake, argument, status):
    assert train("up", argument).wait(timeout=30) == status
    assert (fake / "cluster-ended").exists()
    assert not (fake / "requeued").exists()


def test_usr1_saves_and_queues_again(train, fake):
    process = train("up", "long")
    wait_for((fake / "trains").exists, "the training")
    process.send_signal(signal.SIGUSR1)
    assert process.wait(timeout=30) == 75
    assert (fake / "signal").read_text() == "SIGUSR1"
    assert (fake / "requeued").read_text() == "requeue 77\n"
    assert (fake / "cluster-ended").exists()


def test_a_job_that_may_not_be_queued_again_says_so(train, fake, monkeypatch):
    monkeypatch.setenv("REQUEUE_STATUS", "1")
    process = train("up", "long")
    wait_for((fake / "trains").exists, "the training")
    process.send_signal(signal.SIGUSR1)
    assert process.wait(timeout=30) == 75
    assert "not queued again" in told(fake)


def test_usr1_before_the_training_began_queues_again(train, fake):
    process = train("waits", "long")
    wait_for(lambda: "logs of the nodes" in told(fake), "the job")
    process.send_signal(signal.SIGUSR1)
    assert process.wait(timeout=30) == 75
    assert (fake / "requeued").exists()
    assert (fake / "cluster-ended").exists()


@pytest.mark.parametrize("cluster", ["up", "waits"])
def test_term_ends_and_does_not_queue_again(train, fake, cluster):
    process = train(cluster, "long")
    begun = (fake / "trains").exists if cluster == "up" else lambda: "logs of the nodes" in told(fake)
    wait_for(begun, "the job")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=30) == 143
    assert not (fake / "requeued").exists()
    assert (fake / "cluster-ended").exists()


def test_a_lost_node_ends_the_training_at_once(train, fake):
    assert train("loses", "long").wait(timeout=30) == 69
    assert (fake / "signal").read_text() == "SIGINT"
    assert "n2 is lost" in told(fake)
    assert not (fake / "requeued").exists()
