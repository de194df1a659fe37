"""How one sentence is said: which of several wordings is chosen, and whether small numbers are words or figures."""

from __future__ import annotations

import random

_SPELLED_SHARE = 0.3


class Voice:
    """Chooses among wordings, and keeps to one way of writing numbers within a sentence."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self.spells = rng.random() < _SPELLED_SHARE

    def pick(self, *forms: str) -> str:
        """One of the wordings."""
        return self._rng.choice(forms)


def figures(value: float) -> str:
    """A number in figures: 3, 2.5."""
    return str(int(value)) if value == int(value) else f"{value:.10g}"
