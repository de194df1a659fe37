"""Asynchronous work on many items: a bounded number at a time, results as they come, memory that stays flat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

from scopeif.errors import InvalidInputError

T = TypeVar("T")
R = TypeVar("R")


async def bounded(
    work: Callable[[T], Coroutine[Any, Any, R]], items: Iterable[T], concurrency: int
) -> AsyncGenerator[R, None]:
    """The results of `work`, at most `concurrency` under way at a time, in the order of completion.

    An item is taken from `items` only when there is room for it, and only while results are taken: a slow reader slows
    the work. Closing the iterator early cancels what is under way.

    Raises:
        InvalidInputError: a concurrency below 1.
        Exception: what `work` raises.
    """
    if concurrency < 1:
        raise InvalidInputError(f"concurrency is {concurrency}; it must be at least 1")
    waiting = iter(items)
    pending: set[asyncio.Task[R]] = set()
    exhausted = False
    try:
        while pending or not exhausted:
            while not exhausted and len(pending) < concurrency:
                try:
                    pending.add(asyncio.create_task(work(next(waiting))))
                except StopIteration:
                    exhausted = True
            if pending:
                done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
