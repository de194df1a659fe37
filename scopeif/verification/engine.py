"""Many responses through one verifier: a bounded number at a time, results as they come, memory that stays flat."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from scopeif.constraints.models import Instruction
from scopeif.reward import Answer
from scopeif.verification.bounded import bounded
from scopeif.verification.outcome import ResponseOutcome
from scopeif.verification.verifier import Verifier, verify_response

K = TypeVar("K")


@dataclass(frozen=True)
class Item(Generic[K]):
    """One response to verify; `key` is the caller's name for it."""

    key: K
    instruction: Instruction
    answer: Answer


def verify_many(
    verifier: Verifier, items: Iterable[Item[K]], concurrency: int = 64
) -> AsyncGenerator[tuple[Item[K], ResponseOutcome], None]:
    """Verify responses, at most `concurrency` at a time; yields each with its outcome, in the order of completion.

    An item is taken from `items` only when there is room for it, and only while results are taken: a slow reader slows
    the verifier. Closing the iterator early cancels what is under way.

    Raises:
        InvalidInputError: a concurrency below 1.
        Exception: what the verifier raises, which it does only where no response can be verified.
    """
    return bounded(lambda item: _one(verifier, item), items, concurrency)


async def _one(verifier: Verifier, item: Item[K]) -> tuple[Item[K], ResponseOutcome]:
    return item, await verify_response(verifier, item.instruction, item.answer)
