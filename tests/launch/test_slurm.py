"""A real SLURM with two node names on this machine: preempted, queued again, resumed; a lost node; a cancelled job."""

import json
import re
import signal
import sys
from pathlib import Path

import pytest
from waiting import ROOT, processes, wait_for

from scopeif.judge.endpoint_list import EndpointFile

pytestmark = [pytest.mark.long, pytest.mark.end_to_end, pytest.mark.timeout(1500)]
STEPS = 8
ENDED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL"}


class Training:
    """launch/train.sbatch with the tiny recipe on both nodes."""

    def __init__(self, slurm, folder, **variables):
        self.slurm, self.folder, self.output = slurm, folder, folder / "job.out"
        # Ray's logical resources: this machine has no GPU, and SLURM gives each node name one CPU.
        ray = "--num-cpus=16 --num-gpus=1 --object-store-memory=300000000"
        variables = {"SCOPEIF_PYTHON": sys.executable, "SCOPEIF_RAY_ARGS": ray, **variables}
        self.job = slurm.submit(
            *("--partition=low", "--nodes=2", "--gpus-per-node=0", f"--output={self.output}"),
            *("launch/train.sbatch", "recipe=tiny", "trainer.nnodes=2", f"run.root={folder}/runs"),
            *(f"trainer.total_training_steps={STEPS}", "trainer.save_freq=100", "trainer.test_freq=4"),
            "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8",  # half of the batch on each node
            SCOPEIF_JOBS=str(folder / "jobs"),
            **variables,
        )

    @property
    def run(self):
        return self.folder / "runs" / "tiny" / "001"

    def text(self):
        return self.output.read_text() if self.output.exists() else ""

    def step(self):
        """The last step that is done."""
        file = self.run / "metrics.jsonl"
        rows = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
        return max((row["step"] for row in rows), default=0)

    def attempts(self):
        return json.loads((self.run / "run.json").read_text())["attempts"]

    def wait_for(self, condition, what, timeout):
        def met():
            assert self.slurm.show(self.job)["JobState"] not in ENDED, self.text()
            return condition()

        wait_for(met, f"{what}\n{self.text()}", timeout)

    def node_folders(self):
        return list(Path("/tmp").glob(f"sif-{self.job}-*"))


def test_a_preempted_run_is_queued_again_resumes_and_finishes(slurm, tmp_path):
    training = Training(slurm, tmp_path)
    training.wait_for(lambda: training.step() >= 2, "two steps", 600)
    assert len(training.node_folders()) == 2
    assert processes(f"/tmp/sif-{training.job}-1")
    urgent = slurm.submit("--partition=high", "--nodes=2", f"--output={tmp_path}/urgent.out", "--wrap=sleep 5")
    training.wait_for(lambda: slurm.show(training.job)["Restarts"] == "1", "the restart", 200)
    slurm.wait_until(urgent, {"COMPLETED"}, 60)
    saved = training.attempts()[0]
    assert saved["state"] == "stopped"
    assert "saved" in saved["reason"]

    shown = slurm.wait_until(training.job, ENDED, 600)
    text = training.text()
    assert shown["JobState"] == "COMPLETED", text
    assert "received SIGUSR1" in text
    assert len(training.attempts()) == 2
    step = training.attempts()[1]["from_step"]
    assert step >= 2
    assert f"resumes after step {step}" in text
    assert json.loads((training.run / "run.json").read_text())["state"] == "finished"
    prompts = [json.loads(line)["step"] for line in (training.run / "prompts.jsonl").read_text().splitlines()]
    assert prompts == list(range(1, STEPS + 1))
    assert not training.run.with_name("002").exists()
    for start in ("start-1", "start-2"):
        for node in ("n1", "n2"):
            assert list((tmp_path / "jobs" / str(training.job) / start / node).glob("worker-*")), (start, node)
    assert list(tmp_path.rglob("token")) == []
    assert training.node_folders() == []


def test_a_node_that_does_not_answer_is_named_within_the_bound(slurm, tmp_path):
    slurm.daemons["n2"].send_signal(signal.SIGSTOP)
    try:
        training = Training(slurm, tmp_path, SCOPEIF_NODES_DEADLINE_S="60")
        wait_for(lambda: "error:" in training.text(), f"an error\n{training.text()}", 150)
    finally:
        slurm.daemons["n2"].send_signal(signal.SIGCONT)
    shown = slurm.wait_until(training.job, ENDED, 120)
    assert (shown["JobState"], shown["ExitCode"]) == ("FAILED", "69:0"), training.text()
    assert re.search(rf"error: job {training.job}: 1 of 2 nodes: .*: n2\n  n2: srun: error: ", training.text())
    assert training.node_folders() == []


def test_a_cancelled_job_leaves_nothing_behind(slurm, tmp_path):
    training = Training(slurm, tmp_path)
    training.wait_for(lambda: "all nodes are up" in training.text(), "both nodes", 300)
    slurm.run("scancel", str(training.job))
    wait_for(lambda: not slurm.run("squeue", "--noheader", f"--jobs={training.job}"), "the end of the job", 60)
    wait_for(lambda: training.node_folders() == [], "the nodes' folders to go")
    assert processes(f"/tmp/sif-{training.job}-") == []
    assert list(tmp_path.rglob("token")) == []


def test_judge_jobs_leave_the_list_before_their_time_limit_and_hand_over(slurm, tmp_path):
    shared = tmp_path / "endpoints.txt"

    def submit(*options):
        stub = f"{sys.executable} {ROOT}/tests/launch/judge_stub.py {tmp_path} {{port}}"
        return slurm.submit(
            *("--gpus-per-node=0", f"--output={tmp_path}/%j.out", *options, "launch/judge.sbatch"),
            SCOPEIF_PYTHON=sys.executable,
            SCOPEIF_JOBS=str(tmp_path / "jobs"),
            CUDA_VISIBLE_DEVICES="0,1",
            JUDGE_ENDPOINTS=str(shared),
            JUDGE_COMMAND=stub,
            JUDGE_POLL_S="0.5",
        )

    def listed():
        return set(EndpointFile(shared).read_if_changed().urls) if shared.exists() else set()

    first = submit("--time=2", "--signal=B:USR1@60")
    second = submit(f"--dependency=after:{first}")
    wait_for(lambda: len(listed()) == 2, "both jobs' endpoints", 60)
    both = listed()
    shown = slurm.wait_until(first, ENDED, 150)
    assert shown["JobState"] == "COMPLETED", shown
    assert "received SIGUSR1: off the list" in (tmp_path / f"{first}.out").read_text()
    assert len(listed()) == 1
    assert listed() < both
    slurm.run("scancel", "--batch", "--signal=USR1", str(second))
    assert slurm.wait_until(second, ENDED, 60)["JobState"] == "COMPLETED"
    assert listed() == set()
