"""Which combination of Scope, Target and Range the next constraint of a draft is to have."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar

from scopeif.constraints.categories import range_category, secondary_target
from scopeif.constraints.compatibility import Combination, combinations, compatible
from scopeif.constraints.spec import Spec
from scopeif.constraints.taxonomy import RangeCategory, SecondaryTarget, Selector
from scopeif.synthesis.asks import ASKS, TOP, WITHIN, Ask
from scopeif.synthesis.document import Form

_R, _S = RangeCategory, SecondaryTarget
_T = TypeVar("_T")

SCOPE_WEIGHTS: dict[tuple[Selector, bool], int] = {
    (Selector.GLOBAL, False): 34, (Selector.TRAVERSAL, False): 18, (Selector.POSITION, False): 20,
    (Selector.CONDITION, False): 10, (Selector.TRAVERSAL, True): 5, (Selector.POSITION, True): 10,
    (Selector.CONDITION, True): 3,
}  # fmt: skip
TARGET_WEIGHTS: dict[SecondaryTarget, int] = {
    _S.TEXT_LENGTH: 17, _S.UNIT_COUNT: 15, _S.SPECIFIC_STRINGS: 8, _S.LITERAL_CLASSES: 6, _S.CONTAINERS: 9,
    _S.MEMBERS: 9, _S.NESTING_DEPTH: 5, _S.PRESENCE: 13, _S.VALIDITY: 12, _S.BOUNDARY: 5, _S.SKELETON: 13,
    _S.SURFACE: 6, _S.ORDERING_RELATIONS: 10, _S.CHAINING_RELATIONS: 6, _S.POSITIONAL_RELATIONS: 10,
}  # fmt: skip
RANGE_WEIGHTS: dict[RangeCategory, int] = {
    _R.ONE_SIDED_BOUNDS: 30, _R.PROHIBITION: 12, _R.EQUALITY: 28, _R.INTERVALS: 13, _R.COMPARISON: 9,
    _R.ARITHMETIC_RELATIONS: 8,
}  # fmt: skip
_SELDOM_FORBIDDEN = frozenset(
    {_S.VALIDITY, _S.ORDERING_RELATIONS, _S.CHAINING_RELATIONS, _S.POSITIONAL_RELATIONS, _S.BOUNDARY, _S.SURFACE}
)
"""Nobody often asks a writer not to sort, chain or wrap: these prohibitions come only as often as coverage needs."""
_SELDOM_COMPARED = frozenset({_S.SPECIFIC_STRINGS, _S.BOUNDARY, _S.NESTING_DEPTH, _S.SURFACE})
"""So are comparisons of how often a word stands somewhere."""


class Option(NamedTuple):
    """A combination with the ask that can make it."""

    combination: Combination
    ask: Ask


class Menu(NamedTuple):
    """The options of a kind of document, by combination."""

    asks: dict[Combination, tuple[Ask, ...]]
    weights: tuple[float, ...]
    openers: tuple[Option, ...]

    def draw(self, rng: random.Random) -> Option:
        """An option."""
        return self.option(rng.choices(list(self.asks), self.weights)[0], rng)

    def option(self, name: Combination, rng: random.Random) -> Option:
        """One of the ways to make a combination."""
        asks = self.asks[name]
        return Option(name, asks[0] if len(asks) == 1 else rng.choices(asks, [ask.weight for ask in asks])[0])


@lru_cache(maxsize=4096)
def menu(form: Form, present: frozenset[str], language: str, traits: frozenset[str]) -> Menu:
    """What can be asked of a document of a form that holds these units, in the answer to a task with these traits."""
    asks: dict[Combination, list[Ask]] = {}
    openers: list[Option] = []
    for ask in ASKS:
        if (ask.forms and form not in ask.forms) or language not in ask.languages or {ask.needs} - traits - {""}:
            continue
        for (selector, nested), range_ in _pairs():
            fits = range_ in ask.ranges and compatible(selector, nested, ask.target, range_)
            if fits and _has_scope(ask, selector, nested, present):
                combination = Combination(selector, nested, ask.target, range_)
                asks.setdefault(combination, []).append(ask)
                if form in ask.opens and selector is Selector.GLOBAL and range_ not in _NO_OPENING:
                    openers.append(Option(combination, ask))
    weights = tuple(_weight(name) * min(sum(ask.weight for ask in some), 10) for name, some in asks.items())
    return Menu({name: tuple(some) for name, some in asks.items()}, weights, tuple(openers))


@lru_cache(maxsize=16)
def wishes(language: str, traits: frozenset[str]) -> dict[Combination, frozenset[Form]]:
    """Every compatible combination that some ask can make in a language, with the forms that can hold it."""
    found: dict[Combination, frozenset[Form]] = {}
    for name in combinations(secondary=True):
        for ask in ASKS:
            units = frozenset(TOP)
            fits = ask.target is name.target and name.range in ask.ranges and language in ask.languages
            fits = fits and not {ask.needs} - traits - {""}
            if fits and _has_scope(ask, name.selector, name.nested, units):
                found[name] = found.get(name, frozenset()) | (ask.forms or frozenset({"prose", "sections", "list"}))
    return found


def combination_of(spec: Spec) -> Combination:
    """The combination of categories that a spec is an instance of."""
    clause = spec.clauses[0]
    steps = [step for step in clause.scope if step.unit != "response"]
    selector = _SELECTORS[steps[-1].select] if steps else Selector.GLOBAL
    return Combination(selector, len(steps) > 1, secondary_target(clause.measure), range_category(clause.range))


_SELECTORS = {"each": Selector.TRAVERSAL, "at": Selector.POSITION, "where": Selector.CONDITION}
_NO_OPENING = frozenset({_R.PROHIBITION, _R.COMPARISON, _R.ARITHMETIC_RELATIONS})


def _pairs() -> Sequence[tuple[tuple[Selector, bool], RangeCategory]]:
    return [(scope, range_) for scope in SCOPE_WEIGHTS for range_ in RangeCategory]


def _weight(name: Combination) -> float:
    weight = float(SCOPE_WEIGHTS[name.selector, name.nested] * TARGET_WEIGHTS[SecondaryTarget(name.target)])
    weight *= RANGE_WEIGHTS[name.range]
    if name.range is _R.PROHIBITION and name.target in _SELDOM_FORBIDDEN:
        weight *= 0.02
    if name.target in _SELDOM_COMPARED and name.range in (_R.COMPARISON, _R.ARITHMETIC_RELATIONS):
        weight *= 0.15
    return weight


def _has_scope(ask: Ask, selector: Selector, nested: bool, present: frozenset[str]) -> bool:
    if selector is Selector.GLOBAL:
        return "response" in ask.units
    if nested:
        return any(unit in ask.units and unit in present for outer in present for unit in WITHIN.get(outer, ()))
    wordless = ask.units - {"word"} if selector is Selector.TRAVERSAL else ask.units
    return any(unit in TOP for unit in wordless & present)
