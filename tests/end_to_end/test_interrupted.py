"""Runs that are killed or asked to stop: what is saved, what is left behind, and that the same command goes on."""

import signal
import time

import pytest
from processes import GONE_S, assert_gone, processes_of, traces

from scopeif.training.checkpoints import Checkpoints

pytestmark = [pytest.mark.long, pytest.mark.end_to_end, pytest.mark.timeout(900)]
STEPS = "trainer.total_training_steps=8"


@pytest.fixture(scope="module")
def undisturbed(start):
    """The prompts of a run that nobody interrupts."""
    run = start(STEPS)
    assert run.wait(timeout=300) == 0, run.output.read_text()
    return run.prompts()


def test_kill_9_then_the_same_command_resumes_with_the_same_prompts(start, undisturbed):
    before = traces()
    killed = start(STEPS)
    killed.wait_for_step(5)
    pids = processes_of(killed)
    assert len(pids) > 5
    killed.process.send_signal(signal.SIGKILL)
    killed.process.wait()
    assert_gone(pids)
    time.sleep(1)
    assert traces() <= before
    assert Checkpoints(killed.folder()).complete_steps()[-1] == 4

    resumed = start(STEPS, root=killed.root)
    assert resumed.wait(timeout=300) == 0, resumed.output.read_text()
    assert "resumes after step 4" in resumed.output.read_text()
    assert resumed.prompts() == undisturbed
    assert [row["step"] for row in resumed.metrics()] == list(range(1, 9))
    assert not resumed.folder(2).exists()

    finished = start(STEPS, root=killed.root)
    deadline = time.monotonic() + 30
    while not finished.folder(2).exists():
        assert time.monotonic() < deadline
        time.sleep(0.1)
    pids = processes_of(finished)
    finished.process.send_signal(signal.SIGINT)
    assert finished.wait(timeout=30) == 128 + signal.SIGINT
    assert_gone(pids)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_a_stop_signal_saves_first_and_the_run_goes_on_later(start, undisturbed, number):
    before = traces()
    asked = start(STEPS, "trainer.save_freq=100", "trainer.test_freq=100")
    asked.wait_for_step(3)
    pids = processes_of(asked)
    asked.process.send_signal(number)
    assert asked.wait(timeout=60) == 128 + number
    assert_gone(pids)
    assert traces() <= before
    output = asked.output.read_text()
    saved = Checkpoints(asked.folder()).complete_steps()
    assert len(saved) == 1
    assert saved[0] >= 3
    assert f"resumes from step {saved[0]}" in output
    assert "python -m scopeif.train recipe=tiny" in output

    resumed = start(STEPS, "trainer.save_freq=100", "trainer.test_freq=100", root=asked.root)
    assert resumed.wait(timeout=300) == 0, resumed.output.read_text()
    assert f"resumes after step {saved[0]}" in resumed.output.read_text()
    assert resumed.prompts() == undisturbed


@pytest.mark.parametrize("step", [0, 2])
def test_a_stop_during_a_validation_does_not_wait_for_it_and_it_is_made_up_for(start, undisturbed, tmp_path, step):
    slow = {"VERL_USE_EXTERNAL_MODULES": "scopeif_test_hooks", "SCOPEIF_TEST_REWARDS": str(tmp_path / "rewards")}
    asked = start(STEPS, environment=slow)
    asked.wait_until(lambda: ("validation", step) in [(one.get("name"), one.get("step")) for one in asked.events()])
    asked.process.send_signal(signal.SIGUSR1)
    assert asked.wait(timeout=60) == 128 + signal.SIGUSR1, asked.output.read_text()
    assert Checkpoints(asked.folder()).complete_steps() == ([step] if step else [])
    assert step not in [row["step"] for row in asked.metrics("val")]

    resumed = start(STEPS, root=asked.root)
    assert resumed.wait(timeout=300) == 0, resumed.output.read_text()
    assert step in [row["step"] for row in resumed.metrics("val")]
    assert resumed.prompts() == undisturbed


def test_ctrl_c_ends_everything_and_says_how_to_go_on(start):
    before = traces()
    run = start(STEPS)
    run.wait_for_step(3)
    pids = processes_of(run)
    begun = time.monotonic()
    run.process.send_signal(signal.SIGINT)
    assert run.wait(timeout=30) == 128 + signal.SIGINT
    assert_gone(pids)
    assert time.monotonic() - begun < GONE_S
    assert traces() <= before
    assert "the same command resumes from step 2" in run.output.read_text()


def test_disabled_weight_sync_is_seen(start):
    """The correlation that the tiny run must hold falls when vLLM keeps its first weights."""
    override = "actor_rollout_ref.rollout.engine_kwargs.vllm.worker_extension_cls=scopeif_test_hooks.NoWeightSync"
    run = start(override, "actor_rollout_ref.actor.optim.lr=1e-2")
    assert run.wait(timeout=300) == 0, run.output.read_text()
    assert run.metrics()[-1]["training/rollout_actor_probs_pearson_corr"] < 0.99
