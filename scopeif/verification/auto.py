"""Compiled where a spec can be trusted, judged otherwise; the route is the same for all responses to a constraint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from scopeif.constraints.models import Constraint, Instruction
from scopeif.verification.compiled import CompiledVerifier
from scopeif.verification.drawing import drawn
from scopeif.verification.outcome import Outcome, Reason, Status
from scopeif.verification.verifier import Verifier


class AutoVerifier:
    """Routes each constraint, never each response, so that the siblings of a group are measured alike.

    A response that measuring finds ambiguous goes to the judge and is marked `escalated`. A fixed share of the
    compiled constraints is judged too: `audit` of the outcome tells whether the judge agrees; the measured outcome
    stays.

    Args:
        judge: the verifier for everything else; without one, such constraints stay unverified.
        audit_frac: share of measured constraints of responses that are judged too, in [0, 1].
        trusts: whether measuring decides a constraint that has a spec; by default always.
    """

    name = "auto"

    def __init__(
        self,
        compiled: CompiledVerifier,
        judge: Verifier | None = None,
        audit_frac: float = 0.0,
        trusts: Callable[[Constraint], bool] = lambda _: True,
    ) -> None:
        self._compiled, self._judge = compiled, judge
        self._audit_frac, self._trusts = audit_frac, trusts

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        if self._judge is None:
            return await self._compiled.verify(instruction, constraint, answer)
        if constraint.spec is None or not self._trusts(constraint):
            return await self._judge.verify(instruction, constraint, answer)
        measured = await self._compiled.verify(instruction, constraint, answer)
        ambiguous = measured.reason is Reason.AMBIGUOUS
        if not ambiguous and not self._is_audited(instruction, constraint, answer):
            return measured
        judged = await self._judge.verify(instruction, constraint, answer)
        if ambiguous:
            return replace(judged, escalated=True)
        known = Status.UNVERIFIED not in (measured.status, judged.status)
        return replace(measured, audit=measured.status is judged.status if known else None, calls=judged.calls)

    def _is_audited(self, instruction: Instruction, constraint: Constraint, answer: str) -> bool:
        return drawn(f"{instruction.id}\0{constraint.text}\0{answer}", self._audit_frac)
