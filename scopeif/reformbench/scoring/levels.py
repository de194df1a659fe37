"""The metrics of one level K from sums over eligible units (Eqs. 4, 5 and 12)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from scopeif.reformbench.scoring.units import UnitOutcome


class LevelSums(NamedTuple):
    """Sums over the eligible units of one level; those of several questions are pooled before anything is divided.

    eligible: number of eligible units.
    verified: how many of them have no unverified occurrence; the sums of outcomes are over these.
    corrected: sum of J.
    failed: sum of 1 - J.
    covered: sum of |I|, over all eligible units.
    violating: sum of W.
    """

    eligible: int = 0
    verified: int = 0
    corrected: float = 0.0
    failed: float = 0.0
    covered: int = 0
    violating: float = 0.0

    @classmethod
    def of(cls, outcomes: Iterable[UnitOutcome]) -> LevelSums:
        """The sums over units of one level."""
        eligible = verified = covered = 0
        corrected = failed = violating = 0.0
        for unit, success, violations in outcomes:
            eligible += 1
            covered += unit.coverage
            if success is not None and violations is not None:
                verified += 1
                corrected += success
                failed += 1 - success
                violating += violations
        return cls(eligible, verified, corrected, failed, covered, violating)

    @classmethod
    def pooled(cls, sums: Iterable[LevelSums]) -> LevelSums:
        """The sums of several sets of units together."""
        rows = tuple(sums)
        return cls(
            eligible=sum(row.eligible for row in rows),
            verified=sum(row.verified for row in rows),
            corrected=sum(row.corrected for row in rows),
            failed=sum(row.failed for row in rows),
            covered=sum(row.covered for row in rows),
            violating=sum(row.violating for row in rows),
        )

    def level(self) -> Level:
        """What is reported of the level."""
        return Level(
            eligible_units=self.eligible,
            verified_units=self.verified,
            correction_rate=ratio(self.corrected, self.verified),
            mean_variant_coverage=ratio(self.covered, self.eligible),
            violating_variants_per_failed_unit=ratio(self.violating, self.failed),
        )


@dataclass(frozen=True)
class Level:
    """One level K of a model; what is undefined is None, never 0.

    eligible_units: number of eligible units (Eq. 2).
    verified_units: how many of them have no unverified occurrence.
    correction_rate: R_co, mean joint success of the verified units (Eq. 4), in [0, 1].
    mean_variant_coverage: mean |I| of the eligible units (Table A8).
    violating_variants_per_failed_unit: C, violating variants over unsuccessful units, both expected (Eq. 12).
    """

    eligible_units: int
    verified_units: int
    correction_rate: float | None
    mean_variant_coverage: float | None
    violating_variants_per_failed_unit: float | None

    def to_json(self) -> dict[str, Any]:
        """Plain values; `verified_units` only where it differs from `eligible_units`."""
        row = dict(self.__dict__)
        if self.verified_units == self.eligible_units:
            del row["verified_units"]
        return row


def equal_weight(rates: Sequence[float | None]) -> float | None:
    """EMCR: the plain mean of the correction rates of all levels (Eq. 5); None when one is undefined."""
    known = [rate for rate in rates if rate is not None]
    return sum(known) / len(rates) if rates and len(known) == len(rates) else None


def ratio(numerator: float, denominator: float) -> float | None:
    """The quotient; None when the denominator is 0."""
    return numerator / denominator if denominator else None
