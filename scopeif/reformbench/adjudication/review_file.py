"""The review as a file that goes to a reviewer and comes back: CSV for spreadsheets, or JSON Lines.

    write_review(Path("review.csv"), chosen.drawn)      # `answer` is empty: fill in a or b
    imported = read_review(Path("review.csv"), chosen.drawn)
    imported.records, imported.faults, imported.warnings, imported.open

Identity and hash tie an answer to what was shown: with another one of these a row is a fault. Where a text alone came
back otherwise, as spreadsheet programs do it, the answer counts, with a warning. All are reported, each with its line;
the rows without a fault count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from scopeif.constraints.atomic import replaced
from scopeif.constraints.files import raw_rows
from scopeif.errors import DataError
from scopeif.reformbench.adjudication.adjudication import Adjudication, adjudicated
from scopeif.reformbench.adjudication.review_item import Opinion, ReviewItem, Side
from scopeif.reformbench.adjudication.spreadsheet import one_feed, read_csv, write_csv
from scopeif.reformbench.models import text_hash
from scopeif.reformbench.rows import parsed

_SIDES: dict[str, Side] = {"a": "a", "b": "b"}
_SHOWN = ("instruction", "requirement", "criterion", "response", "label_a", "evidence_a", "label_b", "evidence_b")


class ReviewRow(BaseModel):
    """One row of a review file; the texts may be left out of a file that only brings answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    hash: str
    """Of all that the reviewer is shown."""
    answer: str = ""
    """`a` or `b`, the better supported judge; empty while it is open."""
    reviewer: str = ""
    note: str = ""
    instruction: str | None = None
    requirement: str | None = None
    criterion: str | None = None
    response: str | None = None
    label_a: str | None = None
    evidence_a: str | None = None
    label_b: str | None = None
    evidence_b: str | None = None


_CHANGED = "is not the text that went out; the answer counts"
COLUMNS = tuple(ReviewRow.model_fields)


@dataclass(frozen=True)
class Imported:
    """What came back.

    records: one for each row with an answer and without a fault.
    faults: what is wrong with the other rows, with their places.
    open: items without an answer, rows that are missing included.
    warnings: texts that came back otherwise than they went out, of rows that count.
    """

    records: tuple[Adjudication, ...]
    faults: tuple[DataError, ...]
    open: tuple[ReviewItem, ...]
    warnings: tuple[DataError, ...] = ()


def row_of(item: ReviewItem, answer: str = "", reviewer: str = "", note: str = "") -> ReviewRow:
    """The row of an item."""
    shown = dict(zip(_SHOWN, _texts(item), strict=True))
    return ReviewRow(id=item.id, hash=shown_hash(item), answer=answer, reviewer=reviewer, note=note, **shown)


def shown_hash(item: ReviewItem) -> str:
    """The hash of all that a reviewer is shown of an item; how lines break does not matter."""
    return _hash(_texts(item))


def write_review(path: Path, items: Iterable[ReviewItem]) -> None:
    """Write a review with no answers, CSV where the file's name ends so, else JSON Lines.

    Raises:
        DataError: the file cannot be written.
    """
    rows = (row_of(item) for item in items)
    if path.suffix.lower() == ".csv":
        write_csv(path, COLUMNS, (row.model_dump() for row in rows))
        return
    with replaced(path) as whole, whole.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row.model_dump(), ensure_ascii=False) + "\n")


def read_review(path: Path, items: Iterable[ReviewItem]) -> Imported:
    """The adjudications of a review that came back.

    Args:
        items: the review as it went out, from the same judgments, responses and seed.

    Raises:
        DataError: the file as a whole cannot be read.
    """
    known = {item.id: item for item in items}
    records: dict[str, Adjudication] = {}
    seen: dict[str, str] = {}
    faults: list[DataError] = []
    warnings: list[DataError] = []
    for place, row in _rows(path, faults):
        if row.id in seen:
            faults.append(DataError(f"item {row.id!r} stands twice, first in {seen[row.id]}", place=place))
            records.pop(row.id, None)  # which of the two is meant, nobody can say
            continue
        seen[row.id] = place
        item = known.get(row.id)
        if (fault := _fault(row, item)) is not None:
            faults.append(DataError(fault, place=place))
        elif item is not None and (side := _SIDES.get(row.answer.strip().lower())) is not None:
            records[row.id] = adjudicated(item, side, row.reviewer, row.note)
            warnings += [
                DataError(f"{name} of item {row.id!r} {_CHANGED}", place=place) for name in _changed(row, item)
            ]
    return Imported(
        records=tuple(records.values()),
        faults=tuple(faults),
        open=tuple(item for item in known.values() if item.id not in records),
        warnings=tuple(warnings),
    )


def _fault(row: ReviewRow, item: ReviewItem | None) -> str | None:
    """What is wrong with a row that can be read."""
    if item is None:
        return f"item {row.id!r} is unknown: not of this review, or of other judgments, responses or another seed"
    if row.hash != shown_hash(item):
        return f"item {row.id!r} was shown with other texts (hash {row.hash[:12]!r})"
    if row.answer.strip().lower() not in {*_SIDES, ""}:
        return f"answer {row.answer!r} of item {row.id!r} is neither a nor b, nor empty"
    return None


def _changed(row: ReviewRow, item: ReviewItem) -> Iterator[str]:
    """The names of texts that are not those that went out."""
    for name, text in zip(_SHOWN, _texts(item), strict=True):
        told = getattr(row, name)
        if told is not None and one_feed(told) != one_feed(text):
            yield name


def _rows(path: Path, faults: list[DataError]) -> Iterator[tuple[str, ReviewRow]]:
    """The rows that can be read, with their places; the faults of the others are added to `faults`."""
    if path.suffix.lower() == ".csv":
        for line in read_csv(path, COLUMNS):
            yield line.place, ReviewRow.model_validate(line.cells)
        return
    for raw in raw_rows(path):
        if raw.value is None:
            faults.append(DataError(raw.reason or "no JSON object", place=raw.place, fix=raw.fix))
            continue
        try:
            row = parsed(ReviewRow, raw.value, raw.place)
        except DataError as fault:
            faults.append(fault)
            continue
        yield raw.place, row


def _texts(item: ReviewItem) -> tuple[str, ...]:
    """What a reviewer is shown, in the order of `_SHOWN`."""
    opinions = [text for one in (item.a, item.b) for text in (_word(one), one.evidence)]
    return (
        item.item.instruction,
        item.requirement.text,
        item.requirement.acceptance,
        item.item.response.text,
        *opinions,
    )


def _word(opinion: Opinion) -> str:
    return "satisfied" if opinion.label else "not satisfied"


def _hash(texts: Iterable[str]) -> str:
    return text_hash(json.dumps([one_feed(text) for text in texts]))
