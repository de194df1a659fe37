"""Compatible combinations: how many, why not the others, and that a spec can express each."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from scopeif.constraints.categories import category, secondary_target
from scopeif.constraints.compatibility import (
    EXCLUSIONS,
    YES_OR_NO,
    Combination,
    combinations,
    compatible,
    key_of,
    reasons,
)
from scopeif.constraints.spec import AMOUNTS, Clause, Spec
from scopeif.constraints.taxonomy import PRIMARY_OF, PrimaryTarget, RangeCategory, Scope, SecondaryTarget, Selector

_R, _S = RangeCategory, SecondaryTarget

LAST_STEP: dict[Selector, dict[str, Any]] = {
    Selector.TRAVERSAL: {"select": "each", "unit": "list"},
    Selector.POSITION: {"select": "at", "unit": "list", "index": 2},
    Selector.CONDITION: {"select": "where", "unit": "list", "predicate": {"test": "contains", "text": "tea"}},
}
MEASURES: dict[SecondaryTarget, list[dict[str, Any]]] = {
    _S.TEXT_LENGTH: [{"kind": "length", "unit": "word"}],
    _S.UNIT_COUNT: [{"kind": "count", "unit": "sentence"}],
    _S.SPECIFIC_STRINGS: [{"kind": "occurrences", "text": "tea"}],
    _S.LITERAL_CLASSES: [{"kind": "class_count", "char_class": "digit"}],
    _S.CONTAINERS: [{"kind": "count", "unit": "table"}],
    _S.MEMBERS: [{"kind": "count", "unit": "list_item"}],
    _S.NESTING_DEPTH: [{"kind": "depth", "of": "list"}],
    _S.PRESENCE: [{"kind": "present", "text": "Price"}],
    _S.VALIDITY: [{"kind": "valid", "format": "json"}],
    _S.BOUNDARY: [{"kind": "wrapped", "by": "parentheses"}, {"kind": "divided", "by": "***"}],
    _S.SKELETON: [{"kind": "starts", "text": "Tea:"}],
    _S.SURFACE: [
        {"kind": "letter_case", "case": "upper"},
        {"kind": "count", "unit": "word", "where": {"test": "matches", "pattern": "^[A-Z]+$"}},
    ],
    _S.ORDERING_RELATIONS: [{"kind": "sorted", "unit": "list_item"}],
    _S.CHAINING_RELATIONS: [{"kind": "chained", "unit": "sentence"}],
    _S.POSITIONAL_RELATIONS: [{"kind": "acrostic", "unit": "list_item", "text": "TEA"}],
}
FIRST = {"to": "segment", "scope": [{"select": "at", "unit": "paragraph", "index": 1}]}
RANGES: dict[RangeCategory, dict[str, Any]] = {
    _R.ONE_SIDED_BOUNDS: {"kind": "bounds", "upper": 3},
    _R.PROHIBITION: {"kind": "bounds", "upper": 0},
    _R.EQUALITY: {"kind": "bounds", "lower": 1, "upper": 1},
    _R.INTERVALS: {"kind": "bounds", "lower": 2, "upper": 4},
    _R.COMPARISON: {"kind": "relative", "relation": "more", "to": FIRST},
    _R.ARITHMETIC_RELATIONS: {"kind": "relative", "relation": "equal", "to": FIRST, "factor": 2},
}


def chain(selector: Selector, nested: bool) -> list[dict[str, Any]]:
    outer = [{"select": "each", "unit": "section"}] if nested else []
    return [] if selector is Selector.GLOBAL else [*outer, LAST_STEP[selector]]


def spec_of(key: Combination, target: SecondaryTarget) -> Spec:
    """A spec of the key: relations and amounts take the measure of the Target that is an amount."""
    wants_amount = key.range not in (_R.EQUALITY, _R.PROHIBITION)
    measure = MEASURES[target][-1 if wants_amount else 0]
    clause = {"object": "x", "scope": chain(key.selector, key.nested), "measure": measure, "range": RANGES[key.range]}
    return Spec.model_validate({"clauses": [clause]})


def test_the_number_of_combinations() -> None:
    assert len(list(product(Selector, (False, True), PrimaryTarget, RangeCategory))) == 288
    assert len(combinations()) == len(set(combinations())) == 196
    assert len(combinations(secondary=True)) == 448


def test_each_exclusion_is_needed_and_has_a_reason() -> None:
    everything = list(product(Selector, (False, True), SecondaryTarget, RangeCategory))
    for exclusion in EXCLUSIONS:
        assert exclusion.reason
        others = [one for one in EXCLUSIONS if one is not exclusion]
        held = [key for key in everything if exclusion.holds(*key)]
        assert any(not any(one.holds(*key) for one in others) for key in held), exclusion.reason


@pytest.mark.parametrize("key", combinations(secondary=True), ids=lambda key: "-".join(map(str, key)))
def test_every_compatible_combination_has_a_spec(key: Combination) -> None:
    assert isinstance(key.target, SecondaryTarget)
    got = category(spec_of(key, key.target))
    assert key_of(Scope.parse(got.scope), got.target.secondary, got.range) == key


def test_every_primary_key_is_that_of_a_spec() -> None:
    made = set()
    for key in combinations(secondary=True):
        assert isinstance(key.target, SecondaryTarget)
        got = category(spec_of(key, key.target))
        made.add(key_of(Scope.parse(got.scope), got.target.primary, got.range))
    assert made == set(combinations())


def test_a_primary_target_goes_where_one_of_its_secondaries_goes() -> None:
    for selector, nested, primary, range_ in product(Selector, (False, True), PrimaryTarget, RangeCategory):
        inner = [one for one, its in PRIMARY_OF.items() if its is primary]
        expected = any(compatible(selector, nested, one, range_) for one in inner)
        assert compatible(selector, nested, primary, range_) is expected
        assert bool(reasons(selector, nested, primary, range_)) is not expected


def test_what_has_amounts_is_what_the_spec_language_says() -> None:
    amounts = set()
    for target, measures in MEASURES.items():
        for measure in measures:
            clause = {"object": "x", "measure": measure, "range": RANGES[_R.EQUALITY]}
            made = Clause.model_validate(clause).measure
            assert secondary_target(made) is target
            if isinstance(made, AMOUNTS):
                amounts.add(target)
    assert set(SecondaryTarget) - amounts == YES_OR_NO


@pytest.mark.parametrize("target", sorted(YES_OR_NO))
def test_yes_or_no_stands_in_no_relation(target: SecondaryTarget) -> None:
    (measure,) = MEASURES[target]
    with pytest.raises(ValueError, match="yes or no"):
        Clause.model_validate({"object": "x", "measure": measure, "range": RANGES[_R.COMPARISON]})
    assert not compatible(Selector.GLOBAL, False, target, _R.COMPARISON)
    assert compatible(Selector.GLOBAL, False, target, _R.EQUALITY)


def test_the_innermost_selector_is_the_key_of_a_nested_scope() -> None:
    scope = Scope.parse("Traversal(Paragraph) -> Position(Sentence)")
    assert key_of(scope, PrimaryTarget.CAPACITY, _R.EQUALITY)[:2] == (Selector.POSITION, True)
    assert reasons(Selector.GLOBAL, True, PrimaryTarget.CAPACITY, _R.EQUALITY) == (EXCLUSIONS[0].reason,)


def test_the_table_of_the_docs_says_the_same() -> None:
    page = (Path(__file__).parents[2] / "docs" / "data.md").read_text(encoding="utf-8")
    for primary in PrimaryTarget:
        (line,) = [line for line in page.splitlines() if line.startswith(f"| {primary.value} |")]
        shown = [int(cell.split()[0]) if cell.split()[0].isdigit() else 0 for cell in line.strip("|").split("|")[1:]]
        counts = [sum(one.target is primary and one.range is range_ for one in combinations()) for range_ in _R]
        assert shown == counts, primary
    assert f"has {len(combinations())};" in page
