"""The fixed calibration pool: how often reviewers found each judge better supported, whatever the stratum (Eq. 13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from scopeif.errors import InvalidInputError
from scopeif.reformbench.adjudication.adjudication import Adjudication


@dataclass(frozen=True)
class Pool:
    """Adjudicated disagreements that favour the first judge and those that favour the second.

    Raises:
        InvalidInputError: a negative count, or no adjudication at all.
    """

    first: int
    second: int

    def __post_init__(self) -> None:
        if self.first < 0 or self.second < 0 or self.total == 0:
            what = f"a pool of {self.first} and {self.second} adjudications has no weights"
            raise InvalidInputError(what, fix="review at least one disagreement")

    @classmethod
    def of(cls, records: Iterable[Adjudication]) -> Pool:
        """The pool of a review."""
        chosen = [record.chosen for record in records]
        return cls(chosen.count("first"), chosen.count("second"))

    @property
    def total(self) -> int:
        """All adjudications."""
        return self.first + self.second

    @property
    def weights(self) -> tuple[float, float]:
        """Weight of the first and of the second judge's label; they add up to 1."""
        return self.first / self.total, self.second / self.total

    def probability(self, first: Literal[0, 1], second: Literal[0, 1]) -> float:
        """The calibrated pass probability of an instance with these labels (Eq. 13)."""
        if first == second:
            return float(first)
        return self.first / self.total if first else self.second / self.total

    def __str__(self) -> str:
        return f"pooled {self.first}:{self.second}"


PAPER_POOL = Pool(6689, 436)
"""The pool of the paper: 7,125 adjudications, of which 6,689 favour GPT-5.4 Mini."""
