"""launch/judge.sbatch as SLURM would run it, with a stub in place of vLLM."""

import os
import signal
import subprocess
import sys
import time

import pytest
from waiting import ROOT, wait_for

from scopeif.errors import InvalidInputError
from scopeif.judge.endpoint_list import EndpointFile
from scopeif.launch.judge_job import JudgeSettings

STUB = ROOT / "tests" / "launch" / "judge_stub.py"


class Judge:
    """One judge job in a process of its own."""

    def __init__(self, folder, job, gpus="0,1,2,3", **variables):
        self.folder, self.shared = folder, folder / "endpoints.txt"
        self.stubs = folder / f"stubs-{job}"
        self.stubs.mkdir()
        self.output = folder / f"{job}.out"
        environment = {
            "SLURM_JOB_ID": str(job),
            "SLURM_SUBMIT_DIR": str(ROOT),
            "SCOPEIF_PYTHON": sys.executable,
            "SCOPEIF_JOBS": str(folder / "jobs"),
            "CUDA_VISIBLE_DEVICES": gpus,
            "JUDGE_ENDPOINTS": str(self.shared),
            "JUDGE_COMMAND": f"{sys.executable} {STUB} {self.stubs} {{port}} {{model}} {{name}} tp={{tp}}",
            "JUDGE_HOST": "node7",
            "JUDGE_POLL_S": "0.1",
            "JUDGE_DRAIN_S": "20",
        }
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                ["bash", str(ROOT / "launch" / "judge.sbatch"), "--max-model-len", "32768"],
                env=os.environ | environment | variables,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def started(self):
        """What each server was started with, by its URL."""
        files = self.stubs.glob("*.args")
        return {f"http://node7:{file.stem}/v1": file.read_text().split("\n") for file in files}

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(timeout=30)


@pytest.fixture
def judge(tmp_path):
    jobs = []

    def judge(job, **options):
        jobs.append(Judge(tmp_path, job, **options))
        return jobs[-1]

    yield judge
    for job in jobs:
        if job.process.poll() is None:
            job.end(signal.SIGTERM)


def listed(job):
    if not job.shared.exists():
        return set()
    found = EndpointFile(job.shared).read_if_changed()
    assert found.faults == ()
    return set(found.urls)


def wait_until_listed(job, count, timeout=30):
    wait_for(lambda: len(listed(job)) == count, f"{count} endpoints; {job.output.read_text()}", timeout)
    return listed(job)


def gone(pid):
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    return False


def test_a_server_for_every_two_gpus_and_all_are_listed_until_the_end(judge):
    job = judge(21)
    urls = wait_until_listed(job, 2)
    started = job.started()
    assert set(started) == urls
    assert sorted(words[0] for words in started.values()) == ["0,1", "2,3"]
    for _, _, *arguments in started.values():
        assert arguments == ["openai/gpt-oss-120b", "openai/gpt-oss-120b", "tp=2", "--max-model-len", "32768"]
    assert job.end(signal.SIGTERM) == 0
    assert listed(job) == set()
    wait_for(lambda: all(gone(words[1]) for words in started.values()), "the end of the servers")


def test_before_the_time_limit_it_is_off_the_list_first_and_ends_when_nothing_is_in_flight(judge):
    job = judge(22, gpus="0,1")
    wait_until_listed(job, 1)
    ((_, pid, *_),) = job.started().values()
    (job.stubs / "busy").touch()
    job.process.send_signal(signal.SIGUSR1)
    wait_until_listed(job, 0)
    time.sleep(0.5)
    assert job.process.poll() is None
    assert not gone(pid)
    (job.stubs / "busy").unlink()
    assert job.process.wait(timeout=30) == 0
    assert "drained" in job.output.read_text()
    wait_for(lambda: gone(pid), "the end of the server")


def test_draining_has_an_end(judge):
    job = judge(23, gpus="0,1", JUDGE_DRAIN_S="0.5")
    wait_until_listed(job, 1)
    (job.stubs / "busy").touch()
    assert job.end(signal.SIGUSR1) == 0
    assert "the time for draining is over" in job.output.read_text()


def test_jobs_roll_over_with_overlap(judge):
    old = judge(24, gpus="0,1")
    before = wait_until_listed(old, 1)
    new = judge(25, gpus="0,1")
    both = wait_until_listed(new, 2)
    assert before < both
    assert old.end(signal.SIGUSR1) == 0
    assert listed(new) == both - before


def test_a_sick_server_is_off_the_list_until_it_is_well(judge):
    job = judge(26, gpus="0,1")
    urls = wait_until_listed(job, 1)
    (job.stubs / "sick").touch()
    wait_until_listed(job, 0)
    (job.stubs / "sick").unlink()
    assert wait_until_listed(job, 1) == urls


def test_a_killed_server_is_started_again(judge):
    job = judge(27)
    before = wait_until_listed(job, 2)
    url, (_, pid, *_) = next(iter(job.started().items()))
    os.kill(int(pid), signal.SIGKILL)
    wait_for(lambda: len(listed(job)) == 2 and listed(job) != before, "a new server")
    assert url not in listed(job)
    assert f"{url} ended with status -9" in job.output.read_text()


def test_a_command_that_always_fails_ends_the_job_with_its_last_words(judge):
    job = judge(28, JUDGE_COMMAND="sh -c 'echo RuntimeError: no such model >&2; exit 3'")
    assert job.process.wait(timeout=60) == 69
    assert "no judge server runs: RuntimeError: no such model" in job.output.read_text()


@pytest.mark.parametrize(
    "variables, told",
    [
        ({"JUDGE_ENDPOINTS": ""}, "JUDGE_ENDPOINTS is not set"),
        ({"CUDA_VISIBLE_DEVICES": "0"}, "1 GPUs"),
        ({"JUDGE_TP": "two"}, "JUDGE_TP='two'"),
        ({"JUDGE_TP": "0"}, "JUDGE_TP"),
        ({"JUDGE_DRAIN_S": "nan"}, "JUDGE_DRAIN_S='nan'"),
    ],
)
def test_wrong_settings_are_named(variables, told):
    given = {"JUDGE_ENDPOINTS": "list.txt", "CUDA_VISIBLE_DEVICES": "0,1"}
    with pytest.raises(InvalidInputError, match=told):
        JudgeSettings.from_environment(given | variables)
