"""The taxonomy categories of a formal spec, read from its first clause."""

from __future__ import annotations

from typing import NamedTuple

from scopeif.constraints.models import Target
from scopeif.constraints.spec import (
    At,
    Count,
    Each,
    MatchesPattern,
    Measure,
    Range,
    Relative,
    Selection,
    Spec,
    Unit,
    Where,
)
from scopeif.constraints.taxonomy import (
    PRIMARY_OF,
    PrimaryTarget,
    RangeCategory,
    ResponseUnit,
    Scope,
    ScopeStep,
    SecondaryTarget,
    Selector,
)

_SELECTORS = {Each: Selector.TRAVERSAL, At: Selector.POSITION, Where: Selector.CONDITION}
_BLOCK, _ELEMENT = ResponseUnit.STRUCTURAL_BLOCK, ResponseUnit.STRUCTURAL_ELEMENT
RESPONSE_UNITS: dict[Unit, ResponseUnit] = {
    "response": ResponseUnit.ENTIRE_RESPONSE,
    "section": _BLOCK,
    "list": _BLOCK,
    "table": _BLOCK,
    "code_block": _BLOCK,
    "json_value": _BLOCK,
    "quote": _BLOCK,
    "heading": _ELEMENT,
    "list_item": _ELEMENT,
    "table_row": _ELEMENT,
    "table_cell": _ELEMENT,
    "json_pair": _ELEMENT,
    "highlight": _ELEMENT,
    "placeholder": _ELEMENT,
    "paragraph": ResponseUnit.PARAGRAPH,
    "sentence": ResponseUnit.SENTENCE,
    "word": ResponseUnit.WORD,
    "character": ResponseUnit.CHARACTER,
    "line": ResponseUnit.LINE,
}
"""The response unit (paper, appendix A.1) that each unit of a spec belongs to."""


class Category(NamedTuple):
    """Scope text, Target and Range category, as `scopeif.constraints.models.Constraint` holds them."""

    scope: str
    target: Target
    range: RangeCategory


def category(spec: Spec) -> Category:
    """The categories of a spec; a spec of several clauses has those of its first."""
    clause = spec.clauses[0]
    steps = tuple(_step(step) for step in clause.scope if step.unit != "response")
    scope = Scope(steps or (ScopeStep(Selector.GLOBAL, ResponseUnit.ENTIRE_RESPONSE),))
    target = Target(primary=primary_target(clause.measure), secondary=secondary_target(clause.measure))
    return Category(str(scope), target, range_category(clause.range))


def _step(step: Selection) -> ScopeStep:
    return ScopeStep(_SELECTORS[type(step)], RESPONSE_UNITS[step.unit])


_TARGET_OF_KIND = {
    "length": SecondaryTarget.TEXT_LENGTH,
    "occurrences": SecondaryTarget.SPECIFIC_STRINGS,
    "class_count": SecondaryTarget.LITERAL_CLASSES,
    "repeats": SecondaryTarget.LITERAL_CLASSES,
    "matches": SecondaryTarget.SKELETON,
    "starts": SecondaryTarget.SKELETON,
    "ends": SecondaryTarget.SKELETON,
    "wrapped": SecondaryTarget.BOUNDARY,
    "divided": SecondaryTarget.BOUNDARY,
    "letter_case": SecondaryTarget.SURFACE,
    "present": SecondaryTarget.PRESENCE,
    "valid": SecondaryTarget.VALIDITY,
    "depth": SecondaryTarget.NESTING_DEPTH,
    "sorted": SecondaryTarget.ORDERING_RELATIONS,
    "chained": SecondaryTarget.CHAINING_RELATIONS,
    "acrostic": SecondaryTarget.POSITIONAL_RELATIONS,
}
_CONTAINERS = {"section", "list", "table", "code_block", "json_value"}
_NATURAL = {"paragraph", "sentence", "line", "word", "character", "response"}


def secondary_target(measure: Measure) -> SecondaryTarget:
    """The Target subcategory (appendix A.2) that a measure belongs to."""
    if isinstance(measure, Count):
        if isinstance(measure.where, MatchesPattern):
            return SecondaryTarget.SURFACE
        if measure.unit in _NATURAL:
            return SecondaryTarget.UNIT_COUNT
        return SecondaryTarget.CONTAINERS if measure.unit in _CONTAINERS else SecondaryTarget.MEMBERS
    return _TARGET_OF_KIND[measure.kind]


def primary_target(measure: Measure) -> PrimaryTarget:
    """The major Target category (appendix A.2) that a measure belongs to."""
    return PRIMARY_OF[secondary_target(measure)]


def range_category(range_: Range) -> RangeCategory:
    """The Range category (appendix A.3) of a range."""
    if isinstance(range_, Relative):
        exact = range_.relation == "equal"
        return RangeCategory.ARITHMETIC_RELATIONS if exact else RangeCategory.COMPARISON
    if range_.upper == 0 and range_.lower in (None, 0):
        return RangeCategory.PROHIBITION
    if range_.lower is None or range_.upper is None:
        return RangeCategory.ONE_SIDED_BOUNDS
    if range_.lower == range_.upper:
        return RangeCategory.EQUALITY
    return RangeCategory.INTERVALS
