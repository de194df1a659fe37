"""How much a rollout group can teach: identical pairs and zero spread."""

from __future__ import annotations

import math
from collections.abc import Sequence

SAME_REWARD = 1e-9
"""Two rewards this close count as identical."""


def identical_pair_fraction(rewards: Sequence[float]) -> float | None:
    """Fraction of unordered pairs of a group with identical rewards (paper, Fig. 4b); None for fewer than two.

    Rewards are identical when they differ by at most 1e-9.
    """
    n = len(rewards)
    if n < 2:
        return None
    ordered = sorted(rewards)
    same, left = 0, 0
    for right, value in enumerate(ordered):
        while value - ordered[left] > SAME_REWARD:
            left += 1
        same += right - left
    return same / math.comb(n, 2)


def zero_std(rewards: Sequence[float]) -> bool:
    """Whether a group's rewards are all identical: GRPO learns nothing from it."""
    return max(rewards) - min(rewards) <= SAME_REWARD
