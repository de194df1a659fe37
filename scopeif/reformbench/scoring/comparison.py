"""Two configurations of one model on the same variants and baseline, hence on the same eligible units (section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from scopeif.errors import DataError
from scopeif.reformbench.calibration.calibration import require_same_calibration
from scopeif.reformbench.metrics import AnyBenchmark, Scores, Unverified, pooled, question_sums
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.bootstrap import (
    DEFAULT,
    Resampling,
    ScoreIntervals,
    Table,
    clustered,
    named,
    score_statistics,
    score_table,
)


@dataclass(frozen=True)
class Change:
    """One score before and after, and their difference (after minus before); None where undefined."""

    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        """After minus before, of the unrounded scores."""
        return None if self.before is None or self.after is None else self.after - self.before

    @property
    def relative(self) -> float | None:
        """The difference as a share of the score before; None where that is 0."""
        return self.difference / self.before if self.difference is not None and self.before else None


@dataclass(frozen=True)
class Comparison:
    """Two configurations on fixed units.

    before, after: the scores; their eligible units, coverage and verified counts are the same.
    intervals: of the differences after minus before, paired: both configurations of a question are drawn together.
    """

    before: Scores
    after: Scores
    intervals: ScoreIntervals

    @property
    def tcpr(self) -> Change:
        """TCPR before and after."""
        return Change(self.before.tcpr, self.after.tcpr)

    @property
    def emcr(self) -> Change:
        """EMCR before and after."""
        return Change(self.before.emcr, self.after.emcr)

    def correction_rate(self, level: int) -> Change:
        """The correction rate of a level K before and after."""
        return Change(self.before.levels[level].correction_rate, self.after.levels[level].correction_rate)


def compare(
    before: AnyBenchmark, after: AnyBenchmark, unverified: Unverified = "error", how: Resampling = DEFAULT
) -> Comparison:
    """The scores of two configurations and the intervals of their differences.

    Under `unverified="exclude"` an occurrence that is unverified in one configuration is left out of both, so that the
    units stay the same.

    Raises:
        DataError: variants, targets or baselines differ, or an occurrence is unverified.
        InvalidInputError: the calibrations differ.
    """
    first, second = paired(before, after, unverified)
    rows = [tuple(question_sums(one, unverified)) for one in (first, second)]
    tables = [score_table(one) for one in rows]
    width = tables[0].shape[1]

    def differences(sums: Table) -> Table:
        return score_statistics(sums[:, width:]) - score_statistics(sums[:, :width])

    intervals = named(clustered(np.hstack(tables), differences, how))
    return Comparison(pooled(rows[0]), pooled(rows[1]), intervals)


def paired(
    first: AnyBenchmark, second: AnyBenchmark, unverified: Unverified = "error"
) -> tuple[ScoredBenchmark, ScoredBenchmark]:
    """Both benchmarks with variants and targets in one order; under "exclude", what one lacks is unverified in both.

    Raises:
        DataError: they cannot be compared: variants, targets or baselines differ.
        InvalidInputError: their calibrations differ.
    """
    one, two = ScoredBenchmark.of(first), ScoredBenchmark.of(second)
    _require_comparable(one, two)
    others = {variant.id: variant for variant in two.variants}
    left, right = [], []
    for variant in one.variants:
        theirs = dict(zip(others[variant.id].targets, others[variant.id].pass_probability, strict=True))
        pairs = [(mine, theirs[target]) for target, mine in zip(variant.targets, variant.pass_probability, strict=True)]
        if unverified == "exclude":
            pairs = [(None, None) if None in pair else pair for pair in pairs]
        left.append(variant._replace(pass_probability=tuple(mine for mine, _ in pairs)))
        right.append(variant._replace(pass_probability=tuple(their for _, their in pairs)))
    return replace(one, variants=tuple(left)), replace(two, variants=tuple(right))


def _require_comparable(one: ScoredBenchmark, two: ScoredBenchmark) -> None:
    if one.calibration or two.calibration:
        require_same_calibration(one, two)
    asked, also = ({variant.id: (variant.question, set(variant.targets)) for variant in b.variants} for b in (one, two))
    if differing := sorted(name for name in asked.keys() | also.keys() if asked.get(name) != also.get(name)):
        raise DataError(
            f"{len(differing)} variants are not the same in both configurations, the first: {differing[0]!r}",
            place=_how(asked.get(differing[0]), also.get(differing[0])),
            fix="compare responses to the same instructions",
        )
    questions = dict.fromkeys(variant.question for variant in one.variants)
    for question in questions:
        if one.baseline_features[question] != two.baseline_features[question]:
            either = sorted(one.baseline_features[question] ^ two.baseline_features[question])
            raise DataError(
                f"the baselines differ in {', '.join(either)}",
                place=f"question {question!r}",
                fix="give both configurations the baseline of the same unconstrained response",
            )


def _how(one: object, two: object) -> str:
    """Where two variants of one id differ, or which configuration has it alone."""
    if one is None or two is None:
        return f"only in the {'second' if one is None else 'first'}"
    return "question or targets differ"
