"""Correction rates of K = 1, 2, 3 by model with their intervals and numbers of eligible units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopeif.reformbench.report.canvas import BLUE, GREEN, ORANGE, Figure, canvas
from scopeif.reformbench.report.evaluated import Evaluated
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import DASH, confidence, count, percent
from scopeif.reformbench.scoring.units import LEVELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_COLOURS = dict(zip(LEVELS, (BLUE, ORANGE, GREEN), strict=True))


def figure_levels(material: Material) -> Figure:
    """One panel a level, one bar a model."""
    models = material.evaluated
    beside = confidence(models[0].intervals.correction_rate[LEVELS[0]])
    return Figure(
        name="fig_levels",
        title="Correction rates by number of jointly evaluated targets (%)",
        draw=lambda: _draw(models),
        notes=(f"n: eligible units; whiskers: {beside}s; {DASH} where a level has no eligible unit.",),
    )


def _draw(models: tuple[Evaluated, ...]) -> Canvas:
    widest = max(len(one.model) for one in models)
    figure = canvas(9.0 + 0.09 * widest, 1.3 + 0.5 * max(2, len(models)))
    panels = figure.subplots(1, len(LEVELS), sharey=True, squeeze=False)[0]
    for axes, level in zip(panels, LEVELS, strict=True):
        for row, one in enumerate(models):
            _bar(axes, row, one, level)
        axes.set_title(f"K={level}", loc="left", fontweight="bold")
        axes.set_xlim(0, 165)  # the numbers stand behind the bars
        axes.set_xticks([0, 25, 50, 75, 100])
        axes.spines.bottom.set_bounds(0, 100)
        axes.grid(axis="x", color="#E4E4E4", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
    panels[0].set_yticks(range(len(models)), [one.model for one in models])
    panels[0].set_ylim(max(2, len(models)) - 0.4, -0.6)
    figure.supxlabel("Correction rate (%)")
    return figure


def _bar(axes: Axes, row: int, one: Evaluated, level: int) -> None:
    found, interval = one.scores.levels[level], one.intervals.correction_rate[level]
    said = f"{percent(found.correction_rate)} (n={count(found.eligible_units)})"
    rate = None if found.correction_rate is None else 100 * found.correction_rate
    ends = [rate or 0.0]
    if rate is not None:
        axes.barh(row, rate, height=0.62, color=_COLOURS[level])
    if rate is not None and interval.low is not None and interval.high is not None:
        low, high = 100 * interval.low, 100 * interval.high
        axes.plot([low, high], [row, row], color="black", linewidth=1.3, marker="|", markersize=7)
        ends.append(high)
    axes.text(max(ends) + 3, row, said, va="center", fontsize=10)
