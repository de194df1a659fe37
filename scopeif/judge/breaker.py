"""The circuit breaker of one endpoint."""

from __future__ import annotations

import random
from enum import Enum

from scopeif.judge.settings import BreakerSettings


class State(str, Enum):
    """Whether an endpoint gets calls."""

    CLOSED = "closed"
    """All that its concurrency allows."""
    OPEN = "open"
    """None."""
    HALF_OPEN = "half_open"
    """A few, until one is answered."""


class Breaker:
    """Opens after failures in a row, closes with the first answer. Every method tells whether the state changed."""

    def __init__(self, settings: BreakerSettings) -> None:
        self.state = State.CLOSED
        self._settings = settings
        self._failures = 0
        self._cool_down = settings.cool_down_s

    def succeeded(self) -> bool:
        """A call was answered."""
        self._failures = 0
        self._cool_down = self._settings.cool_down_s
        return self._change(State.CLOSED)

    def failed(self) -> bool:
        """A call failed."""
        self._failures += 1
        if self.state is State.HALF_OPEN or self._failures >= self._settings.failures:
            return self.trip()
        return False

    def trip(self) -> bool:
        """Open at once."""
        return self._change(State.OPEN)

    def allow_probes(self) -> bool:
        """The endpoint reports health: let a few calls through."""
        return self.state is State.OPEN and self._change(State.HALF_OPEN)

    def cool_down(self) -> float:
        """Seconds until the next question for health; each is up to twice the one before."""
        seconds = self._cool_down * random.uniform(0.75, 1.0)
        self._cool_down = min(self._cool_down * 2, self._settings.cool_down_cap_s)
        return seconds

    def _change(self, state: State) -> bool:
        changed, self.state = self.state is not state, state
        return changed
