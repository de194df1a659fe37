"""Writing the instruction of one planned variant: by a model that checks itself, or by a template (A.7.4, A.7.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel, Field

from scopeif.errors import JudgeFormatError
from scopeif.reformbench.construction.calls import Caller, clean
from scopeif.reformbench.construction.stage import LeftOut
from scopeif.reformbench.construction.wording import instruction
from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Question, Requirement, Variant, text_hash
from scopeif.reformbench.prompt_file import hashes, prompt

PROMPTS = ("compose", "compose_check")
NO_ANSWER = "no usable answer"
TASK_CHANGED = "task not preserved"
NOT_INCLUDED = "requirement not included"
INCOMPATIBLE = "requirements not compatible"


class Draft(NamedTuple):
    """A variant that has no words yet."""

    id: str
    question: Question
    requirements: tuple[Requirement, ...]
    provenance: dict[str, Any]


class Instruction(BaseModel):
    """The writer's answer."""

    instruction: str = Field(min_length=1)


class Checked(BaseModel):
    """What the writer says of an instruction."""

    task_preserved: bool
    included: list[bool]
    compatible: bool
    reason: str = ""


class Composer:
    """Makes variants of drafts.

    Args:
        caller: the model; None puts the requirements behind the question.
        settings: the model in the provenance of a variant.
        rounds: how often the model is asked; from the second on it is told what was wrong.
        seed: decides the wording without a model.
    """

    def __init__(self, caller: Caller | None, settings: dict[str, Any] | None, rounds: int, seed: int) -> None:
        self._caller, self._settings, self._rounds, self._seed = caller, settings, rounds, seed

    async def compose(self, draft: Draft) -> Variant | LeftOut:
        """The variant, or why there is none."""
        if self._caller is None:
            text = instruction(draft.question, draft.requirements, f"{self._seed} {draft.id}")
            return self._variant(draft, text)
        fault, text = ("", ""), ""
        for _ in range(self._rounds):
            pieces = self._pieces(draft) | {"fault": _told(text, fault[1])}
            asked = await self._caller.json(prompt("compose").filled(**pieces), Instruction, draft.question.id)
            if asked.usable is None:
                fault = (NO_ANSWER, asked.fault)
                break
            text = clean(asked.usable.instruction.strip())
            fault = await self._fault(self._caller, draft, text)
            if not fault[0]:
                return self._variant(draft, text)
            if fault[0] in (NO_ANSWER, INCOMPATIBLE):  # other words would not help
                break
        return LeftOut(id=draft.id, reason=fault[0], detail=fault[1], record={"instruction": text} | _targets(draft))

    async def _fault(self, caller: Caller, draft: Draft, text: str) -> tuple[str, str]:
        """Reason and detail; empty where nothing is wrong."""
        pieces = self._pieces(draft) | {"instruction": text}
        asked = await caller.json(prompt("compose_check").filled(**pieces), Checked, draft.question.id, _all_three)
        if (said := asked.usable) is None:
            return NO_ANSWER, asked.fault
        if not said.compatible:
            return INCOMPATIBLE, said.reason
        if not said.task_preserved:
            return TASK_CHANGED, said.reason
        if not all(said.included):
            missing = [str(number) for number, here in enumerate(said.included, start=1) if not here]
            return NOT_INCLUDED, f"requirement {', '.join(missing)}: {said.reason}"
        return "", ""

    @staticmethod
    def _pieces(draft: Draft) -> dict[str, str]:
        return {"question": draft.question.text, "requirements": requirements_text(draft.requirements)}

    def _variant(self, draft: Draft, text: str) -> Variant:
        composition = {
            "composer": self._settings or "offline",
            "prompts": hashes(*PROMPTS) if self._caller else {},
            "question_hash": text_hash(draft.question.text),
            "instruction_hash": text_hash(text),
        }
        return Variant(
            id=draft.id,
            question=draft.question.id,
            instruction=text,
            requirements=draft.requirements,
            provenance=draft.provenance | {"composition": composition},
        )


def requirements_text(requirements: Sequence[Requirement]) -> str:
    """Requirements as a model reads them, numbered from 1, each with its acceptance criterion."""
    return "\n\n".join(
        f"Requirement {number}: {one.text}\nAcceptance criterion: {one.acceptance}"
        for number, one in enumerate(requirements, start=1)
    )


def _told(text: str, fault: str) -> str:
    return f"\nAn earlier version was: {text}\nWhat was wrong with it: {fault}\n" if fault else ""


def _all_three(said: Checked) -> None:
    if len(said.included) != CONSTRAINTS_PER_VARIANT:
        raise JudgeFormatError(f'"included" has {len(said.included)} values, not {CONSTRAINTS_PER_VARIANT}')


def _targets(draft: Draft) -> dict[str, Any]:
    return {"targets": [f"{one.mode} {one.feature}" for one in draft.requirements]}
