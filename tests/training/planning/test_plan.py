"""A plan's numbers are those of its formulas, worked by hand for the paper's setting, and move with the config."""

import pytest

from scopeif.training.composing import compose_config
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.planning.judge_load import judge_load
from scopeif.training.planning.memory import GIB, micro_batch_tokens
from scopeif.training.planning.plan import make_plan
from scopeif.training.planning.workload import Workload, data_size
from scopeif.verification.settings import VerificationSettings

P8 = 8_190_735_360


def plan(*overrides):
    config = compose_config(overrides)
    return make_plan(config, planned_settings(config)[0])


@pytest.fixture(scope="module")
def paper():
    return plan("recipe=qwen3_8b", "data.train_files=not/there.jsonl")


def test_memory_of_the_papers_setting(paper):
    size = paper.memory
    assert (size.weights, size.gradients, size.optimizer, size.reference) == (P8 // 2, P8 // 2, P8, P8 // 2)
    assert size.logits == 8 * 16384 * 151936
    assert size.rollout_weights == 2 * P8
    assert size.kv_cache == 40 * GIB - 2 * P8 - 3 * GIB
    assert size.kv_cache_tokens == size.kv_cache // (4 * 36 * 8 * 128)
    assert size.generating == int(2.5 * GIB) + P8 // 2 + P8 + P8 // 2 + 40 * GIB
    assert size.learning == int(2.5 * GIB) + sum(
        (size.weights, size.gradients, size.optimizer, size.reference, size.gathered, size.activations, size.logits)
    )


@pytest.mark.parametrize(
    "overrides, smaller, part",
    [
        (["option=lora"], True, "optimizer"),
        (["option=[lora]"], True, "reference"),
        (["trainer.nnodes=2"], True, "weights"),
        (["option=sequence_parallel"], False, "activations"),
        (["actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192"], True, "logits"),
        (["actor_rollout_ref.rollout.gpu_memory_utilization=0.4"], True, "generating"),
        (["actor_rollout_ref.actor.fsdp_config.optimizer_offload=true"], True, "generating"),
        (["actor_rollout_ref.rollout.tensor_model_parallel_size=2"], True, "rollout_weights"),
    ],
)
def test_memory_follows_the_config(paper, overrides, smaller, part):
    changed = plan("recipe=qwen3_8b", *overrides)
    assert (getattr(changed.memory, part) < getattr(paper.memory, part)) is smaller


def test_vllm_that_does_not_sleep_lies_beside_the_actor(paper):
    awake = plan("recipe=qwen3_8b", "actor_rollout_ref.rollout.free_cache_engine=false")
    assert awake.memory.learning == paper.memory.learning + 40 * GIB


def test_a_static_micro_batch_has_its_longest_sequences():
    static = ["actor_rollout_ref.actor.use_dynamic_bsz=false", "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2"]
    config = compose_config(["recipe=qwen3_8b", *static, "option=sequence_parallel"])
    assert micro_batch_tokens(config) == 2 * 12288 // 2


def test_a_full_card_is_said():
    lines = plan("recipe=qwen3_8b", "trainer.n_gpus_per_node=1").lines()
    assert any("TOO MUCH" in line for line in lines)


def test_disk(paper):
    assert paper.disk.checkpoint == 4 * P8 + 8 * P8 + 4 * P8
    assert paper.disk.checkpoints == 3 * paper.disk.checkpoint + 4 * P8
    assert paper.disk.kept_models == 0
    assert plan("recipe=qwen3_8b", "selection.keep_hf_every=90").disk.kept_models == 5 * 2 * P8


def test_the_papers_judge_load_and_hours(paper):
    assert (paper.work.steps, paper.work.responses) == (530, 256)
    assert paper.judge.verifications == pytest.approx(1236, abs=1)
    assert paper.judge.calls == pytest.approx(2473, abs=1)
    assert paper.judge.gpu_seconds == pytest.approx(2473 * (2000 / 19100 + 1200 / 4900), rel=1e-3)
    assert paper.judge.gpus(paper.judge.per_gpu_step_s(8)) == 8
    assert paper.hours.bound
    assert paper.hours.total < 50, "a bound from below lies below what the paper took"


@pytest.mark.parametrize(
    "kind, calls",
    [("compiled", 0), ("tgv", 80), ("llm", 40), ("per_response", 16), ("rule", 10), ("static_tool", 50), ("auto", 24)],
)
def test_calls_of_each_verifier(kind, calls):
    work = Workload(2, 4, 1, 10, 10, constraints=5.0, with_spec=0.7)
    assert judge_load(work, VerificationSettings(kind=kind), True).calls == pytest.approx(calls)


def test_auto_audits_a_share_of_what_it_measures():
    work = Workload(2, 4, 1, 10, 10, constraints=5.0, with_spec=1.0)
    assert judge_load(work, VerificationSettings(kind="auto", audit_frac=0.5), True).calls == pytest.approx(40)
    assert judge_load(work, VerificationSettings(kind="auto", audit_frac=0.5), False).calls == 0


def test_data_is_counted_and_missing_data_assumed(tmp_path):
    from pathlib import Path

    mini = data_size([Path(__file__).parents[3] / "data/scope_mini/train.jsonl"], max_samples=64)
    assert (mini.instructions, mini.with_spec, mini.assumed) == (64, 1.0, False)
    assert mini.constraints == pytest.approx(774 / 256)
    assert data_size([tmp_path / "none.jsonl"]).assumed


def test_a_cpu_run_asks_no_card():
    smoke = plan("recipe=smoke")
    assert not smoke.hours.bound
    assert 8 * GIB < smoke.memory.peak < 14 * GIB
    assert all("GPU of" not in line for line in smoke.lines())
