"""The graded reward of one constraint from its records (paper, section 5.2, Eqs. 5, 6, 8, 9)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scopeif.errors import InvalidInputError, RecordError
from scopeif.reward.record import Record


def deviation(record: Record) -> float:
    """d: distance of the measured value to the nearest bound, 0 within (Eq. 8)."""
    return max(record.lower - record.actual, record.actual - record.upper, 0)


def magnitude(record: Record) -> float:
    """s: characteristic magnitude of the permissible range, at least 1 (Eq. 9)."""
    lower = max(record.lower, 0)
    if record.upper == math.inf:
        return max(1, lower)
    # Halved one by one: two bounds near the float limit would overflow as a sum.
    return max(1, lower / 2 + max(record.upper, 0) / 2)


def violation(record: Record) -> float:
    """v = d / s: deviation in units of the range's magnitude."""
    return deviation(record) / magnitude(record)


def satisfied(records: Sequence[Record]) -> bool:
    """I: whether every record lies within its bounds (section 5.1).

    Raises:
        RecordError: there is no record: nothing measured is unverified, not satisfied.
    """
    _require_some(records)
    return all(record.satisfied for record in records)


def graded_reward(records: Sequence[Record], alpha: float = 3.0, object_floor: float = 0.0) -> float:
    """g: geometric mean over the records of r = exp(-alpha v), in [0, 1] (Eqs. 5 and 6).

    Computed in log space, so that many small r do not underflow as a product.

    Args:
        records: the records of one constraint, at least one.
        alpha: penalty severity, above 0.
        object_floor: smallest r of a single record; 0 is the paper.

    Raises:
        RecordError: there is no record.
        InvalidInputError: `alpha` or `object_floor` out of bounds.
    """
    _require_some(records)
    if not (0 < alpha < math.inf):
        raise InvalidInputError(f"alpha is {alpha}; it must be a finite number above 0")
    if not 0 <= object_floor < 1:
        raise InvalidInputError(f"object_floor is {object_floor}; it must be in [0, 1)")
    ceiling = -math.log(object_floor) if object_floor > 0 else math.inf
    # A mean of quotients: a sum of violations near the float limit would overflow.
    mean = math.fsum(min(alpha * violation(record), ceiling) / len(records) for record in records)
    return math.exp(-mean)


def _require_some(records: Sequence[Record]) -> None:
    if not records:
        raise RecordError("a constraint without records is unverified; it has no reward")
