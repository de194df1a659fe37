"""One model's results from its probabilities and its baseline, whole and by task, with intervals.

A question without an annotated unconstrained response has no baseline: its variants count for TCPR, and none of its
targets is opposed or aligned, so that it has no unit of EMCR.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from scopeif.reformbench.calibration.calibration import Calibrated, Origin, scored
from scopeif.reformbench.metrics import QuestionSums, Scores, pooled, question_sums
from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Variant
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.bootstrap import Resampling, ScoreIntervals, score_intervals
from scopeif.reformbench.scoring.levels import LevelSums
from scopeif.reformbench.scoring.units import LEVELS

Place = tuple[str, int]
"""Id of a variant and position of a requirement."""


@dataclass(frozen=True)
class Labelled:
    """One model's probabilities under one calibration.

    benchmark: a question without baseline has an empty one here.
    unannotated: the questions of variants that have no baseline.
    origins: where each probability comes from.
    """

    model: str
    benchmark: ScoredBenchmark
    unannotated: frozenset[str]
    origins: Mapping[Place, Origin]

    @property
    def unverified(self) -> int:
        """Occurrences without a probability."""
        return sum(origin == "unverified" for origin in self.origins.values())

    def questions(self) -> Iterator[tuple[str, frozenset[str] | None]]:
        """The questions of variants in their order, each with its baseline, None where it has none."""
        for question, _ in self.benchmark.by_question():
            known = question not in self.unannotated
            yield question, self.benchmark.baseline_features[question] if known else None


@dataclass(frozen=True)
class Evaluated(Labelled):
    """What the probabilities come to, over all questions and by task."""

    scores: Scores
    intervals: ScoreIntervals
    by_task: Mapping[str, Scores]


def missing(model: str, variants: Mapping[str, Variant], calibrated: Calibrated) -> list[Place]:
    """The requirements of variants that the model has no entry for among the probabilities."""
    found = {(one.variant, one.position) for one in calibrated.probabilities if one.model == model}
    places = ((name, position) for name in variants for position in range(CONSTRAINTS_PER_VARIANT))
    return [place for place in places if place not in found]


def labelled(
    model: str, variants: Mapping[str, Variant], calibrated: Calibrated, baseline: Mapping[str, frozenset[str]]
) -> Labelled:
    """A model's probabilities with their origins.

    Args:
        baseline: features by question, of the questions that are annotated.

    Raises:
        DataError: a requirement without an entry, or several responses to one variant.
    """
    unannotated = frozenset(one.question for one in variants.values()) - baseline.keys()
    filled = {**baseline, **dict.fromkeys(unannotated, frozenset[str]())}
    return Labelled(
        model=model,
        benchmark=scored(model, variants.values(), calibrated, filled),
        unannotated=unannotated,
        origins={
            (one.variant, one.position): probability.origin
            for one, probability in calibrated.probabilities.items()
            if one.model == model and one.variant in variants
        },
    )


def evaluate(one: Labelled, task_of: Mapping[str, str], how: Resampling) -> Evaluated:
    """A model's results; unverified occurrences are left out, as `metrics` says.

    Args:
        task_of: the task of each question.
    """
    sums = [_without_units(row, one.unannotated) for row in question_sums(one.benchmark, "exclude")]
    tasks: dict[str, list[QuestionSums]] = {}
    for row in sums:
        tasks.setdefault(task_of[row.question], []).append(row)
    return Evaluated(
        model=one.model,
        benchmark=one.benchmark,
        unannotated=one.unannotated,
        origins=one.origins,
        scores=pooled(sums),
        intervals=score_intervals(sums, how),
        by_task={task: pooled(rows) for task, rows in tasks.items()},
    )


def _without_units(row: QuestionSums, unannotated: frozenset[str]) -> QuestionSums:
    return row._replace(levels=(LevelSums(),) * len(LEVELS)) if row.question in unannotated else row
