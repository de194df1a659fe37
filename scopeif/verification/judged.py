"""The last step of every judged verification: from the material to records (paper, section 5.1, Eq. 4)."""

from __future__ import annotations

from typing import Literal

from scopeif.constraints.models import Constraint, Instruction
from scopeif.errors import JudgeFormatError
from scopeif.judge.parsing import Judgment, parse_judgment
from scopeif.judge.rendering import render
from scopeif.verification.asking import Asker
from scopeif.verification.outcome import JudgeCall, Outcome, Reason
from scopeif.verification.tools import NOTHING, Evidence

NO_RECORDS = "the judgment has no counting results"


async def judged(
    asker: Asker,
    instruction: Instruction,
    constraint: Constraint,
    answer: str,
    *,
    verifier: str,
    kind: Literal["judgment", "llm_only"] = "judgment",
    evidence: Evidence = NOTHING,
    earlier: tuple[JudgeCall, ...] = (),
) -> Outcome:
    """Ask for a judgment; its records decide, and without them the constraint stays unverified."""
    if evidence.broken:
        return Outcome(
            reason=Reason.INFRASTRUCTURE,
            detail=evidence.broken,
            verifier=verifier,
            tool_source=evidence.source,
            tool_arguments=evidence.arguments,
            calls=earlier,
        )
    prompt = render(kind, asker.layout, instruction, constraint, answer, evidence.text)
    asked = await asker.ask("judgment", prompt, asker.affinity(instruction, answer), lambda text: _read(text, answer))
    records = asked.usable.records if asked.usable else []
    reason = asked.reason
    if reason is Reason.PARSE and asked.fault == NO_RECORDS:
        reason = Reason.NO_RECORD
    return Outcome(
        records=tuple(records),
        reason=reason,
        detail=asked.fault,
        verifier=verifier,
        tool_source=evidence.source,
        tool_arguments=evidence.arguments,
        evidence=evidence.text,
        calls=earlier + asked.calls,
        conflict=asked.usable is not None and asked.usable.conflict,
        cpu_ms=evidence.cpu_ms,
    )


def _read(text: str, answer: str) -> Judgment:
    judgment = parse_judgment(text, answer)
    if not judgment.records:
        raise JudgeFormatError(NO_RECORDS)
    return judgment
