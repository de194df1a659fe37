"""The closed vocabulary of the constraint schema (paper, section 4.1 and appendix A).

A constraint is ⟨Scope, Target, Range⟩. This module names the categories of each dimension; `Scope` reads and
prints the scope notation, e.g. ``Traversal(Paragraph) -> Position(Sentence)``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from scopeif.errors import ScopeTextError


class Selector(str, Enum):
    """How segments are selected (appendix A.1)."""

    GLOBAL = "Global"
    TRAVERSAL = "Traversal"
    POSITION = "Position"
    CONDITION = "Condition"


class ResponseUnit(str, Enum):
    """What a selector operates over: the paper's seven response units, and lines."""

    ENTIRE_RESPONSE = "Entire Response"
    STRUCTURAL_BLOCK = "Structural Block"
    STRUCTURAL_ELEMENT = "Structural Element"
    PARAGRAPH = "Paragraph"
    SENTENCE = "Sentence"
    WORD = "Word"
    CHARACTER = "Character"
    LINE = "Line"


class PrimaryTarget(str, Enum):
    """The six major Target categories (appendix A.2)."""

    CAPACITY = "Capacity"
    LITERALS = "Literals"
    STRUCTURE = "Structure"
    CHECKLIST = "Checklist"
    PATTERN = "Pattern"
    RELATIONS = "Relations"


class SecondaryTarget(str, Enum):
    """The fifteen Target subcategories (appendix A.2)."""

    TEXT_LENGTH = "Text Length"
    UNIT_COUNT = "Unit Count"
    SPECIFIC_STRINGS = "Specific Strings"
    LITERAL_CLASSES = "Literal Classes"
    CONTAINERS = "Containers"
    MEMBERS = "Members"
    NESTING_DEPTH = "Nesting Depth"
    PRESENCE = "Presence"
    VALIDITY = "Validity"
    BOUNDARY = "Boundary"
    SKELETON = "Skeleton"
    SURFACE = "Surface"
    ORDERING_RELATIONS = "Ordering Relations"
    CHAINING_RELATIONS = "Chaining Relations"
    POSITIONAL_RELATIONS = "Positional Relations"


_P, _S = PrimaryTarget, SecondaryTarget
SECONDARY_OF: dict[PrimaryTarget, tuple[SecondaryTarget, ...]] = {
    _P.CAPACITY: (_S.TEXT_LENGTH, _S.UNIT_COUNT),
    _P.LITERALS: (_S.SPECIFIC_STRINGS, _S.LITERAL_CLASSES),
    _P.STRUCTURE: (_S.CONTAINERS, _S.MEMBERS, _S.NESTING_DEPTH),
    _P.CHECKLIST: (_S.PRESENCE, _S.VALIDITY),
    _P.PATTERN: (_S.BOUNDARY, _S.SKELETON, _S.SURFACE),
    _P.RELATIONS: (_S.ORDERING_RELATIONS, _S.CHAINING_RELATIONS, _S.POSITIONAL_RELATIONS),
}
PRIMARY_OF: dict[SecondaryTarget, PrimaryTarget] = {
    secondary: primary for primary, secondaries in SECONDARY_OF.items() for secondary in secondaries
}


class RangeCategory(str, Enum):
    """The six Range categories (appendix A.3); the last two are relative."""

    ONE_SIDED_BOUNDS = "One-Sided Bounds"
    PROHIBITION = "Prohibition"
    EQUALITY = "Equality"
    INTERVALS = "Intervals"
    COMPARISON = "Comparison"
    ARITHMETIC_RELATIONS = "Arithmetic Relations"


@dataclass(frozen=True)
class ScopeStep:
    """One selection operation over one response unit."""

    selector: Selector
    unit: ResponseUnit

    def __str__(self) -> str:
        return f"{self.selector.value}({self.unit.value})"


_E = TypeVar("_E", bound=Enum)
_STEP = re.compile(r"\s*([A-Za-z]+)\s*\(\s*([A-Za-z ]+?)\s*\)\s*")


@dataclass(frozen=True)
class Scope:
    """A chain of selections, outermost first; one step is single-layer, more are *Nested*."""

    steps: tuple[ScopeStep, ...]

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read ``Selector(Unit) -> Selector(Unit)``.

        Raises:
            ScopeTextError: an unknown selector or unit, an empty chain, or other text.
        """
        steps = []
        for part in text.split("->"):
            match = _STEP.fullmatch(part)
            if match is None:
                raise ScopeTextError(f"{part.strip()!r} in scope {text!r} is not of the form Selector(Unit)")
            steps.append(ScopeStep(_member(Selector, match[1], text), _member(ResponseUnit, match[2], text)))
        return cls(tuple(steps))

    @property
    def nested(self) -> bool:
        return len(self.steps) > 1

    @property
    def category(self) -> str:
        """The category by which results are reported: a selector's name, or ``Nested``."""
        return "Nested" if self.nested else self.steps[0].selector.value

    def __str__(self) -> str:
        return " -> ".join(str(step) for step in self.steps)


def _member(kind: type[_E], name: str, text: str) -> _E:
    try:
        return kind(name)
    except ValueError:
        known = ", ".join(str(member.value) for member in kind)
        raise ScopeTextError(f"{name!r} in scope {text!r} is unknown", fix=f"use one of: {known}") from None
