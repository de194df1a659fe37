"""How many calls an endpoint has at a time: additive increase, multiplicative decrease."""

from __future__ import annotations

from scopeif.judge.settings import ConcurrencySettings

_DECREASE = 0.7


class ConcurrencyLimit:
    """Grows by one per answer until the first sign of overload, then by one per round of answers.

    A round's calls share its number: only the first sign of overload in a round shrinks the limit, for the others are
    of calls that were sent before it did.
    """

    def __init__(self, settings: ConcurrencySettings) -> None:
        self.round = 0
        self._settings = settings
        self._limit = float(settings.start)
        self._threshold = float(settings.max)

    @property
    def value(self) -> int:
        """Calls at a time."""
        return int(self._limit)

    def answered(self, seconds: float, in_flight: int, sent_in_round: int) -> None:
        """An answer took so many seconds, with so many calls in flight."""
        if seconds > self._settings.slow_answer_s:
            self.overloaded(sent_in_round)
        elif in_flight * 2 >= self._limit:  # a limit that is not used is not tested
            step = 1.0 if self._limit < self._threshold else 1.0 / self._limit
            self._limit = min(self._limit + step, float(self._settings.max))

    def overloaded(self, sent_in_round: int) -> None:
        """A sign of overload by a call that was sent in a round."""
        if sent_in_round < self.round:
            return
        self.round += 1
        self._limit = self._threshold = max(self._limit * _DECREASE, float(self._settings.min))

    def restart(self) -> None:
        """The endpoint comes back from an outage: begin low, grow fast to where it was."""
        self.round += 1
        self._threshold = max(self._limit, self._threshold * 0.5)
        self._limit = float(self._settings.min)
