"""Whether a variant can be satisfied: a witness answer, and the verification of each requirement (appendix A.7.5).

A requirement is verified when a model or its formal spec finds it satisfied and neither finds it violated. Where one
is not, the acceptance criteria may be clarified and another answer tried; a variant that stays without a verified
answer is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from scopeif.errors import JudgeFormatError
from scopeif.judge.final_text import final_text
from scopeif.reformbench.construction.calls import Caller, clean
from scopeif.reformbench.construction.composing import requirements_text
from scopeif.reformbench.construction.stage import LeftOut
from scopeif.reformbench.judging.third_opinion import opinion
from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Variant, text_hash
from scopeif.reformbench.prompt_file import prompt

PROMPTS = ("witness", "verify_witness", "clarify")
NO_WITNESS = "no witness answer"
NO_ANSWER = "no usable answer"
NOT_SATISFIED = "no answer satisfies it"
NOT_VERIFIED = "not verified"


class Witness(BaseModel):
    """An answer that somebody gives for a variant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: str
    text: str = Field(min_length=1)
    by: str = "author"


class Review(BaseModel):
    """The verification of one requirement by one answer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: str
    position: int
    round: int
    """From 1."""
    by: str
    """Who wrote the answer."""
    witness_hash: str
    measured: Literal[0, 1] | None
    """By the formal spec; None without one, or where the answer can be read in two ways."""
    judged: Literal[0, 1] | None
    """By the reviewing model; None without one."""
    evidence: str = ""

    @property
    def verified(self) -> bool:
        """Whether the requirement counts as satisfied."""
        opinions = (self.measured, self.judged)
        return 1 in opinions and 0 not in opinions


class Label(BaseModel):
    """The reviewer's label of one requirement, by its number from 1."""

    number: int
    evidence: str = ""
    label: Literal[0, 1]


class LabelAnswer(BaseModel):
    """The reviewer's answer about all three."""

    labels: list[Label]


class Clarification(BaseModel):
    """What is added to the criterion of one requirement, by its number from 1."""

    number: int = Field(ge=1, le=CONSTRAINTS_PER_VARIANT)
    text: str = Field(min_length=1)


class ClarifyAnswer(BaseModel):
    """The reviewer's answer about unclear criteria."""

    clarifications: list[Clarification]


class Reviewed(NamedTuple):
    """What came of a variant: with its witness, or left out; and every verification that was made."""

    result: Variant | LeftOut
    reviews: tuple[Review, ...]


