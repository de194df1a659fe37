"""Formal specs against responses: selectors, ranges, and what happens where nothing is there to measure."""

import math

import pytest
from pydantic import ValidationError

from scopeif.constraints.spec import Spec
from scopeif.errors import AmbiguousResponse
from scopeif.measure import evaluate
from scopeif.reward import Record, satisfied
from tests.measure.specs import COUNT_SENTENCES, WORDS, at, bounds, clause, each, relative, spec, where

TEXT = "One two. Three four five.\n\nSix however seven.\n\nEight. Nine. Ten."


def triples(records: list[Record]) -> list[tuple[float, float, float]]:
    return [(record.lower, record.upper, record.actual) for record in records]


def actuals(what: Spec, text: str = TEXT) -> list[float]:
    return [record.actual for record in evaluate(what, text)]


def test_global() -> None:
    assert triples(evaluate(spec(clause(bounds(2, 3), COUNT_SENTENCES)), TEXT)) == [(2, 3, 6)]


def test_traversal() -> None:
    records = evaluate(spec(clause(bounds(None, 2), COUNT_SENTENCES, each("paragraph"))), TEXT)
    assert triples(records) == [(-math.inf, 2, 2), (-math.inf, 2, 1), (-math.inf, 2, 3)]
    assert [TEXT[record.start : record.end] for record in records] == TEXT.split("\n\n")
    assert not satisfied(records)


@pytest.mark.parametrize("index,expected", [(1, 2), (2, 1), (-1, 3), (-3, 2)])
def test_position(index: int, expected: int) -> None:
    assert actuals(spec(clause(bounds(1), COUNT_SENTENCES, at("paragraph", index)))) == [expected]


@pytest.mark.parametrize(
    "predicate,expected",
    [
        ({"test": "contains", "text": "HOWEVER"}, [3]),
        ({"test": "contains", "text": "however", "case_sensitive": True}, [3]),
        ({"test": "starts", "text": "eight"}, [3]),
        ({"test": "ends", "text": "ten."}, [3]),
        ({"test": "index", "modulus": 2, "remainder": 1}, [5, 3]),
        ({"test": "length", "lower": 4}, [5]),
        ({"test": "length", "unit": "character", "upper": 18}, [3, 3]),
        ({"test": "matches", "pattern": r"^\w+\. \w+\. \w+\.$"}, [3]),
        ({"test": "matches", "pattern": "HOWEVER", "case_sensitive": False}, [3]),
        ({"test": "not", "of": {"test": "contains", "text": "however"}}, [5, 3]),
        ({"test": "all_of", "of": [{"test": "ends", "text": "."}, {"test": "starts", "text": "six"}]}, [3]),
        ({"test": "any_of", "of": [{"test": "starts", "text": "one"}, {"test": "starts", "text": "six"}]}, [5, 3]),
    ],
)
def test_condition(predicate: dict[str, object], expected: list[int]) -> None:
    step = {"select": "where", "unit": "paragraph", "predicate": predicate}
    assert actuals(spec(clause(bounds(1), WORDS, step))) == expected


HEADED = "# Title\n\nintro\n\n## 1. **Methods**:\n\na b.\n\n### Sub\n\nc d e.\n\nResults\n---\n\nf.\n\n> g h"


@pytest.mark.parametrize(
    "heading,expected",
    [("methods", [2, 3]), ("Sub", [3]), ("results", [1, 2]), ("Title", [1, 2, 3, 1, 2]), ("Method", [0])],
)
def test_units_under_a_heading(heading: str, expected: list[int]) -> None:
    chain = where("paragraph", test="under_heading", text=heading)
    assert actuals(spec(clause(bounds(0), WORDS, chain)), HEADED) == expected


def test_a_heading_is_not_under_itself_and_a_section_is_what_it_opens() -> None:
    predicate = {"test": "under_heading", "text": "Methods"}
    lines = spec(clause(bounds(0), WORDS, where("line", **predicate)))
    assert actuals(lines, "# Methods\none two\n# Other\nthree") == [2]
    assert actuals(spec(clause(bounds(0), WORDS, where("section", **predicate))), HEADED) == [8]
    underlined = spec(clause(bounds(0), {"kind": "count", "unit": "line", "where": predicate}))
    assert actuals(underlined, "Methods\n===\none\ntwo") == [2]


