"""Which targets the variants of a question combine: deterministic, so that targets recur (appendix A.7.4).

For a question, a pool of features is chosen, each with one mode; then triples of the pool from distinct categories,
so that every target of the pool tends to occur in two variants or more. Half of the pool's targets oppose the state
that most models show, half agree with it, and the category that has the fewest comes next.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from typing import NamedTuple

from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Mode

MAX_POOL = 24
"""Targets of a question; a larger pool has more triples than are worth looking through."""
MIN_POOL = 4
"""With three targets there is one triple, and no target recurs."""


class Choice(NamedTuple):
    """A feature that may be used for a question.

    share: of the models, how many show it in their unconstrained responses, from 0 to 1.
    """

    feature: str
    category: str
    share: float


class Planned(NamedTuple):
    """A target of the pool. `opposed` tells whether it opposes what most models show."""

    feature: str
    category: str
    mode: Mode
    opposed: bool


Triple = tuple[Planned, ...]


def pool(
    choices: Sequence[Choice], variants: int, recurrence: float, requirable: Collection[str] | None, seed: str
) -> list[Planned]:
    """The targets of a question, each feature at most once.

    Args:
        choices: the features that may be used.
        variants: how many variants are wanted.
        recurrence: in how many of them a target occurs on average.
        requirable: features that suit the question; others are only forbidden. None: all suit it.
        seed: decides between equals.
    """
    size = min(MAX_POOL, max(MIN_POOL, round(CONSTRAINTS_PER_VARIANT * variants / recurrence)))
    chance = random.Random(f"pool {seed}")
    left = list(choices)
    chance.shuffle(left)
    # Opposed and aligned take turns, and so do present and absent features where there are any.
    kinds: tuple[tuple[bool, Mode], ...] = (
        (True, "forbid"), (True, "require"), (False, "require"), (False, "forbid"),
    )  # fmt: skip
    taken: list[Planned] = []
    used: Counter[str] = Counter()
    idle = turn = 0
    while len(taken) < size and left and idle < len(kinds):
        opposed, mode = kinds[turn % len(kinds)]
        turn += 1
        suits = [one for one in left if _is(one, opposed, mode) and _may(one, mode, requirable)]
        if not suits:
            idle += 1
            continue
        idle = 0
        # Of the category that has the fewest the clearest state, so that most models are opposed or aligned alike.
        best = min(suits, key=lambda one: (used[one.category], -abs(one.share - 0.5)))
        used[best.category] += 1
        left.remove(best)
        taken.append(Planned(best.feature, best.category, mode, opposed))
    return taken


def _is(choice: Choice, opposed: bool, mode: Mode) -> bool:
    return (choice.share >= 0.5) == (opposed == (mode == "forbid"))


def _may(choice: Choice, mode: Mode, requirable: Collection[str] | None) -> bool:
    return mode == "forbid" or requirable is None or choice.feature in requirable


def combine(
    targets: Sequence[Planned], variants: int, accept: Callable[[Triple, int], bool], seed: str
) -> list[Triple]:
    """Triples of distinct categories, chosen one after the other.

    A triple is the better the more of its targets still occur once, then not at all, then seldom.

    Args:
        accept: whether the triple can be the variant of this number; its requirements may contradict each other.
    """
    open_ = [
        triple
        for triple in combinations(targets, CONSTRAINTS_PER_VARIANT)
        if len({one.category for one in triple}) == CONSTRAINTS_PER_VARIANT
    ]
    random.Random(f"combine {seed}").shuffle(open_)
    counts: Counter[Planned] = Counter()
    chosen: list[Triple] = []
    while len(chosen) < variants and open_:
        best = min(open_, key=lambda triple: sum(_wanted(counts[one]) for one in triple))
        open_.remove(best)
        if accept(best, len(chosen)):
            chosen.append(best)
            counts.update(best)
    return chosen


def _wanted(count: int) -> int:
    """How little an occurrence more is wanted: the second most, then the first, then ever less."""
    return {0: 1, 1: 0}.get(count, count * count)
