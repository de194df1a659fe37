"""Where a text that a judge copied stands in the response."""

from __future__ import annotations

import bisect
import unicodedata
from functools import lru_cache
from typing import NamedTuple

WHOLE = "ALL"
"""What a judge writes for the whole response."""

_SAME = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "「": '"', "」": '"', "–": "-", "—": "-", "…": "."})


class Span(NamedTuple):
    """A piece of the response: ``response[start:end] == text``."""

    start: int
    end: int
    text: str


def locate(copied: str, response: str, after: int = 0) -> Span | None:
    """The span of the response that a judge's copy means; None when there is none.

    It is looked for exactly, then without regard to runs of white space and the style of quotes and dashes, then with
    escapes such as ``\\n`` read. Of several places the first at or behind `after` is taken, else the first.
    `ALL` is the whole response, the empty text is an empty span.
    """
    if copied.strip() == WHOLE:
        return Span(0, len(response), response)
    if not copied.strip():
        return Span(0, 0, "")
    for text in dict.fromkeys((copied, copied.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"'))):
        start = _find(text, response, after)
        if start >= 0:
            return Span(start, start + len(text), text)
        if (span := _tolerant(text, response, after)) is not None:
            return span
    return None


def _find(text: str, within: str, after: int) -> int:
    start = within.find(text, after)
    return start if start >= 0 else within.find(text)


def _tolerant(text: str, response: str, after: int) -> Span | None:
    plain, places = _plain(response)
    wanted, _ = _plain(text.strip())
    if not wanted:
        return None
    first = bisect.bisect_left(places, after)
    start = _find(wanted, plain, first)
    if start < 0:
        return None
    begin, end = places[start], places[start + len(wanted) - 1] + 1
    return Span(begin, end, response[begin:end])


@lru_cache(maxsize=16)  # a response is asked about once for every argument of a tool
def _plain(text: str) -> tuple[str, list[int]]:
    """The text with single spaces and straight quotes, and where each of its characters stands in the original."""
    characters: list[str] = []
    places: list[int] = []
    for index, character in enumerate(text):
        if character.isspace():
            if characters and characters[-1] == " ":
                continue
            character = " "
        elif unicodedata.category(character) == "Cf":  # zero-width
            continue
        characters.append(character.translate(_SAME))
        places.append(index)
    return "".join(characters), places
