"""One real GRPO run of the tiny recipe, with a drill that leaves samples unverified: verl, vLLM, Ray, the sandbox.

The tensors are those that reach the actor's loss, written by the worker process itself.
"""

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest
import torch
from processes import traces
from safetensors.torch import load_file

from scopeif.constraints.dataset import verl_row, write_verl_rows
from scopeif.evaluation.ifeval import IFEvalPrompt
from scopeif.training import rollout_log
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.hf_model import check_loads
from scopeif.training.replaying import LoggedRun, replay

pytestmark = [pytest.mark.end_to_end, pytest.mark.timeout(900)]
STEPS, UPDATES, GROUP = 4, 2, 4


@pytest.fixture(scope="module")
def run(start, tmp_path_factory):
    batches = tmp_path_factory.mktemp("batches")
    before = traces()
    environment = {"VERL_USE_EXTERNAL_MODULES": "scopeif_test_hooks", "SCOPEIF_TEST_BATCHES": str(batches)}
    run = start(
        "unverified.drill_frac=0.5",
        "unverified.max_frac=0.95",
        "data.train_batch_size=8",
        f"actor_rollout_ref.actor.ppo_mini_batch_size={8 // UPDATES}",
        "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
        "selection.keep_hf_every=4",
        f"data.val_files=[data/scope_mini/test.jsonl,{ifeval_rows(tmp_path_factory.mktemp('ifeval'))}]",
        environment=environment,
    )
    assert run.wait(timeout=400) == 0, run.output.read_text()
    run.traces_before = before
    run.batches = [torch.load(path, weights_only=False) for path in sorted(batches.iterdir())]
    return run


def ifeval_rows(folder):
    """Two rows of ours in IFEval's layout, ready for verl."""
    rows = [
        IFEvalPrompt(1, "Describe rain.", ("punctuation:no_comma", "startend:quotation"), ({}, {})),
        IFEvalPrompt(2, "Describe snow.", ("keywords:existence",), ({"keywords": ["snow"]},)),
    ]
    chats = [[{"role": "user", "content": row.prompt}] for row in rows]
    texts = [json.dumps(row.to_json()) for row in rows]
    verl = [verl_row(n, "ifeval", rows[n].id, chats[n], texts[n]) for n in range(len(rows))]
    write_verl_rows(verl, folder / "rows.parquet")
    return folder / "rows.parquet"


@pytest.fixture(scope="module")
def rollouts(run):
    return [row for step in range(1, STEPS + 1) for row in rollout_log.read(log_file(run, step))]


def log_file(run, step):
    return run.folder() / "rollouts" / f"{step:06d}.jsonl.zst"


def updates(run):
    """For each step, each trajectory's tensors in the actor's mini-batches, by its group."""
    for step in range(STEPS):
        groups = defaultdict(list)
        for batch in run.batches[step * UPDATES : (step + 1) * UPDATES]:
            for i, uid in enumerate(batch["uid"]):
                info = batch["reward_extra_info"][i]
                tensors = {name: batch[name][i] for name in ("advantages", "response_mask", "loss_mask")}
                groups[uid].append({"verified": info["verified"], "reward": info["reward_scopeif"], **tensors})
        yield groups


def carries_nothing(row):
    return not row["advantages"].any() and not row["response_mask"].any() and not row["loss_mask"].any()


def test_every_mini_batch_of_every_step_has_samples_that_teach(run, rollouts):
    assert len(run.batches) == STEPS * UPDATES
    teaching = [sum(bool(mask.any()) for mask in batch["loss_mask"]) for batch in run.batches]
    assert min(teaching) > 0
    assert all(abs(a - b) <= 1 for a, b in zip(teaching[::UPDATES], teaching[1::UPDATES], strict=True))
    assert sum(teaching) == sum(not row["masked"] for row in rollouts)
    assert all(len(batch["uid"]) - rows < 8 for batch, rows in zip(run.batches, teaching, strict=True))  # fills up only


def test_unverified_samples_carry_no_advantage_and_no_loss(run):
    rows = [row for groups in updates(run) for group in groups.values() for row in group]
    assert all(carries_nothing(row) for row in rows if not row["verified"])


