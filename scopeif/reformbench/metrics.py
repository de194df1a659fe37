"""TCPR and EMCR of one model (section 3.4), whole and by groups of questions.

    tcpr(benchmark)     # 0.6666666666666666
    emcr(benchmark)     # {"tcpr": 0.66, "emcr": 0.27, "levels": {"1": {"eligible_units": 2, ...}, "2": ..., "3": ...}}

`benchmark` is a `ScoredBenchmark` or a JSON object of the shape in `benchmark_shape`. EMCR is read together with its
levels, their eligible units and coverage (section 3.4.3), which is why `emcr` returns them all; `score` returns the
same typed. What is undefined is None, never 0: a level without eligible units, and EMCR with it.

An unverified occurrence has no probability. By default it is an error; `unverified="exclude"` leaves out of TCPR every
variant, and out of the rates every unit, that has one, and says how many remain. `bounds` gives the interval in which
the scores would lie were all of them known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.levels import Level, LevelSums, equal_weight, ratio
from scopeif.reformbench.scoring.links import link
from scopeif.reformbench.scoring.units import LEVELS, UnitOutcome, joint_pass, outcomes

Unverified = Literal["error", "exclude"]
AnyBenchmark = ScoredBenchmark | Mapping[str, Any]


class QuestionSums(NamedTuple):
    """All that is kept of a question: the sums from which every pooled metric and every resample is made.

    variants, verified_variants: number of variants, and of those without an unverified occurrence.
    passed: sum over the verified variants of the product of their three pass probabilities.
    levels: sums over eligible units, for K = 1, 2, 3.
    """

    question: str
    variants: int
    verified_variants: int
    passed: float
    levels: tuple[LevelSums, ...]


@dataclass(frozen=True)
class Scores:
    """The metrics of a set of questions, each in [0, 1]; None where undefined.

    variants, verified_variants: number of variants, and of those that TCPR is the mean over.
    tcpr: mean joint pass of the three constraints (Eqs. 1 and 9).
    emcr: mean of the correction rates of the levels (Eq. 5).
    levels: by K.
    """

    questions: int
    variants: int
    verified_variants: int
    tcpr: float | None
    emcr: float | None
    levels: Mapping[int, Level]

    @property
    def eligible_units(self) -> tuple[int, ...]:
        """Numbers of eligible units for K = 1, 2, 3 (a cell of Table A7)."""
        return tuple(level.eligible_units for level in self.levels.values())

    def to_json(self) -> dict[str, Any]:
        """Plain values; counts of what is verified only where not all is."""
        row: dict[str, Any] = {"tcpr": self.tcpr, "emcr": self.emcr}
        if self.verified_variants != self.variants:
            row |= {"variants": self.variants, "verified_variants": self.verified_variants}
        return row | {"levels": {str(level): self.levels[level].to_json() for level in self.levels}}


def tcpr(benchmark: AnyBenchmark, unverified: Unverified = "error") -> float | None:
    """Three-Constraint Pass Rate in [0, 1] (Eqs. 1 and 9); None where there is no verified variant.

    Raises:
        DataError: the benchmark has a fault, or an unverified occurrence under `unverified="error"`.
    """
    return score(benchmark, unverified).tcpr


def emcr(benchmark: AnyBenchmark, unverified: Unverified = "error") -> dict[str, Any]:
    """Equal-Weight Multi-Constraint Correction Rate with all that it is read with, as plain JSON values.

    Keys: `emcr` (None when any level has no eligible unit), `tcpr`, and `levels` by K as text, each with
    `eligible_units`, `correction_rate`, `mean_variant_coverage` and `violating_variants_per_failed_unit`.

    Raises:
        DataError: the benchmark has a fault, or an unverified occurrence under `unverified="error"`.
    """
    return score(benchmark, unverified).to_json()


def score(benchmark: AnyBenchmark, unverified: Unverified = "error") -> Scores:
    """TCPR, EMCR and the levels over all questions; raises as `tcpr` does."""
    return pooled(question_sums(benchmark, unverified))


def score_by(
    benchmark: AnyBenchmark, group_of: Mapping[str, str], unverified: Unverified = "error"
) -> dict[str, Scores]:
    """The scores of each group of questions, such as a task (appendix A.5): pooled in the group, then averaged over K.

    Args:
        group_of: the group of each question.

    Raises:
        DataError: as `tcpr`, or a question has no group.
    """
    groups: dict[str, list[QuestionSums]] = {}
    for sums in question_sums(benchmark, unverified):
        if sums.question not in group_of:
            raise DataError(f"question {sums.question!r} has no group", fix="give a group for each question")
        groups.setdefault(group_of[sums.question], []).append(sums)
    return {group: pooled(rows) for group, rows in groups.items()}


def score_by_question(benchmark: AnyBenchmark, unverified: Unverified = "error") -> dict[str, Scores]:
    """The scores of each question; one with a single variant has no eligible unit (appendix A.7.4)."""
    return {sums.question: pooled([sums]) for sums in question_sums(benchmark, unverified)}


def bounds(benchmark: AnyBenchmark) -> tuple[Scores, Scores]:
    """The scores if every unverified occurrence were violated, and if every one were satisfied."""
    known = ScoredBenchmark.of(benchmark)
    return score(_filled(known, 0.0)), score(_filled(known, 1.0))


def question_sums(benchmark: AnyBenchmark, unverified: Unverified = "error") -> Iterator[QuestionSums]:
    """The sums of each question, one question at a time.

    Raises:
        DataError: the benchmark has a fault, or an unverified occurrence under `unverified="error"`.
        InvalidInputError: an unknown way to treat what is unverified.
    """
    if unverified not in get_args(Unverified):
        raise InvalidInputError(f"unverified is {unverified!r}", fix=f"use one of: {', '.join(get_args(Unverified))}")
    known = ScoredBenchmark.of(benchmark)
    if unverified == "error":
        _refuse_unverified(known)
    for question, variants in known.by_question():
        passes = [joint_pass(variant.pass_probability) for variant in variants]
        verified = [one for one in passes if one is not None]
        by_level: dict[int, list[UnitOutcome]] = {level: [] for level in LEVELS}
        for outcome in outcomes(link(variants, known.baseline_features[question])):
            by_level[len(outcome.unit.targets)].append(outcome)
        levels = tuple(map(LevelSums.of, by_level.values()))
        yield QuestionSums(question, len(variants), len(verified), sum(verified), levels)


def pooled(questions: Iterable[QuestionSums]) -> Scores:
    """The scores of several questions: successes and units pooled within each K before the mean over K."""
    rows = tuple(questions)
    sums = (LevelSums.pooled(row.levels[number] for row in rows) for number in range(len(LEVELS)))
    levels = {level: one.level() for level, one in zip(LEVELS, sums, strict=True)}
    verified = sum(row.verified_variants for row in rows)
    return Scores(
        questions=len(rows),
        variants=sum(row.variants for row in rows),
        verified_variants=verified,
        tcpr=ratio(sum(row.passed for row in rows), verified),
        emcr=equal_weight([level.correction_rate for level in levels.values()]),
        levels=levels,
    )


def _refuse_unverified(benchmark: ScoredBenchmark) -> None:
    places = [
        f"variant {variant.id!r}, {target.mode} {target.feature}"
        for variant in benchmark.variants
        for target, probability in zip(variant.targets, variant.pass_probability, strict=True)
        if probability is None
    ]
    if places:
        total = sum(len(variant.targets) for variant in benchmark.variants)
        raise DataError(
            f"{len(places)} of {total} occurrences are unverified, the first: {places[0]}",
            place=f"model {benchmark.model!r}" if benchmark.model else None,
            fix='judge them again, or score the others: unverified="exclude"',
        )


def _filled(benchmark: ScoredBenchmark, value: float) -> ScoredBenchmark:
    variants = tuple(
        variant._replace(pass_probability=tuple(value if one is None else one for one in variant.pass_probability))
        for variant in benchmark.variants
    )
    return replace(benchmark, variants=variants)
