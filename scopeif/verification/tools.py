"""A judge's tool, run in the sandbox: what it computed, in words for the judgment (paper, section 5.1, Eq. 3)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from scopeif.errors import JudgeFormatError
from scopeif.judge.parsing import NoTool, ToolDesign
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


async def run_tool(pool: ToolPool, source: str, entry: str, arguments: tuple[Any, ...]) -> Evidence:
    """Run a tool on pieces of the response."""
    result = await pool.arun(Run(source=source, entry=entry, args=arguments))
    broken = (result.error or "the sandbox failed") if result.status == "infra" else ""
    return Evidence(evidence_text(result), source, arguments, result.cpu_ms, broken)


def evidence_text(result: Result) -> str:
    """A result as the judge reads it; a failed run is shown as such."""
    if result.status != "ok":
        detail = f": {result.error[:300]}" if result.error else ""
        return f"The tool computed nothing ({result.status}{detail})."
    text = json.dumps(result.value, ensure_ascii=False, indent=1)
    if len(text) > MAX_EVIDENCE:
        text = f"{text[:MAX_EVIDENCE]}\n... (cut; {len(text)} characters in all)"
    return text
