"""The words of a spec: exact, grammatical, and never open to a second reading."""

import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopeif.constraints.spec import Each, Spec
from scopeif.errors import SpecError
from scopeif.measure import describe
from tests.measure.specs import COUNT_SENTENCES, SPECS, WORDS, at, bounds, clause, each, relative, spec, where

COMMAS = {"kind": "class_count", "char_class": "comma"}
TIDE = {"kind": "occurrences", "text": "tide"}


def wordings(what: dict[str, Any], language: str) -> set[str]:
    return {describe(spec(what), language, random.Random(seed)) for seed in range(1500)}


CASES = [
    (clause(bounds(None, 3), COUNT_SENTENCES, each("paragraph")), "Each paragraph must contain at most 3 sentences."),
    (clause(bounds(None, 1), COUNT_SENTENCES, each("paragraph")), "Use no more than 1 sentence in each paragraph."),
    (clause(bounds(None, 0), COMMAS), "Do not use any commas."),
    (clause(bounds(None, 0), COMMAS, each("line")), "Each line must contain no commas."),
    (clause(bounds(80, 120), WORDS), "Write between 80 and 120 words (inclusive)."),
    (clause(bounds(5, 5), COUNT_SENTENCES), "Use exactly 5 sentences."),
    (clause(bounds(1), TIDE, each("paragraph"), at("sentence", -1)),
     'The last sentence of each paragraph must contain the word "tide".'),
    (clause(bounds(2, 2), TIDE), 'Use the word "tide" exactly 2 times in the response.'),
    (clause(bounds(1, 1), TIDE), 'Use the word "tide" exactly once in the response.'),
    (clause(bounds(None, 20), WORDS, where("sentence", test="contains", text="however")),
     'Each sentence that contains "however" must have at most 20 words.'),
    (clause(bounds(1), WORDS, where("line", test="index", modulus=2, remainder=1)),
     "Each odd-numbered line must have at least 1 word."),
    (clause(relative("more", previous=True), WORDS, each("paragraph")),
     "Each paragraph after the first must contain more words than the paragraph before it."),
    (clause(relative("equal", at("paragraph", 2), factor=2), WORDS, at("paragraph", 3)),
     "The third paragraph must contain exactly twice as many words as the second paragraph."),
    (clause(relative("at_least", at("paragraph", 2), offset=-1), WORDS, at("paragraph", 12)),
     "The number of words in the 12th paragraph must be at least the number of words in the second paragraph, "
     "minus 1."),
    (clause(bounds(1, 1), {"kind": "acrostic", "unit": "line", "text": "CAT"}),
     'The first letters of the lines must spell "CAT".'),
    (clause(bounds(1, 1), {"kind": "ends", "text": "happy birthday"}),
     'The response must end with "happy birthday".'),
]  # fmt: skip


@pytest.mark.parametrize("what,expected", CASES)
def test_english(what: dict[str, Any], expected: str) -> None:
    assert expected in wordings(what, "en")


NOTES = {"test": "under_heading", "text": "Notes"}
SIGNS = {"kind": "count", "unit": "sentence", "where": {"test": "ends", "text": "."}}
QUESTIONS = {"kind": "class_count", "char_class": "question_mark"}
CAPITALS = {"kind": "count", "unit": "word", "where": {"test": "matches", "pattern": "^[A-Z]+$"}}
FURTHER = [
    (clause(bounds(2, 4), COUNT_SENTENCES),
     "Make sure that the response contains from two to four sentences (inclusive)."),
    (clause(bounds(3), COUNT_SENTENCES, where("paragraph", **NOTES)),
     'Every paragraph under the heading "Notes" must include at least 3 sentences.'),
    (clause(bounds(None, 20), WORDS, where("line", test="index", modulus=3, remainder=1)),
     "Keep every third line (the 1st, 4th, 7th and so on) to at most 20 words."),
    (clause(bounds(None, 9), WORDS, each("section"), each("paragraph")),
     "Within each section, every paragraph must be at most 9 words long."),
    (clause(bounds(1), CAPITALS), "Use at least 1 word that matches the regular expression `^[A-Z]+$`."),
    (clause({"kind": "relative", "relation": "equal", "factor": 2, "to": {"to": "same", "measure": QUESTIONS}}, SIGNS),
     'The response must have exactly twice as many sentences that end with "." as question marks.'),
    (clause(relative("equal", previous=True, offset=-2), WORDS, each("line")),
     "Every line after the first must have exactly 2 fewer words than the previous line."),
    (clause(bounds(None, 0), {"kind": "repeats", "unit": "word"}, each("sentence")),
     "Each sentence must be free of repeated words (capitalization aside)."),
    (clause(bounds(None, 0), {"kind": "starts", "text": "A"}, each("line")), 'No line may begin with "A".'),
    (clause(relative("fewer", where("paragraph", **NOTES)), COMMAS, at("line", 1)),
     'The first line must contain fewer commas than the paragraph under the heading "Notes".'),
    (clause(bounds(1, 1), {"kind": "valid", "format": "integer"}, each("table_cell")),
     "Every table cell must be a whole number in figures."),
]  # fmt: skip


