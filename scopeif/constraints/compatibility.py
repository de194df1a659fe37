"""Which categories of Scope, Target and Range go together (paper, section 4.2: "all compatible combinations").

The paper's key is ⟨selector, nested or not, primary Target, Range⟩: 4 x 2 x 6 x 6 = 288 combinations (Table 9). It does
not list the compatible ones; here they are all but those of `EXCLUSIONS`, each with its reason. The selector of a
nested scope is the last of its chain, the one whose segments are measured.

The rules are about secondary Targets; a primary one goes with a Range where one of its own does. They are for what is
made: rows that are read may hold other combinations, since a label of several objects can mix them (the official
release calls "an array of 5 to 8 strings, sorted" Relations with Intervals).
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

from scopeif.constraints.taxonomy import (
    SECONDARY_OF,
    PrimaryTarget,
    RangeCategory,
    Scope,
    SecondaryTarget,
    Selector,
)

_R, _S = RangeCategory, SecondaryTarget
YES_OR_NO = frozenset(
    {
        _S.PRESENCE,
        _S.VALIDITY,
        _S.SKELETON,
        _S.ORDERING_RELATIONS,
        _S.CHAINING_RELATIONS,
        _S.POSITIONAL_RELATIONS,
    }
)
"""Secondary Targets that are met or not; the others have amounts."""


class Exclusion(NamedTuple):
    """Combinations that do not go together; an empty set stands for every member of its dimension."""

    reason: str
    selectors: frozenset[Selector] = frozenset()
    nested: frozenset[bool] = frozenset()
    targets: frozenset[SecondaryTarget] = frozenset()
    ranges: frozenset[RangeCategory] = frozenset()

    def holds(self, selector: Selector, nested: bool, target: SecondaryTarget, range_: RangeCategory) -> bool:
        """Whether the combination is one of these."""
        pairs = (
            (selector, self.selectors),
            (nested, self.nested),
            (target, self.targets),
            (range_, self.ranges),
        )
        return all(not members or value in members for value, members in pairs)


EXCLUSIONS = (
    Exclusion(
        "the entire response lies inside no other segment, so a chain cannot end in it",
        selectors=frozenset({Selector.GLOBAL}),
        nested=frozenset({True}),
    ),
    Exclusion(
        "what is met or not is one or zero: at least one is Equality, at most zero is Prohibition, "
        "zero to one forbids nothing",
        targets=YES_OR_NO,
        ranges=frozenset({_R.ONE_SIDED_BOUNDS, _R.INTERVALS}),
    ),
    Exclusion(
        "what is met or not stands in no relation of more, fewer or times as many",
        targets=YES_OR_NO,
        ranges=frozenset({_R.COMPARISON, _R.ARITHMETIC_RELATIONS}),
    ),
    Exclusion(
        "a length of zero asks for no text",
        targets=frozenset({_S.TEXT_LENGTH}),
        ranges=frozenset({_R.PROHIBITION}),
    ),
    Exclusion(
        "a depth of zero asks for no structure, which is Prohibition of Containers",
        targets=frozenset({_S.NESTING_DEPTH}),
        ranges=frozenset({_R.PROHIBITION}),
    ),
)
"""Every exclusion; what none of them holds for is compatible."""


class Combination(NamedTuple):
    """One key of the taxonomy; `target` is a primary or a secondary Target."""

    selector: Selector
    nested: bool
    target: PrimaryTarget | SecondaryTarget
    range: RangeCategory


def compatible(
    selector: Selector, nested: bool, target: PrimaryTarget | SecondaryTarget, range_: RangeCategory
) -> bool:
    """Whether the categories go together; a primary Target does where one of its secondary ones does."""
    return not reasons(selector, nested, target, range_)


def reasons(
    selector: Selector, nested: bool, target: PrimaryTarget | SecondaryTarget, range_: RangeCategory
) -> tuple[str, ...]:
    """Why the categories do not go together; nothing where they do."""
    secondaries = SECONDARY_OF[target] if isinstance(target, PrimaryTarget) else (target,)
    found = []
    for secondary in secondaries:
        against = [one.reason for one in EXCLUSIONS if one.holds(selector, nested, secondary, range_)]
        if not against:
            return ()
        found += against
    return tuple(dict.fromkeys(found))


def combinations(secondary: bool = False) -> list[Combination]:
    """All compatible combinations, over primary Targets (the paper's key) or secondary ones."""
    targets: tuple[PrimaryTarget | SecondaryTarget, ...] = tuple(SecondaryTarget if secondary else PrimaryTarget)
    keys = product(Selector, (False, True), targets, RangeCategory)
    return [Combination(*key) for key in keys if compatible(*key)]


def key_of(scope: Scope, target: PrimaryTarget | SecondaryTarget, range_: RangeCategory) -> Combination:
    """The combination that a constraint with these categories is an instance of."""
    return Combination(scope.steps[-1].selector, scope.nested, target, range_)
