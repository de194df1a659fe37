"""Tables A5 to A8: results by task, and the eligible units that they rest on.

Tasks stand in the order of Table A5, the highest mean TCPR first.
"""

from __future__ import annotations

from collections.abc import Sequence

from scopeif.reformbench.report.evaluated import Evaluated
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import DASH, Bold, Table, Value, count, decimal, percent, plural
from scopeif.reformbench.scoring.breakdown import TaskRow, eligibility_row, eligible_cells, mean, task_rows
from scopeif.reformbench.scoring.units import LEVELS

METRICS = ("tcpr", "emcr")


def tasks(material: Material) -> list[TaskRow]:
    """The rows of Table A5."""
    return task_rows({one.model: one.by_task for one in material.evaluated})


def label(name: str) -> str:
    """A task's or domain's name as it is printed."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def metric_of(one: Evaluated, metric: str, task: str) -> float | None:
    """A model's TCPR or EMCR on a task."""
    scores = one.by_task[task]
    return scores.tcpr if metric == "tcpr" else scores.emcr


def table_a5(material: Material) -> Table:
    """Tasks over all models, each model with equal weight."""
    found = tasks(material)
    return Table(
        name="table_a5",
        title="Table A5. Format following by task type (%)",
        head=["Task type", "Source questions", "Instruction variants", "Mean TCPR", "Mean EMCR", "Highest EMCR"],
        rows=[
            [
                label(row.task),
                count(row.questions),
                count(row.variants),
                percent(row.tcpr),
                percent(row.emcr),
                _best(row),
            ]
            for row in found
        ],
        data_head=["task", "questions", "variants", "mean_tcpr", "mean_emcr", "highest_emcr", "models"],
        data=[
            [row.task, row.questions, row.variants, row.tcpr, row.emcr, row.highest_emcr, "; ".join(row.models)]
            for row in found
        ],
        notes=[
            f"Means are over {plural(len(material.evaluated), 'model')}; {DASH} where one of them has no eligible unit "
            "of a level."
        ],
    )


def table_a6(material: Material) -> Table:
    """TCPR and EMCR of every model by task, the highest of each metric and task in bold."""
    names = [row.task for row in tasks(material)]
    values = {
        metric: [[metric_of(one, metric, task) for task in names] for one in material.evaluated] for metric in METRICS
    }
    means = {metric: [mean(column) for column in zip(*values[metric], strict=True)] for metric in METRICS}
    best = {metric: [_highest(column) for column in zip(*values[metric], strict=True)] for metric in METRICS}
    rows: list[list[str]] = []
    data: list[list[Value]] = []
    for number, one in enumerate(material.evaluated):
        for metric in METRICS:
            cells = values[metric][number]
            rows.append([one.model, metric.upper(), *map(_shown, cells, best[metric])])
            data.append([one.model, metric, *cells])
    for metric in METRICS:
        rows.append(
            [f"Mean across {plural(len(material.evaluated), 'model')}", metric.upper(), *map(percent, means[metric])]
        )
        data.append(["(mean)", metric, *means[metric]])
    return Table(
        name="table_a6",
        title="Table A6. TCPR and EMCR by model and task type (%)",
        head=["Model", "Metric", *map(label, names)],
        rows=rows,
        data_head=["model", "metric", *names],
        data=data,
        notes=["Bold: the highest of each metric and task."],
    )


def table_a7(material: Material) -> Table:
    """Eligible units by model and task: K=1 / K=2 / K=3."""
    names = [row.task for row in tasks(material)]
    cells = eligible_cells({one.model: one.by_task for one in material.evaluated})
    return Table(
        name="table_a7",
        title="Table A7. Eligible correction units by model and task",
        head=["Model", *map(label, names)],
        rows=[[model, *(" / ".join(map(count, row[task])) for task in names)] for model, row in cells.items()],
        data_head=["model", "task", *(f"k{level}" for level in LEVELS)],
        data=[[model, task, *row[task]] for model, row in cells.items() for task in names],
        notes=[f"Each cell: {' / '.join(f'K={level}' for level in LEVELS)}, the denominators of the correction rates."],
    )


def table_a8(material: Material) -> Table:
    """Baseline annotations, eligible units and the variants that they cover."""
    found = [(one, eligibility_row(one.benchmark, one.scores)) for one in material.evaluated]
    answered = {one.model: len(material.baselines.get(one.model, {})) for one in material.evaluated}
    annotations = {one.model: row.positive_annotations if answered[one.model] else None for one, row in found}
    return Table(
        name="table_a8",
        title="Table A8. Baseline annotations and correction units",
        head=["Model", "Annotated responses", "Positive annotations", *(f"K={level}" for level in LEVELS)],
        rows=[
            [
                one.model,
                count(answered[one.model]),
                count(annotations[one.model]),
                *(f"{count(row.units[level])} ({decimal(row.coverage[level])})" for level in LEVELS),
            ]
            for one, row in found
        ],
        data_head=[
            "model",
            "annotated_responses",
            "positive_annotations",
            *(f"k{level}_{name}" for level in LEVELS for name in ("eligible_units", "mean_variant_coverage")),
        ],
        data=[
            [
                one.model,
                answered[one.model],
                annotations[one.model],
                *(value for level in LEVELS for value in (row.units[level], row.coverage[level])),
            ]
            for one, row in found
        ],
        notes=["In parentheses the mean number of variants that a unit covers; a variant counts once."],
    )


def _best(row: TaskRow) -> str:
    return DASH if row.highest_emcr is None else f"{', '.join(row.models)}: {percent(row.highest_emcr)}"


def _highest(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _shown(value: float | None, best: float | None) -> str:
    return Bold(percent(value)) if value is not None and value == best else percent(value)
