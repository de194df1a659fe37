"""JSON within prose: lists of objects and objects, found, and repaired where a model wrote them loosely.

Nothing is invented: a repair that changes what the text says (a number that does not stand in it, an object more or
less than it opens) is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import json_repair

_MAX_REPAIR, _MAX_OBJECTS = 65_536, 500
# A list of objects, an empty list, a commented list, or an object with a key: not "[[The response ...]]" of prose.
_START = re.compile(r"""\[\s*(?:\{|\]|//|\#|/\*)|\{\s*["'“”‘’\w\}]""")
_FENCE_END = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_GROUPED = re.compile(r":\s*\d{1,3}(?:,\d{3})+(?![\d\]])")  # 1,234 as a value: a repair would cut it
_HALF = re.compile(r"\[[^\[\]{},]*,\s*\]")  # [1, ]: a repair would read [1]


@dataclass(frozen=True)
class Block:
    """One JSON list or object of a text.

    `value` is None where `fault` says why the text at [start, end) is none that can be read.
    """

    start: int
    end: int
    value: Any = None
    fault: str | None = None


def blocks(text: str) -> list[Block]:
    """The outermost lists of objects and objects in a text, in order."""
    found: list[Block] = []
    at = 0
    while match := _START.search(text, at):
        block = _strict(text, match.start()) or _repaired(text, match.start())
        found.append(block)
        at = max(block.end, match.start() + 1)
    return found


class _RepeatedKey(ValueError):
    pass


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and result[key] != value:
            raise _RepeatedKey(f"the key {key!r} stands twice in an object")
        result[key] = value
    return result


_decoder = json.JSONDecoder(strict=False, object_pairs_hook=_unique)


def _strict(text: str, start: int) -> Block | None:
    try:
        value, end = _decoder.raw_decode(text, start)
    except _RepeatedKey as error:
        return Block(start, _extent(text, start)[0], fault=str(error))
    except (ValueError, RecursionError):
        return None
    return Block(start, end, value)


def _repaired(text: str, start: int) -> Block:
    end, closed = _extent(text, start)
    span = text[start:end]
    if not closed:
        return Block(start, end, fault="it never closes")
    if len(span) > _MAX_REPAIR or span.count("{") > _MAX_OBJECTS:
        return Block(start, end, fault="it is too large to be repaired")
    if _GROUPED.search(span):
        return Block(start, end, fault="it has a number with thousands separators")
    if _HALF.search(span):
        return Block(start, end, fault="a list has a comma and nothing behind it")
    try:
        value = json_repair.loads(span, skip_json_loads=True)
    except (ValueError, RecursionError) as error:
        return Block(start, end, fault=f"it is no JSON ({type(error).__name__})")
    objects = sum(1 for _ in _walk(value, dict))
    if objects != span.count("{"):
        return Block(start, end, fault="it is no JSON, and a repair loses or adds objects")
    said = set(_NUMBER.findall(span))
    if any(not _is_said(number, said) for number in _walk(value, int | float)):
        return Block(start, end, fault="it is no JSON, and a repair adds numbers")
    return Block(start, end, value)


def _is_said(number: float, said: set[str]) -> bool:
    if isinstance(number, bool):
        return True
    return str(abs(number)) in said or any(_equal(text, abs(number)) for text in said)


def _equal(text: str, number: float) -> bool:
    try:
        return float(text) == number
    except (ValueError, OverflowError):
        return False


def _walk(value: Any, kind: Any) -> Iterator[Any]:
    """All values of a kind in nested lists and objects."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, kind):
            yield one
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _extent(text: str, start: int) -> tuple[int, bool]:
    """Where the bracket at `start` closes; if it never does, where its fence or the text ends, and False."""
    depth, quoted, escaped = 0, False, False
    for index in range(start, len(text)):
        character = text[index]
        if escaped:
            escaped = False
        elif quoted and character == "\\":
            escaped = True
        elif character == '"':
            quoted = not quoted
        elif not quoted and character in "[{":
            depth += 1
        elif not quoted and character in "]}":
            depth -= 1
            if depth == 0:
                return index + 1, True
    fence = _FENCE_END.search(text, start)
    end = fence.start() if fence else len(text)
    inside = text[start:end].rstrip()
    return end, inside[-1:] == {"[": "]", "{": "}"}[text[start]] and len(inside) > 1
