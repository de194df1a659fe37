"""Verification without a judge: the constraint's spec is compiled to a tool, and the sandbox runs it."""

from __future__ import annotations

from functools import lru_cache

from scopeif.constraints.models import Constraint, Instruction
from scopeif.constraints.spec import Spec
from scopeif.errors import RecordError
from scopeif.measure import compile_spec, records_from
from scopeif.measure.compile import ENTRY
from scopeif.verification.outcome import Outcome, Reason
from tools_sandbox import Result, Run, ToolPool

AMBIGUOUS = "Ambiguous"
"""A compiled tool that finds a response ambiguous raises the exception of this name."""


class CompiledVerifier:
    """Verifies every constraint that has a spec; the others stay unverified.

    Args:
        pool: the sandbox that runs the compiled tools; the caller owns and closes it.
    """

    name = "compiled"

    def __init__(self, pool: ToolPool) -> None:
        self._pool = pool

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        """The outcome of one constraint; its instruction does not matter."""
        if constraint.spec is None:
            return Outcome(reason=Reason.NO_SPEC, verifier=self.name, detail="the constraint has no formal spec")
        tool = _tool(constraint.spec)
        return self._outcome(tool, await self._pool.arun(Run(source=tool, entry=ENTRY, args=(answer,))))

    def _outcome(self, tool: str, result: Result) -> Outcome:
        if result.status == "ok":
            try:
                records = records_from(result.value)
            except RecordError as error:
                return self._failed(tool, result, Reason.TOOL, str(error))
            return Outcome(tuple(records), verifier=self.name, tool_source=tool, cpu_ms=result.cpu_ms)
        if result.status == "error" and AMBIGUOUS in (result.error or ""):
            return self._failed(tool, result, Reason.AMBIGUOUS, result.error or "")
        reason = Reason.INFRASTRUCTURE if result.status == "infra" else Reason.TOOL
        return self._failed(tool, result, reason, f"{result.status}: {result.error or ''}")

    def _failed(self, tool: str, result: Result, reason: Reason, detail: str) -> Outcome:
        return Outcome(reason=reason, detail=detail, verifier=self.name, tool_source=tool, cpu_ms=result.cpu_ms)


@lru_cache(maxsize=65_536)
def _compiled(spec_json: str) -> str:
    return compile_spec(Spec.model_validate_json(spec_json))


def _tool(spec: Spec) -> str:
    return _compiled(spec.model_dump_json())
