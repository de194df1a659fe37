"""Which endpoint gets a call, and who waits when all are full.

A request goes to the first endpoint of its affinity's own order (rendezvous hashing) while that has no more than its
share of the load, else to the less loaded of the first two, else to the least loaded. When all are full, requests wait
in order; a place that becomes free goes to one of the first in the line that prefers this endpoint.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Set
from dataclasses import dataclass, field
from itertools import islice

from scopeif.judge.breaker import State
from scopeif.judge.endpoint import Endpoint

_SHARE, _ALWAYS_FREE = 1.25, 0.25
_LINE_SEEN, _MAX_SKIPPED = 64, 64


@dataclass(eq=False)
class Waiter:
    """A request that wants a place: not at `avoid` while there is another, never at those that refused it."""

    granted: asyncio.Future[Endpoint]
    affinity: bytes
    avoid: Endpoint | None
    refused: Set[str]
    preferred: list[Endpoint] = field(default_factory=list)
    skipped: int = 0


class Line:
    """The endpoints of the list as it is now, and those who wait for them."""

    def __init__(self) -> None:
        self.endpoints: list[Endpoint] = []
        self._waiting: deque[Waiter] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def place(self, waiter: Waiter) -> Endpoint | None:
        """A place at once, or None: then the waiter stands in the line."""
        if not self._waiting and (endpoint := self._choice(waiter)) is not None:
            endpoint.in_flight += 1
            return endpoint
        waiter.preferred = self._order(waiter)[:2]
        self._waiting.append(waiter)
        self.serve()
        return None

    def leave(self, waiter: Waiter) -> bool:
        """Step out of the line; False when the waiter is no longer in it."""
        if waiter in self._waiting:
            self._waiting.remove(waiter)
            return True
        return False

    def empty(self) -> list[Waiter]:
        """Send all away."""
        waiting, self._waiting = self._waiting, deque()
        return list(waiting)

    def look_again(self) -> None:
        """Renew what those in the line prefer, after endpoints came or went."""
        for waiter in self._waiting:
            waiter.preferred = self._order(waiter)[:2]

    def serve(self) -> None:
        """Give free places to those who wait."""
        while self._waiting and (free := {one for one in self.endpoints if one.room > 0}):
            waiter = self._next(free)
            endpoint = self._choice(waiter) if waiter else None
            if waiter is None or endpoint is None:
                return
            self._waiting.remove(waiter)
            if not waiter.granted.done():
                endpoint.in_flight += 1
                waiter.granted.set_result(endpoint)

    def _order(self, waiter: Waiter) -> list[Endpoint]:
        """The endpoints that take calls, in the order of an affinity."""
        taking = [
            one for one in self.endpoints if one.breaker.state is not State.OPEN and one.url not in waiter.refused
        ]
        return sorted(taking, key=lambda one: one.weight(waiter.affinity), reverse=True)

    def _choice(self, waiter: Waiter) -> Endpoint | None:
        order = self._order(waiter)
        free = [one for one in order if one.room > 0]
        if len(free) > 1 and waiter.avoid in free:
            free.remove(waiter.avoid)
        if not free:
            return None
        average = sum(one.in_flight for one in order) / sum(one.limit.value for one in order)
        if order[0] is free[0] and order[0].load < max(_ALWAYS_FREE, _SHARE * average):
            return order[0]
        return min([one for one in order[:2] if one in free] or free, key=lambda one: one.load)

    def _next(self, free: set[Endpoint]) -> Waiter | None:
        head = self._waiting[0]
        if head.skipped < _MAX_SKIPPED:
            for waiter in islice(self._waiting, _LINE_SEEN):
                if not free.isdisjoint(waiter.preferred):
                    head.skipped += waiter is not head
                    return waiter
        return next((one for one in self._waiting if any(place.url not in one.refused for place in free)), None)