@pytest.mark.parametrize("what,expected", FURTHER)
def test_further_english(what: dict[str, Any], expected: str) -> None:
    assert expected in wordings(what, "en")


CHINESE = [
    (clause(bounds(None, 3), COUNT_SENTENCES, each("paragraph")), "每个段落必须至多包含3个句子。"),
    (clause(bounds(None, 3), COUNT_SENTENCES, each("paragraph")), "每一段包含的句子不得超过三个。"),
    (clause(bounds(None, 0), COMMAS), "整个回复不得包含任何逗号。"),
    (clause(bounds(80, 120), WORDS), "全文的字数（标点不计）应在80到120之间（含80和120）。"),
    (clause(bounds(2, 2), COUNT_SENTENCES, at("paragraph", 1)), "第一段应刚好有两个句子。"),
    (clause(relative("more", previous=True), WORDS, each("line")),
     "从第二行起，每行的字数（标点不计）必须多于上一行的字数（标点不计）。"),
    (clause(bounds(1, 1), {"kind": "ends", "text": "欢迎光临"}, at("line", -1)), "最后一行必须以“欢迎光临”结尾。"),
    (clause(bounds(None, 9), WORDS, where("sentence", test="not", of={"test": "contains", "text": "但"})),
     "每个不包含“但”的句子不得超过9个字（标点不计）。"),
    (clause(bounds(3), COUNT_SENTENCES, where("paragraph", **NOTES)),
     "每个位于标题“Notes”之下的段落应当至少有3个句子。"),
    (clause(bounds(1), CAPITALS), "请在全文中至少使用1个匹配正则表达式 `^[A-Z]+$` 的字（标点不计）。"),
    (clause({"kind": "relative", "relation": "equal", "factor": 2, "to": {"to": "same", "measure": QUESTIONS}}, SIGNS),
     "全文中，以“.”结尾的句子的数量必须恰好等于问号数量的两倍。"),
    (clause(relative("at_least", at("paragraph", 2), factor=1.5, rounding="floor"), WORDS, at("paragraph", 3)),
     "第三段的字数（标点不计）必须不少于第二段的字数（标点不计）的1.5倍（向下取整）。"),
    (clause(relative("equal", previous=True, offset=-2), COUNT_SENTENCES, each("section")),
     "从第二个小节起，每个小节中的句子数量必须恰好比上一个小节少2。"),
    (clause(relative("more", where("paragraph", **NOTES)), COMMAS, at("line", 1)),
     "第一行中的逗号数量必须多于位于标题“Notes”之下的段落中的逗号数量。"),
    (clause(bounds(None, 0), {"kind": "repeats", "unit": "word"}, each("sentence")),
     "每句中的字不得重复（不区分大小写）。"),
]  # fmt: skip


@pytest.mark.parametrize("what,expected", CHINESE)
def test_chinese(what: dict[str, Any], expected: str) -> None:
    assert expected in wordings(what, "zh")


