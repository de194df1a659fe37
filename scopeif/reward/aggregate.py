"""From the constraints of a response to its reward (paper, Eq. 7), and the baselines of section 6."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

from scopeif.errors import InvalidInputError
from scopeif.reward.graded import graded_reward, satisfied
from scopeif.reward.record import Record

Scheme = Literal["scopeif", "mean_graded", "ila", "cla"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)


def aggregate(
    constraints: Sequence[Sequence[Record]], scheme: str, alpha: float = 3.0, object_floor: float = 0.0
) -> float:
    """The reward of a response in [0, 1] from the records of each of its constraints.

    Schemes: ``scopeif`` (Eq. 7), ``mean_graded`` (the paper's "wo HRA": the plain mean of g), ``ila`` (1 when every
    constraint is satisfied), ``cla`` (the fraction of satisfied constraints).

    Raises:
        InvalidInputError: no constraints, or an unknown scheme.
        RecordError: a constraint without records.
    """
    if not constraints:
        raise InvalidInputError("a response without constraints has no reward")
    if scheme not in SCHEMES:
        raise InvalidInputError(f"reward scheme {scheme!r} is unknown", fix=f"use one of: {', '.join(SCHEMES)}")
    held = [satisfied(records) for records in constraints]
    graded = [graded_reward(records, alpha, object_floor) for records in constraints]
    if scheme == "ila":
        return float(all(held))
    if scheme == "cla":
        return sum(held) / len(held)
    if scheme == "mean_graded":
        return math.fsum(graded) / len(graded)
    return hierarchical(held, graded)


def hierarchical(held: Sequence[bool], graded: Sequence[float]) -> float:
    """R = (sum I + mean g over violated constraints) / |C| (Eq. 7); 1 when nothing is violated."""
    missed = [g for ok, g in zip(held, graded, strict=True) if not ok]
    partial = math.fsum(missed) / len(missed) if missed else 0.0
    return (sum(held) + partial) / len(held)
