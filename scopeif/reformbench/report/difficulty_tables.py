"""Which combinations of requirements are hardest (appendix A.9), and what screening by evaluated models does."""

from __future__ import annotations

from collections.abc import Mapping

from scopeif.reformbench.metrics import AnyBenchmark
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import Table, Value, confidence, count, percent, points, span
from scopeif.reformbench.studies.combinations import By, hardest
from scopeif.reformbench.studies.selection import selection_effect

_SHOWN = 10


def table_combinations(material: Material, by: By = "target", min_variants: int = 3, limit: int = _SHOWN) -> Table:
    """The hardest combinations over all evaluated models; errors as `hardest`."""
    categories = {one.feature: one.category for variant in material.variants.values() for one in variant.requirements}
    found = hardest(
        [one.benchmark for one in material.evaluated],
        by,
        category_of=categories,
        min_variants=min_variants,
        limit=limit,
        unverified="exclude",
        how=material.how,
    )
    beside = confidence(material.evaluated[0].intervals.tcpr)
    notes = [
        f"{count(found.found)} distinct combinations by {by}; {count(found.rare)} with fewer than {min_variants} "
        "variants are not ranked."
    ]
    if found.left_out:
        notes.append(f"{count(found.left_out)} responses with unverified requirements are left out.")
    return Table(
        name="combinations",
        title="Difficult combinations of constraints (A.9)",
        head=["Combination", "All-pass (%)", beside, "Variants", "Questions", "Failure of each (%)"],
        rows=[
            [
                " × ".join(one.parts),
                percent(one.joint_pass),
                span(one.interval),
                count(one.variants),
                count(one.questions),
                " / ".join(percent(one.failures[part]) for part in one.parts),
            ]
            for one in found.combinations
        ],
        data_head=[
            *("part_1", "part_2", "part_3", "joint_pass", "low", "high", "variants", "questions", "responses"),
            *("failure_1", "failure_2", "failure_3"),
        ],
        data=[
            [
                *one.parts,
                *(one.joint_pass, one.interval.low, one.interval.high, one.variants, one.questions, one.responses),
                *(one.failures[part] for part in one.parts),
            ]
            for one in found.combinations
        ],
        notes=notes,
    )


def table_selection(candidates: Mapping[str, AnyBenchmark], retain: int) -> Table:
    """What a model's own part in difficulty screening does to its scores; errors as `selection_effect`."""
    found = selection_effect(candidates, retain)
    rows: list[list[str]] = []
    data: list[list[Value]] = []
    for metric in ("tcpr", "emcr"):
        before, after = (found.ranks(metric, with_it=with_it) for with_it in (False, True))
        for model, one in found.models.items():
            change = one.tcpr if metric == "tcpr" else one.emcr
            everything = one.candidates.tcpr if metric == "tcpr" else one.candidates.emcr
            ranks = [f"{ranks_[model]:g}" if model in ranks_ else "—" for ranks_ in (before, after)]
            numbers = [percent(everything), percent(change.before), percent(change.after), points(change.difference)]
            rows.append([model, metric.upper(), *numbers, *ranks, percent(one.shared)])
            data.append(
                [
                    model,
                    metric,
                    everything,
                    change.before,
                    change.after,
                    before.get(model),
                    after.get(model),
                    one.shared,
                ]
            )
    return Table(
        name="selection",
        title="What a model's own part in difficulty screening does to its scores (%)",
        head=[
            *("Model", "Metric", "All candidates", "Screened without it", "Screened with it", "Difference (pp)"),
            *("Rank without", "Rank with", "Shared variants (%)"),
        ],
        rows=rows,
        data_head=["model", "metric", "candidates", "without_it", "with_it", "rank_without", "rank_with", "shared"],
        data=data,
        notes=[f"{count(retain)} of the candidates are retained; each set has its own eligible units."],
    )