def test_under_heading_with_case() -> None:
    chain = where("paragraph", test="under_heading", text="methods", case_sensitive=True)
    (record,) = evaluate(spec(clause(bounds(1), WORDS, chain)), HEADED)
    assert record.vacuous


@pytest.mark.parametrize(
    "predicate,expected",
    [
        ({"test": "ends", "text": "."}, 6),
        ({"test": "length", "lower": 3}, 2),
        ({"test": "index", "modulus": 2, "remainder": 0}, 3),
        ({"test": "contains", "text": "zebra"}, 0),
    ],
)
def test_counting_units_that_fulfil_a_predicate(predicate: dict[str, object], expected: int) -> None:
    assert actuals(spec(clause(bounds(1), {**COUNT_SENTENCES, "where": predicate}))) == [expected]


def test_counted_units_are_numbered_within_the_segment() -> None:
    odd = {**COUNT_SENTENCES, "where": {"test": "index", "modulus": 2, "remainder": 1}}
    assert actuals(spec(clause(bounds(1), odd, each("paragraph")))) == [1, 1, 2]


FIELDS = '{"count": 5, "price": 3.50, "on": "2026-03-31", "name": "x"}'


@pytest.mark.parametrize("key,format_", [("count", "integer"), ("price", "decimal"), ("on", "date")])
def test_fields_of_a_format(key: str, format_: str) -> None:
    chain = (where("json_pair", test="starts", text=f'"{key}"'), at("json_value", 1))
    assert actuals(spec(clause(bounds(1, 1), {"kind": "valid", "format": format_}, *chain)), FIELDS) == [1]
    wrong = (where("json_pair", test="starts", text='"name"'), at("json_value", 1))
    assert actuals(spec(clause(bounds(1, 1), {"kind": "valid", "format": format_}, *wrong)), FIELDS) == [0]


def test_nested_to_depth_three() -> None:
    text = "# A\n\nOne two. Three.\n\nFour.\n\n# B\n\nFive six seven."
    chain = (each("section"), each("paragraph"), at("sentence", -1))
    assert actuals(spec(clause(bounds(1), WORDS, *chain)), text) == [1, 1, 3]


def test_clauses_follow_one_another() -> None:
    assert actuals(spec(clause(bounds(1), WORDS), clause(bounds(1), COUNT_SENTENCES))) == [11, 6]


MEASURES = [
    ({"kind": "length", "unit": "character"}, "ab c\r\nd", 6),
    ({"kind": "count", "unit": "list_item"}, "- a\n- b", 2),
    ({"kind": "occurrences", "text": "tide"}, "The tide. Tides. TIDE!", 2),
    ({"kind": "occurrences", "text": "e", "whole_word": False}, "eel", 2),
    ({"kind": "class_count", "char_class": "comma"}, "a, b，c、d", 2),
    ({"kind": "starts", "text": "Dear"}, " Dear you", 1),
    ({"kind": "ends", "text": "欢迎光临"}, "你好。欢迎光临\n", 1),
    ({"kind": "starts", "text": "I "}, "It is", 0),
    ({"kind": "ends", "text": " end"}, "weekend", 0),
    ({"kind": "repeats", "unit": "word"}, "The sea, the SEA. A ship", 2),
    ({"kind": "repeats", "unit": "sentence"}, "Dog. Dog. Dog.", 2),
    ({"kind": "matches", "pattern": r"^Q \d+: .+$"}, "Q 1: why\n", 1),
    ({"kind": "matches", "pattern": r"^Q \d+: .+$"}, "Q one: why", 0),
    ({"kind": "wrapped", "by": "double_quotes"}, "“Good night.”", 1),
    ({"kind": "divided", "by": "***"}, "One.\n***\nTwo.", 2),
    ({"kind": "letter_case", "case": "upper"}, "HELLO WORLD 😀", 1),
    ({"kind": "present", "text": "maybe"}, "My answer is maybe.", 1),
    ({"kind": "valid", "format": "json_object"}, '```JsOn\n{"a": 1}\n```', 1),
    ({"kind": "valid", "format": "json", "fence": False}, "```\n{}\n```", 0),
    ({"kind": "valid", "format": "csv"}, "a,b\n1,2", 1),
    ({"kind": "valid", "format": "yaml"}, "a: 1\nb: [2]", 1),
    ({"kind": "valid", "format": "yaml"}, "just text", 0),
    ({"kind": "valid", "format": "yaml"}, "a: [", 0),
    ({"kind": "depth", "of": "list"}, "- a\n  - b", 2),
    ({"kind": "depth", "of": "json"}, '{"a": []}', 2),
    ({"kind": "sorted", "unit": "list_item"}, "- ant\n- Bee\n- cat", 1),
    ({"kind": "chained", "unit": "sentence"}, "The sea is blue. Blue it is.", 1),
    ({"kind": "acrostic", "unit": "line", "text": "CAT"}, "Come\nall\nto", 1),
]


