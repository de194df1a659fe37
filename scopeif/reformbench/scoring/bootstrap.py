"""Percentile intervals by a bootstrap that draws whole questions: variants of one question are not independent.

Everything is made from sums by question, so that a resample is one row of multinomial weights times one table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scopeif.errors import InvalidInputError
from scopeif.reformbench.metrics import QuestionSums
from scopeif.reformbench.scoring.units import LEVELS

Table = NDArray[np.float64]
Statistics = Callable[[Table], Table]
"""From sums (rows, columns) to statistics (rows, statistics), NaN where one is undefined; rows are independent."""

_CHUNK = 250
"""Resamples whose weights are in memory at once: 250 x 910 integers are 2 MB."""


@dataclass(frozen=True)
class Resampling:
    """How intervals are drawn: how many resamples, the confidence, and the seed."""

    resamples: int = 10_000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 1:
            raise InvalidInputError(f"resamples is {self.resamples}; it must be at least 1")
        if not 0 < self.confidence < 1:
            raise InvalidInputError(f"confidence is {self.confidence}; it must lie between 0 and 1")


DEFAULT = Resampling()


@dataclass(frozen=True)
class Interval:
    """A percentile interval; None for both ends where there are fewer than two questions or no defined resample.

    clusters: number of questions that were drawn from.
    resamples: number of resamples.
    undefined: how many of them the statistic is undefined in (no eligible unit was drawn); the ends are of the others.
    """

    low: float | None
    high: float | None
    clusters: int
    resamples: int
    undefined: int
    confidence: float

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class ScoreIntervals:
    """The intervals of one model's scores; those of levels by K."""

    tcpr: Interval
    emcr: Interval
    correction_rate: Mapping[int, Interval]
    violating_variants_per_failed_unit: Mapping[int, Interval]


def score_intervals(questions: Iterable[QuestionSums], how: Resampling = DEFAULT) -> ScoreIntervals:
    """The intervals of TCPR, EMCR and the levels from the sums of each question (`metrics.question_sums`)."""
    return named(clustered(score_table(questions), score_statistics, how))


def named(intervals: list[Interval]) -> ScoreIntervals:
    """The intervals of the statistics of `score_statistics`, by name."""
    tcpr, emcr, *levels = intervals
    return ScoreIntervals(
        tcpr=tcpr,
        emcr=emcr,
        correction_rate=dict(zip(LEVELS, levels[: len(LEVELS)], strict=True)),
        violating_variants_per_failed_unit=dict(zip(LEVELS, levels[len(LEVELS) :], strict=True)),
    )


def clustered(table: Table, statistics: Statistics, how: Resampling = DEFAULT) -> list[Interval]:
    """One interval a statistic.

    Args:
        table: sums by question, shape (questions, columns); a resample's sums are those of the questions drawn, each as
            often as it was drawn.
        statistics: from sums to statistics.
    """
    clusters = len(table)
    if clusters < 2:  # every resample would be the sample itself: an interval of no width
        count = statistics(np.zeros((1, table.shape[1]))).shape[1]
        return [Interval(None, None, clusters, 0, 0, how.confidence) for _ in range(count)]
    random = np.random.default_rng(how.seed)
    parts = []
    for begin in range(0, how.resamples, _CHUNK):
        size = min(_CHUNK, how.resamples - begin)
        weights = random.multinomial(clusters, np.full(clusters, 1 / clusters), size=size)
        parts.append(statistics(weights.astype(np.float64) @ table))
    return [_interval(column, clusters, how) for column in np.concatenate(parts).T]


def score_table(questions: Iterable[QuestionSums]) -> Table:
    """Sums by question: TCPR's count and sum, then of each level the units, successes, failures and violations."""
    rows = [
        [row.verified_variants, row.passed]
        + [value for one in row.levels for value in (one.verified, one.corrected, one.failed, one.violating)]
        for row in questions
    ]
    return np.array(rows, dtype=np.float64).reshape(len(rows), 2 + 4 * len(LEVELS))


def score_statistics(sums: Table) -> Table:
    """TCPR, EMCR, the correction rates of K = 1, 2, 3 and the violating variants per failed unit of K = 1, 2, 3."""
    levels = sums[:, 2:].reshape(len(sums), len(LEVELS), 4)
    rates = quotient(levels[:, :, 1], levels[:, :, 0])
    violations = quotient(levels[:, :, 3], levels[:, :, 2])
    tcpr = quotient(sums[:, 1:2], sums[:, 0:1])
    return np.hstack([tcpr, rates.mean(axis=1, keepdims=True), rates, violations])


def quotient(numerator: Table, denominator: Table) -> Table:
    """The quotient, NaN where the denominator is 0."""
    undefined = np.full(np.broadcast_shapes(numerator.shape, denominator.shape), np.nan)
    np.divide(numerator, denominator, out=undefined, where=denominator != 0)
    return undefined


def _interval(replicates: Table, clusters: int, how: Resampling) -> Interval:
    defined = replicates[~np.isnan(replicates)]
    low = high = None
    if len(defined):
        tail = (1 - how.confidence) / 2
        low, high = (float(end) for end in np.quantile(defined, [tail, 1 - tail]))
    return Interval(low, high, clusters, len(replicates), len(replicates) - len(defined), how.confidence)
