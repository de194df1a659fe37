"""Table A3: how often the judges agree about each model, and which of them the reviewers found better supported."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scopeif.reformbench.adjudication.adjudication import Adjudication
from scopeif.reformbench.adjudication.strata import Pair, agreement

TOTAL = "Total"


class AdjudicationRow(NamedTuple):
    """One model, or the total of all.

    judged: instances that both judges labelled.
    unverified: instances that one of them did not.
    first, second: adjudications that agree with the first and with the second judge.
    matched: of the adjudications, those from earlier reviews.
    """

    model: str
    judged: int
    unverified: int
    disagreements: int
    first: int
    second: int
    matched: int

    @property
    def agreement(self) -> float | None:
        """Share of equal labels; None where nothing was labelled by both."""
        return 1 - self.disagreements / self.judged if self.judged else None

    @property
    def samples(self) -> int:
        """Adjudicated disagreements."""
        return self.first + self.second

    @property
    def first_share(self) -> float | None:
        """Share of the adjudications that agree with the first judge; None where there is none."""
        return self.first / self.samples if self.samples else None


def adjudication_table(population: Sequence[Pair], records: Iterable[Adjudication]) -> list[AdjudicationRow]:
    """One row a model in the order in which models first occur, and the total last.

    Args:
        population: all pairs of labels.
        records: adjudications of disagreements among them; those of other models are left alone.
    """
    given = list(records)
    chosen = Counter((record.model, record.chosen) for record in given)
    matched = Counter(record.model for record in given if record.matched)
    rows = [
        AdjudicationRow(
            model=row.model,
            judged=row.judged,
            unverified=row.unverified,
            disagreements=row.disagreements,
            first=chosen[row.model, "first"],
            second=chosen[row.model, "second"],
            matched=matched[row.model],
        )
        for row in agreement(population)
    ]
    return [*rows, _total(rows)]


def _total(rows: Sequence[AdjudicationRow]) -> AdjudicationRow:
    return AdjudicationRow(
        model=TOTAL,
        judged=sum(row.judged for row in rows),
        unverified=sum(row.unverified for row in rows),
        disagreements=sum(row.disagreements for row in rows),
        first=sum(row.first for row in rows),
        second=sum(row.second for row in rows),
        matched=sum(row.matched for row in rows),
    )
