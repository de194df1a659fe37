"""The state of one replica: what it verifies with, what is under way, whether it still takes requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scopeif.verification.service.answers import Refused
from scopeif.verification.service.api import ErrorKind
from scopeif.verification.service.backend import Backend
from scopeif.verification.service.limits import Slots
from scopeif.verification.service.metrics import Metrics
from scopeif.verification.service.settings import ServiceSettings

_POLL_S = 0.02


class Replica:
    """One process of the service; `backend` is there while its app runs."""

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.slots = Slots(settings.limits)
        self.metrics = Metrics()
        self.backend: Backend | None = None
        self.draining = False
        self._inside: set[asyncio.Task[Any]] = set()

    def start(self, backend: Backend) -> None:
        """Verify with this from now on."""
        self.backend = backend
        self.metrics.watch(backend)

    @contextmanager
    def request(self) -> Iterator[None]:
        """A request is under way while the block runs; `drain` waits for it.

        Raises:
            Refused: the service stops.
        """
        self._check_taking()
        task = asyncio.current_task()
        assert task is not None
        self._inside.add(task)
        try:
            yield
        finally:
            self._inside.discard(task)

    async def drain(self) -> int:
        """Take no further requests and wait for the running ones; how many were cut off after `drain_s`."""
        self.draining = True
        end = time.monotonic() + self.settings.drain_s
        while self._inside and time.monotonic() < end:
            await asyncio.sleep(_POLL_S)
        cut_off = list(self._inside)
        for task in cut_off:
            task.cancel()
        await asyncio.gather(*cut_off, return_exceptions=True)
        return len(cut_off)

    def ready(self) -> Backend:
        """What requests are verified with.

        Raises:
            Refused: the app is not running.
        """
        if self.backend is None:
            raise self._later("unavailable", "the service has not started yet")
        return self.backend

    async def check_ready(self) -> None:
        """Whether requests are taken and can be verified.

        Raises:
            Refused: the reason why not.
        """
        self._check_taking()
        if fault := await self.ready().fault():
            raise self._later("unavailable", fault)

    def _check_taking(self) -> None:
        if self.draining:
            raise self._later("draining", "the service stops and takes no further requests")

    def _later(self, kind: ErrorKind, message: str) -> Refused:
        return Refused(kind, message, headers={"Retry-After": str(self.settings.limits.retry_after_s)})
