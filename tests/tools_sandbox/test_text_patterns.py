"""Patterns without backtracking: the same answers as Python's `re`, and errors that say where."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_sandbox.patterns import MAX_LENGTH, PatternError, compiled
from tools_sandbox.text import matches

ATOMS = st.sampled_from(
    [
        "a",
        "b",
        "x",
        r"\d",
        r"\D",
        r"\w",
        r"\W",
        r"\s",
        r"\S",
        ".",
        "[ab]",
        "[^a]",
        "[a-c1]",
        r"\.",
        r"[\d-]",
        "[]a]",
        "-",
    ]
)
TIMES = st.sampled_from(["", "", "", "?", "*", "+", "{2}", "{1,2}", "{0,2}", "{2,}"])
BRANCHES = st.builds(
    lambda start, items, end: start + "".join(atom + times for atom, times in items) + end,
    st.sampled_from(["", "^"]),
    st.lists(st.tuples(ATOMS, TIMES), min_size=1, max_size=5),
    st.sampled_from(["", "$"]),
)
PATTERNS = st.lists(BRANCHES, min_size=1, max_size=2).map("|".join)
TEXTS = st.text(alphabet="ab1. cAX-]\n_", max_size=12).map(str.strip)


@given(PATTERNS, TEXTS, st.booleans())
def test_the_same_as_the_standard_library(pattern: str, text: str, case_sensitive: bool) -> None:
    flags = re.DOTALL if case_sensitive else re.DOTALL | re.IGNORECASE
    expected = re.search(pattern.replace("$", r"\Z"), text, flags) is not None
    assert matches(text, pattern, case_sensitive) is expected


@pytest.mark.parametrize(
    "text,pattern,expected",
    [
        ("Question 12: Why?\nAnswer: 4", r"^Question \d+: .+ Answer: .+$", False),
        ("Question 12: Why?\r\nAnswer: 4", r"^Question \d+: .+\s+Answer: .+$", True),
        ("see <<>> or <<>> here", "<<[^<>]+>>", False),
        ("see <<The Sea>> here", "<<[^<>]+>>", True),
        ("  padded \n", "^padded$", True),
        ("3.142", r"^\d+\.\d{3}$", True),
        ("3.14", r"^\d+\.\d{3}$", False),
        ("共３页", r"\d", True),
        ("cafe\u0301", "^caf\u00e9$", True),
        ("ze\u200bro", "^zero$", True),
        ("你好", "^[一-龥]+$", True),
        ("", "a*", True),
        ("b", "^a*$", False),
    ],
)
def test_matches(text: str, pattern: str, expected: bool) -> None:
    assert matches(text, pattern) is expected


@pytest.mark.parametrize(
    "pattern,reason",
    [
        ("(a)", "groups are not read"),
        (r"a\b", r"character 2: \\b is not read"),
        (r"(?=a)", "groups are not read"),
        ("a+?", "second quantifier"),
        ("a**", "second quantifier"),
        ("*a", "nothing to work on"),
        ("a$b", "end of an alternative only"),
        ("a{", "a number of times"),
        ("a{0}", "is never"),
        ("a{2,1}", "is never"),
        ("a{2000}", "at most 1000 times"),
        ("a{1000}b", "spells out 1001 characters"),
        ("[a", "does not close"),
        ("[b-a]", "goes from a character to a later one"),
        ("[[:alpha:]]", "names of classes"),
        ("\\", "nothing follows the backslash"),
        ("", "asks for nothing"),
        ("a|", "asks for nothing"),
        ("a" * (MAX_LENGTH + 1), "at most 500"),
    ],
)
def test_what_is_not_read_is_refused(pattern: str, reason: str) -> None:
    with pytest.raises(PatternError, match=reason):
        compiled(pattern)


@pytest.mark.parametrize("pattern", [r"a.*a.*a.*a.*a.*b", "a*a*a*a*a*a*b", "[ab]*[ab]*[ab]*c$", "a{0,999}b"])
def test_each_character_is_looked_at_once(pattern: str) -> None:
    """Backtracking would not come back from these."""
    assert not matches("a" * 20_000, pattern)
