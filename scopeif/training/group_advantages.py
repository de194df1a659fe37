"""GRPO's advantages from the rewards of a step, without torch: what verl computes, for replay.

verl/trainer/ppo/core_algos.py `compute_grpo_outcome_advantage` computes in float32; here it is float64.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Sequence

from scopeif.training.advantages import Trajectory, level_keys, shuffled_within_groups, teaching_keys

EPSILON = 1e-6
"""verl's, added to the standard deviation."""
_FLOAT32 = 2.0**-22
"""Twice the spacing of float32 around 1."""


def group_advantages(
    rows: Sequence[Trajectory], min_verified_per_group: int, by_std: bool = True, shuffle_seed: int | None = None
) -> list[float | None]:
    """One advantage for each row of a step, None for a row that does not teach.

    Args:
        rows: all rows of the step, in the order of the batch.
        min_verified_per_group: as in training.
        by_std: whether the distance to the group's mean is divided by its standard deviation (n - 1).
        shuffle_seed: permute within groups as `reward.shuffle` does.
    """
    chosen = set(teaching_keys(rows, min_verified_per_group))
    teaching = [row for row in rows if row.key in chosen and not row.padding]
    groups: dict[str, list[float]] = defaultdict(list)
    for row in teaching:
        groups[row.group].append(row.reward)
    level = set(level_keys(teaching))
    values = [0.0 if row.key in level else _distance(row.reward, groups[row.group], by_std) for row in teaching]
    if shuffle_seed is not None:
        values = [values[source] for source in shuffled_within_groups(teaching, shuffle_seed)]
    known = dict(zip((row.key for row in teaching), values, strict=True))
    return [known.get(row.key) for row in rows]


def rounding(rewards: Sequence[float], advantage: float, by_std: bool = True) -> float:
    """How far verl's float32 may be from the advantage of a sample in a group with these rewards."""
    spread = statistics.stdev(rewards) + EPSILON if by_std and len(rewards) > 1 else 1.0
    return _FLOAT32 * (1 + abs(advantage)) * max(1.0, *map(abs, rewards)) / spread


def _distance(reward: float, group: Sequence[float], by_std: bool) -> float:
    centred = reward - math.fsum(group) / len(group)
    return centred / (statistics.stdev(group) + EPSILON) if by_std else centred
