"""The limits of one replica: how long a body may be, and how many requests are under way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import Receive

from scopeif.verification.service.answers import Refused
from scopeif.verification.service.settings import LimitSettings


async def read_body(headers: Headers, receive: Receive, limit_kb: int) -> bytes:
    """The body of a request, whether it comes with a length or in chunks; what is too long is not read to its end.

    Raises:
        Refused: it is longer than `limit_kb` KiB.
        ClientDisconnect: the client went away.
    """
    too_large = Refused("too_large", f"the body is longer than {limit_kb} KiB", fix="send one response a request")
    limit = 1024 * limit_kb
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limit:
        raise too_large
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > limit:
            raise too_large
    return bytes(body)


class Slots:
    """Places for requests that are verified, and a short queue for those that wait for one."""

    def __init__(self, limits: LimitSettings) -> None:
        self._limits = limits
        self._free = asyncio.Semaphore(limits.concurrency)
        self.running = self.waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place while the block runs.

        Raises:
            Refused: the queue is full, or no place became free in time.
        """
        await self._enter()
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self._free.release()

    async def _enter(self) -> None:
        if not self._free.locked():
            await self._free.acquire()
            return
        if self.waiting >= self._limits.queue:
            raise self._busy(f"{self.running} requests are verified and {self.waiting} wait")
        self.waiting += 1
        try:
            async with asyncio.timeout(self._limits.queue_s):
                await self._free.acquire()
        except TimeoutError:
            raise self._busy(f"no place became free within {self._limits.queue_s:g} s") from None
        finally:
            self.waiting -= 1

    def _busy(self, message: str) -> Refused:
        return Refused(
            "busy",
            message,
            fix="ask again after the seconds in Retry-After",
            headers={"Retry-After": str(self._limits.retry_after_s)},
        )
