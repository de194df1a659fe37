"""Tool-grounded verification, the paper's (section 5.1): the judge designs a tool for the response, the sandbox runs
it, the judge reads what it computed."""

from __future__ import annotations

from scopeif.constraints.models import Constraint, Instruction
from scopeif.judge.parsing import parse_tool_design
from scopeif.judge.rendering import render
from scopeif.verification.asking import Asker
from scopeif.verification.judged import judged_with_tool
from scopeif.verification.outcome import Outcome
from scopeif.verification.tools import checked
from tools_sandbox import ToolPool


class ToolGroundedVerifier:
    """Verifies any objective constraint with a judge and the sandbox.

    A judge that designs no tool, or no usable one in all its attempts, judges without evidence.

    Args:
        asker: the judge and how it is asked.
        pool: the sandbox; the caller owns and closes it.
    """

    name = "tgv"

    def __init__(self, asker: Asker, pool: ToolPool) -> None:
        self._asker = asker
        self._pool = pool

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        prompt = render("tool_design", self._asker.layout, instruction, constraint, answer)
        affinity = self._asker.affinity(instruction, answer)
        asked = await self._asker.ask(
            "tool_design", prompt, affinity, lambda text: checked(parse_tool_design(text, answer)), show_fault=True
        )
        return await judged_with_tool(
            self._asker, self._pool, asked, instruction, constraint, answer, verifier=self.name
        )
