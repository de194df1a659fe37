"""How often questions are varied and targets recur in a set of variants, before any baseline (Table A11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from scopeif.reformbench.scoring.links import AnyTarget

BANDS = ((1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, None))


class AnyVariant(Protocol):
    """A variant with its targets."""

    @property
    def question(self) -> str: ...

    @property
    def targets(self) -> Iterable[AnyTarget]: ...


@dataclass(frozen=True)
class Multiplicity:
    """Table A11.

    questions, targets: how many have so many variants, by band as text ("4-5", ">10"); a target is counted for each of
        its questions.
    recurring: targets that occur in two variants or more.
    most_variants, most_occurrences: the greatest numbers of a question and of a target; 0 without variants.
    """

    questions: dict[str, int]
    targets: dict[str, int]
    recurring: int
    most_variants: int
    most_occurrences: int


def multiplicity(variants: Iterable[AnyVariant]) -> Multiplicity:
    """Count variants by question and by question, feature and mode."""
    questions: Counter[str] = Counter()
    targets: Counter[tuple[str, str, str]] = Counter()
    for variant in variants:
        questions[variant.question] += 1
        targets.update((variant.question, one.feature, one.mode) for one in variant.targets)
    return Multiplicity(
        questions=banded(questions.values()),
        targets=banded(targets.values()),
        recurring=sum(count > 1 for count in targets.values()),
        most_variants=max(questions.values(), default=0),
        most_occurrences=max(targets.values(), default=0),
    )


def banded(counts: Iterable[int]) -> dict[str, int]:
    """How many counts are in each of the table's bands."""
    every = list(counts)
    return {
        _band(low, high): sum(low <= count and (high is None or count <= high) for count in every)
        for low, high in BANDS
    }


def _band(low: int, high: int | None) -> str:
    if high is None:
        return f">{low - 1}"
    return str(low) if low == high else f"{low}-{high}"
