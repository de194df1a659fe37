"""Units of a response with their offsets, and how many there are."""

from __future__ import annotations

import difflib

from scopeif.errors import SpecError
from scopeif.measure.ambiguity import ambiguity_raised
from tools_sandbox import text as text_tools
from tools_sandbox.text import Segment
from tools_sandbox.units import UNITS


def units(unit: str, text: str, within: Segment | None = None) -> list[Segment]:
    """The units of a kind in a text, in order, each with its place: ``text[start:end] == segment.text``.

    Args:
        unit: one of `scopeif.constraints.spec.Unit`.
        text: the answer, as it is.
        within: a segment of `text`; only units inside it are given.

    Raises:
        SpecError: an unknown unit.
        AmbiguousResponse: the text can fairly be read two ways.
    """
    _require_known(unit)
    with ambiguity_raised():
        return text_tools.units(unit, text, within)


def count(unit: str, text: str, within: Segment | None = None) -> int:
    """How many units of a kind a text holds; arguments and errors are those of `units`."""
    _require_known(unit)
    with ambiguity_raised():
        return text_tools.count(unit, text, within)


def _require_known(unit: str) -> None:
    if unit not in UNITS:
        close = difflib.get_close_matches(str(unit), UNITS, n=1)
        fix = f"did you mean {close[0]!r}?" if close else f"use one of: {', '.join(UNITS)}"
        raise SpecError(f"unit {unit!r} is unknown", fix=fix)
