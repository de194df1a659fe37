"""The soft over-long penalty of DAPO: responses near the token cap lose a part of their reward."""

from __future__ import annotations


def overlong_penalty(tokens: int, limit: int, margin: int, most: float) -> float:
    """What a response loses: 0 up to `limit - margin` tokens, from there linearly up to `most` at `limit`.

    A margin of 0 is no penalty.
    """
    beyond = tokens - (limit - margin)
    return most * min(beyond / margin, 1.0) if margin and beyond > 0 else 0.0
