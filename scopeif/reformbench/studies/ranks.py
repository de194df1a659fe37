"""Spearman's coefficient with average ranks for ties (appendix A.4)."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby


def average_ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, ascending; equal values share the mean of the ranks that they take up."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    taken = 0
    for _, group in groupby(order, key=values.__getitem__):
        members = list(group)
        for member in members:
            ranks[member] = taken + (len(members) + 1) / 2
        taken += len(members)
    return ranks


def spearman(one: Sequence[float], two: Sequence[float]) -> float | None:
    """Pearson's coefficient of the average ranks, in [-1, 1]; None where one of the two is constant or has one value.

    Raises:
        ValueError: they are of different length.
    """
    ranks = [average_ranks(values) for values in (one, two)]
    if len(one) != len(two):
        raise ValueError(f"{len(one)} values against {len(two)}")
    if any(len(set(of)) < 2 for of in ranks):
        return None
    return statistics.correlation(*ranks)
