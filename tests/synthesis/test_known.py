"""Documents of known counts: their units against those that are read from their text, and what changes do."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from scopeif.constraints import spec as sp
from scopeif.measure import units
from scopeif.synthesis.adjust import adjust
from scopeif.synthesis.document import Document, Form
from scopeif.synthesis.forms import FORM_WEIGHTS, draft
from scopeif.synthesis.known import records, value
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.writing import Written

UNITS = (
    "section", "heading", "word", "list", "list_item", "table", "table_row", "table_cell", "code_block", "json_pair",
    "quote", "highlight", "placeholder",
)  # fmt: skip


def written(form: Form, language: str, number: int) -> Written:
    pen = Pen(language, random.Random(number), ("water",))
    return Written(draft(form, language, pen, code=True, rich=number % 2 == 0))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", list(FORM_WEIGHTS))
def test_units_are_where_a_parser_finds_them(form: Form, language: str) -> None:
    more = ("line",) if form in ("lines", "csv") else ("paragraph", "sentence") if form not in ("json",) else ()
    for number in range(12):
        one = written(form, language, number)
        for unit in (*UNITS, *more):
            known = [(span.start, span.end) for span in one.inside(unit, one.whole)]  # type: ignore[arg-type]
            assert known == [(segment.start, segment.end) for segment in units(unit, one.text)], (unit, one.text)


def test_a_copy_is_changed_apart() -> None:
    one = written("sections", "en", 1)
    copy = one.copy()
    assert Written(copy.document).text == one.text
    paragraph = copy.inside("paragraph", copy.whole)[0]
    assert adjust(paragraph, sp.Count(unit="sentence"), 1, 3, copy, Pen("en", random.Random(1), ()))
    assert Written(one.document).text == one.text
    assert Written(copy.document).text != one.text


AMOUNTS: tuple[Callable[[], sp.Measure], ...] = (
    lambda: sp.Length(unit="word"),
    lambda: sp.Length(unit="character"),
    lambda: sp.Count(unit="sentence"),
    lambda: sp.Count(unit="highlight"),
    lambda: sp.Count(unit="placeholder"),
    lambda: sp.Occurrences(text="river"),
    lambda: sp.ClassCount(char_class="comma"),
    lambda: sp.ClassCount(char_class="digit"),
    lambda: sp.ClassCount(char_class="emoji"),
)


@pytest.mark.parametrize("make", AMOUNTS, ids=lambda make: repr(make()))
@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_amount_is_moved_to_where_it_was_asked(make: Callable[[], sp.Measure], language: str) -> None:
    measure, done = make(), 0
    for number in range(20):
        pen = Pen(language, random.Random(number), ("river",))
        one = Written(Document(language, "prose", [pen.paragraph(3), pen.paragraph(2)]))
        span = one.inside("paragraph", one.whole)[number % 2]
        before = value(measure, span, one)
        assert before is not None
        target = before + 1 + number % 3
        if adjust(span, measure, before, target, one, pen):
            after = Written(one.document)
            moved = after.inside("paragraph", after.whole)
            assert value(measure, moved[number % 2], after) == target, after.text
            done += 1
    assert done >= 15


def test_where_nothing_can_be_known_nothing_is_said() -> None:
    one = written("prose", "en", 3)
    bounds = sp.Bounds(lower=1)
    missing = sp.Clause(object="x", scope=(sp.Each(unit="table"),), measure=sp.Length(unit="word"), range=bounds)
    assert records(sp.Spec(clauses=(missing,)), one) is None
