"""Stage 2: formatting requirements leave the questions, and nothing else does (section 3.2).

The writer removes them and checks itself: is the task preserved, are the constraints gone? What passes is looked
through for residual requirements by rules (`residual`) and by a model, which is told what the rules found and decides;
without a model the rules do. A question that fails is tried again with what
was wrong, then left out with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from scopeif.errors import JudgeFormatError
from scopeif.reformbench.construction.build import QUESTIONS, REMOVAL, Build, who
from scopeif.reformbench.construction.calls import Caller, clean, each
from scopeif.reformbench.construction.languages import language_of
from scopeif.reformbench.construction.questions import FILE
from scopeif.reformbench.construction.residual import Hit, residual
from scopeif.reformbench.construction.stage import LeftOut, Manifest
from scopeif.reformbench.models import Question, text_hash
from scopeif.reformbench.prompt_file import hashes, prompt

NO_ANSWER = "no usable answer"
TASK_CHANGED = "task not preserved"
NOT_REMOVED = "requirement not removed"
RESIDUAL_RULE = "residual requirement (rule)"
RESIDUAL_MODEL = "residual requirement (model)"
PROMPTS = ("remove_format", "removal_check", "residual_check")


class Rewritten(BaseModel):
    """A question without its formatting requirements."""

    question: str = Field(min_length=1)
    removed: list[str] = []
    """The words that were taken out."""


class SelfCheck(BaseModel):
    """What the writer says of a rewritten question."""

    task_preserved: bool
    constraints_removed: bool
    reason: str = ""


class Residual(BaseModel):
    """Requirements that stand in a question, quoted."""

    residual: list[str]


async def remove(build: Build) -> Manifest:
    """Remove the formatting requirements of every question; without a writer, leave out those that have any."""
    settings = build.settings
    writer, checker = settings.writer, settings.checker or settings.writer
    given: dict[str, Any] = {
        "inputs": build.inputs((QUESTIONS, FILE)),
        "writer": who(writer),
        "checker": who(checker),
        "rounds": settings.removal.rounds,
        "attempts": settings.attempts,
        "prompts": hashes(*PROMPTS),
    }
    folder = build.folder(REMOVAL)
    if (manifest := folder.finished(given)) is not None:
        return manifest
    questions = build.rows(QUESTIONS, FILE, Question)
    with build.show("formatting requirements", len(questions)) as tick:
        async with build.callers(REMOVAL, given, writer, checker) as (write, check):
            work = _Removal(write, check, given)
            results = await each(questions, work.of, settings.concurrency, tick)
    kept = [one for one in results if isinstance(one, Question)]
    return folder.finish(given, {FILE: kept}, [one for one in results if isinstance(one, LeftOut)])


class _Removal:
    def __init__(self, writer: Caller | None, checker: Caller | None, given: dict[str, Any]) -> None:
        self._writer, self._checker, self._given = writer, checker, given

    async def of(self, question: Question) -> Question | LeftOut:
        """The question without requirements, or why there is none."""
        text, fault = question.text, ("", "")
        for _ in range(self._given["rounds"] if self._writer else 1):
            if self._writer is not None:
                pieces = {"question": question.text, "fault": _told(text, fault[1])}
                asked = await self._writer.json(prompt("remove_format").filled(**pieces), Rewritten, question.id)
                if asked.usable is None:
                    return _left_out(question, text, NO_ANSWER, asked.fault)
                text = clean(asked.usable.question.strip()) or question.text
            fault = await self._fault(question, text)
            if not fault[0]:
                return self._done(question, text)
        return _left_out(question, text, *fault)

    async def _fault(self, question: Question, text: str) -> tuple[str, str]:
        """Reason and detail; empty where nothing is wrong."""
        if language_of(text) != language_of(question.text):
            return TASK_CHANGED, "it is in another language"
        if self._writer is not None:
            pieces = {"original": question.text, "question": text}
            said = await self._writer.json(prompt("removal_check").filled(**pieces), SelfCheck, question.id)
            if said.usable is None:
                return NO_ANSWER, said.fault
            if not said.usable.task_preserved:
                return TASK_CHANGED, said.usable.reason
            if not said.usable.constraints_removed:
                return NOT_REMOVED, said.usable.reason
        hits = residual(text)
        if hits and self._checker is None:
            return RESIDUAL_RULE, "; ".join(f"{hit.rule}: {hit.quote!r}" for hit in hits)
        if self._checker is not None:
            filled = prompt("residual_check").filled(question=text, suspected=_suspected(hits))
            found = await self._checker.json(filled, Residual, question.id, lambda one: _quoted(one, text))
            if found.usable is None:
                return NO_ANSWER, found.fault
            if found.usable.residual:
                return RESIDUAL_MODEL, "; ".join(map(repr, found.usable.residual))
        return "", ""

    def _done(self, question: Question, text: str) -> Question:
        removal = {name: self._given[name] for name in ("writer", "checker", "prompts")}
        overruled = [hit.quote for hit in residual(text)]
        removal |= {"from": text_hash(question.text), "rules": overruled or "no hit"}
        changed = text != question.text
        return question.model_copy(
            update={
                "text": text,
                "original": question.text if changed else question.original,
                "provenance": question.provenance | {"removal": removal},
            }
        )


def _told(text: str, fault: str) -> str:
    if not fault:
        return ""
    return f"\nAn earlier version was: {text}\nWhat was wrong with it: {fault}\n"


def _suspected(hits: Sequence[Hit]) -> str:
    """What the rules found, as the checker is told it."""
    return "\n".join(f"- {hit.quote}" for hit in hits) or "(nothing)"


def _quoted(said: Residual, text: str) -> None:
    for quote in said.residual:
        if not quote.strip() or quote.strip() not in text:
            raise JudgeFormatError(f"{quote!r} does not stand in the question word for word")


def _left_out(question: Question, text: str, reason: str, detail: str) -> LeftOut:
    return LeftOut(id=question.id, reason=reason, detail=detail, record={"text": text, "original": question.text})
