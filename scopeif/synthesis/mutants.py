"""Texts that violate exactly one constraint of an instruction, by a known amount.

A mutant is the witness with one part changed: a segment of the constraint is moved out of its bounds by a few words,
marks or blocks. It is kept when the other constraints are known to be satisfied still.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from scopeif.constraints import spec as sp
from scopeif.reward.record import Record
from scopeif.synthesis.adjust import adjust
from scopeif.synthesis.known import groups, records, relative_bounds, satisfied, value, violation
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.writing import Span, Written

_TRIES = 6


class Mutant(NamedTuple):
    """A text in which one constraint is violated.

    Attributes:
        constraint: index of the constraint.
        text: the response.
        records: what measuring the constraint must give.
        violation: how far the records lie outside their bounds together.
    """

    constraint: int
    text: str
    records: tuple[Record, ...]
    violation: float


def mutant(specs: Sequence[sp.Spec], index: int, witness: Written, pen: Pen) -> Mutant | None:
    """A mutant for one of the constraints, or None where none was found."""
    found = least_harm(specs, index, witness, pen)
    return None if found is None or found.harmed else found.mutant


class Harm(NamedTuple):
    """A text that violates a constraint, and which others it violates too."""

    mutant: Mutant
    harmed: tuple[int, ...]


def least_harm(specs: Sequence[sp.Spec], index: int, witness: Written, pen: Pen) -> Harm | None:
    """A text that violates one of the constraints and as few others as a few tries could find."""
    best: Harm | None = None
    spec = specs[index]
    for turn in range(_TRIES):
        written = witness.copy()
        if not _break(spec.clauses[pen.rng.randrange(len(spec.clauses))], written, pen, gentle=turn >= _TRIES // 2):
            continue
        broken = Written(written.document)
        found = records(spec, broken)
        if found is None or not (amount := violation(found)):
            continue
        others = (number for number in range(len(specs)) if number != index)
        harmed = tuple(number for number in others if not satisfied(specs[number], broken))
        if best is None or len(harmed) < len(best.harmed):
            best = Harm(Mutant(index, broken.text, tuple(found), amount), harmed)
        if not harmed:
            break
    return best


def _break(clause: sp.Clause, written: Written, pen: Pen, gentle: bool) -> bool:
    """Move one segment out of the bounds of the clause, or what it is compared with."""
    rng, range_ = pen.rng, clause.range
    several = groups(clause.scope, written)
    if not several:
        return False
    distance = 1 if gentle else rng.choice((1, 1, 2, 3))
    if isinstance(range_, sp.Bounds):
        span = rng.choice(rng.choice(several))
        actual = value(clause.measure, span, written)
        target = _outside((range_.lower, range_.upper), clause.measure, rng, distance)
    else:
        pairs = _pairs(clause, range_, several, written)
        if not pairs:
            return False
        span, other = rng.choice(pairs)
        actual, reference = value(clause.measure, span, written), value(clause.measure, other, written)
        if actual is None or reference is None:
            return False
        if span is not other and rng.random() < 0.5:
            target = _reference_outside(range_, actual, reference, distance, contained=not clause.scope)
            span, actual = other, reference
        else:
            target = _outside(relative_bounds(range_, reference), clause.measure, rng, distance)
    if actual is None or target is None:
        return False
    return adjust(span, clause.measure, actual, target, written, pen)


def _reference_outside(range_: sp.Relative, actual: int, reference: int, distance: int, contained: bool) -> int | None:
    """A reference that leaves the actual value out of bounds; one that it contains grows with it."""
    lower, upper = relative_bounds(range_, reference)
    share = max(int(range_.factor) - contained, 1)
    if lower is not None:
        return reference + (actual - int(lower)) // share + distance
    lowered = reference - ((int(upper) - actual) // share + distance if upper is not None else 0)
    return lowered if lowered >= 0 else None


def _outside(
    bounds: tuple[float | None, float | None], measure: sp.Measure, rng: random.Random, distance: int
) -> int | None:
    lower, upper = bounds
    if not isinstance(measure, sp.AMOUNTS):
        return 1 if upper == 0 else 0
    sides = [] if lower is None or lower < 1 else [max(int(lower) - distance, 0)]
    if upper is not None:
        sides.append(int(upper) + distance)
    return rng.choice(sides) if sides else None


def _pairs(
    clause: sp.Clause, range_: sp.Relative, several: list[list[Span]], written: Written
) -> list[tuple[Span, Span]]:
    """The segments, each with the one that it is compared with."""
    if isinstance(range_.to, sp.Previous):
        return [(right, left) for group in several for left, right in pairwise(group)]
    if isinstance(range_.to, sp.Named):
        named = groups(range_.to.scope, written) or [[]]
        return [(span, other) for group in several for span in group for other in named[0]]
    return []
