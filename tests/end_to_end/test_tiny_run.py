"""One real GRPO run of the tiny recipe, with a drill that leaves samples unverified: verl, vLLM, Ray, the sandbox.

The tensors are those that reach the actor's loss, written by the worker process itself.
"""

import json
import re
from collections import defaultdict
from itertools import pairwise

import pytest
import torch
from processes import traces

from scopeif.training import rollout_log
from scopeif.training.checkpoints import Checkpoints

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(420)]
STEPS = 4


@pytest.fixture(scope="module")
def run(start, tmp_path_factory):
    batches = tmp_path_factory.mktemp("batches")
    before = traces()
    environment = {"VERL_USE_EXTERNAL_MODULES": "scopeif_test_hooks", "SCOPEIF_TEST_BATCHES": str(batches)}
    run = start(
        "unverified.drill_frac=0.5", "unverified.max_frac=0.95", "data.train_batch_size=8", environment=environment
    )
    assert run.wait(timeout=400) == 0, run.output.read_text()
    run.traces_before = before
    run.batches = [torch.load(path, weights_only=False) for path in sorted(batches.iterdir())]
    return run


@pytest.fixture(scope="module")
def rollouts(run):
    return [row for step in range(1, STEPS + 1) for row in rollout_log.read(log_file(run, step))]


def log_file(run, step):
    return run.folder() / "rollouts" / f"{step:06d}.jsonl.zst"


def rows(batch):
    """Each trajectory's tensors, by its group."""
    groups = defaultdict(list)
    for i, uid in enumerate(batch["uid"]):
        info = batch["reward_extra_info"][i]
        tensors = {name: batch[name][i] for name in ("advantages", "response_mask", "loss_mask")}
        groups[uid].append({"verified": info["verified"], "reward": info["reward_scopeif"], **tensors})
    return list(groups.values())


def carries_nothing(row):
    return not row["advantages"].any() and not row["response_mask"].any() and not row["loss_mask"].any()


def test_every_step_reached_the_actor(run):
    assert len(run.batches) == STEPS
    assert [len(batch["uid"]) for batch in run.batches] == [32] * STEPS


def test_unverified_samples_carry_no_advantage_and_no_loss(run):
    unverified = [row for batch in run.batches for group in rows(batch) for row in group if not row["verified"]]
    assert len(unverified) > 10
    assert all(carries_nothing(row) for row in unverified)


def test_survivors_learn_as_a_group_without_the_failed_samples(run):
    taught = 0
    for group in (group for batch in run.batches for group in rows(batch)):
        survivors = [row for row in group if row["verified"]]
        if len(survivors) < 2 or len(survivors) == len(group):
            continue
        rewards = torch.tensor([row["reward"] for row in survivors])
        same = rewards.max() == rewards.min()
        expected = rewards * 0 if same else (rewards - rewards.mean()) / (rewards.std() + 1e-6)
        for row, advantage in zip(survivors, expected, strict=True):
            assert row["response_mask"].all()
            assert row["loss_mask"].all()
            torch.testing.assert_close(row["advantages"], advantage.expand_as(row["advantages"]), atol=1e-5, rtol=0)
        taught += 1
    assert taught > 3


def test_a_lone_survivor_contributes_nothing(run):
    groups = [group for batch in run.batches for group in rows(batch)]
    lone = [row for group in groups if sum(r["verified"] for r in group) == 1 for row in group if row["verified"]]
    assert lone
    assert all(carries_nothing(row) for row in lone)


def test_the_rollout_log_shows_unverified_samples_without_a_reward(rollouts):
    assert len(rollouts) == 32 * STEPS
    unverified = [row for row in rollouts if not row["verified"]]
    assert len(unverified) > 10
    for row in unverified:
        assert row["masked"]
        assert row["advantage"] is None
        assert set(row["reward"].values()) == {None}
        assert {constraint["status"] for constraint in row["constraints"]} <= {"unverified", "satisfied", "violated"}
        assert "unverified" in {constraint["status"] for constraint in row["constraints"]}


def test_verified_rollouts_show_their_records_and_reward(rollouts):
    measured = [row for row in rollouts if row["verified"] and row["format_reward"]]
    assert measured
    for row in measured:
        assert row["constraints"]
        assert all(constraint["records"] and constraint["tool_source"] for constraint in row["constraints"])
        assert 0 <= row["reward"]["scopeif"] <= 1


def test_a_truncated_response_has_reward_0_and_nothing_measured(rollouts):
    truncated = [row for row in rollouts if row["format_fault"] == "truncated"]
    assert truncated
    assert all(row["reward"]["scopeif"] == 0 and row["constraints"] == [] and row["verified"] for row in truncated)


def test_metrics_count_the_unverified(run, rollouts):
    for metrics in run.metrics():
        step = [row for row in rollouts if row["step"] == metrics["step"]]
        assert metrics["train/unverified_frac"] == pytest.approx(sum(not row["verified"] for row in step) / 32)
        assert metrics["unverified/masked_samples"] == sum(row["masked"] for row in step)
        assert 0 <= metrics["train/csr_low"] <= metrics["train/csr_high"] <= 1


def test_weights_reach_vllm(run):
    after_updates = [row["training/rollout_actor_probs_pearson_corr"] for row in run.metrics() if row["step"] > 3]
    assert after_updates
    assert min(after_updates) >= 0.999


def test_validation_before_and_after(run):
    assert [row["step"] for row in run.metrics("val")] == [0, 2, 4]
    assert all("val/all/csr" in row and "val/scope_mini/isr" in row for row in run.metrics("val"))


def test_the_best_checkpoint_is_a_model_that_loads(run):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    checkpoints = Checkpoints(run.folder())
    assert checkpoints.complete_steps() == [2, 4]
    assert checkpoints.best().metric == "val/all/csr"
    model = AutoModelForCausalLM.from_pretrained(checkpoints.best_model)
    tokenizer = AutoTokenizer.from_pretrained(checkpoints.best_model)
    assert model.get_input_embeddings().weight.shape[0] >= len(tokenizer)


def test_tensorboard_and_state_are_written(run):
    assert any((run.folder() / "tensorboard").rglob("events.out.tfevents*"))
    assert json.loads((run.folder() / "run.json").read_text())["state"] == "finished"


def test_the_console_tells_of_every_phase_and_where_things_are(run):
    output = run.output.read_text()
    for expected in ("starting Ray", "loading policy", "validation before training", "step 4/4", "ETA", "best model"):
        assert expected in output
    clocks = [int(m) * 60 + int(s) for m, s in re.findall(r"^ +(\d+):(\d\d)  ", output, flags=re.MULTILINE)]
    assert max(b - a for a, b in pairwise(clocks)) <= 15  # no silent minute


def test_nothing_is_left_behind(run):
    assert traces() <= run.traces_before