@pytest.mark.parametrize("measure,text,expected", MEASURES)
def test_measures(measure: dict[str, object], text: str, expected: int) -> None:
    assert actuals(spec(clause(bounds(1), measure)), text) == [expected]


# -- relations ---------------------------------------------------------------------------------------------------


def test_more_than_the_one_before() -> None:
    records = evaluate(spec(clause(relative("more", previous=True), WORDS, each("paragraph"))), TEXT)
    assert triples(records) == [(6, math.inf, 3), (4, math.inf, 3)]


@pytest.mark.parametrize(
    "range_,expected",
    [
        (relative("equal", at("paragraph", 2), factor=2), (6, 6)),
        (relative("fewer", at("paragraph", 2)), (-math.inf, 2)),
        (relative("at_least", at("paragraph", 2), factor=1.5), (4.5, math.inf)),
        (relative("at_least", at("paragraph", 2), factor=1.5, rounding="floor"), (4, math.inf)),
        (relative("more", at("paragraph", 2), factor=1.5), (5, math.inf)),
        (relative("at_most", at("paragraph", 2), offset=-1), (-math.inf, 2)),
        (relative("equal"), (11, 11)),
    ],
)
def test_another_segment(range_: dict[str, object], expected: tuple[float, float]) -> None:
    (record,) = evaluate(spec(clause(range_, WORDS, at("paragraph", 1))), TEXT)
    assert (record.lower, record.upper, record.actual) == (*expected, 5)


@pytest.mark.parametrize(
    "text,expected",
    [("It is. It was. Why?", (2, 2, 2)), ("It is. Why? How?", (4, 4, 1)), ("It is. It was.", (0, 0, 2))],
)
def test_another_measure_of_the_same_segment(text: str, expected: tuple[float, float, float]) -> None:
    """Twice as many statements as questions."""
    statements = {**COUNT_SENTENCES, "where": {"test": "ends", "text": "."}}
    questions = {**COUNT_SENTENCES, "where": {"test": "ends", "text": "?"}}
    range_ = {**relative("equal", factor=2), "to": {"to": "same", "measure": questions}}
    assert triples(evaluate(spec(clause(range_, statements)), text)) == [expected]


def test_the_same_segment_is_each_of_those_selected() -> None:
    commas = {"kind": "class_count", "char_class": "comma"}
    range_ = {**relative("more"), "to": {"to": "same", "measure": commas}}
    records = evaluate(spec(clause(range_, COUNT_SENTENCES, each("paragraph"))), "A, b. C.\n\nD, e, f.")
    assert triples(records) == [(2, math.inf, 2), (3, math.inf, 1)]


def test_previous_stays_within_its_parent() -> None:
    text = "# A\n\nOne.\n\nTwo three.\n\n# B\n\nFour.\n\nFive six seven."
    records = evaluate(spec(clause(relative("more", previous=True), WORDS, each("section"), each("paragraph"))), text)
    assert triples(records) == [(2, math.inf, 2), (2, math.inf, 3)]


def test_previous_of_a_position_is_that_of_the_unit_before() -> None:
    chain = (each("paragraph"), at("sentence", -1))
    records = evaluate(spec(clause(relative("equal", previous=True), WORDS, *chain)), TEXT)
    assert triples(records) == [(3, 3, 3), (3, 3, 1)]


def test_a_multiple_of_nothing_is_vacuous() -> None:
    range_ = relative("equal", at("paragraph", 2), factor=2)
    measure = {"kind": "class_count", "char_class": "question_mark"}
    (record,) = evaluate(spec(clause(range_, measure, at("paragraph", 1))), TEXT)
    assert record.vacuous


