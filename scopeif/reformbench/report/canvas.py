"""Figures on paper: one style, colours that colour-blind readers tell apart, and files without dates.

Colours are of Okabe and Ito's palette.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scopeif.errors import DataError

if TYPE_CHECKING:  # matplotlib is of the extra `report`
    from matplotlib.figure import Figure as Canvas

BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY, YELLOW, BLACK = (
    *("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7"),
    *("#56B4E9", "#F0E442", "#000000"),
)
CYCLE = (BLUE, VERMILION, GREEN, ORANGE, PURPLE, SKY, BLACK)
GREY = "#8A8A8A"
_DPI = 150
_FONTS = ("DejaVu Sans", "Noto Sans CJK SC", "Noto Sans SC", "WenQuanYi Zen Hei", "Source Han Sans SC")
_STYLE: dict[str, Any] = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "scopeif",
    "svg.fonttype": "path",
    "figure.constrained_layout.use": True,
}


@dataclass(frozen=True)
class Figure:
    """A figure of the report: how it is drawn, and what stands below it."""

    name: str
    title: str
    draw: Callable[[], Canvas]
    notes: tuple[str, ...] = ()

    def files(self) -> dict[str, bytes]:
        """Its files by suffix, png and svg.

        Raises:
            DataError: matplotlib is not installed.
        """
        require_matplotlib()
        with _style(), warnings.catch_warnings():
            # A name in a script that no installed font has is drawn as boxes; the tables have it in full.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            canvas = self.draw()
            return {"png": _saved(canvas, "png"), "svg": _saved(canvas, "svg")}


def require_matplotlib() -> None:
    """Raise DataError where it is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise DataError("matplotlib is not installed", fix="pip install 'scopeif[report]'") from None


def canvas(width: float, height: float) -> Canvas:
    """An empty figure of so many inches, drawn without any display."""
    from matplotlib.figure import Figure as Canvas

    return Canvas(figsize=(width, height))


@contextmanager
def _style() -> Iterator[None]:
    from matplotlib import font_manager, rc_context

    there = {font.name for font in font_manager.fontManager.ttflist}
    style: Any = {**_STYLE, "font.family": [name for name in _FONTS if name in there]}
    with rc_context(style):
        yield


def _saved(figure: Canvas, suffix: str) -> bytes:
    file = io.BytesIO()
    # A date would make every file a new one.
    metadata = {"Date": None} if suffix == "svg" else {"Software": None}
    figure.savefig(file, format=suffix, dpi=_DPI, bbox_inches="tight", pad_inches=0.1, metadata=metadata)
    return file.getvalue()
