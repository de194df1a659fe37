"""What every verifier does, and how a response is verified with one."""

from __future__ import annotations

import asyncio
from typing import Protocol, runtime_checkable

from scopeif.constraints.models import Constraint, Instruction
from scopeif.reward import Answer
from scopeif.verification.outcome import Outcome, ResponseOutcome


class Verifier(Protocol):
    """Judges whether an answer satisfies one constraint of its instruction."""

    name: str

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        """The outcome; what cannot be judged is an unverified outcome with its reason, never an exception.

        Raises:
            ScopeIFError: the configuration is wrong (a judge that refuses the key, say): no answer can be judged.
        """
        ...


@runtime_checkable
class ResponseVerifier(Protocol):
    """A verifier that judges all constraints of an answer together."""

    async def verify_all(self, instruction: Instruction, answer: str) -> list[Outcome]:
        """The outcomes in the order of the instruction's constraints."""
        ...


async def verify_response(verifier: Verifier, instruction: Instruction, answer: Answer) -> ResponseOutcome:
    """Verify every constraint of a response at once; nothing of it where the format reward is 0."""
    if answer.format_reward == 0:
        return ResponseOutcome(answer)
    if isinstance(verifier, ResponseVerifier):
        return ResponseOutcome(answer, tuple(await verifier.verify_all(instruction, answer.text)))
    verifying = (verifier.verify(instruction, constraint, answer.text) for constraint in instruction.constraints)
    return ResponseOutcome(answer, tuple(await asyncio.gather(*verifying)))