def test_two_candidates_for_the_reference_are_ambiguous() -> None:
    range_ = relative("more", where("paragraph", test="contains", text="six"))
    assert actuals(spec(clause(range_, WORDS, at("paragraph", 1)))) == [5]
    with pytest.raises(AmbiguousResponse):
        evaluate(spec(clause(range_, WORDS, at("paragraph", 1))), TEXT + "\n\nSix.")


# -- nothing to measure ------------------------------------------------------------------------------------------

EXISTENCE = (1, math.inf, 0)
VACUOUS = (0, math.inf, 0)


@pytest.mark.parametrize("chain", [(each("table"),), (at("paragraph", 4),), (at("paragraph", -4),)])
def test_missing_units_are_violated(chain: tuple[dict[str, object], ...]) -> None:
    records = evaluate(spec(clause(bounds(None, 3), WORDS, *chain)), TEXT)
    assert triples(records) == [EXISTENCE]
    assert not satisfied(records)
    assert "existence" in records[0].object


def test_a_missing_position_is_violated_in_each_parent() -> None:
    records = evaluate(spec(clause(bounds(1), WORDS, each("paragraph"), at("sentence", 2))), TEXT)
    assert triples(records) == [(1, math.inf, 3), EXISTENCE, (1, math.inf, 1)]


@pytest.mark.parametrize(
    "what",
    [
        clause(bounds(None, 3), WORDS, where("sentence", test="contains", text="zebra")),
        clause(relative("more", previous=True), WORDS, at("paragraph", 1)),
        clause(relative("more", previous=True), WORDS),
        clause(relative("more", previous=True), WORDS, each("heading"), each("word")),
    ][:3],
)
def test_nothing_to_compare_is_vacuous(what: dict[str, object]) -> None:
    records = evaluate(spec(what), TEXT)
    assert triples(records) == [VACUOUS]
    assert records[0].vacuous
    assert satisfied(records)


def test_a_single_unit_has_none_before_it() -> None:
    (record,) = evaluate(spec(clause(relative("more", previous=True), WORDS, each("paragraph"))), "Only one.")
    assert record.vacuous


def test_conditions_that_match_somewhere_leave_no_vacuous_records() -> None:
    chain = (each("paragraph"), where("sentence", test="contains", text="however"))
    assert triples(evaluate(spec(clause(bounds(None, 2), WORDS, *chain)), TEXT)) == [(-math.inf, 2, 3)]


@pytest.mark.parametrize("kind", ["sorted", "chained"])
def test_relations_need_two_units(kind: str) -> None:
    what = spec(clause(bounds(1, 1), {"kind": kind, "unit": "list_item"}))
    assert triples(evaluate(what, "no list")) == [EXISTENCE]
    (record,) = evaluate(what, "- one")
    assert record.vacuous


def test_a_missing_reference_is_violated() -> None:
    records = evaluate(spec(clause(relative("more", at("paragraph", 9)), WORDS, each("paragraph"))), TEXT)
    assert triples(records) == [EXISTENCE]


def test_a_reference_that_no_unit_fits_is_vacuous() -> None:
    range_ = relative("more", where("paragraph", test="contains", text="zebra"))
    (record,) = evaluate(spec(clause(range_, WORDS, each("paragraph"))), TEXT)
    assert record.vacuous


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_response_is_measured(text: str) -> None:
    assert triples(evaluate(spec(clause(bounds(None, 5), WORDS)), text)) == [(-math.inf, 5, 0)]
    assert triples(evaluate(spec(clause(bounds(1), WORDS, each("paragraph"))), text)) == [EXISTENCE]


def test_ambiguous() -> None:
    with pytest.raises(AmbiguousResponse):
        evaluate(spec(clause(bounds(None, 3), COUNT_SENTENCES, each("paragraph"))), "One.\nTwo.")


# -- specs that mean nothing -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "what",
    [
        clause(relative("more", each("paragraph")), WORDS),
        clause(relative("more", previous=True), {"kind": "starts", "text": "a"}, each("line")),
        clause(bounds(1), WORDS, where("line", test="index", modulus=2, remainder=2)),
        clause(bounds(1), WORDS, where("line", test="length")),
        clause(bounds(1), WORDS, where("line", test="length", lower=3, upper=2)),
        clause(bounds(1), WORDS, *[each("paragraph")] * 4),
    ],
)
def test_refused(what: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        spec(what)
