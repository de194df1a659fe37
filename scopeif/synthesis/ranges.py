"""Ranges that the values of a document meet, or meet after a small change."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import NamedTuple

from scopeif.constraints import spec as sp
from scopeif.constraints.taxonomy import RangeCategory

Groups = list[list[int]]
_R = RangeCategory
_MULTIPLES = (2, 3)
_COUNTABLE = 12
"""More sentences, paragraphs or marks than this nobody asks for by number."""


class Goal(NamedTuple):
    """A range, and the values that meet it: those at hand, or others that the document is to be changed to."""

    range: sp.Range
    targets: Groups


class Chooser(NamedTuple):
    """How numbers are chosen for one measure.

    Attributes:
        most: the largest natural number where it is chosen freely.
        least: the smallest number that says something.
        length: whether words or characters are measured, where round numbers are natural and small steps are not.
    """

    rng: random.Random
    most: int
    least: int
    length: bool

    # -- absolute ----------------------------------------------------------------------------------------

    def absolute(self, category: RangeCategory, groups: Groups, yes_no: bool) -> Goal | None:
        """Bounds for the values of all segments."""
        values = [value for group in groups for value in group]
        if not self.length and max(values) > _COUNTABLE:
            return None
        if category is _R.PROHIBITION:
            return Goal(sp.Bounds(lower=0, upper=0), _all(groups, 0))
        if yes_no:
            return Goal(sp.Bounds(lower=1, upper=1), _all(groups, 1))
        if category is _R.EQUALITY:
            number = self._common(values)
            return Goal(sp.Bounds(lower=number, upper=number), _all(groups, number))
        if category is _R.INTERVALS:
            return self._interval(groups, values)
        return self._one_side(groups, values)

    def _common(self, values: list[int]) -> int:
        if len(set(values)) == 1 and values[0] >= self.least and (not self.length or values[0] < 16):
            return values[0]
        middle = sorted(values)[len(values) // 2]
        if self.length:
            return max(self.least, self._round(middle, up=True))
        return min(max(middle, self.least), max(self.most, self.least)) if middle else self._free()

    def _free(self) -> int:
        """A number where there is nothing yet; small ones are the common ones."""
        return min(self.rng.randint(self.least, max(self.most, self.least)) for _ in range(2))

    def _interval(self, groups: Groups, values: list[int]) -> Goal:
        low = max(min(values), self.least)
        lower = self._below(low)
        upper = self._above(max(*values, low))
        while upper - lower < (lower // 5 if self.length else 1):
            upper += (10 if lower > 80 else 5) if self.length and lower > 12 else self.rng.choice((1, 2))
        return Goal(sp.Bounds(lower=lower, upper=upper), [[max(value, lower) for value in group] for group in groups])

    def _one_side(self, groups: Groups, values: list[int]) -> Goal:
        if self.rng.random() < 0.55:
            top = max(values)
            upper = max(self._above(top), self.least) if top else self._free()
            return Goal(sp.Bounds(upper=upper), groups)
        low = min(values)
        lower = self._below(low) if low else self._free()
        return Goal(sp.Bounds(lower=lower), [[max(value, lower) for value in group] for group in groups])

    def _above(self, value: int) -> int:
        """A natural bound from above."""
        if self.length:
            return self._round(value + round(value * self.rng.uniform(0, 0.25)), up=True)
        return value + self.rng.choice((0, 0, 1, 2))

    def _below(self, value: int) -> int:
        if self.length:
            return max(self.least, self._round(value - round(value * self.rng.uniform(0, 0.25)), up=False))
        return max(self.least, value - self.rng.choice((0, 0, 1)))

    def _round(self, value: int, up: bool) -> int:
        step = 1 if value <= 12 else 5 if value <= 80 else 10 if value < 300 else 50
        return -(-value // step) * step if up else value // step * step

    # -- relative ----------------------------------------------------------------------------------------

    def beside(
        self, category: RangeCategory, groups: Groups, reference: int, scope: sp.Chain, whole: bool
    ) -> Goal | None:
        """A relation of every segment (or the `whole` response) to one named segment."""
        named = sp.Named(scope=scope)
        values = [value for group in groups for value in group]
        if whole and category is _R.COMPARISON:
            return self._share(named, groups, values[0], reference)
        if category is _R.ARITHMETIC_RELATIONS:
            return self._equal(named, groups, values, reference)
        if max(values) < reference:
            relation = self.rng.choice(("fewer", "fewer", "at_most"))
        elif min(values) > reference:
            for multiple in _MULTIPLES[::-1]:
                if reference and min(values) >= multiple * reference and self.rng.random() < 0.5:
                    return Goal(sp.Relative(relation="at_least", to=named, factor=multiple), groups)
            relation = self.rng.choice(("more", "more", "at_least"))
        else:
            relation = "more"
            groups = [[max(value, reference + 1) for value in group] for group in groups]
        return Goal(sp.Relative(relation=relation, to=named), groups)

    def _share(self, named: sp.Named, groups: Groups, value: int, reference: int) -> Goal | None:
        """The whole against a part of it: only a multiple says something."""
        multiple = value // reference if reference else 0
        if multiple >= 2:
            return Goal(sp.Relative(relation="at_least", to=named, factor=min(multiple, 4)), groups)
        return Goal(sp.Relative(relation="at_most", to=named, factor=multiple + 1), groups) if multiple else None

    def _equal(self, named: sp.Named, groups: Groups, values: list[int], reference: int) -> Goal | None:
        if not reference:
            return None
        near = 5 if self.length else 2
        for multiple in _MULTIPLES:
            if set(values) == {multiple * reference}:
                return Goal(sp.Relative(relation="equal", to=named, factor=multiple), groups)
        offset = values[0] - reference
        if len(set(values)) > 1 or not 0 <= offset <= near:
            multiple = max(1, round(min(values) / reference))
            if multiple > 3:
                return None
            if multiple > 1:
                return Goal(
                    sp.Relative(relation="equal", to=named, factor=multiple), _all(groups, multiple * reference)
                )
            offset = self.rng.choice((0, 0, 1, 2))
        return Goal(sp.Relative(relation="equal", to=named, offset=offset), _all(groups, reference + offset))

    def in_turn(self, category: RangeCategory, groups: Groups) -> Goal | None:
        """A relation of each segment to the one before it."""
        if not any(len(group) > 1 for group in groups) or max(map(len, groups)) > 5:
            return None
        previous = sp.Previous()
        if category is _R.ARITHMETIC_RELATIONS:
            offset = self.rng.choice((0, 0, 1, 1, 2))
            if not self.length and offset == 2:
                offset = 1
            starts = [max(self.least, min(group[0], group[0] if self.length else self.most)) for group in groups]
            targets = [
                [start + offset * turn for turn in range(len(group))]
                for start, group in zip(starts, groups, strict=True)
            ]
            return Goal(sp.Relative(relation="equal", to=previous, offset=offset), targets)
        steps = [right - left for group in groups for left, right in pairwise(group)]
        if max(steps) < 0:
            return Goal(sp.Relative(relation="fewer", to=previous), groups)
        if min(steps) >= 0 and max(steps) > 0 and min(steps) == 0:
            return Goal(sp.Relative(relation="at_least", to=previous), groups)
        relation = "more" if self.length or max(map(len, groups)) <= 3 or self.rng.random() < 0.3 else "at_least"
        return Goal(
            sp.Relative(relation=relation, to=previous), [_rising(group, relation == "more") for group in groups]
        )


def _all(groups: Groups, number: int) -> Groups:
    return [[number] * len(group) for group in groups]


def _rising(group: list[int], strictly: bool) -> list[int]:
    targets: list[int] = []
    for value in group:
        targets.append(value if not targets else max(value, targets[-1] + strictly))
    return targets
