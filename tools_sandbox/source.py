"""The text that is measured, and the way back to the offsets of the original.

>>> source = Source("\\ufeffone\\r\\ntwo ")
>>> source.text
' one\\ntwo '
>>> source.original[source.offset(1) : source.offset(8)]
'one\\r\\ntwo'
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate


class Ambiguous(Exception):
    """The text can fairly be read two ways, so that counting would be guessing."""


@dataclass(slots=True, unsafe_hash=True)  # to freeze it would make it three times as slow to create
class Segment:
    """A piece of a text: `text` is what stands at [start, end) of the original. `unit` says what it was selected as."""

    start: int
    end: int
    text: str
    unit: str = field(default="", compare=False, repr=False)


class Source:
    """A text with unified line ends and without a leading BOM (a space stands in its place)."""

    __slots__ = ("_dropped", "_dropped_original", "keeps_offsets", "line_starts", "original", "text")

    def __init__(self, original: str) -> None:
        self.original = original
        text = " " + original[1:] if original.startswith("\ufeff") else original
        self._dropped_original: list[int] = []
        if "\r" in text:
            at = text.find("\r\n")
            while at >= 0:
                self._dropped_original.append(at)
                at = text.find("\r\n", at + 2)
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._dropped = [at - before for before, at in enumerate(self._dropped_original)]
        self.keeps_offsets = not self._dropped
        self.text = text.replace("\0", "\ufffd")  # as CommonMark does
        lengths = [len(line) + 1 for line in text.split("\n")]
        self.line_starts = list(accumulate(lengths, initial=0))[:-1]

    def offset(self, index: int) -> int:
        """The offset in the original of a start or end in `text`."""
        return index + bisect_left(self._dropped, index)

    def index(self, offset: int) -> int:
        """The index in `text` of a start or end in the original."""
        return offset - bisect_left(self._dropped_original, offset)

    def line(self, number: int) -> str:
        """The line of a 0-based number, without its end."""
        return self.text[self.line_starts[number] : self.line_end(number)]

    def line_end(self, number: int) -> int:
        """The index where a line ends, before its line end."""
        following = number + 1
        return self.line_starts[following] - 1 if following < len(self.line_starts) else len(self.text)

    def segment(self, start: int, end: int, unit: str = "") -> Segment:
        """The segment of the original that stands at [start, end) of `text`."""
        if self._dropped:
            start, end = self.offset(start), self.offset(end)
        return Segment(start, end, self.original[start:end], unit)

    def segments(self, spans: Iterable[tuple[int, int]], unit: str) -> dict[tuple[int, int], Segment]:
        """The segments of many places in `text`, by place."""
        original = self.original
        if self._dropped:
            return {span: self.segment(*span, unit) for span in spans}
        return {(start, end): Segment(start, end, original[start:end], unit) for start, end in spans}

    def trim(self, start: int, end: int) -> tuple[int, int]:
        """[start, end) of `text` without the white space at both ends."""
        piece = self.text[start:end]
        kept = piece.strip()
        if not kept:
            return start, start
        start += len(piece) - len(piece.lstrip())
        return start, start + len(kept)
