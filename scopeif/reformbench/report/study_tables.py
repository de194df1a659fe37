"""Tables 3, 4 and A4, and the numbers of Fig. 4."""

from __future__ import annotations

from scopeif.errors import DataError
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.places import PROMPTED, SINGLE
from scopeif.reformbench.report.provenance import study_line
from scopeif.reformbench.report.studied import comparisons, compositions
from scopeif.reformbench.report.table import Table, Value, confidence, count, decimal, percent, points, span
from scopeif.reformbench.studies.composition import MEASURES
from scopeif.reformbench.studies.coverage import (
    CoverageRow,
    CoverageStudy,
    coverage,
    frequencies,
    mean_frequencies,
)
from scopeif.reformbench.studies.prompting import figure_rows

_POOLED = "Pooled"
_MEASURES = dict(
    zip(
        MEASURES,
        (
            "All-pass (%)",
            "Target pass, baseline-opposed (%)",
            "Target pass, baseline-aligned (%)",
            "Group gap (pp)",
        ),
        strict=True,
    )
)


def table_3(material: Material) -> Table:
    """Requirements answered separately against jointly."""
    found = compositions(material)
    rows: list[list[str]] = []
    data: list[list[Value]] = []
    notes = []
    for model, one in found.items():
        for measure, change in one.rows().items():
            interval = one.intervals[measure]
            show = points if measure == "gap" else percent
            both = [show(change.before), show(change.after)]
            rows.append([model, _MEASURES[measure], *both, points(change.difference), span(interval, sign=True)])
            values = [change.before, change.after, change.difference, interval.low, interval.high]
            data.append([model, measure, *values, one.groups, one.opposed_items, one.aligned_items, one.left_out])
        left = f"; {count(one.left_out)} instructions with unverified requirements are left out" if one.left_out else ""
        items = f"{count(one.opposed_items)} baseline-opposed and {count(one.aligned_items)} baseline-aligned targets"
        notes.append(f"{model}: {count(one.groups)} instructions, {items}{left}.")
    interval = next(iter(found.values())).intervals[MEASURES[0]]
    return Table(
        name="table_3",
        title="Table 3. Separate against joint constraint following",
        head=["Model", "Measure", "Separate", "Joint", "Difference (pp)", confidence(interval)],
        rows=rows,
        data_head=[
            *("model", "measure", "separate", "joint", "difference", "low", "high"),
            *("instructions", "opposed_targets", "aligned_targets", "left_out"),
        ],
        data=data,
        notes=[
            *notes,
            study_line(material, SINGLE),
            "The interval is of the difference, paired.",
        ],
    )


def table_prompting(material: Material) -> Table:
    """The numbers of Fig. 4."""
    found = comparisons(material)
    rows: list[list[str]] = []
    data: list[list[Value]] = []
    for model, comparison in found.items():
        for row in figure_rows(comparison):
            change, interval = row.change, row.interval
            both = [percent(change.before), percent(change.after)]
            rows.append([model, row.name, *both, points(change.difference), span(interval, sign=True)])
            values = [change.before, change.after, change.difference, change.relative]
            data.append([model, row.name, *values, interval.low, interval.high])
    interval = next(iter(found.values())).intervals.tcpr
    return Table(
        name="fig_4",
        title="Numbers of Fig. 4. A fixed meta-prompt after each instruction (%)",
        head=["Model", "Score", "Original", "Meta-prompt", "Difference (pp)", confidence(interval)],
        rows=rows,
        data_head=["model", "score", "original", "meta_prompt", "difference", "relative", "low", "high"],
        data=data,
        notes=[
            study_line(material, PROMPTED),
            "Baseline and eligible units are the same in both; the interval is of the difference, paired.",
        ],
    )


def table_4(material: Material) -> Table:
    """Coverage of the catalog on additional models."""
    study, questions, reference = covered(material)
    size = study.catalog_size
    return Table(
        name="table_4",
        title="Table 4. Catalog coverage on additional models",
        head=["Model", "Coverage (%)", "Catalog features", "Spearman's rho"],
        rows=[
            [name, percent(row.counts.coverage), f"{len(row.features)}/{size}", decimal(row.correlation, 3)]
            for name, row in _rows(study)
        ],
        data_head=["model", "coverage", "features", "catalog_size", "spearman"],
        data=[[name, row.counts.coverage, len(row.features), size, row.correlation] for name, row in _rows(study)],
        notes=[f"{count(questions)} questions; frequencies are compared with the mean of {', '.join(reference)}."],
    )


def table_a4(material: Material) -> Table:
    """The counts behind Table 4."""
    study, _, _ = covered(material)
    found = [(name, row.counts) for name, row in _rows(study)]
    return Table(
        name="table_a4",
        title="Table A4. Instances behind the catalog coverage",
        head=["Model", "Extracted", "Excluded", "Valid", "Covered", "Uncovered", "Coverage (%)"],
        rows=[
            [
                name,
                *map(count, (one.extracted, one.excluded, one.valid, one.covered, one.uncovered)),
                percent(one.coverage),
            ]
            for name, one in found
        ],
        data_head=["model", "extracted", "excluded", "valid", "covered", "uncovered", "coverage"],
        data=[
            [name, one.extracted, one.excluded, one.valid, one.covered, one.uncovered, one.coverage]
            for name, one in found
        ],
        notes=["Excluded instances are not about format; a composite instance counts once."],
    )


def covered(material: Material) -> tuple[CoverageStudy, int, list[str]]:
    """The study of additional models: those with extractions that are not evaluated.

    Returns:
        The study, the number of questions that all answered, and the evaluated models that are the reference.

    Raises:
        DataError: there are no additional models, or no evaluated one is annotated.
    """
    evaluated = list(material.order)
    rows = [row for row in material.folder.extractions() if row.model not in evaluated]
    additional = sorted({row.model for row in rows} & material.baselines.keys())
    if not additional:
        what = "no model that is not evaluated has extracted features"
        raise DataError(what, fix=material.places.annotate("ADDITIONAL_MODEL"))
    reference = [model for model in evaluated if model in material.baselines]
    if not reference:
        raise DataError("no evaluated model is annotated", fix=material.places.annotate())
    answered = [material.baselines[model].keys() for model in (*reference, *additional)]
    questions = set(material.questions).intersection(*answered)
    features = [feature.id for feature in catalog().features]
    frequency = mean_frequencies([frequencies(material.baselines[model], features, questions) for model in reference])
    common = [row for row in rows if row.model in additional and row.question in questions]
    return coverage(common, features, questions, frequency), len(questions), reference


def _rows(study: CoverageStudy) -> list[tuple[str, CoverageRow]]:
    return [*study.models.items(), (_POOLED, study.pooled)]
