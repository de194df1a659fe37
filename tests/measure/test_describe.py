"""The words of a spec: exact, grammatical, and never open to a second reading."""

import random
import re
from typing import Any

import pytest
from hypothesis import given

from scopeif.constraints.spec import Spec
from scopeif.errors import SpecError
from scopeif.measure import describe
from tests.measure.specs import COUNT_SENTENCES, SPECS, WORDS, at, bounds, clause, each, relative, spec, where

COMMAS = {"kind": "class_count", "char_class": "comma"}
TIDE = {"kind": "occurrences", "text": "tide"}


def wordings(what: dict[str, Any], language: str) -> set[str]:
    return {describe(spec(what), language, random.Random(seed)) for seed in range(80)}


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


CHINESE = [
    (clause(bounds(None, 3), COUNT_SENTENCES, each("paragraph")), "每个段落必须至多包含3个句子。"),
    (clause(bounds(None, 0), COMMAS), "整个回复不得包含任何逗号。"),
    (clause(relative("more", previous=True), WORDS, each("line")), "从第二行起，每行的字数必须多于上一行的字数。"),
    (clause(bounds(1, 1), {"kind": "ends", "text": "欢迎光临"}, at("line", -1)), "最后一行必须以“欢迎光临”结尾。"),
    (clause(bounds(None, 9), WORDS, where("sentence", test="not", of={"test": "contains", "text": "但"})),
     "每个不包含“但”的句子必须至多包含9个字。"),
]  # fmt: skip


@pytest.mark.parametrize("what,expected", CHINESE)
def test_chinese(what: dict[str, Any], expected: str) -> None:
    assert expected in wordings(what, "zh")


def test_there_are_several_wordings() -> None:
    assert len(wordings(CASES[0][0], "en")) >= 6
    assert len(wordings(CASES[0][0], "zh")) >= 4


@given(SPECS)
def test_every_spec_has_words(what: Spec) -> None:
    english = describe(what, "en", random.Random(0))
    assert english.endswith(".")
    assert not re.search(r"  |\{|None", english.replace("{}", ""))
    assert not re.search(r"(?<![.\d])1 (words|sentences|lines|paragraphs|times|commas)\b", english)
    assert describe(what, "zh-CN", random.Random(0)).endswith("。")


def test_the_same_seed_says_the_same() -> None:
    what = spec(CASES[0][0], CASES[2][0])
    assert describe(what, "en", random.Random(4)) == describe(what, "en", random.Random(4))


def test_a_clause_alone_has_words() -> None:
    what = spec(CASES[2][0])
    assert describe(what.clauses[0], "en", random.Random(1)) == describe(what, "en", random.Random(1))


def test_other_languages_are_refused() -> None:
    with pytest.raises(SpecError, match="'fr'"):
        describe(spec(CASES[0][0]), "fr", random.Random(0))
