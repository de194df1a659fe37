"""Table A3, and beside it how the judges agree with measuring."""

from __future__ import annotations

from scopeif.reformbench.adjudication.table import TOTAL, AdjudicationRow, adjudication_table
from scopeif.reformbench.judging.third_opinion import third_opinion
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.places import MAIN
from scopeif.reformbench.report.table import DASH, Table, Value, count, decimal, percent, plural


def table_a3(material: Material) -> Table:
    """Agreement of the judges, and which of them reviewers found better supported."""
    first, second = material.judges(MAIN)
    rows = _ordered(adjudication_table(material.main_pairs, material.adjudications), material)
    return Table(
        name="table_a3",
        title="Table A3. Agreement of the two judges and adjudication of sampled disagreements",
        head=[
            *("Evaluated model", "Dual-judge agreement (%)", "Disagreements", "Adjudicated samples"),
            *(f"Agrees with {judge}: count (%)" for judge in (first, second)),
            "Unverified",
        ],
        rows=[
            [
                row.model,
                percent(row.agreement),
                count(row.disagreements),
                count(row.samples),
                f"{count(row.first)} ({percent(row.first_share)})",
                f"{count(row.second)} ({percent(_second_share(row))})",
                count(row.unverified),
            ]
            for row in rows
        ],
        data_head=[
            *("model", "judged", "agreement", "disagreements", "adjudicated", "earlier_records"),
            *("agrees_with_first", "first_share", "agrees_with_second", "second_share", "unverified"),
        ],
        data=[_values(row) for row in rows],
        notes=[
            f"First judge: {first}; second judge: {second}. Agreement is over the requirements that both labelled; the "
            f"other shares are of the adjudicated samples, {DASH} where nothing is adjudicated.",
            *_uncounted(material),
        ],
    )


def table_third_opinion(material: Material) -> Table:
    """How often each judge agrees with the measured outcome, where a requirement has a formal spec."""
    judgments = (one for pair in material.main_pairs for one in (pair.first, pair.second))
    found = third_opinion(material.main_items, judgments)
    rows: list[list[str]] = []
    data: list[list[Value]] = []
    for row in found.rows:
        one = row.confusion
        target = "(all)" if row.feature is None else f"{row.mode} {row.feature}"
        numbers = [one.n, one.both_pass, one.judge_only, one.measured_only, one.both_fail]
        data.append([row.judge, row.feature, row.mode, *numbers, one.agreement, one.kappa])
        if row.feature is None:
            rows.append([row.judge, target, *map(count, numbers), percent(one.agreement), decimal(one.kappa, 3)])
    left = [
        f"{judge}: not compared are {', '.join(f'{number:,} ({why})' for why, number in sorted(reasons.items()))}."
        for judge, reasons in sorted(found.left_out.items())
    ]
    names = ["compared", "both_pass", "judge_only", "measured_only", "both_fail"]
    return Table(
        name="third_opinion",
        title="Agreement of the judges with measuring",
        head=["Judge", "Target", *(name.replace("_", " ") for name in names), "Agreement (%)", "Cohen's kappa"],
        rows=rows,
        data_head=["judge", "feature", "mode", *names, "agreement", "kappa"],
        data=data,
        notes=["Measured outcomes are reported and replace no label. The file has every target.", *left],
    )


def _uncounted(material: Material) -> list[str]:
    """Adjudications that came after the calibration."""
    missing = [
        record.instance
        for record in material.adjudications
        if material.main.calibration.startswith("stratified")
        and (known := material.main.probabilities.get(record.instance)) is not None
        and known.origin != "reviewed"
    ]
    fix = material.places.calibrate(MAIN, "probabilities")
    return [f"{plural(len(missing), 'adjudication')} not in the probabilities yet: {fix}"] if missing else []


def _values(row: AdjudicationRow) -> list[Value]:
    shares: list[Value] = [row.first, row.first_share, row.second, _second_share(row)]
    return [row.model, row.judged, row.agreement, row.disagreements, row.samples, row.matched, *shares, row.unverified]


def _second_share(row: AdjudicationRow) -> float | None:
    return row.second / row.samples if row.samples else None


def _ordered(rows: list[AdjudicationRow], material: Material) -> list[AdjudicationRow]:
    """Models in the order of the other tables, those that are not evaluated behind them, the total last."""
    order = material.order
    return sorted(rows, key=lambda row: (row.model == TOTAL and row is rows[-1], order.get(row.model, len(order))))
