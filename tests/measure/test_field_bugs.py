"""Mistakes that other checkers made: the counting cases, with the number of the case and the right answer."""

from typing import Any

import pytest

from scopeif.measure import count, evaluate, units
from scopeif.reward import satisfied
from tests.measure.specs import WORDS, at, bounds, clause, each, relative, spec

COUNTS = [
    (26, "paragraph", "One.\n \t\nTwo.\n\n\n\nThree.", 3),
    (27, "list_item", "**Plan**\n* one\n* two", 2),
    (31, "list_item", "• a\n• b\n1. c\n2) d", 4),
    (32, "highlight", "* apples\n* pears *", 0),
    (34, "placeholder", "[] see [docs](http://a.b) and [name]", 1),
    (52, "sentence", 'He said "stop." She left. Why?', 3),
    (61, "word", "e\u0301tude no\u0308el", 2),
    (62, "word", "one\ttwo\r\nthree", 3),
    (64, "word", "\ufeffzero\u200bwidth word\u200d", 2),
    (66, "word", "# Title\n- item one\n* item two", 5),
    (67, "word", "don't re-enter the mother-in-law's house", 5),
    (69, "word", "mail a_b@c.de or https://x.y/z?q=1", 4),
    (71, "word", "你好，世界。", 4),
    (72, "word", "一二三四五 six seven eight", 8),
    (74, "word", "привет мир", 2),
    (76, "word", "", 0),
    (76, "sentence", " \n\t ", 0),
    (76, "paragraph", " \n\t ", 0),
    (77, "character", "👨‍👩‍👧", 5),
    (79, "sentence", "Use fruit, e.g. apples, i.e. red ones. Stop.", 2),
    (81, "sentence", "Model wears size M. Fits well.", 2),
    (82, "sentence", "See https://a.io/c?x=1. Done.", 2),
    (84, "sentence", '"I came. I saw." He left.', 3),
    (86, "sentence", "你好。今天很热！我们走吗？", 3),
    (87, "sentence", "Hi!! 😀 How are you? 😀", 2),
    (89, "sentence", "# Title\nOne here. Two here.\n- item", 2),
    (92, "sentence", "What?! No!!! OK...", 3),
    (94, "table_row", "| h | k |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", 2),
]


@pytest.mark.parametrize("number,unit,text,expected", COUNTS)
def test_counts(number: int, unit: str, text: str, expected: int) -> None:
    assert count(unit, text) == expected


def characters(name: str, lower: int | None, upper: int | None) -> dict[str, Any]:
    return clause(bounds(lower, upper), {"kind": "class_count", "char_class": name})


def holds(kind: str, **options: Any) -> dict[str, Any]:
    return clause(bounds(1, 1), {"kind": kind, **options})


def keyword(text: str, lower: int | None, upper: int | None) -> dict[str, Any]:
    return clause(bounds(lower, upper), {"kind": "occurrences", "text": text})


TITLE = holds("matches", pattern=r"<<[^<>\n]*[^<>\s][^<>\n]*>>")
UPPER = holds("letter_case", case="upper")
QUOTED = holds("wrapped", by="double_quotes")
JSON = holds("valid", format="json")
SUB_BULLET = clause(bounds(1), {"kind": "count", "unit": "list_item"}, each("list"), each("list_item"))
ECHO = clause(bounds(1, 1), {"kind": "starts", "text": "echo"}, at("word", 2))


def pieces(amount: int) -> dict[str, Any]:
    return clause(bounds(amount, amount), {"kind": "divided", "by": "***"})


