"""Tables over models: scores by task (Tables A5 and A6), eligible units and coverage (Tables A7 and A8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scopeif.errors import DataError
from scopeif.reformbench.metrics import Scores
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.units import LEVELS

ScoresByTask = Mapping[str, Scores]
"""One model's scores by task, from `metrics.score_by`."""


@dataclass(frozen=True)
class TaskRow:
    """A row of Table A5: a task over all models, each with equal weight.

    questions, variants: of the task, the same for every model.
    tcpr, emcr: means over the models; None where it is undefined for one of them.
    highest_emcr: the highest defined EMCR, and the models that have it.
    """

    task: str
    questions: int
    variants: int
    tcpr: float | None
    emcr: float | None
    highest_emcr: float | None
    models: tuple[str, ...]


@dataclass(frozen=True)
class EligibilityRow:
    """A row of Table A8: a model's positive annotations, then by K the eligible units and the variants they cover."""

    model: str
    positive_annotations: int
    units: Mapping[int, int]
    coverage: Mapping[int, float | None]


def task_rows(models: Mapping[str, ScoresByTask]) -> list[TaskRow]:
    """Table A5, the highest mean TCPR first, then undefined ones.

    Raises:
        DataError: two models have other tasks, or other numbers of questions and variants in one.
    """
    shapes = {
        model: {task: (one.questions, one.variants) for task, one in tasks.items()} for model, tasks in models.items()
    }
    for model, shape in shapes.items():
        if shape != next(iter(shapes.values())):
            raise DataError(
                f"model {model!r} has other tasks, questions or variants than the first model",
                fix="score all models on the same variants",
            )
    tasks = next(iter(models.values()), {})
    rows = [_task_row(task, {model: scores[task] for model, scores in models.items()}) for task in tasks]
    return sorted(rows, key=lambda row: (row.tcpr is None, -(row.tcpr or 0), row.task))


def eligible_cells(models: Mapping[str, ScoresByTask]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Table A7: by model and task, the numbers of eligible units at K = 1, 2, 3."""
    return {model: {task: one.eligible_units for task, one in tasks.items()} for model, tasks in models.items()}


def eligibility_row(benchmark: ScoredBenchmark, scores: Scores) -> EligibilityRow:
    """Table A8's row of one model, from its benchmark and its scores over all questions."""
    return EligibilityRow(
        model=benchmark.model,
        positive_annotations=benchmark.positive_annotations,
        units={level: scores.levels[level].eligible_units for level in LEVELS},
        coverage={level: scores.levels[level].mean_variant_coverage for level in LEVELS},
    )


def mean(values: Sequence[float | None]) -> float | None:
    """The plain mean; None without values, or where one of them is undefined."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def _task_row(task: str, models: Mapping[str, Scores]) -> TaskRow:
    first = next(iter(models.values()))
    known = {model: one.emcr for model, one in models.items() if one.emcr is not None}
    highest = max(known.values(), default=None)
    return TaskRow(
        task=task,
        questions=first.questions,
        variants=first.variants,
        tcpr=mean([one.tcpr for one in models.values()]),
        emcr=mean([one.emcr for one in models.values()]),
        highest_emcr=highest,
        models=tuple(model for model, value in known.items() if value == highest),
    )
