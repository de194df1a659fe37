"""Plain answers to the questions of `reform_mini`, from which its witnesses are built.

They stand in ``answers.jsonl``, one a line for each row of ``questions.jsonl``. No sentence or term uses a mark that a
requirement might forbid: no quotation mark, parenthesis, arrow, bar, symbol, emphasis, label or enumeration.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from scopeif.reformbench.construction.stage import read_rows
from scopeif.reformbench.models import Question

DATA = Path(str(files("scopeif.reformbench.mini")))
PARTS = 6
"""Sentences of an answer, and terms."""


class PlainAnswer(BaseModel):
    """What an answer says, before it has any format."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    title: str
    """At most four words, in Chinese four characters: the shortest title that a requirement asks for."""
    sentences: tuple[str, ...] = Field(min_length=PARTS, max_length=PARTS)
    """In an order in which they can be read one after the other; each can also stand alone."""
    terms: tuple[str, ...] = Field(min_length=PARTS, max_length=PARTS)
    """What the answer speaks of, in a few words each."""


@cache
def plain_answers() -> dict[str, PlainAnswer]:
    """The answers by question."""
    return {row.question: row for row in read_rows(DATA / "answers.jsonl", PlainAnswer)}


@cache
def questions() -> tuple[Question, ...]:
    """The questions, English before Chinese."""
    return tuple(read_rows(DATA / "questions.jsonl", Question))
