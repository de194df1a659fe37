"""From what a judge wrote to its labels: strict, since a wrong reading would be a wrong label.

    {"judgments": [{"constraint": 1, "evidence": "two headings, three asked", "quotes": ["## Costs"], "label": 0}, ...],
     "seal": "9f31c02ab77e"}

An answer is unusable, and asked for again, when it has no such object or several, when anything stands behind it, when
a constraint is missing or stands twice, or when a label is anything but 0, 1, "pass" or "fail". The seal comes last: a
response that a judge copies into its evidence without escaping may end the object early, but not with the seal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from scopeif.errors import JudgeFormatError
from scopeif.judge.final_text import final_text
from scopeif.judge.spans import WHOLE, locate

NOT_FOUND = "not found in the response"
"""The flag of a passage that a judge quotes and that does not stand in the response."""

_OUTER = ("judgments", "seal")
_FIELDS = ("constraint", "evidence", "quotes", "label")
_LABELS: dict[str, Literal[0, 1]] = {"pass": 1, "fail": 0}
_MAX_QUOTES = 50


@dataclass(frozen=True)
class Verdict:
    """A judge's label of one constraint: 1 is satisfied, 0 is not; and what it rests on."""

    label: Literal[0, 1]
    evidence: str


def read_verdicts(text: object, seal: str, count: int, response: str) -> tuple[Verdict, ...]:
    """The verdicts on `count` constraints, in their order.

    Args:
        text: what the judge wrote, its thinking included or not.
        seal: of the prompt that it answers.
        response: what was judged; quotes that do not stand in it are flagged in the evidence.

    Raises:
        JudgeFormatError: the text cannot be used.
    """
    entries = _entries(_object(final_text(text), seal))
    found: dict[int, Verdict] = {}
    for entry in entries:
        number, verdict = _entry(entry, response)
        if number in found:
            raise JudgeFormatError(f"constraint {number} is judged twice")
        if not 1 <= number <= count:
            raise JudgeFormatError(f"constraint {number} is judged, and there are only {count}")
        found[number] = verdict
    if missing := [number for number in range(1, count + 1) if number not in found]:
        raise JudgeFormatError(f"there is no judgment of constraint {', '.join(map(str, missing))}")
    return tuple(found[number] for number in range(1, count + 1))


def _object(final: str, seal: str) -> dict[str, Any]:
    """The one object that bears the seal; it must be the end of the text."""
    text = final.strip().removesuffix("```").rstrip()
    sealed: list[tuple[dict[str, Any], int]] = []
    fault, at = "", 0
    while (start := text.find("{", at)) >= 0:
        try:
            value, at = _DECODER.raw_decode(text, start)
        except RecursionError:
            raise JudgeFormatError("the JSON is nested too deeply") from None
        except ValueError as error:
            fault = fault or f": {error}"
            at = start + 1
            continue
        if value.get("seal") == seal:
            sealed.append((value, at))
    if not sealed:
        raise JudgeFormatError(f"there is no JSON object with the seal {seal!r} that can be read{fault}")
    if len(sealed) > 1:
        raise JudgeFormatError("there are several JSON objects with the seal; give one")
    value, end = sealed[0]
    if end != len(text):
        raise JudgeFormatError("something stands behind the JSON object")
    return value


def _entries(value: dict[str, Any]) -> list[Any]:
    if tuple(value) != _OUTER:
        raise JudgeFormatError(f"the object has the fields {_short(list(value))}; it must have judgments, then seal")
    entries = value["judgments"]
    if not isinstance(entries, list):
        raise JudgeFormatError('"judgments" is no list')
    return entries


def _entry(entry: Any, response: str) -> tuple[int, Verdict]:
    """Number and verdict of one entry."""
    if not isinstance(entry, dict) or set(entry) != set(_FIELDS):
        raise JudgeFormatError(f"{_short(entry)} is no judgment; each has {', '.join(_FIELDS)} and nothing else")
    number, evidence, quotes = entry["constraint"], entry["evidence"], entry["quotes"]
    if type(number) is not int:  # True is an int too
        raise JudgeFormatError(f'"constraint" is {_short(number)}, not its number')
    if not isinstance(evidence, str) or not evidence.strip():
        raise JudgeFormatError(f"there is no evidence on constraint {number}")
    if not isinstance(quotes, list) or not all(isinstance(quote, str) for quote in quotes):
        raise JudgeFormatError(f'"quotes" of constraint {number} is no list of texts')
    if len(quotes) > _MAX_QUOTES:
        raise JudgeFormatError(f"constraint {number} has {len(quotes)} quotes; at most {_MAX_QUOTES} are read")
    lines = [_quoted(quote, response) for quote in quotes if quote.strip()]
    text = "\n".join([evidence.strip(), *lines])
    # An escape such as \ud800 alone is no character, and no file could hold it.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return number, Verdict(_label(entry["label"], number), whole)


def _label(value: Any, number: int) -> Literal[0, 1]:
    if type(value) is int and value in (0, 1):
        return 1 if value else 0
    if isinstance(value, str) and value.strip().casefold() in _LABELS:
        return _LABELS[value.strip().casefold()]
    raise JudgeFormatError(f"the label of constraint {number} is {_short(value)}; it must be 1 or 0")


def _quoted(quote: str, response: str) -> str:
    # `locate` takes the word ALL for the whole response, which is no quote here.
    stands = quote in response or (quote.strip() != WHOLE and locate(quote, response) is not None)
    return f"> {quote}" if stands else f"> ({NOT_FOUND}) {quote}"


def _short(value: Any) -> str:
    return f"{value!r:.80}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the field {next(name for name in names if names.count(name) > 1)!r} stands twice")
    return result


_DECODER = json.JSONDecoder(strict=False, object_pairs_hook=_unique)  # strict would refuse line breaks within texts
