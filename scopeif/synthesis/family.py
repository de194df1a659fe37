"""A constraint family: one way to draw a constraint that narrows the plan of an instruction.

A family draws its own numbers and words, tells the plan what they ask for, and returns the clauses of a spec.
Two families that share an aspect never stand in one instruction: they would contradict or repeat each other.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from scopeif.constraints import spec as sp
from scopeif.errors import SpecError
from scopeif.synthesis.plan import Layout, Plan
from scopeif.synthesis.seeds import Seed

_T = TypeVar("_T")


@dataclass
class Draw:
    """One instruction in the making: its seed, its plan, and the topic words that are taken."""

    rng: random.Random
    seed: Seed
    plan: Plan
    taken: set[str] = field(default_factory=set)

    def word(self) -> str:
        """A topic word that no constraint speaks of yet.

        Raises:
            SpecError: all are taken.
        """
        free = [word for word in self.seed.words if word not in self.taken]
        if not free:
            raise SpecError(f"seed {self.seed.id} has no topic word left")
        word = self.rng.choice(free)
        self.taken.add(word)
        return word

    def pick(self, en: Sequence[_T], zh: Sequence[_T]) -> _T:
        """One of the values for the language at hand."""
        return self.rng.choice(zh if self.plan.language == "zh" else en)


Builder = Callable[[Draw], tuple[sp.Clause, ...]]


class Family(NamedTuple):
    """A builder with its weight, the aspects that it settles, and where it may be drawn."""

    build: Builder
    weight: int
    aspects: frozenset[str]
    layouts: tuple[Layout, ...]
    languages: tuple[str, ...]


def family(
    build: Builder,
    weight: int,
    aspects: str,
    layouts: tuple[Layout, ...] = ("prose",),
    languages: tuple[str, ...] = ("en", "zh"),
) -> Family:
    """A family, with its aspects as one text of words."""
    return Family(build, weight, frozenset(aspects.split()), layouts, languages)


def clause(measure: sp.Measure, range_: sp.Range, *scope: sp.Selection) -> tuple[sp.Clause, ...]:
    """A constraint of one clause, with its counting object in words."""
    return (sp.Clause(object=counting_object(measure, scope), scope=scope, measure=measure, range=range_),)


def exactly(value: int) -> sp.Bounds:
    """The range [value, value]."""
    return sp.Bounds(lower=value, upper=value)


def at_most(value: int) -> sp.Bounds:
    """The range up to `value`."""
    return sp.Bounds(upper=value)


def at_least(value: int) -> sp.Bounds:
    """The range from `value`."""
    return sp.Bounds(lower=value)


def between(lower: int, upper: int) -> sp.Bounds:
    """The range [lower, upper]."""
    return sp.Bounds(lower=lower, upper=upper)


NONE = exactly(0)
ONE = exactly(1)


# -- counting objects in words ---------------------------------------------------------------------------


def counting_object(measure: sp.Measure, scope: Sequence[sp.Selection]) -> str:
    """What is measured and where, e.g. ``words in the last sentence of each paragraph``."""
    where = " of ".join(_segment(selection) for selection in reversed(scope)) or "the response"
    match measure:
        case sp.Length(unit=unit) | sp.Count(unit=unit):
            return f"{_plural(unit)} in {where}"
        case sp.Occurrences(text=text):
            return f'occurrences of "{text}" in {where}'
        case sp.ClassCount(char_class=char_class):
            return f"{_plural(char_class)} in {where}"
        case sp.Starts(text=text):
            return f'{where} starting with "{text}"'
        case sp.Ends(text=text):
            return f'{where} ending with "{text}"'
        case sp.Wrapped(by=by):
            return f"{where} being wrapped in {by.replace('_', ' ')}"
        case sp.Divided(by=by):
            return f'parts of {where} between lines of "{by}"'
        case sp.LetterCase(case=case):
            return f"{where} being in {case} case"
        case sp.Present(text=text):
            return f'"{text}" being present in {where}'
        case sp.Valid(format=format_):
            return f"{where} being valid as {format_.replace('_', ' ')}"
        case sp.Depth(of=of):
            return f"nesting depth of the {'JSON value' if of == 'json' else 'list'} in {where}"
        case sp.Sorted(unit=unit):
            return f"{_plural(unit)} in alphabetical order in {where}"
        case sp.Chained(unit=unit):
            return f"{_plural(unit)} chained by their last and first words in {where}"
        case sp.Acrostic(unit=unit, text=text):
            return f'first letters of the {_plural(unit)} in {where} spelling "{text}"'
    raise SpecError(f"measure {measure!r} has no name")


def _plural(unit: str) -> str:
    return unit.replace("_", " ") + "s"


def _segment(selection: sp.Selection) -> str:
    unit = selection.unit.replace("_", " ")
    if isinstance(selection, sp.Each):
        return f"each {unit}"
    if isinstance(selection, sp.At):
        names = {1: "the first", 2: "the second", 3: "the third", -1: "the last"}
        return f"{names.get(selection.index, f'number {selection.index}')} {unit}"
    return f"each {unit} {_test(selection.predicate)}"


def _test(predicate: sp.Predicate) -> str:
    match predicate:
        case sp.Contains(text=text):
            return f'that contains "{text}"'
        case sp.StartsWith(text=text):
            return f'that starts with "{text}"'
        case sp.IndexIs(modulus=2, remainder=1):
            return "with an odd number"
        case sp.LengthIs(unit=unit, lower=int(lower), upper=None):
            return f"of at least {lower} {_plural(unit)}"
    return "that meets the condition"