VERDICTS = [
    (1, keyword("#", 4, None), "#sun #sea #sky #sand", True),
    (2, keyword("!", 6, None), "Wow! Great! eeeeeee tttttttt", False),
    (6, UPPER, "Every Word Is Title Case Here", False),
    (7, UPPER, "HELLO WORLD 😀", True),
    (9, characters("comma", None, 0), "你好，世界。", False),
    (11, QUOTED, "“Good night.”", True),
    (12, QUOTED, '"', False),
    (12, QUOTED, '"Yes" and "no"', False),
    (14, TITLE, "see <<>> or <<>> here", False),
    (14, TITLE, "see << >> or <<The Sea>> here", True),
    (16, JSON, '```JsOn\n{"a": 1}\n```', True),
    (17, JSON, '{"t": NaN}', False),
    (17, JSON, "[Infinity]", False),
    (17, JSON, '{"a": {"b": -Infinity}}', False),
    (19, pieces(1), "This is ***very*** important.", True),
    (21, pieces(3), "One.\r\n***  \r\nTwo.\r\n ***\r\nThree.", True),
    (22, pieces(2), "***\nOne.\n***\nTwo.\n***", True),
    (24, characters("comma", None, 0), "\n\nSure!\nno commas here", True),
    (29, SUB_BULLET, "* **Bold** item\n  - sub", True),
    (29, SUB_BULLET, "* an early-morning run", False),
    (36, keyword("bad", None, 0), "She wore a badge.", True),
    (37, keyword("$5", 1, 1), "C++ costs $5, not $50.", True),
    (37, keyword("C++", 1, 1), "C++ costs $5, not $50.", True),
    (39, holds("present", text="maybe"), "My answer is maybe.", True),
    (46, ECHO, "Hi.", False),
    (56, clause(bounds(1), WORDS, each("paragraph"), at("word", 1)), "!!!\n\nred is red", False),
]


@pytest.mark.parametrize("number,what,response,expected", VERDICTS)
def test_verdicts(number: int, what: dict[str, Any], response: str, expected: bool) -> None:
    assert satisfied(evaluate(spec(what), response)) is expected


def test_41_the_same_measure_twice_gives_two_records() -> None:
    records = evaluate(spec(clause(bounds(20), WORDS), clause(bounds(2), WORDS)), "one two three")
    assert [record.satisfied for record in records] == [False, True]


def test_47_the_third_word() -> None:
    assert units("word", "alpha, beta; target gamma.")[2].text == "target"


THREE_SENTENCES = clause(bounds(3, 3), {"kind": "count", "unit": "sentence"})
SAME_LENGTH = clause(relative("equal", previous=True), WORDS, each("sentence"))
ALL_DIFFERENT = clause(bounds(None, 0), {"kind": "repeats", "unit": "word"})


@pytest.mark.parametrize("response,expected", [("Dog. Dog. Dog.", False), ("Dogs bark. Cats purr. Owls hoot.", True)])
def test_54_all_words_are_different(response: str, expected: bool) -> None:
    assert satisfied(evaluate(spec(THREE_SENTENCES, SAME_LENGTH, ALL_DIFFERENT), response)) is expected


def ending(mark: str) -> dict[str, Any]:
    return {"kind": "count", "unit": "sentence", "where": {"test": "ends", "text": mark}}


@pytest.mark.parametrize(
    "response,expected,vacuous",
    [
        ("no terminal marks here", True, True),
        ("One. Two. Three?", True, False),
        ("One. Two? Three?", False, False),
        ('He said "stop." She left. Why?', False, False),  # 52 counts a closing quote in: see below
    ],
)
def test_51_twice_as_many_statements_as_questions(response: str, expected: bool, vacuous: bool) -> None:
    range_ = {**relative("equal", factor=2), "to": {"to": "same", "measure": ending("?")}}
    (record,) = evaluate(spec(clause(range_, ending("."))), response)
    assert (record.satisfied, record.vacuous) == (expected, vacuous)


def test_52_statements_with_a_closing_quote() -> None:
    statements = {"kind": "count", "unit": "sentence", "where": {"test": "matches", "pattern": r"\.[\"'”’)]*$"}}
    (record,) = evaluate(spec(clause(bounds(2, 2), statements)), 'He said "stop." She left. Why?')
    assert record.satisfied


def test_51_a_multiple_of_nothing_is_no_pass() -> None:
    range_ = relative("equal", at("paragraph", 2), factor=2)
    questions = {"kind": "class_count", "char_class": "question_mark"}
    (record,) = evaluate(spec(clause(range_, questions, at("paragraph", 1))), "no marks\n\nhere either")
    assert record.vacuous
