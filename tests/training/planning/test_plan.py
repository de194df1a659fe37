"""A plan's numbers, worked by hand from the models' published sizes, and how they follow the config."""

from functools import cache
from pathlib import Path

import pytest

from scopeif.training.composing import compose_config
from scopeif.training.planning.disk import checkpoint_bytes
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.planning.memory import GIB, micro_batch_tokens
from scopeif.training.planning.plan import make_plan
from scopeif.training.planning.plan_lines import plan_lines
from scopeif.training.planning.workload import data_size

P8, P4 = 8_190_735_360, 4_022_468_096
A8 = 174_587_904
"""LoRA of rank 64: 36 layers x 64 x (2 x 8192 + 2 x 5120 + 3 x 16384), for Qwen3-8B."""
GPU_GIB = {  # part by part, in GiB, of Qwen3 on N GPUs: P = 8.1907e9 or 4.0225e9, 2**30 = 1.0737e9
    "qwen3_8b": {"weights": 3.81, "gradients": 3.81, "optimizer": 7.63, "vllm_weights": 15.26, "kv_cache": 21.74},
    "qwen3_4b": {"weights": 1.87, "gradients": 1.87, "optimizer": 3.75, "vllm_weights": 7.49, "kv_cache": 29.51},
    "qwen3_8b_one_node": {"weights": 7.63, "gradients": 7.63, "optimizer": 15.26, "logits": 18.55, "activations": 7.13},
    "qwen3_8b_lora": {"weights": 3.89, "gradients": 0.081, "optimizer": 0.163, "whole_layers": 3.04},
}


@cache
def plan(*overrides):
    config = compose_config(overrides)
    return make_plan(config, planned_settings(config)[0])


def text(*overrides):
    return "\n".join(plan_lines(plan(*overrides)))


@pytest.fixture(scope="module")
def paper():
    return plan("recipe=qwen3_8b", "data.train_files=not/there.jsonl")


def test_a_lora_is_counted_by_hand():
    assert A8 == 36 * 64 * (2 * (4096 + 4096) + 2 * (4096 + 1024) + 3 * (4096 + 12288))


@pytest.mark.parametrize("recipe", GPU_GIB)
def test_gpu_memory_by_hand(recipe):
    size = plan(f"recipe={recipe}").memory
    parts = {name: part / GIB for name, part in (size.learning | size.generating).items()}
    assert {name: parts[name] for name in GPU_GIB[recipe]} == pytest.approx(GPU_GIB[recipe], rel=0.01)


@pytest.mark.parametrize("recipe, learning, generating", [("qwen3_8b", 47.2, 53.95), ("qwen3_8b_one_node", 62.4, 42.5)])
def test_gpu_sums_by_hand(recipe, learning, generating):
    size = plan(f"recipe={recipe}").memory
    assert sum(size.learning.values()) / GIB == pytest.approx(learning, abs=0.1)
    assert sum(size.generating.values()) / GIB == pytest.approx(generating, abs=0.1)


def test_a_reference_takes_host_memory_alone(paper):
    offloaded = plan("recipe=qwen3_8b", "actor_rollout_ref.ref.fsdp_config.param_offload=true")
    assert offloaded.memory == paper.memory
    assert "reference" not in paper.memory.learning | paper.memory.generating
    assert "reference" in paper.host_memory.loading.keys() & paper.host_memory.saving.keys()


@pytest.mark.parametrize(
    "overrides, moment, part, factor",
    [
        (["trainer.nnodes=2"], "learning", "weights", 1 / 2),
        (["trainer.nnodes=2", "actor_rollout_ref.actor.fsdp_config.fsdp_size=8"], "learning", "weights", 1),
        (["option=sequence_parallel"], "learning", "activations", 1),
        (["actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192"], "learning", "logits", 1 / 2),
        (["actor_rollout_ref.rollout.tensor_model_parallel_size=2"], "generating", "vllm_weights", 1 / 2),
        (["actor_rollout_ref.actor.fsdp_config.optimizer_offload=true"], "learning", "optimizer", 1),
    ],
)
def test_memory_follows_the_config(paper, overrides, moment, part, factor):
    changed = plan("recipe=qwen3_8b", *overrides)
    assert getattr(changed.memory, moment)[part] == factor * getattr(paper.memory, moment)[part]


def test_what_is_offloaded_is_not_there_while_vllm_generates():
    offloaded = plan("recipe=qwen3_8b", "actor_rollout_ref.actor.fsdp_config.optimizer_offload=true")
    assert "optimizer" not in offloaded.memory.generating
    assert "weights" in offloaded.memory.generating


def test_vllm_that_does_not_sleep_lies_beside_the_actor(paper):
    awake = plan("recipe=qwen3_8b", "actor_rollout_ref.rollout.free_cache_engine=false")
    assert sum(awake.memory.learning.values()) == sum(paper.memory.learning.values()) + 40 * GIB


def test_a_static_micro_batch_has_its_longest_sequences():
    static = ["actor_rollout_ref.actor.use_dynamic_bsz=false", "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2"]
    config = compose_config(["recipe=qwen3_8b", *static, "option=sequence_parallel"])
    assert micro_batch_tokens(config) == 2 * 12288 // 2


def test_a_full_card_and_a_small_cache_are_said():
    assert "TOO MUCH" in text("recipe=qwen3_8b", "trainer.n_gpus_per_node=1")
    assert "TOO SMALL" in text("recipe=qwen3_8b", "actor_rollout_ref.rollout.gpu_memory_utilization=0.2")