VARIED = {
    "length": clause(bounds(None, 20), WORDS, each("sentence")),
    "interval": clause(bounds(80, 120), WORDS),
    "count": clause(bounds(3, 3), COUNT_SENTENCES, each("paragraph")),
    "count where": clause(bounds(1), CAPITALS),
    "none": clause(bounds(None, 0), COMMAS, each("line")),
    "keyword": clause(bounds(2), TIDE),
    "no keyword": clause(bounds(None, 0), TIDE, each("paragraph")),
    "starts": clause(bounds(1, 1), {"kind": "starts", "text": "A"}, each("line")),
    "matches": clause(bounds(1, 1), {"kind": "matches", "pattern": "a+"}, each("line")),
    "present": clause(bounds(1, 1), {"kind": "present", "text": "tide"}),
    "valid": clause(bounds(1, 1), {"kind": "valid", "format": "json"}),
    "wrapped": clause(bounds(1, 1), {"kind": "wrapped", "by": "parentheses"}),
    "divided": clause(bounds(3, 3), {"kind": "divided", "by": "***"}),
    "case": clause(bounds(1, 1), {"kind": "letter_case", "case": "upper"}),
    "depth": clause(bounds(2), {"kind": "depth", "of": "list"}),
    "sorted": clause(bounds(1, 1), {"kind": "sorted", "unit": "list_item"}),
    "chained": clause(bounds(1, 1), {"kind": "chained", "unit": "sentence"}),
    "acrostic": clause(bounds(1, 1), {"kind": "acrostic", "unit": "line", "text": "CAT"}),
    "previous": clause(relative("more", previous=True), WORDS, each("paragraph")),
    "another": clause(relative("equal", at("paragraph", 2), factor=2), WORDS, at("paragraph", 3)),
    "same": clause({"kind": "relative", "relation": "more", "to": {"to": "same", "measure": COMMAS}}, COUNT_SENTENCES),
    "repeats": clause(bounds(None, 2), {"kind": "repeats", "unit": "word"}),
}


@pytest.mark.parametrize("what", VARIED.values(), ids=VARIED)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_construct_has_several_wordings(what: dict[str, Any], language: str) -> None:
    assert len(wordings(what, language)) >= 6


def test_counts_have_many_wordings() -> None:
    assert len(wordings(VARIED["count"], "en")) >= 40
    assert len(wordings(VARIED["count"], "zh")) >= 40


INCLUSIVE = re.compile(
    r"\(inclusive\)|at least .* at most|no fewer than .* no more than|（含.*[），]|至少.*至多|不少于.*且不超过"
)


@given(st.lists(st.integers(1, 500), min_size=2, max_size=2, unique=True), st.sampled_from(["en", "zh"]), st.integers())
def test_intervals_say_that_their_ends_belong_to_them(ends: list[int], language: str, seed: int) -> None:
    for measure in (WORDS, COUNT_SENTENCES, COMMAS, TIDE):
        text = describe(spec(clause(bounds(*sorted(ends)), measure, each("section"))), language, random.Random(seed))
        assert INCLUSIVE.search(text), text


@given(SPECS, st.integers())
def test_each_must_not_is_never_said(what: Spec, seed: int) -> None:
    text = describe(what, "en", random.Random(seed))
    single = [clause for clause in what.clauses if len(clause.scope) == 1 and isinstance(clause.scope[0], Each)]
    if len(single) == len(what.clauses) == 1:
        assert not re.search(r"(each|every) [a-z ]+ (must|should) not", text, re.IGNORECASE)


def test_without_a_seed_the_words_stay_the_same() -> None:
    what = spec(CASES[0][0])
    assert describe(what, "en") == describe(what, "en", random.Random(0))


def test_the_same_seed_says_the_same() -> None:
    what = spec(CASES[0][0], CASES[2][0])
    assert describe(what, "en", random.Random(4)) == describe(what, "en", random.Random(4))


def test_a_clause_alone_has_words() -> None:
    what = spec(CASES[2][0])
    assert describe(what.clauses[0], "en", random.Random(1)) == describe(what, "en", random.Random(1))


def test_other_languages_are_refused() -> None:
    with pytest.raises(SpecError, match="'fr'"):
        describe(spec(CASES[0][0]), "fr", random.Random(0))
