"""`kill -9` at any moment: nothing is left behind, and the same command ends with the same prompts and steps.

A resumed run repeats the steps since its checkpoint: the prompts that were logged of them before must come again.
"""

import random
import signal
import time

import pytest
from processes import assert_gone, processes_of, traces

from scopeif.training.checkpoints import Checkpoints

pytestmark = pytest.mark.end_to_end
STEPS = 6
COMMAND = (f"trainer.total_training_steps={STEPS}",)


def kill(run):
    """Kill the launcher; returns what was logged of the prompts."""
    pids = processes_of(run)
    run.process.send_signal(signal.SIGKILL)
    run.process.wait()
    assert_gone(pids, within_s=30)
    return run.prompts()


def under_way(words):
    """Whether a reward is being computed, by what the hook wrote."""
    return words.count("entered") > words.count("left")


def repeated(before, after):
    """The steps that both logs hold, as each of them has them."""
    known = {row["step"]: row["ids"] for row in after}
    common = [row for row in before if row["step"] in known]
    return common, [{"step": row["step"], "ids": known[row["step"]]} for row in common]


@pytest.mark.timeout(1500)
def test_killed_while_saving_and_in_mid_reward(start, tmp_path):
    mark = tmp_path / "rewards"
    hooks = {"VERL_USE_EXTERNAL_MODULES": "scopeif_test_hooks", "SCOPEIF_TEST_REWARDS": str(mark)}
    before = traces()

    saving = start(*COMMAND, environment=hooks)
    folder = Checkpoints(saving.folder()).step_folder(4)
    saving.wait_until(folder.exists)
    first = kill(saving)
    assert Checkpoints(saving.folder()).complete_steps() == [2]

    mark.unlink()
    rewarding = start(*COMMAND, root=saving.root, environment=hooks)
    rewarding.wait_until(lambda: any(event.get("step") == 5 for event in rewarding.events()))
    mark.unlink(missing_ok=True)
    rewarding.wait_until(lambda: mark.exists() and under_way(mark.read_text().split()))
    second = kill(rewarding)
    assert "resumes after step 2" in rewarding.output.read_text()
    assert Checkpoints(rewarding.folder()).complete_steps() == [2, 4]

    last = start(*COMMAND, root=saving.root)
    assert last.wait(timeout=600) == 0, last.output.read_text()
    assert "resumes after step 4" in last.output.read_text()
    third = last.prompts()
    for earlier, later, steps in ((first, second, {3, 4}), (second, third, {5})):
        was, again = repeated(earlier, later)
        assert {row["step"] for row in was} >= steps
        assert was == again
    assert [row["step"] for row in third] == [row["step"] for row in last.metrics()] == list(range(1, STEPS + 1))
    ids = [one for row in third for one in row["ids"]]
    assert len(ids) == len(set(ids))  # within an epoch no prompt comes twice
    assert not last.folder(2).exists()
    time.sleep(1)
    assert traces() <= before


@pytest.mark.long
@pytest.mark.timeout(7200)
def test_twenty_kills_at_random_moments(start):
    """Each attempt is killed after a random number of its events: while it loads, generates, updates or saves."""
    steps = 40
    command = (f"trainer.total_training_steps={steps}", "trainer.save_freq=1", "trainer.test_freq=5")
    undisturbed = start(*command)
    assert undisturbed.wait(timeout=900) == 0, undisturbed.output.read_text()

    generator = random.Random(20)
    root, before = None, traces()
    for _ in range(20):
        run = start(*command, root=root)
        root = run.root
        had, wanted = len(run.events()), generator.randint(1, 18)
        run.wait_until(lambda run=run, enough=had + wanted: len(run.events()) >= enough)
        time.sleep(generator.uniform(0, 0.5))
        kill(run)
    last = start(*command, root=root)
    assert last.wait(timeout=900) == 0, last.output.read_text()
    assert last.prompts() == undisturbed.prompts()
    assert [row["step"] for row in last.metrics()] == list(range(1, steps + 1))
    assert not last.folder(2).exists()
    time.sleep(1)
    assert traces() <= before


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_loss_that_is_no_number_stops_and_the_last_good_weights_are_saved(start):
    import torch
    from safetensors.torch import load_file

    hooks = {"VERL_USE_EXTERNAL_MODULES": "scopeif_test_hooks", "SCOPEIF_TEST_NAN_FROM": "4"}
    never = ("trainer.save_freq=100", "trainer.test_freq=100")
    poisoned = start(*COMMAND, *never, environment=hooks)
    assert poisoned.wait(timeout=600) == 1, poisoned.output.read_text()
    output = poisoned.output.read_text()
    assert "actor/grad_norm is nan" in output
    assert "step 3 is saved" in output
    checkpoints = Checkpoints(poisoned.folder())
    assert checkpoints.complete_steps() == [3]
    weights = load_file(checkpoints.model_folder(3) / "model.safetensors")
    assert all(torch.isfinite(tensor).all() for tensor in weights.values())
    assert (poisoned.folder() / "rollouts" / "000004.jsonl.zst").exists()

    mended = start(*COMMAND, *never, root=poisoned.root)
    assert mended.wait(timeout=600) == 0, mended.output.read_text()
    assert [row["step"] for row in mended.metrics()] == list(range(1, STEPS + 1))
