"""The last step of every judged verification: from the material to records (paper, section 5.1, Eq. 4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from scopeif.constraints.models import Constraint, Instruction
from scopeif.errors import JudgeFormatError
from scopeif.judge.parsing import Judgment, NoTool, ToolDesign, parse_judgment
from scopeif.judge.rendering import render
from scopeif.verification.asking import Asked, Asker
from scopeif.verification.outcome import JudgeCall, Outcome, Reason
from scopeif.verification.tools import NOTHING, Evidence, run_tool
from tools_sandbox import ToolPool

NO_RECORDS = "the judgment has no counting results"


async def judged_with_tool(
    asker: Asker,
    pool: ToolPool,
    designed: Asked[ToolDesign | NoTool],
    instruction: Instruction,
    constraint: Constraint,
    answer: str,
    *,
    verifier: str,
    arguments: tuple[str, ...] | None = None,
) -> Outcome:
    """Run the tool that was designed and judge with its evidence; without a usable design, judge without.

    Args:
        arguments: what the tool gets instead of the pieces of the response that its design names.
    """
    if designed.reason is Reason.TRANSPORT:
        return designed.unverified(verifier)
    evidence = await run_tool(pool, designed.usable, arguments)
    return await judged(
        asker, instruction, constraint, answer, verifier=verifier, evidence=evidence, earlier=designed.calls
    )


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
    if asked.usable is not None:
        return outcome_of(asked.usable, evidence, verifier, earlier + asked.calls)
    no_record = asked.reason is Reason.PARSE and asked.fault == NO_RECORDS
    return replace(
        asked.unverified(verifier, earlier),
        reason=Reason.NO_RECORD if no_record else asked.reason,
        **_told(evidence),
    )


def outcome_of(judgment: Judgment, evidence: Evidence, verifier: str, calls: tuple[JudgeCall, ...]) -> Outcome:
    """The outcome that a judgment's records make, with what led to it."""
    return Outcome(
        tuple(judgment.records), verifier=verifier, calls=calls, conflict=judgment.conflict, **_told(evidence)
    )


def _told(evidence: Evidence) -> dict[str, Any]:
    return {
        "tool_source": evidence.source,
        "tool_arguments": evidence.arguments,
        "evidence": evidence.text,
        "cpu_ms": evidence.cpu_ms,
    }


def _read(text: str, answer: str) -> Judgment:
    judgment = parse_judgment(text, answer)
    if not judgment.records:
        raise JudgeFormatError(NO_RECORDS)
    return judgment
