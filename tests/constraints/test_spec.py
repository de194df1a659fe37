"""The spec language: JSON there and back, every category of the paper has a form, and mistakes are named."""

from typing import Any, get_args

import pytest
from hypothesis import given
from pydantic import ValidationError

from scopeif.constraints.categories import category, secondary_target
from scopeif.constraints.spec import AMOUNTS, Amount, Measure, Spec
from scopeif.constraints.taxonomy import RangeCategory, Scope, SecondaryTarget, Selector
from tests.measure.specs import COUNT_SENTENCES, SPECS, WORDS, at, bounds, clause, each, relative, spec, where


@given(SPECS)
def test_json_there_and_back(what: Spec) -> None:
    assert Spec.model_validate_json(what.model_dump_json()) == what
    assert Spec.model_validate(what.model_dump(mode="json", exclude_none=True)) == what


CAPITALS = {"kind": "count", "unit": "word", "where": {"test": "matches", "pattern": "^[A-Z]+$"}}
OF_TARGET: dict[SecondaryTarget, list[dict[str, Any]]] = {
    SecondaryTarget.TEXT_LENGTH: [WORDS],
    SecondaryTarget.UNIT_COUNT: [COUNT_SENTENCES, {"kind": "count", "unit": "line"}],
    SecondaryTarget.SPECIFIC_STRINGS: [{"kind": "occurrences", "text": "tide"}],
    SecondaryTarget.LITERAL_CLASSES: [
        {"kind": "class_count", "char_class": "digit"},
        {"kind": "repeats", "unit": "word"},
    ],
    SecondaryTarget.CONTAINERS: [{"kind": "count", "unit": "table"}],
    SecondaryTarget.MEMBERS: [{"kind": "count", "unit": "json_pair", "where": {"test": "starts", "text": '"type"'}}],
    SecondaryTarget.NESTING_DEPTH: [{"kind": "depth", "of": "json"}],
    SecondaryTarget.PRESENCE: [{"kind": "present", "text": "maybe"}],
    SecondaryTarget.VALIDITY: [{"kind": "valid", "format": "decimal"}, {"kind": "valid", "format": "json"}],
    SecondaryTarget.BOUNDARY: [{"kind": "wrapped", "by": "parentheses"}, {"kind": "divided"}],
    SecondaryTarget.SKELETON: [
        {"kind": "matches", "pattern": r"^Question \d+: .+$"},
        {"kind": "starts", "text": "Dear"},
    ],
    SecondaryTarget.SURFACE: [{"kind": "letter_case", "case": "upper"}, CAPITALS],
    SecondaryTarget.ORDERING_RELATIONS: [{"kind": "sorted", "unit": "list_item"}],
    SecondaryTarget.CHAINING_RELATIONS: [{"kind": "chained", "unit": "sentence"}],
    SecondaryTarget.POSITIONAL_RELATIONS: [{"kind": "acrostic", "unit": "line", "text": "CAT"}],
}
OF_RANGE = {
    RangeCategory.ONE_SIDED_BOUNDS: [bounds(2), bounds(None, 2)],
    RangeCategory.PROHIBITION: [bounds(None, 0), bounds(0, 0)],
    RangeCategory.EQUALITY: [bounds(2, 2)],
    RangeCategory.INTERVALS: [bounds(2, 5)],
    RangeCategory.COMPARISON: [relative("more", previous=True), relative("at_most", at("paragraph", 1))],
    RangeCategory.ARITHMETIC_RELATIONS: [
        relative("equal", at("paragraph", 1), factor=2),
        {"kind": "relative", "relation": "equal", "to": {"to": "same", "measure": WORDS}},
    ],
}
OF_SELECTOR = {
    Selector.GLOBAL: [],
    Selector.TRAVERSAL: [each("paragraph")],
    Selector.POSITION: [at("paragraph", -1)],
    Selector.CONDITION: [where("paragraph", test="contains", text="tide")],
}


def test_every_target_has_a_measure() -> None:
    assert set(OF_TARGET) == set(SecondaryTarget)
    for target, measures in OF_TARGET.items():
        for measure in measures:
            assert category(spec(clause(bounds(1), measure))).target.secondary is target


def test_every_range_has_a_form() -> None:
    assert set(OF_RANGE) == set(RangeCategory)
    for name, ranges in OF_RANGE.items():
        for range_ in ranges:
            assert category(spec(clause(range_, WORDS, each("section")))).range is name


def test_every_selector_nests_to_depth_three() -> None:
    for outer, first in OF_SELECTOR.items():
        for middle, second in OF_SELECTOR.items():
            for inner, third in OF_SELECTOR.items():
                scope = Scope.parse(category(spec(clause(bounds(1), WORDS, *first, *second, *third))).scope)
                wanted = [selector for selector in (outer, middle, inner) if selector is not Selector.GLOBAL]
                assert [step.selector for step in scope.steps] == (wanted or [Selector.GLOBAL])


def test_amounts_are_the_measures_that_relations_take() -> None:
    union = get_args(get_args(Amount)[0])
    assert set(union) == set(AMOUNTS) <= set(get_args(get_args(Measure)[0]))


def test_a_count_under_a_pattern_is_a_surface() -> None:
    (counted,) = spec(clause(bounds(1), CAPITALS)).clauses
    assert secondary_target(counted.measure) is SecondaryTarget.SURFACE


@pytest.mark.parametrize(
    "what,reason",
    [
        (clause(bounds(1), {"kind": "matches", "pattern": "(a+)+"}), "groups are not read"),
        (clause(bounds(1), WORDS, where("line", test="matches", pattern="[a")), "does not close"),
        (clause(bounds(1), WORDS, where("line", test="under_heading", text="")), "at least 1 character"),
        (clause(bounds(1), WORDS, at("line", 0)), "1-based"),
        (clause(bounds(), WORDS), "lower or an upper"),
        (clause(bounds(3, 2), WORDS), "above upper bound"),
        (clause(bounds(1), WORDS, *[each("paragraph")] * 4), "at most 3 items"),
        (clause(bounds(1), {"kind": "matches", "pattern": "a", "flags": "i"}), "Extra inputs"),
        (clause(relative("more", previous=True), {"kind": "matches", "pattern": "a"}), "only amounts"),
        (clause({**relative("more"), "to": {"to": "same", "measure": {"kind": "present", "text": "a"}}}, WORDS),
         "does not match any of the expected tags"),
    ],
)  # fmt: skip
def test_mistakes_are_named(what: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValidationError, match=reason):
        spec(what)
