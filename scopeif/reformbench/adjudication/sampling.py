"""How many disagreements are reviewed, how they are spread over the strata, and which ones (appendix A.3.1).

The paper gives the parameters, not the rounding. Rounding n0 / (1 + (n0 - 1) / N) up gives the sample counts of seven
of the ten models of Table A3, more than rounding down or to the nearest does. Not those of Kimi K3 (574, printed 576),
Qwen3.6-27B (720, printed 719) and Qwen3.5-9B (777, printed 776): the table prints how many records matched in the end.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from statistics import NormalDist
from typing import TypeVar

from scopeif.errors import InvalidInputError
from scopeif.reformbench.adjudication.strata import Instance

S = TypeVar("S", bound=Hashable)

CONFIDENCE, PROPORTION, MARGIN = 0.95, 0.5, 0.03
"""Of the paper: confidence level, conservative pass proportion, target margin (3 percentage points)."""


def sample_size(
    population: int, confidence: float = CONFIDENCE, proportion: float = PROPORTION, margin: float = MARGIN
) -> int:
    """Disagreements of one model to review: n = n0 / (1 + (n0 - 1) / N) with n0 = z^2 p (1 - p) / e^2, rounded up.

    Args:
        population: N, the model's disagreements.

    Raises:
        InvalidInputError: a negative population, or a parameter outside (0, 1).
    """
    if population < 0:
        raise InvalidInputError(f"the population is {population}; it must be at least 0")
    for name, value in (("confidence", confidence), ("proportion", proportion), ("margin", margin)):
        if not 0 < value < 1:
            raise InvalidInputError(f"{name} is {value}; it must lie between 0 and 1")
    if population == 0:
        return 0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    unlimited = z * z * proportion * (1 - proportion) / margin**2
    return min(population, math.ceil(unlimited / (1 + (unlimited - 1) / population)))


def allocate(sizes: Mapping[S, int], total: int, already: Mapping[S, int] | None = None) -> dict[S, int]:
    """How many members of each stratum are reviewed, those that are reviewed already included.

    Every non-empty stratum has one at least; each further one goes to the stratum with the lowest sampling fraction, of
    several to the largest, of several to the first in order. The sum is `total`, but never less than one for each
    non-empty stratum or what is there already, and never more than there are.

    Args:
        sizes: members of each stratum.
        already: of them, those with an earlier record.

    Raises:
        InvalidInputError: a negative number, or more members reviewed already than there are.
    """
    counts = {stratum: (already or {}).get(stratum, 0) for stratum in sizes}
    for stratum, size in sizes.items():
        if size < 0 or not 0 <= counts[stratum] <= size or total < 0:
            what = f"stratum {stratum}: {counts[stratum]} of {size} members reviewed, {total} to review"
            raise InvalidInputError(f"{what}; this cannot be")
    for stratum, size in sizes.items():
        counts[stratum] = max(counts[stratum], min(1, size))
    order = {stratum: number for number, stratum in enumerate(sizes)}
    waiting = [
        (Fraction(counts[stratum], size), -size, order[stratum], stratum)
        for stratum, size in sizes.items()
        if counts[stratum] < size
    ]
    heapq.heapify(waiting)
    left = total - sum(counts.values())
    while left > 0 and waiting:
        _, _, _, stratum = waiting[0]
        counts[stratum] += 1
        left -= 1
        size = sizes[stratum]
        if counts[stratum] < size:
            heapq.heapreplace(waiting, (Fraction(counts[stratum], size), -size, order[stratum], stratum))
        else:
            heapq.heappop(waiting)
    return counts


def draw(members: Iterable[Instance], count: int, seed: int) -> list[Instance]:
    """A random sample without replacement: the members with the smallest hashes under the seed.

    It depends on nothing but the members and the seed, and a larger sample contains every smaller one, so that a review
    can be extended.
    """
    return sorted(members, key=lambda member: _rank(member, seed))[:count]


def _rank(member: Instance, seed: int) -> bytes:
    return hashlib.sha256(json.dumps([seed, *member]).encode()).digest()
