"""Tool-grounded verification of all constraints of a response in one pair of calls: cheaper, and less exact.

What the judge leaves out or writes unusably is verified by itself, as `tgv` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from scopeif.constraints.models import Constraint, Instruction
from scopeif.errors import JudgeFormatError
from scopeif.judge.parsing import Judgment, NoTool, ToolDesign, parse_judgment, parse_tool_design
from scopeif.judge.rendering import render_batch
from scopeif.judge.sections import sections
from scopeif.verification.asking import Asked, Asker
from scopeif.verification.judged import outcome_of
from scopeif.verification.outcome import JudgeCall, Outcome, Reason
from scopeif.verification.tool_grounded import ToolGroundedVerifier
from scopeif.verification.tools import Evidence, checked, run_tool
from tools_sandbox import ToolPool

T = TypeVar("T")


class PerResponseVerifier:
    """Verifies a response with one call for all tools and one for all judgments."""

    name = "per_response"

    def __init__(self, asker: Asker, pool: ToolPool) -> None:
        self._asker, self._pool = asker, pool
        self._single = ToolGroundedVerifier(asker, pool)

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        """One constraint by itself."""
        return await self._single.verify(instruction, constraint, answer)

    async def verify_all(self, instruction: Instruction, answer: str) -> list[Outcome]:
        """All constraints of a response, in order."""
        if len(instruction.constraints) == 1:
            return [await self.verify(instruction, instruction.constraints[0], answer)]
        designs = await self._designs(instruction, answer)
        if designs.reason is Reason.TRANSPORT:
            return [designs.unverified(self.name) for _ in instruction.constraints]
        nothing = [None] * len(instruction.constraints)
        evidence = await asyncio.gather(*(run_tool(self._pool, design) for design in designs.usable or nothing))
        judged = await self._judgments(instruction, answer, evidence)
        if judged.reason is Reason.TRANSPORT:
            return [judged.unverified(self.name, designs.calls) for _ in instruction.constraints]
        # The pair of calls is shared: its cost is told once, with the first constraint.
        shared = [designs.calls + judged.calls, *[()] * (len(nothing) - 1)]
        parts = zip(instruction.constraints, judged.usable or nothing, evidence, shared, strict=True)
        outcomes = (
            self._outcome(instruction, constraint, answer, judgment, found, calls)
            for constraint, judgment, found, calls in parts
        )
        return list(await asyncio.gather(*outcomes))

    async def _designs(self, instruction: Instruction, answer: str) -> Asked[list[ToolDesign | NoTool | None]]:
        prompt = render_batch("batch_tool_design", instruction, answer)
        count = len(instruction.constraints)
        return await self._asker.ask(
            "batch",
            prompt,
            self._asker.affinity(instruction, answer),
            lambda text: _each(sections(text, count), lambda part: checked(parse_tool_design(part, answer))),
        )

    async def _judgments(
        self, instruction: Instruction, answer: str, evidence: Sequence[Evidence]
    ) -> Asked[list[Judgment | None]]:
        prompt = render_batch("batch_judgment", instruction, answer, [found.text for found in evidence])
        return await self._asker.ask(
            "batch",
            prompt,
            self._asker.affinity(instruction, answer),
            lambda text: _each(sections(text, len(instruction.constraints)), lambda part: parse_judgment(part, answer)),
        )

    async def _outcome(
        self,
        instruction: Instruction,
        constraint: Constraint,
        answer: str,
        judgment: Judgment | None,
        evidence: Evidence,
        calls: tuple[JudgeCall, ...],
    ) -> Outcome:
        if judgment is None or not judgment.records or evidence.broken:
            single = await self._single.verify(instruction, constraint, answer)
            return replace(single, calls=calls + single.calls)
        return outcome_of(judgment, evidence, self.name, calls)


def _each(parts: Sequence[str | None], read: Callable[[str], T]) -> list[T | None]:
    """What can be read of each part; the others are None, and verified by themselves.

    Raises:
        JudgeFormatError: nothing can be read of any.
    """
    found: list[T | None] = []
    fault = "no part can be used"
    for part in parts:
        try:
            found.append(read(part) if part is not None else None)
        except JudgeFormatError as error:
            fault = error.message
            found.append(None)
    if all(one is None for one in found):
        raise JudgeFormatError(fault)
    return found
