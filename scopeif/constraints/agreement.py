"""Whether a constraint's text and its spec name the same numbers: "at least 400 words" and a bound of 336 do not."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from scopeif.constraints.models import Constraint

_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|「[^」]*」|`[^`]*`|(?<!\w)'[^']*'(?!\w)")
_NUMBER = re.compile(r"(?<![A-Za-z0-9_.])\d+(?:,\d{3})*(?:\.\d+)?")


def disagreement(constraint: Constraint) -> str | None:
    """How text and spec disagree; None where they may agree.

    They disagree when the text has numbers in digits, the spec has one above 1, and none of the text is in the spec
    as it is, one off ("more than 4" is at least 5), or as a share. What the text quotes is not read.
    """
    if constraint.spec is None:
        return None
    text = _QUOTED.sub(" ", unicodedata.normalize("NFKC", constraint.text))
    said = {float(number.replace(",", "")) for number in _NUMBER.findall(text)}
    meant = set(_numbers(json.loads(constraint.spec.model_dump_json(exclude_none=True))))
    near = {number + step for number in meant for step in (-1, 0, 1)}
    shares = {share for number in said for share in (number / 100, 1 + number / 100, 1 - number / 100)}
    if not said or max(meant, default=0) <= 1 or said & near or shares & meant:
        return None
    return f"the text says {_listed(said)}, the spec {_listed(meant)}"


def _numbers(value: Any) -> list[float]:
    """The absolute values of all numbers of a JSON value."""
    if isinstance(value, dict):
        return [number for inner in value.values() for number in _numbers(inner)]
    if isinstance(value, list):
        return [number for inner in value for number in _numbers(inner)]
    return [abs(float(value))] if isinstance(value, int | float) and not isinstance(value, bool) else []


def _listed(numbers: set[float]) -> str:
    return " and ".join(f"{number:g}" for number in sorted(numbers))
