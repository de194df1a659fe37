"""Fig. 3: TCPR and EMCR by model and task, on one scale from 0 to 100."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scopeif.reformbench.report.canvas import Figure, canvas
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.table import DASH
from scopeif.reformbench.report.task_tables import METRICS, label, metric_of, tasks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

_COLOURS = "YlGnBu"
"""From light to dark in one direction, which every kind of colour vision sees."""
_UNDEFINED = "#DDDDDD"


def figure_3(material: Material) -> Figure:
    """The two heat maps; models and tasks stand as in the tables."""
    names = [row.task for row in tasks(material)]
    models = [one.model for one in material.evaluated]
    values = {
        metric: [[_percent(metric_of(one, metric, task)) for task in names] for one in material.evaluated]
        for metric in METRICS
    }
    return Figure(
        name="fig_3",
        title="Fig. 3. Format following by model and task type (%)",
        draw=lambda: _draw(models, [label(name) for name in names], values),
        notes=(f"Calibrated point estimates, one scale for both panels; {DASH} where a level has no eligible unit.",),
    )


def _draw(models: list[str], names: list[str], values: dict[str, list[list[float]]]) -> Canvas:
    from matplotlib import colormaps

    colours = colormaps[_COLOURS].with_extremes(bad=_UNDEFINED)
    heads = [textwrap.fill(name, 14, break_long_words=False) for name in names]
    longest = max(len(line) for head in heads for line in head.split("\n"))
    lines = max(head.count("\n") + 1 for head in heads)
    widest = max(map(len, models))
    figure = canvas(
        2.2 + 0.09 * widest + max(4.2, max(1.15, 0.1 * longest) * len(names)),
        1.6 + 0.25 * lines + 2 * max(0.9, 0.42 * len(models)),
    )
    panels = figure.subplots(len(METRICS), 1, sharex=True, squeeze=False)[:, 0]
    for axes, metric in zip(panels, METRICS, strict=True):
        image = axes.imshow(values[metric], cmap=colours, vmin=0, vmax=100, aspect="auto")
        axes.set_title(metric.upper(), loc="left", fontweight="bold")
        axes.set_yticks(range(len(models)), models)
        axes.set_xticks(range(len(names)), heads)
        axes.set_xticks([at - 0.5 for at in range(1, len(names))], minor=True)
        axes.set_yticks([at - 0.5 for at in range(1, len(models))], minor=True)
        axes.grid(which="minor", color="white", linewidth=1.5)
        axes.tick_params(which="both", length=0)
        axes.spines[:].set_visible(False)
        for row, of_model in enumerate(values[metric]):
            for column, value in enumerate(of_model):
                undefined = math.isnan(value)
                colour = "black" if undefined else _readable(colours(value / 100))
                text = DASH if undefined else f"{value:.1f}"
                axes.text(column, row, text, ha="center", va="center", color=colour)
    figure.colorbar(image, ax=list(panels), label="%", fraction=0.035, pad=0.02)
    return figure


def _readable(background: Sequence[float]) -> str:
    """Black or white, whichever has the greater contrast (WCAG 2) on a colour of parts in [0, 1]."""
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in background[:3])
    luminance = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
    return "white" if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else "black"


def _percent(value: float | None) -> float:
    return math.nan if value is None else 100 * value
