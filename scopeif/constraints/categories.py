"""The taxonomy categories of a formal spec, read from its first clause."""

from __future__ import annotations

from typing import NamedTuple

from scopeif.constraints.models import Target
from scopeif.constraints.spec import (
    At,
    Each,
    Selection,
    Spec,
    Unit,
    Where,
    primary_target,
    range_category,
    secondary_target,
)
from scopeif.constraints.taxonomy import RangeCategory, ResponseUnit, Scope, ScopeStep, Selector

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
