"""One judge endpoint: its connection, its breaker, its concurrency, and the calls it has in flight."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any

import openai

from scopeif.judge.breaker import Breaker, State
from scopeif.judge.failures import TRANSPORT, Cause, Failure, classify
from scopeif.judge.limits import ConcurrencyLimit
from scopeif.judge.settings import JudgeSettings


class Health(Enum):
    """The answer to a question for health."""

    WELL = "well"
    ILL = "ill"
    """Something listens, and answers too late or with 5xx."""
    GONE = "gone"
    """No connection."""


class Lost(Exception):
    """The endpoint was found dead while a call was in flight."""


class Endpoint:
    """A base URL and what is known of it."""

    def __init__(self, url: str, api: openai.AsyncOpenAI, settings: JudgeSettings) -> None:
        self.url = url
        self.api = api
        self.settings = settings
        self.breaker = Breaker(settings.breaker)
        self.limit = ConcurrencyLimit(settings.concurrency)
        self.in_flight = 0
        self.paused_until = 0.0
        self.heard_at = time.monotonic()
        self.answers = 0
        self.failures: Counter[str] = Counter()
        self.last_failure = ""
        self._hash_key = hashlib.blake2b(url.encode()).digest()
        self._deadlines: set[asyncio.Timeout] = set()

    @property
    def room(self) -> int:
        """Calls that it may be sent now."""
        if self.breaker.state is State.OPEN or time.monotonic() < self.paused_until:
            return 0
        most = self.limit.value
        if self.breaker.state is State.HALF_OPEN:
            most = min(most, self.settings.breaker.probes)
        return most - self.in_flight

    @property
    def load(self) -> float:
        """Calls in flight as a share of the limit."""
        return self.in_flight / self.limit.value

    def weight(self, affinity: bytes) -> bytes:
        """Its place in the order of an affinity; the largest is first."""
        return hashlib.blake2b(affinity, digest_size=8, key=self._hash_key).digest()

    async def complete(self, body: bytes) -> bytes:
        """Send a chat completion; the bytes of the response.

        Raises:
            Lost: the endpoint died meanwhile.
            TRANSPORT: everything else.
        """
        with self._deadline() as deadline:
            try:
                async with deadline:
                    # create() would build typed parameters and a typed answer, which costs more than the call itself.
                    return await self.api.post(
                        "/chat/completions",
                        cast_to=bytes,
                        content=body,
                        options={"headers": {"Content-Type": "application/json"}},
                    )
            except TimeoutError:
                if deadline not in self._deadlines:
                    raise Lost from None
                raise TimeoutError(f"no answer within {self.settings.deadline_s:g} s") from None

    @contextmanager
    def _deadline(self) -> Iterator[asyncio.Timeout]:
        deadline = asyncio.timeout(self.settings.deadline_s)
        self._deadlines.add(deadline)
        try:
            yield deadline
        finally:
            self._deadlines.discard(deadline)

    def abandon(self) -> int:
        """End the calls in flight with `Lost`; how many these are."""
        deadlines, self._deadlines = self._deadlines, set()
        now = asyncio.get_running_loop().time()
        for deadline in deadlines:
            if not deadline.expired():
                deadline.reschedule(now)
        return len(deadlines)

    async def models(self) -> bytes:
        """The model list, as the server sends it.

        Raises:
            TRANSPORT: it sends none.
        """
        async with asyncio.timeout(2 * self.settings.connect_timeout_s):
            return await self.api.get("/models", cast_to=bytes)

    async def health(self) -> Health:
        """Ask for the model list; any answer but 5xx is good health."""
        try:
            await self.models()
        except TRANSPORT as error:
            failure = classify(error)
            if failure.cause is Cause.CONNECT:
                return Health.GONE
            return Health.ILL if failure.cause not in {Cause.REFUSED, Cause.REJECTED, Cause.RATE_LIMIT} else Health.WELL
        return Health.WELL

    def failed(self, failure: Failure) -> None:
        """Count a failure."""
        self.failures[failure.cause.value] += 1
        self.last_failure = failure.detail

    def snapshot(self) -> dict[str, Any]:
        """Plain values for metrics."""
        return {
            "state": self.breaker.state.value,
            "concurrency": self.limit.value,
            "in_flight": self.in_flight,
            "paused_s": max(0.0, self.paused_until - time.monotonic()),
            "answers": self.answers,
            "failures": dict(self.failures),
            "last_failure": self.last_failure,
        }
