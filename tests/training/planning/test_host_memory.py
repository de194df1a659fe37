"""Host memory by hand: full copies while loading, pinned memory in powers of two, and what recipes ask for."""

import pytest

from scopeif.training.composing import compose_config, options
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.planning.host_memory import host_memory
from scopeif.training.planning.memory import GIB
from scopeif.training.planning.plan import make_plan
from scopeif.training.planning.shape import model_shape

MIB = 1 << 20
# One rank's pinned fp32 shards on 8 GPUs. 8B: q, o 8 MiB, k, v 2, the MLP's three 24 (32 pinned), embedding and output
# 296.75 (512). 4B: q, o 5 (8), k, v 1.25 (2), the MLP's three 11.875 (16), the embedding 185.5 (256). Norms are small.
PINNED_8B = 36 * (8 + 8 + 2 + 2 + 3 * 32) + 2 * 512
PINNED_4B = 36 * (8 + 8 + 2 + 2 + 3 * 16) + 256
P8, P4 = 8.1907e9, 4.0225e9


def estimate(*overrides):
    config = compose_config(overrides)
    return host_memory(config, model_shape(config.actor_rollout_ref.model.path))


def in_gib(parts):
    return {name: part / GIB for name, part in parts.items()}


@pytest.mark.parametrize(
    "recipe, loading, saving",
    [
        (
            "qwen3_8b",
            {"whole_models": 4 * P8 / GIB, "reference": 8 * PINNED_8B * MIB / GIB, "processes": 7 + 3 * 8},
            {"whole_model": 4 * P8 / GIB, "reference": 8 * PINNED_8B * MIB / GIB, "processes": 7 + 6 * 8},
        ),
        (
            "qwen3_4b",
            {"whole_models": 8 * 4 * P4 / GIB, "reference": 8 * PINNED_4B * MIB / GIB, "processes": 7 + 3 * 8},
            {"whole_model": 4 * P4 / GIB, "reference": 8 * PINNED_4B * MIB / GIB, "processes": 7 + 6 * 8},
        ),
        (
            "qwen3_8b_lora",
            {"whole_models": 4 * (P8 + 0.17459e9) / GIB, "processes": 31},
            {"whole_model": 4 * (P8 + 0.17459e9) / GIB, "processes": 55},
        ),
        (
            "qwen3_8b_one_node",  # half the ranks with twice the shards
            {"whole_models": 4 * P8 / GIB, "reference": 8 * PINNED_8B * MIB / GIB, "processes": 7 + 3 * 4},
            {
                "whole_model": 4 * P8 / GIB,
                "reference": 8 * PINNED_8B * MIB / GIB,
                "offloaded_weights": 8 * PINNED_8B * MIB / GIB,
                "offloaded_optimizer": 16 * PINNED_8B * MIB / GIB,
                "processes": 7 + 6 * 4,
            },
        ),
    ],
)
def test_host_memory_by_hand(recipe, loading, saving):
    size = estimate(f"recipe={recipe}")
    assert in_gib(size.loading) == pytest.approx(loading, rel=0.005)
    assert in_gib(size.saving) == pytest.approx(saving, rel=0.005)


def test_tied_embeddings_make_every_rank_load_the_model():
    assert [estimate(f"recipe={name}").copies for name in ("qwen3_8b", "qwen3_4b", "qwen3_4b_one_node")] == [1, 8, 4]


def test_a_shard_group_in_each_node_loads_the_model_once():
    assert estimate("recipe=qwen3_8b", "actor_rollout_ref.actor.fsdp_config.fsdp_size=2").copies == 4


def test_a_lora_that_is_not_merged_leaves_vllms_weights_on_the_host():
    size = estimate("recipe=qwen3_8b_lora", "actor_rollout_ref.model.lora.merge=false")
    assert size.saving["offloaded_vllm_weights"] / GIB == pytest.approx(8 * 2 * P8 / GIB, rel=0.001)


@pytest.mark.parametrize("recipe", [name for name in options("recipe") if name.startswith("qwen3")])
def test_a_recipe_asks_for_the_memory_and_disk_that_it_takes(recipe):
    config = compose_config([f"recipe={recipe}"])
    plan = make_plan(config, planned_settings(config)[0])
    assert 1.07 < config.run.min_memory_gb * GIB / plan.host_memory.peak < 1.2
    assert 1.07 < config.run.min_disk_gb * GIB / plan.disk.total < 1.2
