"""The quantitative record: one measured value and its permissible bounds (paper, Eqs. 4 and 8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

from scopeif.errors import RecordError

_EXACT = 2**53


@dataclass(frozen=True)
class Record:
    """One counting object's measured value `actual` and its permissible bounds [lower, upper].

    Bounds may be infinite; `actual` is finite. Bools read as 1 and 0. `vacuous` marks a record that holds because
    there was nothing to compare; `start` and `end` are the segment's offsets in the response, where known.

    Raises:
        RecordError: a value is missing, no number, NaN, beyond float range, an infinite `actual`, a lower bound of
            +inf, an upper bound of -inf, or bounds are reversed.
    """

    lower: float
    upper: float
    actual: float
    object: str = ""
    vacuous: bool = False
    start: int | None = None
    end: int | None = None

    def __post_init__(self) -> None:
        for name in ("lower", "upper", "actual"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        if math.isinf(self.actual):
            raise RecordError(f"actual value {self.actual} is infinite")
        if self.lower == math.inf or self.upper == -math.inf:
            raise RecordError(f"no value can lie in [{self.lower}, {self.upper}]")
        if self.lower > self.upper:
            raise RecordError(f"lower bound {self.lower} is above upper bound {self.upper}")

    @property
    def satisfied(self) -> bool:
        """Whether the value lies within the bounds, ends included."""
        return self.lower <= self.actual <= self.upper


def _number(name: str, value: object) -> float:
    if type(value) is int and -_EXACT < value < _EXACT:  # nearly always
        return value
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, Real):
        raise RecordError(f"{name} is {value!r}, not a number")
    try:
        as_float = float(value)
    except OverflowError:
        raise RecordError(f"{name} is beyond the range of a float") from None
    if math.isnan(as_float):
        raise RecordError(f"{name} is NaN")
    return int(value) if isinstance(value, int) else as_float
