"""A judge without tools, the paper's baseline (appendix E.4)."""

from __future__ import annotations

from scopeif.constraints.models import Constraint, Instruction
from scopeif.verification.asking import Asker
from scopeif.verification.judged import judged
from scopeif.verification.outcome import Outcome


class LLMVerifier:
    """The judge reads the response and counts by itself; its records decide over its verdict."""

    name = "llm"

    def __init__(self, asker: Asker) -> None:
        self._asker = asker

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        return await judged(self._asker, instruction, constraint, answer, verifier=self.name, kind="llm_only")
