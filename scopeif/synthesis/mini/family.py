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
from scopeif.synthesis.mini.plan import Demand, Interval, Layout, Place, Plan
from scopeif.synthesis.naming import counting_object
from scopeif.synthesis.seeds import Seed

ENGLISH = ("en",)
"""The languages of a family that asks for what Chinese does not have."""

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


Clauses = tuple[sp.Clause, ...]
Builder = Callable[[Draw], Clauses]


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


def clause(measure: sp.Measure, range_: sp.Range, *scope: sp.Selection) -> Clauses:
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


# -- what several families ask ---------------------------------------------------------------------------


def words_up_to(draw: Draw, upper: int, place: Place, *scope: sp.Selection) -> Clauses:
    """At most so many words at a place."""
    draw.plan.at(place, Demand(words=Interval(1, upper)))
    return clause(sp.Length(unit="word"), at_most(upper), *scope)


def start_with(draw: Draw, text: str, place: Place, *scope: sp.Selection) -> Clauses:
    """A first word at a place."""
    draw.plan.at(place, Demand(start=text))
    return clause(sp.Starts(text=text), ONE, *scope)


def end_with(draw: Draw, text: str, place: Place, *scope: sp.Selection) -> Clauses:
    """An end at a place."""
    draw.plan.at(place, Demand(end=text))
    return clause(sp.Ends(text=text), ONE, *scope)


def hold_present(draw: Draw, place: Place, *scope: sp.Selection) -> Clauses:
    """A topic word at a place, as an element that is there or not."""
    word = draw.word()
    draw.plan.at(place, Demand(needs=(word,)))
    return clause(sp.Present(text=word), ONE, *scope)


def hold_some(draw: Draw, place: Place, *scope: sp.Selection) -> Clauses:
    """A topic word at a place, once or more often."""
    word = draw.word()
    draw.plan.at(place, Demand(needs=(word,)))
    return clause(sp.Occurrences(text=word), at_least(1), *scope)


def where_held(draw: Draw, word: str, condition: Demand, unit: sp.Unit) -> sp.Where:
    """The units that hold a topic word, and a demand on them."""
    draw.plan.need(word, lower=1)
    draw.plan.where[word] = condition
    return sp.Where(unit=unit, predicate=sp.Contains(text=word))


def no_marks(char_class: sp.CharacterClass, *scope: sp.Selection) -> Builder:
    """A family that forbids a class of characters."""

    def build(draw: Draw) -> Clauses:
        draw.plan.mark(char_class, upper=0)
        return clause(sp.ClassCount(char_class=char_class), NONE, *scope)

    return build
