"""What can naturally be asked of which unit: the measures of every Target, with the parts that they fit.

An ask is a secondary Target, the units whose segments it measures, and how its measure is drawn. What stands here
nowhere is never asked, such as lists in a sentence or sorted table cells.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from scopeif.constraints import spec as sp
from scopeif.constraints.taxonomy import RangeCategory, SecondaryTarget
from scopeif.synthesis.document import Form
from scopeif.synthesis.script import Script

_R, _S = RangeCategory, SecondaryTarget
AMOUNT = frozenset(RangeCategory)
NO_ZERO = AMOUNT - {_R.PROHIBITION}
YES_NO = frozenset({_R.EQUALITY, _R.PROHIBITION})
YES = frozenset({_R.EQUALITY})


CAPITALS = "^[A-Z]{2,}$"
"""A word in capitals."""


@dataclass
class Words:
    """The strings that the constraints of one instruction may still speak of."""

    rng: random.Random
    script: Script
    topics: list[str]
    limited: list[str]

    def topic(self) -> str | None:
        """A topic word that no constraint speaks of yet."""
        return self.topics.pop(self.rng.randrange(len(self.topics))) if self.topics else None

    def common(self) -> str | None:
        """A common word to limit or forbid."""
        return self.limited.pop(self.rng.randrange(len(self.limited))) if self.limited else None


class Context(NamedTuple):
    """What a measure is drawn for."""

    words: Words
    form: Form
    unit: str
    several: bool
    """Whether every unit of a kind is spoken of."""
    range: RangeCategory
    keys: tuple[str, ...]
    """The keys of the JSON object that is spoken of."""
    sizes: frozenset[int]
    """How many of the units that the ask is about the segments hold."""


Make = Callable[[Context], sp.Measure | None]


class Ask(NamedTuple):
    """One way to ask for a Target.

    Attributes:
        most: the largest number that a reader would find natural where a number is chosen freely.
        least: the smallest number that says something.
        forms: the forms of response that it fits; empty for all that have the unit.
        languages: those that it can be measured in.
        opens: the forms that it asks for where it is asked of the whole response.
        spells: the units whose first letters are asked for.
        needs: a trait that the task must have (`scopeif.synthesis.seeds.Seed.traits`).
    """

    target: SecondaryTarget
    units: frozenset[str]
    make: Make
    ranges: frozenset[RangeCategory]
    weight: float = 4
    most: int = 3
    forms: frozenset[Form] = frozenset()
    languages: frozenset[str] = frozenset({"en", "zh"})
    opens: frozenset[Form] = frozenset()
    least: int = 1
    needs: str = ""
    spells: sp.Unit | None = None


def _length(unit: str) -> Make:
    return lambda context: sp.Length(unit=unit)


def _count(unit: str) -> Make:
    return lambda context: sp.Count(unit=unit)


def _of_class(name: str) -> Make:
    return lambda context: sp.ClassCount(char_class=name)


def _occurrences(context: Context) -> sp.Measure | None:
    limits = context.range in (_R.PROHIBITION, _R.ONE_SIDED_BOUNDS) and context.words.rng.random() < 0.3
    text = context.words.common() if limits else context.words.topic()
    return sp.Occurrences(text=text) if text else None


def _present(context: Context) -> sp.Measure | None:
    if context.keys:
        return sp.Present(text=context.words.rng.choice(context.keys))
    text = context.words.topic()
    return sp.Present(text=text) if text else None


def _starts(context: Context) -> sp.Measure:
    script = context.words.script
    if context.form == "lines":
        phrases = script.verse_starts
    elif context.unit == "list_item":
        phrases = script.item_starts
    elif context.unit == "response":
        phrases = script.openings
    else:
        phrases = script.every_start if context.several else script.starts
    return sp.Starts(text=context.words.rng.choice(phrases))


def _ends(context: Context) -> sp.Measure:
    rng, script = context.words.rng, context.words.script
    marked = context.unit in ("response", "paragraph", "sentence", "section", "quote")
    if context.unit == "sentence" and context.several:
        return sp.Ends(text=script.exclamation)
    if marked and rng.random() < 0.4:
        return sp.Ends(text=rng.choice((script.exclamation, script.question, script.question)))
    return sp.Ends(text=rng.choice(script.ends) + (script.stop if marked else ""))


def _case(context: Context) -> sp.Measure:
    case = (
        "upper"
        if context.unit in ("word", "heading", "table_cell")
        else context.words.rng.choice(("upper", "lower", "lower"))
    )
    return sp.LetterCase(case=case)


def _capitals(context: Context) -> sp.Measure:
    return sp.Count(unit="word", where=sp.MatchesPattern(pattern=CAPITALS))


def _acrostic(unit: sp.Unit) -> Make:
    def make(context: Context) -> sp.Measure | None:
        fitting = [text for text in context.words.script.acrostics if {len(text)} == context.sizes]
        return sp.Acrostic(unit=unit, text=context.words.rng.choice(fitting)) if fitting else None

    return make


def _sorted(unit: sp.Unit) -> Make:
    return lambda context: sp.Sorted(unit=unit, descending=context.words.rng.random() < 0.15)


def _units(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _forms(*forms: Form) -> frozenset[Form]:
    return frozenset(forms)


_ENGLISH, _CHINESE = frozenset({"en"}), frozenset({"zh"})
_PROSE = _forms("prose", "sections")
_BLOCKS = _forms("prose", "sections", "list", "lines")
_TEXT = _forms("prose", "sections", "list", "lines", "table")

ASKS: tuple[Ask, ...] = (
    Ask(_S.TEXT_LENGTH, _units("response section paragraph sentence line list_item heading quote table_cell"),
        _length("word"), NO_ZERO, weight=10, forms=_TEXT, least=3),
    Ask(_S.TEXT_LENGTH, _units("response line heading list_item"), _length("character"),
        frozenset({_R.ONE_SIDED_BOUNDS, _R.INTERVALS}), weight=1, forms=_forms("prose", "lines", "list"), least=10),
    Ask(_S.TEXT_LENGTH, _units("word"), _length("character"), NO_ZERO, weight=1, forms=_BLOCKS, languages=_ENGLISH,
        least=4),
    Ask(_S.UNIT_COUNT, _units("response section paragraph"), _count("sentence"), NO_ZERO, 10, 4, _PROSE),
    Ask(_S.UNIT_COUNT, _units("list_item"), _count("sentence"), AMOUNT, 8, 3, _forms("list", "sections")),
    Ask(_S.UNIT_COUNT, _units("quote"), _count("sentence"), NO_ZERO, 4, 3, _PROSE),
    Ask(_S.UNIT_COUNT, _units("response section"), _count("paragraph"), AMOUNT, 10, 4, _PROSE),
    Ask(_S.UNIT_COUNT, _units("response"), _count("paragraph"), frozenset({_R.PROHIBITION}), 2, 3,
        _forms("list", "table")),
    Ask(_S.UNIT_COUNT, _units("response paragraph"), _count("line"), NO_ZERO, 10, 5, _forms("lines"),
        opens=_forms("lines")),
    Ask(_S.UNIT_COUNT, _units("response"), _count("line"), NO_ZERO, 10, 6, _forms("csv")),
    Ask(_S.SPECIFIC_STRINGS, _units("response section paragraph sentence line list_item quote table_row"),
        _occurrences, AMOUNT),
    Ask(_S.LITERAL_CLASSES, _units("response section paragraph sentence line list_item"), _of_class("comma"), AMOUNT, 5,
        forms=_TEXT),
    Ask(_S.LITERAL_CLASSES, _units("response section paragraph"), _of_class("exclamation_mark"), AMOUNT, 3, 2, _PROSE),
    Ask(_S.LITERAL_CLASSES, _units("response section paragraph"), _of_class("question_mark"), AMOUNT, 3, 2, _PROSE),
    Ask(_S.LITERAL_CLASSES, _units("response section paragraph sentence list_item table_row"), _of_class("digit"),
        AMOUNT, 3),
    Ask(_S.LITERAL_CLASSES, _units("response section paragraph line list_item"), _of_class("emoji"), AMOUNT, 4, 2,
        _BLOCKS),
    Ask(_S.CONTAINERS, _units("response section"), _count("section"), AMOUNT, 8, 3, _forms("sections"),
        opens=_forms("sections")),
    Ask(_S.CONTAINERS, _units("response"), _count("section"), frozenset({_R.PROHIBITION}), 1, 3, _forms("prose")),
    Ask(_S.CONTAINERS, _units("response section"), _count("list"), AMOUNT, 8, 2, _forms("sections", "list"),
        opens=_forms("list")),
    Ask(_S.CONTAINERS, _units("response section"), _count("table"), AMOUNT, 4, 2, _forms("sections", "table"),
        opens=_forms("table")),
    Ask(_S.CONTAINERS, _units("response section"), _count("code_block"), AMOUNT, 4, 2, _forms("sections"),
        needs="code"),
    Ask(_S.CONTAINERS, _units("response"), _count("list"), frozenset({_R.PROHIBITION}), 3, 2, _forms("prose", "table")),
    Ask(_S.MEMBERS, _units("response section list"), _count("list_item"), NO_ZERO, 8, 5, _forms("list", "sections"),
        opens=_forms("list")),
    Ask(_S.MEMBERS, _units("list_item"), _count("list_item"), AMOUNT, 3, 3, _forms("list")),
    Ask(_S.MEMBERS, _units("response table"), _count("table_row"), NO_ZERO, 8, 5, _forms("table", "sections"),
        opens=_forms("table")),
    Ask(_S.MEMBERS, _units("table_row"), _count("table_cell"), YES | {_R.ONE_SIDED_BOUNDS, _R.INTERVALS}, 3, 4,
        _forms("table")),
    Ask(_S.MEMBERS, _units("response section paragraph sentence"), _count("highlight"), AMOUNT, 2, 3, _BLOCKS),
    Ask(_S.MEMBERS, _units("response section paragraph"), _count("placeholder"), AMOUNT, 5, 3, _PROSE, needs="slots"),
    Ask(_S.MEMBERS, _units("response section"), _count("quote"), AMOUNT, 3, 2, _forms("sections")),
    Ask(_S.MEMBERS, _units("response"), _count("heading"), frozenset({_R.PROHIBITION}), 2, 3, _forms("prose", "lines")),
    Ask(_S.MEMBERS, _units("response"), _count("heading"), NO_ZERO, 3, 4, _forms("sections")),
    Ask(_S.MEMBERS, _units("response"), _count("json_pair"), NO_ZERO, 8, 5, _forms("json"), opens=_forms("json")),
    Ask(_S.MEMBERS, _units("code_block"), _count("json_pair"), NO_ZERO, 4, 4, _forms("sections"), needs="code"),
    Ask(_S.NESTING_DEPTH, _units("response section list"), lambda context: sp.Depth(of="list"), AMOUNT, 5, 2,
        _forms("list", "sections")),
    Ask(_S.NESTING_DEPTH, _units("response"), lambda context: sp.Depth(of="json"), NO_ZERO, 5, 3, _forms("json")),
    Ask(_S.NESTING_DEPTH, _units("code_block"), lambda context: sp.Depth(of="json"), NO_ZERO, 3, 2, _forms("sections"),
        needs="code"),
    Ask(_S.PRESENCE, _units("response section paragraph sentence line list_item quote table_row code_block heading"),
        _present, YES_NO),
    Ask(_S.VALIDITY, _units("response"), lambda context: sp.Valid(format="json_object"), YES, 3, forms=_forms("json"),
        opens=_forms("json")),
    Ask(_S.VALIDITY, _units("response"), lambda context: sp.Valid(format="json_object"), frozenset({_R.PROHIBITION}), 1,
        forms=_forms("csv")),
    Ask(_S.VALIDITY, _units("response"), lambda context: sp.Valid(format="csv"), YES, 3, forms=_forms("csv"),
        opens=_forms("csv")),
    Ask(_S.VALIDITY, _units("code_block"), lambda context: sp.Valid(format="json_object"), YES_NO,
        forms=_forms("sections"), needs="code"),
    Ask(_S.BOUNDARY, _units("response paragraph line list_item heading table_cell"),
        lambda context: sp.Wrapped(by="double_quotes"), YES_NO, 2),
    Ask(_S.BOUNDARY, _units("response section"), lambda context: sp.Divided(by="***"), NO_ZERO, 4, 3, _PROSE,
        least=2),
    Ask(_S.SKELETON, _units("response paragraph sentence line list_item quote"), _starts, YES_NO, 5, forms=_TEXT),
    Ask(_S.SKELETON, _units("response paragraph sentence line list_item section"), _ends, YES_NO, 4, forms=_TEXT),
    Ask(_S.SURFACE, _units("response paragraph sentence line list_item heading table_cell"), _case, YES_NO, 2,
        languages=_ENGLISH),
    Ask(_S.SURFACE, _units("response paragraph sentence line list_item"), _case, YES_NO, 0.3, languages=_CHINESE),
    Ask(_S.SURFACE, _units("word"), _case, YES_NO, 4, forms=_BLOCKS, languages=_ENGLISH),
    Ask(_S.SURFACE, _units("response section paragraph sentence line list_item"), _capitals, AMOUNT, 0.4, 3, _BLOCKS),
    Ask(_S.ORDERING_RELATIONS, _units("response section list"), _sorted("list_item"), YES_NO, 6,
        forms=_forms("list", "sections"), languages=_ENGLISH),
    Ask(_S.ORDERING_RELATIONS, _units("response paragraph"), _sorted("line"), YES_NO, 3, forms=_forms("lines"),
        languages=_ENGLISH),
    Ask(_S.ORDERING_RELATIONS, _units("response"), _sorted("heading"), YES_NO, 3, forms=_forms("sections"),
        languages=_ENGLISH),
    Ask(_S.ORDERING_RELATIONS, _units("response section list"), _sorted("list_item"), YES_NO, 10,
        forms=_forms("list", "sections"), languages=_CHINESE, needs="latin"),
    Ask(_S.CHAINING_RELATIONS, _units("response section paragraph"), lambda context: sp.Chained(unit="sentence"),
        YES_NO, 5, forms=_PROSE),
    Ask(_S.CHAINING_RELATIONS, _units("response paragraph"), lambda context: sp.Chained(unit="line"), YES_NO, 5,
        forms=_forms("lines")),
    Ask(_S.POSITIONAL_RELATIONS, _units("response paragraph"), _acrostic("line"), YES_NO, 6, forms=_forms("lines"),
        spells="line"),
    Ask(_S.POSITIONAL_RELATIONS, _units("paragraph section"), _acrostic("sentence"), YES_NO, 4, forms=_PROSE,
        spells="sentence"),
    Ask(_S.POSITIONAL_RELATIONS, _units("response list section"), _acrostic("list_item"), YES_NO, 4,
        forms=_forms("list", "sections"), spells="list_item"),
)  # fmt: skip
"""All asks."""

WITHIN: dict[str, tuple[str, ...]] = {
    "section": ("section", "paragraph", "sentence", "list", "list_item", "table", "table_row", "quote", "code_block"),
    "paragraph": ("sentence", "line"),
    "sentence": ("word",),
    "line": ("word",),
    "list": ("list_item",),
    "list_item": ("sentence", "word"),
    "table": ("table_row",),
    "table_row": ("table_cell",),
    "heading": ("word",),
    "quote": ("sentence",),
}
"""Which units may be selected inside which."""

TOP = (
    "section", "heading", "paragraph", "sentence", "line", "list", "list_item", "table", "table_row", "table_cell",
    "quote", "code_block", "word",
)  # fmt: skip
"""The units that may be selected in the whole response."""