@pytest.mark.parametrize("recipe", ["qwen3_8b", "qwen3_4b", "qwen3_8b_lora", "qwen3_8b_one_node", "smoke"])
def test_printed_parts_add_up_to_printed_sums(recipe):
    moments = ("learning", "generating", "loading", "saving")
    lines = [line for line in text(f"recipe={recipe}").splitlines() if line.strip().startswith(moments)]
    assert len(lines) == (2 if recipe == "smoke" else 4)
    for line in lines:
        total, _, parts = line.partition(" GiB: ")
        numbers = [float(part.rpartition(" ")[2]) for part in parts.partition(" (")[0].split(", ")]
        assert sum(numbers) == pytest.approx(float(total.split()[-1])), line


def test_disk(paper):
    assert paper.disk.checkpoint == 4 * P8 + 8 * P8 + 4 * P8
    assert paper.disk.checkpoints == 3 * paper.disk.checkpoint + 4 * P8
    assert paper.disk.kept_models == 0
    assert plan("recipe=qwen3_8b", "selection.keep_hf_every=90").disk.kept_models == 5 * 2 * P8


def test_a_lora_checkpoint_is_larger_while_it_is_merged():
    size = checkpoint_bytes(compose_config(["recipe=qwen3_8b_lora"]))
    assert size.kept == 4 * (P8 + A8) + 8 * A8 + 4 * P8
    assert size.writing == size.kept + 4 * (P8 + A8)
    full = checkpoint_bytes(compose_config(["recipe=qwen3_4b"]))
    assert full.kept == full.writing == 16 * P4


def test_what_is_not_saved_takes_no_disk():
    contents = "actor_rollout_ref.actor.checkpoint.save_contents=[model,extra]"
    assert checkpoint_bytes(compose_config(["recipe=qwen3_8b_lora", contents])).writing == 4 * (P8 + A8)


@pytest.mark.parametrize(
    "recipe, rollout_s, passes_s",
    [  # (8192 x 2 P + 256 / N x (1638.4 x 3276.8 + 3276.8**2 / 2) x 147,456) / 2.01e12
        # 12 P x 256 x 4915.2 / N / 3.46e14
        ("qwen3_8b", 66.8 + 25.2, 44.7),
        ("qwen3_4b", 32.8 + 25.2, 21.9),
        ("qwen3_8b_one_node", 66.8 + 50.4, 89.3),
        ("qwen3_8b_lora", 66.8 + 25.2, 44.7 * 10 / 12 + 0.16),
    ],
)
def test_hours_by_hand(recipe, rollout_s, passes_s):
    time = plan(f"recipe={recipe}", "data.train_files=not/there.jsonl").hours
    assert (time.rollout_s, time.passes_s) == pytest.approx((rollout_s, passes_s), rel=0.005)
    assert (time.steps, time.total) == (530, pytest.approx(530 * time.step_s / 3600))


def test_without_thinking_responses_are_shorter():
    time = plan("recipe=qwen3_8b", "thinking=off").hours
    cache = 32 * (1638.4 * 800 + 800**2 / 2) * 147_456
    assert time.rollout_s == pytest.approx((3200 * 2 * P8 + cache) / 2.01e12, rel=0.001)
    assert "reaches 3200 tokens and the mean is 800" in text("recipe=qwen3_8b", "thinking=off")


@pytest.mark.parametrize(
    "overrides",
    [
        ["recipe=qwen3_8b_lora"],
        ["recipe=qwen3_8b_one_node"],
        ["recipe=qwen3_8b", "thinking=off"],
        ["recipe=qwen3_8b_auto"],
    ],
)
def test_the_papers_pace_is_for_the_papers_setting(overrides):
    assert "at the paper's pace of 340 s a step, all included, 50 h" in text("recipe=qwen3_8b")
    assert "paper's pace" not in text(*overrides)
    assert "at least" not in text(*overrides)


def test_auto_on_data_without_specs_is_warned_of():
    mini = str(Path(__file__).parents[3] / "data/scope_mini/train.jsonl")
    assert "saves no judge calls here" in text("recipe=qwen3_8b_auto")
    assert "WARNING" not in text("recipe=qwen3_8b_auto", f"data.train_files={mini}")
    assert "WARNING" not in text("recipe=qwen3_8b")


def test_constraints_that_nothing_verifies_are_warned_of():
    assert "100% of the constraints have no spec" in text("recipe=qwen3_8b", "verification=compiled")


def test_data_is_counted_and_missing_data_assumed(tmp_path):
    mini = data_size([Path(__file__).parents[3] / "data/scope_mini/train.jsonl"], max_samples=64)
    assert (mini.instructions, mini.with_spec, mini.assumed) == (64, 1.0, False)
    assert mini.constraints == pytest.approx(774 / 256)
    assert data_size([tmp_path / "none.jsonl"]).assumed


def test_a_cpu_run_asks_no_card():
    smoke = plan("recipe=smoke")
    assert smoke.hours.fitted
    assert smoke.hours.step_s == pytest.approx(26, abs=1), "as measured"
    assert 11 * GIB < smoke.memory.peak < 14 * GIB
    assert "reference" in smoke.memory.learning
    assert smoke.host_memory is None
    assert all("GPU of" not in line for line in plan_lines(smoke))
