"""Evaluation units: sets of one question's baseline-opposed targets, and what became of each (Eqs. 2, 3, 9, 11)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import reduce
from itertools import combinations
from operator import or_
from typing import NamedTuple

from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT
from scopeif.reformbench.scoring.benchmark_shape import TargetId
from scopeif.reformbench.scoring.links import QuestionLinks

LEVELS = tuple(range(1, CONSTRAINTS_PER_VARIANT + 1))
"""K: how many targets a unit evaluates jointly."""
MIN_COVERAGE = 2
"""A unit's targets cover at least so many variants: correction beyond a single instruction (section 3.4.3)."""


class Unit(NamedTuple):
    """An eligible unit S: its targets, ascending, and the variants that they cover (I) as a set of bits."""

    targets: tuple[TargetId, ...]
    covered: int

    @property
    def coverage(self) -> int:
        """|I|: the number of covered variants."""
        return self.covered.bit_count()


class UnitOutcome(NamedTuple):
    """What became of a unit.

    corrected: J, the (expected) joint success over all its occurrences (Eq. 9); None where one is unverified.
    violating_variants: W, the (expected) number of variants in which one of its targets is violated (Eq. 11); likewise.
    """

    unit: Unit
    corrected: float | None
    violating_variants: float | None


def eligible_units(links: QuestionLinks) -> list[Unit]:
    """The units of a question for K = 1, 2, 3 (Eq. 2), ascending: targets that co-occur and cover two variants or more.

    Since the targets of a unit share a variant, every unit is a subset of one variant's opposed targets: at most seven
    a variant, so that the work is linear in the number of variants.
    """
    found: set[tuple[TargetId, ...]] = set()
    for variant in links.variants:
        opposed = sorted(target for target in variant.targets if target in links.occurrences)
        for level in LEVELS:
            found.update(combinations(opposed, level))
    units = (Unit(one, reduce(or_, map(links.occurrences.__getitem__, one))) for one in found)
    return sorted(unit for unit in units if unit.coverage >= MIN_COVERAGE)


def outcomes(links: QuestionLinks) -> Iterator[UnitOutcome]:
    """What became of each eligible unit of a question, under the factorisation of Eq. 9."""
    passes = [dict(zip(one.targets, one.pass_probability, strict=True)) for one in links.variants]
    for unit in eligible_units(links):
        covering = [of for i, of in enumerate(passes) if unit.covered >> i & 1]
        satisfied = [joint_pass([of[target] for target in unit.targets if target in of]) for of in covering]
        known = [one for one in satisfied if one is not None]
        if len(known) < len(satisfied):
            yield UnitOutcome(unit, None, None)
        else:
            yield UnitOutcome(unit, math.prod(known), math.fsum(1 - one for one in known))


def joint_pass(probabilities: Iterable[float | None]) -> float | None:
    """The product of pass probabilities (Eq. 9); None where one of them is unverified."""
    product = 1.0
    for probability in probabilities:
        if probability is None:
            return None
        product *= probability
    return product
