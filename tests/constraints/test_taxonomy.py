"""The vocabulary of the paper, and the scope notation: it parses and prints back unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopeif.constraints.taxonomy import (
    PRIMARY_OF,
    SECONDARY_OF,
    PrimaryTarget,
    RangeCategory,
    ResponseUnit,
    Scope,
    ScopeStep,
    SecondaryTarget,
    Selector,
)
from scopeif.errors import ScopeTextError

STEPS = st.builds(ScopeStep, st.sampled_from(Selector), st.sampled_from(ResponseUnit))
SCOPES = st.lists(STEPS, min_size=1, max_size=4).map(lambda steps: Scope(tuple(steps)))


def test_the_vocabulary_has_the_sizes_of_the_paper() -> None:
    assert len(Selector) == 4
    assert len(ResponseUnit) == 7 + 1  # and lines
    assert len(PrimaryTarget) == 6
    assert len(SecondaryTarget) == 15
    assert len(RangeCategory) == 6
    assert set(PRIMARY_OF) == set(SecondaryTarget)
    assert set(SECONDARY_OF) == set(PrimaryTarget)


@given(SCOPES)
def test_scopes_parse_and_print_back(scope: Scope) -> None:
    assert Scope.parse(str(scope)) == scope


@pytest.mark.parametrize(
    "text",
    [
        "Global(Entire Response)",
        "Traversal(Paragraph) -> Position(Sentence)",
        "Condition(Structural Block) -> Traversal(Structural Element) -> Position(Word)",
        "Position(Line)",
    ],
)
def test_texts_print_back_unchanged(text: str) -> None:
    assert str(Scope.parse(text)) == text


def test_white_space_is_free() -> None:
    assert (
        str(Scope.parse("Traversal( Paragraph )->Position (Sentence)")) == "Traversal(Paragraph) -> Position(Sentence)"
    )


@pytest.mark.parametrize(
    "text,category",
    [
        ("Global(Entire Response)", "Global"),
        ("Condition(Sentence)", "Condition"),
        ("Traversal(Paragraph) -> Position(Sentence)", "Nested"),
    ],
)
def test_category(text: str, category: str) -> None:
    assert Scope.parse(text).category == category


@pytest.mark.parametrize(
    "text,reason",
    [
        ("", "not of the form"),
        ("Paragraph", "not of the form"),
        ("Traversal(Paragraph) ->", "not of the form"),
        ("Every(Paragraph)", "'Every' in scope"),
        ("Traversal(Paragraf)", "'Paragraf' in scope"),
        ("Traversal(Paragraph) => Position(Sentence)", "not of the form"),
    ],
)
def test_other_texts_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ScopeTextError, match=reason):
        Scope.parse(text)
