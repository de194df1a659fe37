"""Many responses through one verifier: a bounded number at a time, results as they come, memory that stays flat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from scopeif.constraints.models import Instruction
from scopeif.errors import InvalidInputError
from scopeif.reward import Answer
from scopeif.verification.outcome import ResponseOutcome
from scopeif.verification.verifier import Verifier, verify_response

K = TypeVar("K")


@dataclass(frozen=True)
class Item(Generic[K]):
    """One response to verify; `key` is the caller's name for it."""

    key: K
    instruction: Instruction
    answer: Answer


async def verify_many(
    verifier: Verifier, items: Iterable[Item[K]], concurrency: int = 64
) -> AsyncGenerator[tuple[Item[K], ResponseOutcome], None]:
    """Verify responses, at most `concurrency` at a time; yields each with its outcome, in the order of completion.

    An item is taken from `items` only when there is room for it, and only while results are taken: a slow reader slows
    the verifier. Closing the iterator early cancels what is under way.

    Raises:
        InvalidInputError: a concurrency below 1.
        Exception: what the verifier raises, which it does only where no response can be verified.
    """
    if concurrency < 1:
        raise InvalidInputError(f"concurrency is {concurrency}; it must be at least 1")
    waiting = iter(items)
    pending: set[asyncio.Task[tuple[Item[K], ResponseOutcome]]] = set()
    exhausted = False
    try:
        while pending or not exhausted:
            while not exhausted and len(pending) < concurrency:
                try:
                    pending.add(asyncio.create_task(_one(verifier, next(waiting))))
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


async def _one(verifier: Verifier, item: Item[K]) -> tuple[Item[K], ResponseOutcome]:
    return item, await verify_response(verifier, item.instruction, item.answer)
