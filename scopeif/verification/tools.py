"""A judge's tool, run in the sandbox: what it computed, in words for the judgment (paper, section 5.1, Eq. 3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from scopeif.errors import JudgeFormatError
from scopeif.judge.parsing import NoTool, ToolDesign
from scopeif.judge.spans import Span
from tools_sandbox import Result, Run, ToolPool, lint

MAX_EVIDENCE = 8_000
"""Characters of a tool's result that the judge is shown."""


@dataclass(frozen=True)
class Evidence:
    """What a tool computed, or that it computed nothing.

    `broken` tells that the sandbox or the machine failed: no fault of tool, response or judge.
    """

    text: str = ""
    source: str = ""
    arguments: tuple[Any, ...] = ()
    cpu_ms: float = 0.0
    broken: str = ""


NOTHING = Evidence()


def checked(design: ToolDesign | NoTool) -> ToolDesign | NoTool:
    """The design, if the lint has nothing against it.

    Raises:
        JudgeFormatError: the findings, in words for the judge.
    """
    if isinstance(design, ToolDesign) and (findings := lint(design.source)):
        raise JudgeFormatError("; ".join(str(finding) for finding in findings[:5]))
    return design


async def run_tool(
    pool: ToolPool, design: ToolDesign | NoTool | None, arguments: tuple[Any, ...] | None = None
) -> Evidence:
    """What a tool computes; `NOTHING` where there is none.

    Args:
        arguments: instead of the pieces of the response that the design names.
    """
    if not isinstance(design, ToolDesign):
        return NOTHING
    given = _pieces(design) if arguments is None else arguments
    result = await pool.arun(Run(source=design.source, entry=design.entry, args=given))
    broken = (result.error or "the sandbox failed") if result.status == "infra" else ""
    return Evidence(evidence_text(result), design.source, given, result.cpu_ms, broken)


def _pieces(design: ToolDesign) -> tuple[str | list[str], ...]:
    """The response's own text that the design names."""
    return tuple(one.text if isinstance(one, Span) else [span.text for span in one] for one in design.arguments)


def evidence_text(result: Result) -> str:
    """A result as the judge reads it; a failed run is shown as such."""
    if result.status != "ok":
        detail = f": {result.error[:300]}" if result.error else ""
        return f"The tool computed nothing ({result.status}{detail})."
    text = json.dumps(result.value, ensure_ascii=False, indent=1)
    if len(text) > MAX_EVIDENCE:
        text = f"{text[:MAX_EVIDENCE]}\n... (cut; {len(text)} characters in all)"
    return text
