"""JSON by RFC 8259, strictly: no NaN, comments, trailing commas, single quotes or duplicate keys; one value.

>>> value_depth('{"a": [1, {"b": 2}]}')
3
>>> is_json('{"a": 1, "a": 2}')
False
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

_FENCE = re.compile(r"(`{3,}+|~{3,}+)[^\n`]*+\n")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


class JsonSpan(NamedTuple):
    """A value or pair at [start, end) of the text."""

    kind: str
    start: int
    end: int


class _NoJson(ValueError):
    pass


def unfenced(text: str) -> str:
    """The inside of a single fence around the text, whatever its label; the stripped text where there is none."""
    text = text.strip()
    opening = _FENCE.match(text)
    if opening is None or not text.endswith(opening[1][0] * 3):
        return text
    body, _, last = text[opening.end() :].rpartition("\n")
    closes = len(last.strip()) >= len(opening[1]) and not last.strip().strip(opening[1][0])
    holds_other_fence = any(line.lstrip().startswith(opening[1]) for line in body.split("\n"))
    return body.strip() if closes and not holds_other_fence else text


def is_json(text: str, kind: str = "json", fence: bool = True) -> bool:
    """Whether a text is one JSON value; kind ``json_object`` and ``json_array`` want that kind of value.

    Args:
        fence: whether a single fence around the value is allowed.
    """
    text = unfenced(text) if fence else text.strip()
    if kind != "json" and not text.startswith({"json_object": "{", "json_array": "["}[kind]):
        return False
    return _parses(text)


def value_depth(text: str) -> int:
    """Levels of nested objects and arrays of a JSON text, a single fence allowed; 0 where it is no JSON."""
    text = unfenced(text)
    if not _parses(text):
        return 0
    depth = deepest = 0
    for match in _TOKEN.finditer(text):
        if match[0] in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in "}]":
            depth -= 1
    return deepest


def spans(text: str) -> list[JsonSpan]:
    """All values and pairs of a JSON object or array; none where the text is neither."""
    if text.lstrip()[:1] not in ("{", "[") or not _parses(text.strip()):
        return []
    found: list[JsonSpan] = []
    opened: list[tuple[str, int]] = []
    keys: list[int | None] = []
    for match in _TOKEN.finditer(text):
        token, start, end = match[0], match.start(), match.end()
        if token in "{[":
            opened.append((token, start))
            keys.append(None)
            continue
        if token in ",:":
            continue
        if token in "}]":
            _, start = opened.pop()
            keys.pop()
        elif opened[-1][0] == "{" and keys[-1] is None:
            keys[-1] = start
            continue
        found.append(JsonSpan("value", start, end))
        if opened and opened[-1][0] == "{":
            key = keys[-1]
            found.append(JsonSpan("pair", start if key is None else key, end))
            keys[-1] = None
    return found


def _parses(text: str) -> bool:
    if not text:
        return False
    try:
        # Numbers stay text: Python limits the digits of an integer, JSON does not.
        json.loads(text, parse_constant=_refuse, object_pairs_hook=_distinct, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(name: str) -> Any:
    raise _NoJson(name)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _NoJson("duplicate key")
    return value
