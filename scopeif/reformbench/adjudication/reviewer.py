"""Reviewing disagreements in a terminal, one at a time; every answer is on the disk before the next item is shown.

    a, b    the judge that is better supported
    s       skip: the item comes again at the end, or next time
    u       take the last answer back
    q       stop; the same call goes on

The file of answers is one that `review_file.read_review` reads. Each reviewer has a file of their own, which one
terminal at a time works on.
"""

from __future__ import annotations

import json
import os
import sys
import termios
import tty
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.panel import Panel
from rich.text import Text

from scopeif.constraints.atomic import replaced
from scopeif.errors import DataError
from scopeif.reformbench.adjudication.review_file import ReviewRow, shown_hash
from scopeif.reformbench.adjudication.review_item import Opinion, ReviewItem
from scopeif.reformbench.ledger import held
from scopeif.reformbench.rows import objects, parsed

_KEYS = "a / b: better supported   s: skip   u: undo   q: quit"
_ALSO_REORDERING = {*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F}
_ENDS = {"", "\x03", "\x04", "q"}
"""End of input, Ctrl-C, Ctrl-D, q."""


class Reviewed(NamedTuple):
    """Items with an answer, and all items."""

    answered: int
    total: int


@dataclass
class Answers:
    """A reviewer's answers on the disk, in the order in which they were given.

    Args:
        path: the file; one that exists is continued.
        items: what is to be reviewed.
        reviewer: who answers.
        others: what the file may hold answers to as well.

    Raises:
        DataError: the file holds other rows, answers of another reviewer, or answers to items as they were shown before
            a text changed.
    """

    path: Path
    items: Sequence[ReviewItem]
    reviewer: str = ""
    others: Sequence[ReviewItem] = ()

    def __post_init__(self) -> None:
        known = {item.id: item for item in (*self.items, *self.others)}
        self._rows: dict[str, ReviewRow] = {}
        for value, place in objects(self.path) if self.path.exists() else ():
            row = parsed(ReviewRow, value, place)
            item = known.get(row.id)
            if row.reviewer and self.reviewer and row.reviewer != self.reviewer:
                what = f"the answers are of reviewer {row.reviewer!r}, not of {self.reviewer!r}"
                raise DataError(what, place=place, fix="give a name that differs in letters or digits")
            if item is None or row.hash != shown_hash(item) or row.answer not in ("a", "b"):
                what = f"{row.answer!r} is no answer to item {row.id!r} of this review"
                raise DataError(what, place=place, fix="name another file for this review")
            self._rows[row.id] = row

    def __contains__(self, item: ReviewItem) -> bool:
        return item.id in self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def give(self, item: ReviewItem, answer: str) -> None:
        """Keep an answer; the file is whole at any time."""
        row = ReviewRow(id=item.id, hash=shown_hash(item), answer=answer, reviewer=self.reviewer)
        self._rows[item.id] = row
        self._save()

    def take_back(self) -> ReviewItem | None:
        """Forget the last answer to one of the items; returns that item, None where there is no answer."""
        own = {item.id: item for item in self.items}
        last = next((id_ for id_ in reversed(self._rows) if id_ in own), None)
        if last is None:
            return None
        del self._rows[last]
        self._save()
        return own[last]

    def _save(self) -> None:
        with replaced(self.path) as whole, whole.open("w", encoding="utf-8", newline="\n") as file:
            for row in self._rows.values():
                file.write(json.dumps(row.model_dump(exclude_none=True), ensure_ascii=False) + "\n")


def review(
    items: Sequence[ReviewItem],
    path: Path,
    reviewer: str = "",
    console: Console | None = None,
    read_key: Callable[[], str] | None = None,
    others: Sequence[ReviewItem] = (),
) -> Reviewed:
    """Show the items without an answer one by one until all have one, or the reviewer quits.

    Args:
        path: the reviewer's file of answers; one that exists is continued.
        reviewer: their name, which goes into the records.
        console: where items are shown.
        read_key: the next key; the empty text at the end of the input.
        others: items of earlier reviews that the file may hold answers to.

    Raises:
        DataError: the file belongs to another review or reviewer, is under way in another terminal, or cannot be
            written.
    """
    # Not the file itself, which every answer replaces.
    with held(path.with_name(f".{path.name}.lock"), path):
        answers = Answers(path, items, reviewer, others)
        return _until_done(items, answers, console or Console(), read_key or pressed_key)


def _until_done(
    items: Sequence[ReviewItem], answers: Answers, console: Console, read_key: Callable[[], str]
) -> Reviewed:
    waiting = [item for item in items if item not in answers]
    while waiting:
        show(console, waiting[0], f"{len(items) - len(waiting) + 1} of {len(items)}")
        console.print(Text(_KEYS, style="dim"))
        key = read_key().lower()
        if key in _ENDS:
            break
        if key in ("a", "b"):
            answers.give(waiting.pop(0), key)
        elif key == "s":
            waiting.append(waiting.pop(0))
        elif key == "u" and (last := answers.take_back()) is not None:
            waiting.insert(0, last)
        else:
            console.print(Text(f"{'there is nothing to undo' if key == 'u' else f'{key!r} is no key'}", style="yellow"))
    done = len(items) - len(waiting)
    console.print(Text(f"{done} of {len(items)} reviewed: {answers.path}"))
    return Reviewed(done, len(items))


def show(console: Console, item: ReviewItem, title: str) -> None:
    """Print one item: instruction, response, constraint with criterion, and both judges."""
    console.rule(Text(title))
    asked = f"{item.requirement.text}\n\ncriterion: {item.requirement.acceptance}"
    for name, text in (("instruction", item.item.instruction), ("response", item.item.response.text)):
        console.print(Panel(_shown(text or "(nothing)"), title=name, title_align="left"))
    console.print(Panel(_shown(asked), title="constraint", title_align="left", border_style="bold"))
    for side, opinion in (("A", item.a), ("B", item.b)):
        console.print(Panel(_shown(opinion.evidence), title=f"{side} says {_word(opinion)}", title_align="left"))


def pressed_key() -> str:
    """The next key without waiting for Enter in a terminal, else the next line of the input."""
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip()[:1] or ("" if not line else " ")
    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        # All of it at once: an arrow key sends ESC [ A, whose last letter is no answer.
        return os.read(sys.stdin.fileno(), 64).decode("utf-8", "replace")
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _word(opinion: Opinion) -> str:
    return "satisfied" if opinion.label else "not satisfied"


def _shown(text: str) -> Text:
    """A text as it stands, without markup; characters that would steer the terminal are replaced."""
    return Text("".join("\ufffd" if _steers(character) else character for character in text))


def _steers(character: str) -> bool:
    if character in "\n\t":
        return False
    return unicodedata.category(character) == "Cc" or ord(character) in _ALSO_REORDERING
