"""Models ranked by TCPR and by EMCR, on two axes with a line for each model."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scopeif.reformbench.report.canvas import BLUE, GREY, VERMILION, Figure, canvas
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import DASH, percent
from scopeif.reformbench.studies.ranks import average_ranks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas


class Ranked(NamedTuple):
    """A model's scores with their ranks, 1 the highest; ties share the mean; no rank where undefined."""

    model: str
    tcpr: float | None
    emcr: float | None
    tcpr_rank: float | None
    emcr_rank: float | None


def ranked(material: Material) -> list[Ranked]:
    """The evaluated models in the order of the tables."""
    models = material.evaluated
    by_tcpr = _ranks([one.scores.tcpr for one in models])
    by_emcr = _ranks([one.scores.emcr for one in models])
    return [
        Ranked(one.model, one.scores.tcpr, one.scores.emcr, *ranks)
        for one, *ranks in zip(models, by_tcpr, by_emcr, strict=True)
    ]


def figure_ranks(material: Material) -> Figure:
    """The plot; a rising line is a model that stands better by EMCR."""
    rows = ranked(material)
    return Figure(
        name="fig_ranks",
        title="Ranks by TCPR and by EMCR",
        draw=lambda: _draw(rows),
        notes=(
            "Thick lines change rank: blue where a model stands better by EMCR, orange-red where it stands worse.",
            *(
                f"{row.model} has no rank by EMCR: a level has no eligible unit."
                for row in rows
                if row.emcr_rank is None
            ),
        ),
    )


def _draw(rows: list[Ranked]) -> Canvas:
    widest = max(len(row.model) for row in rows)
    figure = canvas(4.0 + 0.22 * widest, 1.2 + 0.42 * max(2, len(rows)))
    axes = figure.subplots()
    for row in rows:
        if row.tcpr_rank is None:
            continue
        axes.plot(0, row.tcpr_rank, "o", color=GREY, zorder=3)
        axes.text(-0.06, row.tcpr_rank, f"{row.model}  {percent(row.tcpr)}", ha="right", va="center")
        if row.emcr_rank is None:
            continue
        change = row.tcpr_rank - row.emcr_rank
        colour = GREY if change == 0 else BLUE if change > 0 else VERMILION
        axes.plot([0, 1], [row.tcpr_rank, row.emcr_rank], color=colour, linewidth=1.2 if change == 0 else 2.4)
        axes.plot(1, row.emcr_rank, "o", color=GREY, zorder=3)
        axes.text(1.06, row.emcr_rank, f"{percent(row.emcr)}  {row.model}", ha="left", va="center")
    for place, name in ((0, "TCPR (%)"), (1, "EMCR (%)")):
        axes.text(place, 0.3, name, ha="center", va="bottom", fontweight="bold")
        axes.axvline(place, color="#D0D0D0", linewidth=1, zorder=0)
    axes.set_xlim(0, 1)
    axes.set_ylim(len(rows) + 0.5, 0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    for one in axes.texts:
        one.set_clip_on(False)
    for line in axes.lines:
        line.set_clip_on(False)
    return figure


def _ranks(values: list[float | None]) -> list[float | None]:
    known = [value for value in values if value is not None]
    ranks = iter(average_ranks([-value for value in known]))
    return [None if value is None else next(ranks) for value in values]


def rank_said(value: float | None) -> str:
    """A rank as it is printed."""
    return DASH if value is None else f"{value:g}"
