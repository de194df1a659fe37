"""Which samples may teach, and what verl's GRPO makes of them."""

import json
import math
import random
from pathlib import Path

import pytest

from scopeif.training.advantages import Trajectory, level_keys, shuffle_seed, shuffled_within_groups, teaching_keys
from scopeif.training.group_advantages import group_advantages, rounding

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "scopeif.json").read_text())["grpo"]


def advantages(rewards):
    """The advantages of one group as the trainer computes them; NaN is an unverified sample."""
    import numpy as np
    import torch
    from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage

    group = [Trajectory(f"g_{i}_0", not math.isnan(r), reward=r) for i, r in enumerate(rewards)]
    chosen = teaching_keys(group, 2)
    kept = [row for row in group if row.key in chosen]
    result = dict.fromkeys((row.key for row in group), 0.0)
    if kept:
        tokens = torch.tensor([[float(row.reward)] for row in kept])
        computed, _ = compute_grpo_outcome_advantage(tokens, torch.ones_like(tokens), np.array(["g"] * len(kept)))
        result |= dict(zip((row.key for row in kept), computed[:, 0].tolist(), strict=True))
        result |= dict.fromkeys(level_keys(kept), 0.0)
    return [result[row.key] for row in group]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["group"]))
def test_group_advantages(vector):
    assert advantages(vector["group"]) == pytest.approx(vector["ddof1"], abs=2e-6)


@pytest.mark.parametrize("reward", [0.3, 0.7, 1 / 3, 0.774405818])
def test_identical_rewards_teach_exactly_nothing(reward):
    assert advantages([reward] * 8) == [0.0] * 8


def test_an_unverified_sample_leaves_the_others_as_if_it_had_not_been():
    nan = math.nan
    assert advantages([1.0, 3.0, 2.0, nan]) == pytest.approx([*advantages([1.0, 3.0, 2.0]), 0.0])
    assert advantages([0.2, nan, 0.6, 0.4]) == pytest.approx([-1, 0, 1, 0], abs=1e-4)


def test_a_lone_verified_sample_gets_nothing():
    assert advantages([0.8, math.nan, math.nan]) == [0.0] * 3


def rows(*described):
    return [Trajectory(key, verified, padding) for key, verified, padding in described]


def test_all_verified_all_teach():
    batch = rows(("a_0_0", True, False), ("a_1_0", True, False), ("b_0_0", True, False), ("b_1_0", True, False))
    assert teaching_keys(batch, 2) == ["a_0_0", "a_1_0", "b_0_0", "b_1_0"]


def test_unverified_leaves_its_siblings():
    batch = rows(("a_0_0", True, False), ("a_1_0", False, False), ("a_2_0", True, False))
    assert teaching_keys(batch, 2) == ["a_0_0", "a_2_0"]


def test_lone_survivor_does_not_teach():
    batch = rows(("a_0_0", True, False), ("a_1_0", False, False), ("b_0_0", True, False), ("b_1_0", True, False))
    assert teaching_keys(batch, 2) == ["b_0_0", "b_1_0"]


def test_two_outputs_of_one_session_are_one_sample():
    batch = rows(("a_0_0", True, False), ("a_0_1", True, False), ("a_1_0", False, False))
    assert teaching_keys(batch, 2) == []


def test_padding_rows_stay_whatever_they_hold():
    batch = rows(("a_0_0", False, False), ("pad-x_0_0", False, True))
    assert teaching_keys(batch, 2) == ["pad-x_0_0"]


def test_a_group_name_may_hold_underscores():
    batch = rows(("u_1_0_0", True, False), ("u_1_1_0", True, False), ("u_2_0_0", True, False))
    assert teaching_keys(batch, 2) == ["u_1_0_0", "u_1_1_0"]


def test_shuffle_stays_within_the_group_and_is_a_permutation():
    batch = rows(*((f"g{g}_{i}_0", True, False) for g in range(5) for i in range(8)))
    source = shuffled_within_groups(batch, seed=3)
    assert sorted(source) == list(range(40))
    assert all(batch[i].group == batch[source[i]].group for i in range(40))
    assert source != list(range(40))
    assert source == shuffled_within_groups(batch, seed=3)
    assert source != shuffled_within_groups(batch, seed=4)


def without_torch(rewards, **options):
    group = [Trajectory(f"g_{i}_0", not math.isnan(r), reward=r) for i, r in enumerate(rewards)]
    return [0.0 if value is None else value for value in group_advantages(group, 2, **options)]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["group"]))
def test_group_advantages_without_torch(vector):
    assert without_torch(vector["group"]) == pytest.approx(vector["ddof1"], abs=2e-6)


def test_what_verl_computes_is_within_the_rounding_of_float32():
    generator = random.Random(4)
    for spread in (1.0, 1e-2, 1e-4):
        for size in (2, 3, 8, 16):
            rewards = [0.6 + spread * generator.random() * 0.4 for _ in range(size)]
            for exact, single in zip(without_torch(rewards), advantages(rewards), strict=True):
                assert abs(exact - single) <= rounding(rewards, exact)
                assert rounding(rewards, exact) < 1e-4 / spread


def test_without_division_by_the_deviation():
    assert without_torch([0.2, 0.4, 0.9], by_std=False) == pytest.approx([-0.3, -0.1, 0.4])


def test_shuffled_advantages_are_those_of_training():
    rewards = [0.1, 0.2, 0.4, 0.9]
    plain, shuffled = without_torch(rewards), without_torch(rewards, shuffle_seed=shuffle_seed(42, 3))
    rows_ = [Trajectory(f"g_{i}_0", True) for i in range(4)]
    assert shuffled == [plain[source] for source in shuffled_within_groups(rows_, shuffle_seed(42, 3))]
    assert sorted(shuffled) == sorted(plain)
