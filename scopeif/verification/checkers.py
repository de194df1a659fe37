"""Code that the judge writes without seeing the response, once for a constraint: the paper's baselines (appendix E.4).

`RuleVerifier`: the code decides by itself. `StaticToolVerifier`: it computes evidence for the judge ("w/ Static Tool").
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import replace
from typing import Literal

from scopeif.constraints.models import Constraint, Instruction
from scopeif.judge.parsing import NoTool, ToolDesign, parse_checker
from scopeif.judge.rendering import render
from scopeif.reward import Record
from scopeif.verification.asking import Asked, Asker
from scopeif.verification.judged import judged_with_tool
from scopeif.verification.outcome import Outcome, Reason
from scopeif.verification.tools import checked
from tools_sandbox import Run, ToolPool

_KEPT = 4_096
Checker = ToolDesign | NoTool


class _Checkers:
    """One checker for each constraint, asked for once while it is kept; failures are not kept.

    The calls of a question are told to the one who caused it, so that their cost is counted once.
    """

    def __init__(self, asker: Asker, kind: Literal["rule", "static_tool"]) -> None:
        self._asker, self._kind = asker, kind
        self._asked: OrderedDict[str, asyncio.Task[Asked[Checker]]] = OrderedDict()

    async def get(self, instruction: Instruction, constraint: Constraint) -> Asked[Checker]:
        prompt = render(self._kind, self._asker.layout, instruction, constraint, None)
        task, asks = self._asked.get(prompt), False
        if task is None or (task.done() and (task.cancelled() or task.exception() or task.result().reason)):
            task = asyncio.create_task(
                self._asker.ask(
                    "tool_design", prompt, instruction.id, lambda text: checked(parse_checker(text)), show_fault=True
                )
            )
            self._asked[prompt], asks = task, True
            while len(self._asked) > _KEPT:
                self._asked.popitem(last=False)
        asked = await asyncio.shield(task)
        return asked if asks else replace(asked, calls=())


class RuleVerifier:
    """The judge's code decides: one record that is 1 where the constraint holds."""

    name = "rule"

    def __init__(self, asker: Asker, pool: ToolPool) -> None:
        self._checkers, self._pool = _Checkers(asker, "rule"), pool

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        asked = await self._checkers.get(instruction, constraint)
        if asked.reason is not None:
            return asked.unverified(self.name)
        if not isinstance(asked.usable, ToolDesign):
            detail = "the judge wrote no checker"
            return Outcome(reason=Reason.TOOL, detail=detail, verifier=self.name, calls=asked.calls)
        source = asked.usable.source
        result = await self._pool.arun(Run(source=source, entry=asked.usable.entry, args=(answer,)))
        if result.status == "ok" and isinstance(result.value, bool):
            record = Record(1, 1, result.value, object="the constraint holds")
            return Outcome((record,), verifier=self.name, tool_source=source, calls=asked.calls, cpu_ms=result.cpu_ms)
        reason = Reason.INFRASTRUCTURE if result.status == "infra" else Reason.TOOL
        detail = f"{result.status}: {result.error or f'it returned {result.value!r:.80}, not True or False'}"
        return Outcome(reason=reason, detail=detail, verifier=self.name, tool_source=source, calls=asked.calls)


class StaticToolVerifier:
    """The judge's tool is the same for every response; its evidence goes to the judgment."""

    name = "static_tool"

    def __init__(self, asker: Asker, pool: ToolPool) -> None:
        self._checkers, self._asker, self._pool = _Checkers(asker, "static_tool"), asker, pool

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        asked = await self._checkers.get(instruction, constraint)
        return await judged_with_tool(
            self._asker,
            self._pool,
            asked,
            instruction,
            constraint,
            answer,
            verifier=self.name,
            arguments=(answer,),
        )
