"""Which samples of a step may teach, decided before advantages are computed.

verl's GRPO takes every trajectory of a group, and gives a group of one its raw reward as advantage
(verl/trainer/ppo/core_algos.py). Here the group statistics come from verified samples only; unverified samples, and
all samples of a group with too few verified ones, carry no advantage and no loss.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from scopeif.reward import zero_std


@dataclass(frozen=True)
class Trajectory:
    """One row of a step: its key ``{group}_{session}_{output}``, whether its reward is known, and the reward.

    `padding` marks verl's synthetic rows that fill a batch up; they carry no loss already.
    """

    key: str
    verified: bool
    padding: bool = False
    reward: float = math.nan

    @property
    def group(self) -> str:
        return self.key.rsplit("_", 2)[0]

    @property
    def session(self) -> str:
        return self.key.rsplit("_", 1)[0]


def teaching_keys(rows: Sequence[Trajectory], min_verified_per_group: int) -> list[str]:
    """Keys of the rows that advantages are computed from, in order: verified ones of large enough groups.

    Synthetic padding rows are kept: their loss mask is 0, and the batch must stay divisible.
    """
    verified_sessions: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.verified and not row.padding:
            verified_sessions[row.group].add(row.session)
    return [
        row.key
        for row in rows
        if row.padding or (row.verified and len(verified_sessions[row.group]) >= min_verified_per_group)
    ]


def level_keys(rows: Sequence[Trajectory]) -> list[str]:
    """Keys of the rows whose group has identical rewards throughout: their advantage is exactly 0.

    verl divides the rounding error of a float32 mean by a standard deviation of about the same size: eight rewards of
    0.7 get an advantage of 0.056 each, and all eight responses are pushed the same way.
    """
    members: dict[str, list[Trajectory]] = defaultdict(list)
    for row in rows:
        members[row.group].append(row)
    level = {group for group, same in members.items() if zero_std([row.reward for row in same])}
    return [row.key for row in rows if row.group in level]


def shuffle_seed(run_seed: int, step: int) -> int:
    """The seed of a step's permutation under `reward.shuffle`."""
    return run_seed * 1_000_003 + step


def shuffled_within_groups(rows: Sequence[Trajectory], seed: int) -> list[int]:
    """For each row the index of the row of its group whose advantage it gets instead: a control that teaches nothing.

    A fixed point would leave a part of the signal in, but a shuffle without any would leave its negative in; a
    uniform permutation leaves neither on average.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        members[row.group].append(index)
    generator = random.Random(seed)
    source = list(range(len(rows)))
    for indices in members.values():
        permuted = list(indices)
        generator.shuffle(permuted)
        for index, replacement in zip(indices, permuted, strict=True):
            source[index] = replacement
    return source
