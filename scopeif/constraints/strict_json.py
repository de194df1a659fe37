"""JSON as RFC 8259 has it. `json.loads` alone takes NaN, overflowing numbers, duplicate keys and lone surrogates."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_ESCAPED_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class Element(NamedTuple):
    """One element of an array, from `start` to `end` (character offsets) of the text."""

    value: object
    start: int
    end: int


def loads(text: str) -> object:
    """The value of a JSON text.

    Raises:
        ValueError: the text is not one JSON value.
        RecursionError: it is nested too deeply to be read.
    """
    value: object = _DECODER.decode(text)
    if _ESCAPED_SURROGATE.search(text):
        _refuse_lone_surrogates(value)
    return value


def array_elements(text: str) -> Iterator[Element]:
    """The elements of a JSON array one by one, so that all before a fault are read.

    Raises:
        ValueError: the text is not one array; a `JSONDecodeError` knows the line.
        RecursionError: an element is nested too deeply to be read.
    """
    at = _space(text, 0)
    if not text.startswith("[", at):
        raise json.JSONDecodeError("Expecting '['", text, at)
    surrogates = _ESCAPED_SURROGATE.search(text) is not None
    at = _space(text, at + 1)
    more = not text.startswith("]", at)
    while more:
        try:
            value, end = _DECODER.raw_decode(text, at)
            if surrogates:
                _refuse_lone_surrogates(value)
        except json.JSONDecodeError:
            raise
        except ValueError as error:  # one of ours: it has no place yet
            raise json.JSONDecodeError(str(error), text, at) from None
        yield Element(value, at, end)
        at = _space(text, end)
        more = text.startswith(",", at)
        at = _space(text, at + 1) if more else at
    if not text.startswith("]", at):
        raise json.JSONDecodeError("Expecting ',' or ']'", text, at)
    end = _space(text, at + 1)
    if end < len(text):
        raise json.JSONDecodeError("Extra data", text, end)


def type_name(value: object) -> str:
    """What JSON calls a value's type."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def _space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _refuse_lone_surrogates(value: object) -> None:
    if any("\ud800" <= char <= "\udfff" for char in json.dumps(value, ensure_ascii=False)):
        raise ValueError("an escaped surrogate stands alone")


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _number(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise ValueError(f"{digits} is beyond the range of a float")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"duplicate key {next(name for name in names if names.count(name) > 1)!r}")
    return keys


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_float=_number)
