"""A table of the report: as it is printed in Markdown, and its unrounded values as CSV.

table = Table("table_2", "Title", ("Model", "TCPR"), [("m", "66.67")], ("model", "tcpr"), [("m", 2 / 3)])
table.markdown()
table.csv()
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scopeif.errors import InvalidInputError
from scopeif.reformbench.scoring.bootstrap import Interval

DASH = "—"
"""Stands for what is undefined or not known; in CSV an empty cell does."""
_NUMBER = re.compile(rf"[\d.,+\- ()\[\]/%{DASH}]+")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
Value = str | int | float | None


class Bold(str):
    """A printed cell in bold."""


class Absent(NamedTuple):
    """A part that the report lacks: why, and the command or step that brings it."""

    name: str
    title: str
    why: str
    fix: str

    def markdown(self) -> str:
        """One line for the report."""
        line = f"- Missing: **{plain(self.title)}**: {plain(self.why)}."
        return f"{line} To have it: `{plain(self.fix)}`" if self.fix else line


@dataclass(frozen=True)
class Table:
    """A table in two views that have their own columns: printed cells, and values.

    name: stem of its file.
    head, rows: as printed.
    data_head, data: as CSV; numbers unrounded, rates in [0, 1].
    notes: lines below it.

    Raises:
        InvalidInputError: a row has more or fewer cells than its head.
    """

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    data_head: Sequence[str]
    data: Sequence[Sequence[Value]]
    notes: Sequence[str] = ()

    def __post_init__(self) -> None:
        for head, rows in ((self.head, self.rows), (self.data_head, self.data)):
            for row in rows:
                if len(row) != len(head):
                    raise InvalidInputError(f"{self.name}: a row has {len(row)} cells, the head {len(head)}")

    def markdown(self) -> str:
        """The printed view with its title and notes."""
        notes = "".join(f"\n{plain(note)}\n" for note in self.notes)
        return f"### {plain(self.title)}\n\n{grid(self.head, self.rows)}{notes}\n[{self.name}.csv]({self.name}.csv)\n"

    def csv(self) -> str:
        """The values; a text that a spreadsheet program could take for a formula gets an apostrophe in front."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.data_head)
        writer.writerows([_guarded(value) for value in row] for row in self.data)
        return text.getvalue()


def grid(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; columns of numbers are aligned right."""
    cells = [list(row) for row in rows]
    numeric = [bool(cells) and all(map(_NUMBER.fullmatch, column)) for column in zip(*cells, strict=True)]
    marks = ["---:" if one else "---" for one in numeric or [False] * len(head)]
    return "".join(
        f"| {' | '.join(line)} |\n" for line in (map(_cell, head), marks, *(map(_cell, row) for row in cells))
    )


def plain(text: str) -> str:
    """A text in one line, without what Markdown or HTML would take for its own."""
    one_line = " ".join(text.split()).replace("\\", "\\\\")
    return one_line.replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*")


def quoted(text: str) -> str:
    """A text of a model or a person in one line, without any markup: no emphasis, link or picture of its own."""
    return re.sub(r"([`_~\[\]#])", r"\\\1", plain(text))


def fenced(text: str, language: str = "text") -> str:
    """A text as a code block that nothing in it can end."""
    longest = max((len(run) for run in _runs(text, "`")), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}\n"


def percent(value: float | None) -> str:
    """A rate as a percentage with two decimals, without its sign."""
    return DASH if value is None else f"{100 * value:.2f}"


def points(value: float | None) -> str:
    """A difference of rates in percentage points, with its sign."""
    return DASH if value is None else f"{100 * value:+.2f}"


def decimal(value: float | None, digits: int = 2) -> str:
    """A number with so many decimals."""
    return DASH if value is None else f"{value:.{digits}f}"


def count(value: int | None) -> str:
    """A whole number with separators."""
    return DASH if value is None else f"{value:,}"


def plural(number: int, noun: str) -> str:
    """A count with its noun."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def span(interval: Interval, sign: bool = False) -> str:
    """Both ends of an interval of a rate or, with signs, of a difference, in percent."""
    if interval.low is None or interval.high is None:
        return DASH
    show = points if sign else percent
    return f"[{show(interval.low)}, {show(interval.high)}]"


def confidence(interval: Interval) -> str:
    """The head of a column of intervals."""
    return f"{100 * interval.confidence:g} % interval"


def _cell(text: str) -> str:
    shown = plain(text)
    return f"**{shown}**" if isinstance(text, Bold) else shown


def _guarded(value: Value) -> Value:
    return f"'{value}" if isinstance(value, str) and value.lstrip().startswith(_FORMULA) else value


def _runs(text: str, character: str) -> list[str]:
    return [run for run in "".join(one if one == character else " " for one in text).split() if run]
