"""Tables 2 and A2: compliance and correction, and how far violations spread in units that failed."""

from __future__ import annotations

from scopeif.reformbench.report.evaluated import Evaluated
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.provenance import behind, counted
from scopeif.reformbench.report.table import Table, Value, confidence, count, decimal, percent, span
from scopeif.reformbench.scoring.units import LEVELS


def table_2(material: Material) -> Table:
    """TCPR, EMCR and the correction rates of K = 1, 2, 3, each with its interval."""
    models = material.evaluated
    beside = confidence(models[0].intervals.tcpr)
    names = ["TCPR", "EMCR", *(f"K={level}" for level in LEVELS)]
    keys = ["tcpr", "emcr", *(f"k{level}" for level in LEVELS)]
    units = [f"k{level}_{name}" for level in LEVELS for name in ("eligible_units", "verified_units")]
    return Table(
        name="table_2",
        title="Table 2. Format following and sustained correction across variants (%)",
        head=["Model", *(head for name in names for head in (name, beside))],
        rows=[_row(one) for one in models],
        data_head=[
            "model",
            *(column for key in keys for column in (key, f"{key}_low", f"{key}_high")),
            "variants",
            "verified_variants",
            *units,
        ],
        data=[_values(one) for one in models],
        notes=[_rests_on(material), *_left_out(models)],
    )


def table_a2(material: Material) -> Table:
    """Violating variants per unsuccessful unit by level."""
    spread = [
        [one.scores.levels[level].violating_variants_per_failed_unit for level in LEVELS] for one in material.evaluated
    ]
    intervals = [
        [one.intervals.violating_variants_per_failed_unit[level] for level in LEVELS] for one in material.evaluated
    ]
    models = [one.model for one in material.evaluated]
    return Table(
        name="table_a2",
        title="Table A2. Instruction variants with a target violation per unsuccessful evaluation unit",
        head=["Model", *(f"K={level}" for level in LEVELS)],
        rows=[[model, *map(decimal, row)] for model, row in zip(models, spread, strict=True)],
        data_head=["model", *(f"k{level}{end}" for level in LEVELS for end in ("", "_low", "_high"))],
        data=[
            [model, *(end for value, span_ in zip(row, spans, strict=True) for end in (value, span_.low, span_.high))]
            for model, row, spans in zip(models, spread, intervals, strict=True)
        ],
        notes=["Expected violating variants over expected unsuccessful units, pooled (Eq. 12)."],
    )


def _row(one: Evaluated) -> list[str]:
    scores, intervals = one.scores, one.intervals
    cells = [one.model, percent(scores.tcpr), span(intervals.tcpr), percent(scores.emcr), span(intervals.emcr)]
    for level in LEVELS:
        cells += [percent(scores.levels[level].correction_rate), span(intervals.correction_rate[level])]
    return cells


def _values(one: Evaluated) -> list[Value]:
    scores, intervals = one.scores, one.intervals
    pairs = [(scores.tcpr, intervals.tcpr), (scores.emcr, intervals.emcr)]
    pairs += [(scores.levels[level].correction_rate, intervals.correction_rate[level]) for level in LEVELS]
    row: list[Value] = [one.model]
    for value, interval in pairs:
        row += [value, interval.low, interval.high]
    row += [scores.variants, scores.verified_variants]
    for level in LEVELS:
        row += [scores.levels[level].eligible_units, scores.levels[level].verified_units]
    return row


def _rests_on(material: Material) -> str:
    """The footnote about calibration."""
    interval = material.evaluated[0].intervals.tcpr
    origins = counted(behind(one)["all", "tcpr"] for one in material.evaluated)
    return (
        f"Calibration: {material.main.calibration}. Behind TCPR stand {origins}; provenance.csv has the counts behind "
        f"every number. Intervals: {confidence(interval)}s from {material.how.resamples:,} resamples of "
        f"{count(interval.clusters)} questions."
    )


def _left_out(models: tuple[Evaluated, ...]) -> list[str]:
    """What the numbers and intervals do not cover."""
    notes = []
    for one in models:
        interval = one.intervals.emcr
        if interval.low is not None and interval.undefined:
            without = f"{count(interval.undefined)} of {count(interval.resamples)} resamples"
            notes.append(f"{one.model}: {without} have no unit of a level; the interval of EMCR is of the others.")
        if one.unverified:
            lost = one.scores.variants - one.scores.verified_variants
            units = sum(level.eligible_units - level.verified_units for level in one.scores.levels.values())
            notes.append(
                f"{one.model}: {count(one.unverified)} requirements are unverified; {count(lost)} of "
                f"{count(one.scores.variants)} variants and {count(units)} units that hold them are left out."
            )
    return notes