def test_survivors_learn_as_a_group_without_the_failed_samples(run):
    taught = 0
    for group in (group for groups in updates(run) for group in groups.values()):
        survivors = [row for row in group if row["verified"]]
        if not 2 <= len(survivors) < GROUP:
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


def test_a_lone_survivor_contributes_nothing(run, rollouts):
    verified = Counter((row["step"], row["group"]) for row in rollouts if row["verified"])
    lone = [row for row in rollouts if row["verified"] and verified[row["step"], row["group"]] == 1]
    assert lone
    assert all(row["masked"] and row["advantage"] is None for row in lone)
    groups = {row["group"] for row in lone}
    rows = [row for step in updates(run) for uid, group in step.items() if uid in groups for row in group]
    assert all(carries_nothing(row) for row in rows)


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


def test_ifeval_and_the_guard_have_their_own_metrics(run):
    for row in run.metrics("val"):
        assert (row["val/ifeval/prompts"], row["val/ifeval/instructions"]) == (2, 3)
        assert row["val/ifeval/prompt_strict_low"] <= row["val/ifeval/prompt_strict"]
        assert "val/guard/repetition" in row
    logged = rollout_log.read(run.folder() / "rollouts" / "val_000004.jsonl.zst")
    assert Counter(row["source"] for row in logged) == {"scope_mini": 8, "ifeval": 2, "guard": 8}


def test_the_best_checkpoint_is_a_model_that_loads(run):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    checkpoints = Checkpoints(run.folder())
    assert checkpoints.complete_steps() == [2, 4]
    assert checkpoints.best().metric == "val/all/csr"
    assert f"step {checkpoints.best().step}: its `val/all/csr`" in (checkpoints.best_model / "README.md").read_text()
    model = AutoModelForCausalLM.from_pretrained(checkpoints.best_model)
    tokenizer = AutoTokenizer.from_pretrained(checkpoints.best_model)
    assert model.get_input_embeddings().weight.shape[0] >= len(tokenizer)


def test_the_log_replays_to_what_was_logged(run):
    logged = LoggedRun.open(run.folder())
    steps = list(replay(logged, logged.rule))
    assert [step.step for step in steps] == list(range(1, STEPS + 1))
    assert all(step.same for step in steps), steps
    assert all("train/csr" in step.metrics for step in steps)
    other = list(replay(logged, replace(logged.rule, scheme="cla")))
    assert any(step.reward_difference for step in other)


def test_weights_for_curves_are_kept_in_bf16(run):
    checkpoints = Checkpoints(run.folder())
    assert checkpoints.kept_steps() == [4]
    check_loads(checkpoints.kept_model(4))
    tensors = load_file(checkpoints.kept_model(4) / "model.safetensors")
    whole = load_file(checkpoints.model_folder(4) / "model.safetensors")
    assert all(torch.equal(tensor, whole[name].to(torch.bfloat16)) for name, tensor in tensors.items())


def test_metrics_of_reward_and_machine(run):
    for metrics in run.metrics():
        assert 0 <= metrics["train/judge/tail_s"] < 60
        assert metrics["train/tool/ok"] > 0
        assert metrics["machine/trainer_open_files"] > 3
        assert metrics["machine/free_memory_gb"] > 0


def test_tensorboard_and_state_are_written(run):
    events = b"".join(path.read_bytes() for path in (run.folder() / "tensorboard").rglob("events.out.tfevents*"))
    assert b"train/csr" in events
    assert b"rollouts/text_summary" in events
    assert json.loads((run.folder() / "run.json").read_text())["state"] == "finished"


def test_the_console_tells_of_every_phase_and_where_things_are(run):
    output = run.output.read_text()
    for expected in ("starting Ray", "loading policy", "validation before training", "step 4/4", "ETA", "best model"):
        assert expected in output
    clocks = [int(m) * 60 + int(s) for m, s in re.findall(r"^ +(\d+):(\d\d)  ", output, flags=re.MULTILINE)]
    assert max(b - a for a, b in pairwise(clocks)) <= 15  # no silent minute


def test_nothing_is_left_behind(run):
    assert traces() <= run.traces_before
