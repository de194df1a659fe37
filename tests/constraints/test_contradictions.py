"""Constraints that cannot be met: found, never claimed wrongly, and said in words."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from scopeif.constraints.contradictions import contradictions
from scopeif.constraints.dataset import read_instructions
from scopeif.constraints.spec import Spec
from scopeif.errors import AmbiguousResponse
from scopeif.measure import evaluate

EACH = {"select": "each", "unit": "paragraph"}
LAST = {"select": "at", "unit": "paragraph", "index": -1}
THIRD = {"select": "at", "unit": "paragraph", "index": 3}
TEA = {"select": "where", "unit": "sentence", "predicate": {"test": "contains", "text": "tea"}}
WORDS = {"kind": "length", "unit": "word"}
PARAGRAPHS, SENTENCES = {"kind": "count", "unit": "paragraph"}, {"kind": "count", "unit": "sentence"}
UPPER_CASE = {"kind": "letter_case", "case": "upper"}
YES = (1, 1)


def spec(measure: dict[str, Any], bounds: tuple[float | None, float | None], *scope: dict[str, Any]) -> dict[str, Any]:
    named = {"lower": bounds[0], "upper": bounds[1]}
    range_ = {"kind": "bounds"} | {name: value for name, value in named.items() if value is not None}
    return {"object": "it", "scope": scope, "measure": measure, "range": range_}


def relation(kind: str, *scope: dict[str, Any], to: Any = None, measure: Any = WORDS, **further: Any) -> dict[str, Any]:
    range_ = {"kind": "relative", "relation": kind, "to": to or {"to": "previous"}, **further}
    return {"object": "it", "scope": scope, "measure": measure, "range": range_}


def string(text: str, **options: Any) -> dict[str, Any]:
    return {"kind": "occurrences", "text": text, **options}


def starts(text: str, **options: Any) -> dict[str, Any]:
    return {"kind": "starts", "text": text, **options}


def ends(text: str) -> dict[str, Any]:
    return {"kind": "ends", "text": text}


def commas(count: int) -> dict[str, Any]:
    return spec({"kind": "class_count", "char_class": "comma"}, (None, count))


def found(*clauses: dict[str, Any]) -> list[str]:
    made = [Spec.model_validate({"clauses": [clause]}) for clause in clauses]
    return [one.message for one in contradictions(made)]


FIRST = {"to": "segment", "scope": [{"select": "at", "unit": "paragraph", "index": 1}]}
CONTRADICTORY: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no whole number": ([spec(WORDS, (2.2, 2.8))], "none of the values of 'length' lies in [2.2, 2.8]"),
    "below zero": ([spec(WORDS, (None, -1))], "lies in [-inf, -1]"),
    "yes or no twice": ([spec(UPPER_CASE, (2, None))], "none of the values of 'letter_case' lies in [2, inf]"),
    "more than itself": (
        [relation("more", FIRST["scope"][0], to=FIRST)],  # type: ignore[index]
        "nothing is more than itself",
    ),
    "amounts": ([spec(PARAGRAPHS, (None, 2)), spec(PARAGRAPHS, (3, None))], "at most 2 paragraphs, but at least 3"),
    "length and count": (
        [spec(WORDS, (None, 5)), spec({"kind": "count", "unit": "word"}, (8, 9))],
        "at most 5 words, but 8 to 9 words",
    ),
    "a position that cannot be": (
        [spec(PARAGRAPHS, (None, 2)), spec(WORDS, (None, 9), THIRD)],
        "at most 2 paragraphs, but at least 3 paragraphs",
    ),
    "a reference that cannot be": (
        [spec(PARAGRAPHS, (None, 2)), relation("more", EACH, to={"to": "segment", "scope": [THIRD]})],
        "at most 2 paragraphs, but at least 3 paragraphs",
    ),
    "each and the last": (
        [spec(SENTENCES, (None, 2), EACH), spec(SENTENCES, (3, 3), LAST)],
        "at most 2 sentences in each paragraph, but 3 sentences in the last paragraph",
    ),
    "a part above the whole": (
        [commas(1), spec({"kind": "class_count", "char_class": "comma"}, (2, None), LAST)],
        "at most 1 comma, but at least 2 commas in the last paragraph",
    ),
    "parts above the whole": (
        [spec(WORDS, (None, 20)), spec(WORDS, (8, None), EACH), spec(PARAGRAPHS, (3, 3))],
        "at most 20 words, but at least 3 paragraphs with at least 8 words",
    ),
    "more sentences than words": (
        [spec(WORDS, (None, 3)), spec(SENTENCES, (4, None))],
        "at most 3 words, but at least",
    ),
    "prohibited and demanded": (
        [spec(string("tea"), (None, 0)), spec({"kind": "present", "text": "Tea"}, (1, None))],
        "no 'tea', but at least 1 'Tea'",
    ),
    "prohibited in a phrase": (
        [spec(string("tea"), (None, 0)), spec(string("green tea"), (1, None), LAST)],
        "no 'tea'",
    ),
    "prohibited as an end": ([spec(string("you"), (None, 0)), spec(ends("Thank you."), YES)], "no 'you'"),
    "prohibited as a start": ([spec(string("tea"), (None, 0)), spec(starts("Tea is"), YES, EACH)], "no 'tea'"),
    "too often": ([spec(string("tea"), (None, 2)), spec(string("tea for tea"), (2, None))], "at most 2 'tea'"),
    "a letter": ([spec(string("e", whole_word=False), (None, 0)), spec(string("tea"), (1, None))], "no 'e'"),
    "comma in a phrase": ([commas(0), spec(string("well, well"), (1, None))], "no commas, but at least 1 'well, well'"),
    "longer than the response": ([spec(WORDS, (None, 2)), spec(string("a big red dog"), (1, None))], "at most 2 words"),
    "capitals and a small word": (
        [spec(UPPER_CASE, YES), spec(string("tea", case_sensitive=True), (1, None))],
        "no small letters, but at least 1 'tea'",
    ),
    "capitals and a start": ([spec(UPPER_CASE, YES), spec(starts("Tea"), YES)], "no small letters"),
    "both cases": (
        [spec(UPPER_CASE, YES), spec({"kind": "letter_case", "case": "lower"}, YES)],
        "the response is in capitals only and in small letters only",
    ),
    "two starts": ([spec(starts("Tea"), YES, EACH), spec(starts("Milk"), YES, LAST)], "the last paragraph starts with"),
    "two ends": ([spec(ends("Bye."), YES), spec(ends("End."), YES)], "ends with 'Bye.', but the response ends with"),
    "a start refused": ([spec(starts("Tea"), (0, 0)), spec(starts("Tea is"), YES)], "does not start with 'Tea'"),
    "wrapped and an end": (
        [spec({"kind": "wrapped", "by": "double_quotes"}, YES), spec(ends("Thank you."), YES)],
        "is wrapped in double quotes, but the response ends with 'Thank you.'",
    ),
    "JSON and a start": (
        [spec({"kind": "valid", "format": "json_object"}, YES), spec(starts("Here is"), YES)],
        "is a JSON object, but the response starts with 'Here is'",
    ),
    "acrostic": (
        [
            spec({"kind": "acrostic", "unit": "line", "text": "TEA"}, YES),
            spec({"kind": "count", "unit": "line"}, (4, 4)),
        ],
        "3 lines, but 4 lines",
    ),
    "more and fewer": ([relation("more", EACH), relation("at_most", EACH)], "only a single segment meets both"),
    "more and equal": ([relation("more", to=FIRST), relation("equal", to=FIRST)], "more, but equal"),
    "rising too far": (
        [relation("more", EACH), spec(WORDS, (5, 6), EACH), spec(PARAGRAPHS, (3, None))],
        "5 to 6 words in each paragraph, but at least 3 paragraphs with more each time",
    ),
    "a condition against itself": ([spec(string("tea"), (None, 0), TEA)], "only a response without such a segment"),
    "a condition that cannot hold": (
        [spec(string("tea"), (None, 0)), spec(WORDS, (None, 9), TEA)],
        "only a response without such a segment meets both",
    ),
}


@pytest.mark.parametrize("name", CONTRADICTORY)
def test_a_contradiction_is_found_and_said(name: str) -> None:
    clauses, message = CONTRADICTORY[name]
    for order in (clauses, clauses[::-1]):
        messages = found(*order)
        assert messages, order
    assert any(message in one for one in found(*clauses)), found(*clauses)


COMPATIBLE: dict[str, list[dict[str, Any]]] = {
    "amounts that meet": [spec(PARAGRAPHS, (None, 3)), spec(PARAGRAPHS, (3, None))],
    "each and the whole": [spec(SENTENCES, (None, 2), EACH), spec(SENTENCES, (6, None)), spec(PARAGRAPHS, (3, None))],
    "a keyword inside a longer word": [spec(string("tea"), (None, 0)), spec(string("teapot"), (1, None))],
    "a start that can go on": [spec(string("tea"), (None, 0)), spec(starts("Tea"), YES)],
    "an end that can begin before": [spec(string("end"), (None, 0)), spec(ends("end."), YES)],
    "another case": [spec(string("Tea", case_sensitive=True), (None, 0)), spec(string("tea"), (1, None))],
    "capitals and any case": [spec(UPPER_CASE, YES), spec(string("tea"), (1, None))],
    "a longer start": [spec(starts("Tea"), YES), spec(starts("Tea is"), YES)],
    "starts of different segments": [spec(starts("Tea"), YES), spec(starts("Milk"), YES, LAST)],
    "other conditions": [spec(string("milk"), (1, None), TEA), spec(string("milk"), (None, 0), LAST)],
    "different relations": [relation("more", EACH), relation("at_least", EACH)],
    "another factor": [relation("more", to=FIRST), relation("fewer", to=FIRST, factor=3)],
    "JSON and a brace": [spec({"kind": "valid", "format": "json_object"}, YES), spec(starts("{"), YES)],
    "rising in the range": [relation("more", EACH), spec(WORDS, (5, 7), EACH), spec(PARAGRAPHS, (3, None))],
    "equals joined by hyphens": [spec(WORDS, (None, 1)), spec(string("tea"), (3, None))],
}


@pytest.mark.parametrize("name", COMPATIBLE)
def test_what_can_be_met_is_no_contradiction(name: str) -> None:
    assert found(*COMPATIBLE[name]) == []


TEXTS = (
    "Tea is.", "Tea", "teapot", "TEA", "TEA IS HERE.", "Thank you.", "Well, well.", "a big red dog",
    "tea for tea for tea", "tea-tea-tea", "Tea is here.\n\nMilk, milk and tea.\n\nBye.",
    "One.\n\nTwo two.\n\nThree three three.", "Bye.", "End.",
    "Tea here. Green tea there. Milk.\n\nTea one, two. Milk two.", '{"a": "tea"}', '"Thank you."', "Teas are. Bye.",
    "tall\neven\nall", "Tea.\nEnd.\nAll.\nBye.", "Tea\n\nTea is\n\nTea is it", "no", "legend.",
    "The end.", "Here is {}",
)  # fmt: skip


def _met(clause: dict[str, Any], text: str) -> bool:
    try:
        records = evaluate(Spec.model_validate({"clauses": [clause]}), text)
    except AmbiguousResponse:
        return False
    return all(record.satisfied for record in records) and not all(record.vacuous for record in records)


def test_no_text_meets_what_is_called_contradictory() -> None:
    """Every pair of all the clauses of this file, on every text."""
    pool = [clause for clauses, _ in CONTRADICTORY.values() for clause in clauses]
    pool += [clause for clauses in COMPATIBLE.values() for clause in clauses]
    pool = list({repr(clause): clause for clause in pool}.values())
    met = [{text for text in TEXTS if _met(clause, text)} for clause in pool]
    judged = claimed = 0
    for one, other in combinations(range(len(pool)), 2):
        both = met[one] & met[other]
        judged += bool(both)
        if any("only a" not in message for message in found(pool[one], pool[other])):
            claimed += 1
            assert not both, (pool[one], pool[other], both)
    assert judged > 150
    assert claimed > 60


def test_shipped_data_hold_none(shipped_folder: Path) -> None:
    for name in ("train.jsonl", "test.jsonl", "chinese.jsonl"):
        for instruction in read_instructions(shipped_folder / name):
            assert contradictions([one.spec for one in instruction.constraints]) == [], instruction.id


def test_constraints_are_named_by_their_number() -> None:
    specs = [Spec.model_validate({"clauses": [clause]}) for clause in CONTRADICTORY["amounts"][0]]
    (one,) = contradictions([None, specs[0], None, specs[1]])
    assert one.constraints == (1, 3)
    assert contradictions([None, specs[0], None]) == []


def test_infinite_bounds_are_no_limit() -> None:
    assert found(spec(WORDS, (3, None)), spec(WORDS, (1000, None))) == []


@pytest.fixture
def shipped_folder() -> Path:
    return Path(__file__).parents[2] / "data" / "scope_mini"
