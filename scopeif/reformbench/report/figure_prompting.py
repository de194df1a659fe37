"""Fig. 4: what the meta-prompt changes; dots for both conditions, bars for the differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scopeif.reformbench.report.canvas import BLUE, GREY, VERMILION, Figure, canvas
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.studied import comparisons
from scopeif.reformbench.report.table import DASH, confidence, percent, points
from scopeif.reformbench.studies.prompting import Dumbbell, figure_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def figure_4(material: Material) -> Figure:
    """One row of panels a model: TCPR, EMCR, then K = 1, 2, 3."""
    found = {model: figure_rows(comparison) for model, comparison in comparisons(material).items()}
    beside = confidence(next(iter(found.values()))[0].interval)
    return Figure(
        name="fig_4",
        title="Fig. 4. What the meta-prompt changes",
        draw=lambda: _draw(found),
        notes=(f"Bars: differences in percentage points from unrounded scores; whiskers: paired {beside}s.",),
    )


def _draw(models: dict[str, list[Dumbbell]]) -> Canvas:
    figure = canvas(10.5, 0.6 + 3.1 * len(models))
    panels = figure.subplots(len(models), 2, squeeze=False, width_ratios=(3, 2))
    for (dots, bars), (model, rows) in zip(panels, models.items(), strict=True):
        _dots(dots, rows)
        _bars(bars, rows)
        dots.set_title(model, loc="left", fontweight="bold")
        for axes in (dots, bars):
            axes.set_ylim(len(rows) - 0.4, -0.6)
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x", color="#E4E4E4", linewidth=0.8)
            axes.set_axisbelow(True)
        dots.set_yticks(range(len(rows)), [row.name for row in rows])
        bars.set_yticks([])
    panels[-1][0].set_xlabel("Score (%)")
    panels[-1][1].set_xlabel("Difference (pp)")
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper right", ncols=2, frameon=False)
    return figure


def _dots(axes: Axes, rows: list[Dumbbell]) -> None:
    axes.set_xlim(-16, 116)
    axes.set_xticks([0, 25, 50, 75, 100])
    axes.plot([], [], "o", color=GREY, markersize=9, label="original")
    axes.plot([], [], "D", color=BLUE, markersize=8, label="with meta-prompt")
    for place, row in enumerate(rows):
        before, after = row.change.before, row.change.after
        if before is None or after is None:
            axes.text(50, place, DASH, ha="center", va="center")
            continue
        axes.plot([100 * before, 100 * after], [place, place], color="#B5B5B5", linewidth=3, zorder=1)
        axes.plot(100 * before, place, "o", color=GREY, markersize=9)
        axes.plot(100 * after, place, "D", color=BLUE, markersize=8)
        left, right = min(before, after), max(before, after)
        axes.text(100 * left - 3, place, percent(left), ha="right", va="center", fontsize=10)
        axes.text(100 * right + 3, place, percent(right), ha="left", va="center", fontsize=10)


def _bars(axes: Axes, rows: list[Dumbbell]) -> None:
    ends = [0.0]
    for place, row in enumerate(rows):
        difference, interval = row.change.difference, row.interval
        if difference is None:
            axes.text(0, place, DASH, ha="center", va="center")
            continue
        value = 100 * difference
        axes.barh(place, value, height=0.6, color=BLUE if value >= 0 else VERMILION)
        tips = [0.0, value]
        if interval.low is not None and interval.high is not None:
            tips += [100 * interval.low, 100 * interval.high]
            axes.plot(tips[2:], [place, place], color="black", linewidth=1.3, marker="|", markersize=7)
        axes.annotate(
            points(difference), (max(tips), place), (6, 0), textcoords="offset points", va="center", fontsize=10
        )
        ends += tips
    reach = max(ends) - min(ends) or 1.0
    axes.set_xlim(min(ends) - 0.06 * reach, max(ends) + 0.34 * reach)
    axes.axvline(0, color="black", linewidth=0.9)
