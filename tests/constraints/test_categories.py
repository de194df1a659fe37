"""The taxonomy categories that a formal spec belongs to."""

from typing import Any, get_args

import pytest

from scopeif.constraints.categories import RESPONSE_UNITS, category
from scopeif.constraints.spec import Spec, Unit
from scopeif.constraints.taxonomy import RangeCategory, SecondaryTarget

WORDS = {"kind": "length", "unit": "word"}
AT_MOST = {"kind": "bounds", "upper": 3}
EACH = {"select": "each", "unit": "paragraph"}
LAST = {"select": "at", "unit": "sentence", "index": -1}
HOWEVER = {"select": "where", "unit": "list_item", "predicate": {"test": "contains", "text": "however"}}


def made(scope: list[dict[str, Any]], measure: dict[str, Any] = WORDS, range_: dict[str, Any] = AT_MOST) -> Spec:
    return Spec.model_validate({"clauses": [{"object": "x", "scope": scope, "measure": measure, "range": range_}]})


@pytest.mark.parametrize(
    "scope,expected",
    [
        ([], "Global(Entire Response)"),
        ([{"select": "each", "unit": "response"}], "Global(Entire Response)"),
        ([EACH], "Traversal(Paragraph)"),
        ([EACH, LAST], "Traversal(Paragraph) -> Position(Sentence)"),
        ([{"select": "each", "unit": "list"}, HOWEVER], "Traversal(Structural Block) -> Condition(Structural Element)"),
        ([{"select": "at", "unit": "line", "index": 1}], "Position(Line)"),
    ],
)
def test_scope(scope: list[dict[str, Any]], expected: str) -> None:
    assert category(made(scope)).scope == expected


def test_target_and_range() -> None:
    found = category(made([], {"kind": "count", "unit": "list_item"}, {"kind": "bounds", "lower": 0, "upper": 0}))
    assert found.target.secondary is SecondaryTarget.MEMBERS
    assert found.range is RangeCategory.PROHIBITION


def test_every_unit_has_a_response_unit() -> None:
    assert set(RESPONSE_UNITS) == set(get_args(Unit))