class Reviewer:
    """Reviews variants.

    Args:
        caller: the reviewing model; None tries the given answers alone, and verifies by spec.
        provenance: what a variant's record says of the review.
        rounds: how many answers are tried.
        given: answers that are tried first, by variant.
    """

    def __init__(
        self, caller: Caller | None, provenance: dict[str, Any], rounds: int, given: Mapping[str, Witness]
    ) -> None:
        self._caller, self._provenance, self._rounds, self._given = caller, provenance, rounds, given

    async def review(self, variant: Variant) -> Reviewed:
        """Try answers until one is verified, or none is left to try."""
        reviews: list[Review] = []
        tried: list[Review] = []
        answer = ""
        now = variant
        for number in range(1, self._rounds + 1):
            if number > 1:
                if self._caller is None:
                    break
                clarified = await self._clarified(self._caller, now, answer, tried)
                if isinstance(clarified, str):
                    return _left_out(variant, NO_ANSWER, clarified, reviews)
                now = clarified
            witness = await self._witness(now, number, answer, tried)
            if isinstance(witness, str):
                return _left_out(variant, NO_ANSWER if self._caller else NO_WITNESS, witness, reviews)
            verified = await self._verify(now, witness, number)
            if isinstance(verified, str):
                return _left_out(variant, NO_ANSWER, verified, reviews)
            tried, answer = verified, witness.text
            reviews += tried
            if all(one.verified for one in tried):
                return Reviewed(self._satisfied(variant, now, witness, number), tuple(reviews))
        failed = [one for one in tried if not one.verified]
        violated = any(0 in (one.measured, one.judged) for one in failed)
        detail = "; ".join(f"requirement {one.position + 1}: {_why(one)}" for one in failed)
        return _left_out(variant, NOT_SATISFIED if violated else NOT_VERIFIED, detail, reviews)

    async def _witness(self, variant: Variant, number: int, earlier: str, tried: Sequence[Review]) -> Witness | str:
        if number == 1 and (given := self._given.get(variant.id)) is not None:
            return given
        if self._caller is None:
            return "no file gives one, and there is no reviewer"
        text = prompt("witness").filled(
            instruction=variant.instruction,
            requirements=requirements_text(variant.requirements),
            fault=_told(earlier, tried),
        )
        asked = await self._caller.ask(text, lambda said: clean(final_text(said).strip()), variant.question)
        if asked.usable is None:
            return f"witness: {asked.fault}"
        return Witness(variant=variant.id, text=asked.usable, by="reviewer")

    async def _verify(self, variant: Variant, witness: Witness, number: int) -> list[Review] | str:
        labels: Mapping[int, Label] = {}
        if self._caller is not None:
            text = prompt("verify_witness").filled(
                instruction=variant.instruction,
                requirements=requirements_text(variant.requirements),
                answer=witness.text,
            )
            asked = await self._caller.json(text, LabelAnswer, variant.question, _one_each)
            if asked.usable is None:
                return f"verification: {asked.fault}"
            labels = {one.number: one for one in asked.usable.labels}
        return [
            Review(
                variant=variant.id,
                position=position,
                round=number,
                by=witness.by,
                witness_hash=text_hash(witness.text),
                measured=opinion(requirement, witness.text),
                judged=labels[position + 1].label if labels else None,
                evidence=labels[position + 1].evidence if labels else "",
            )
            for position, requirement in enumerate(variant.requirements)
        ]

    async def _clarified(self, caller: Caller, variant: Variant, answer: str, tried: Sequence[Review]) -> Variant | str:
        text = prompt("clarify").filled(
            instruction=variant.instruction,
            requirements=requirements_text(variant.requirements),
            fault=_told(answer, tried),
        )
        asked = await caller.json(text, ClarifyAnswer, variant.question)
        if asked.usable is None:
            return f"clarification: {asked.fault}"
        requirements = list(variant.requirements)
        for one in asked.usable.clarifications:
            old = requirements[one.number - 1]
            acceptance = f"{old.acceptance} {clean(one.text.strip())}"
            requirements[one.number - 1] = old.model_copy(update={"acceptance": acceptance})
        return variant.model_copy(update={"requirements": tuple(requirements)})

    def _satisfied(self, before: Variant, now: Variant, witness: Witness, number: int) -> Variant:
        clarified = {
            str(position): text_hash(old.acceptance)
            for position, (old, new) in enumerate(zip(before.requirements, now.requirements, strict=True))
            if old != new
        }
        review = self._provenance | {"round": number, "witness_by": witness.by, "clarified": clarified}
        provenance = now.provenance | {"satisfiability": review | {"witness_hash": text_hash(witness.text)}}
        return now.model_copy(update={"witness": witness.text, "provenance": provenance})


def _one_each(answer: LabelAnswer) -> None:
    if sorted(one.number for one in answer.labels) != list(range(1, CONSTRAINTS_PER_VARIANT + 1)):
        raise JudgeFormatError(f"give one label for each number from 1 to {CONSTRAINTS_PER_VARIANT}")


def _told(answer: str, tried: Sequence[Review]) -> str:
    failed = [one for one in tried if not one.verified]
    if not failed:
        return ""
    lines = "\n".join(f"- Requirement {one.position + 1}: {_why(one)}" for one in failed)
    return f"\nAn earlier answer was:\n{answer}\n\nIt was not found to meet:\n{lines}\n"


def _why(one: Review) -> str:
    if one.measured == 0:
        return f"measuring finds it violated. {one.evidence}".strip()
    return one.evidence or ("nobody verified it" if one.judged is None else "violated")


def _left_out(variant: Variant, reason: str, detail: str, reviews: Sequence[Review]) -> Reviewed:
    return Reviewed(LeftOut(id=variant.id, reason=reason, detail=detail), tuple(reviews))
