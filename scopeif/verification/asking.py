"""Asking the judge until its answer can be used, or no attempt is left."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from scopeif.constraints.models import Instruction
from scopeif.errors import JudgeFormatError, JudgeRefused, JudgeUnavailable
from scopeif.judge.messages import JudgeAnswer, JudgeRequest, Message
from scopeif.judge.rendering import Layout
from scopeif.judge.settings import Kind
from scopeif.verification.outcome import JudgeCall, Outcome, Reason

T = TypeVar("T")

CUT_OFF = "the answer was cut off at the token limit"
_OF_ONE_REQUEST = (400, 413, 422)
"""HTTP statuses that speak of this one prompt (too long, say), not of the configuration."""
_MEND = "This answer cannot be used: {fault}. Answer again, in exactly the form that was asked for."


class Judge(Protocol):
    """What verifiers need of `scopeif.judge.client.JudgeClient`."""

    async def ask(self, request: JudgeRequest) -> JudgeAnswer:
        """The judge's answer; raises `JudgeUnavailable` or `JudgeRefused`."""
        ...

    def keep(self, request: JudgeRequest, answer: JudgeAnswer) -> None:
        """Remember a usable answer."""
        ...


@dataclass(frozen=True)
class Asked(Generic[T]):
    """What came of asking: a usable answer, or the reason why there is none; and every call that was made."""

    usable: T | None
    calls: tuple[JudgeCall, ...]
    reason: Reason | None = None
    fault: str = ""

    def unverified(self, verifier: str, earlier: tuple[JudgeCall, ...] = ()) -> Outcome:
        """The outcome of a constraint for which nothing usable came; `earlier` are calls made before."""
        return Outcome(reason=self.reason, detail=self.fault, verifier=verifier, calls=earlier + self.calls)


@dataclass(frozen=True)
class Asker:
    """How a verifier asks its judge.

    Args:
        attempts: how often it asks at most; later attempts are sampled at a higher temperature.
        layout: order of the material in prompts; in `prefix` all calls about an answer prefer the same endpoint.
    """

    judge: Judge
    attempts: int = 3
    layout: Layout = "paper"

    async def ask(
        self, kind: Kind, prompt: str, affinity: str, read: Callable[[str], T], *, show_fault: bool = False
    ) -> Asked[T]:
        """Ask until `read` accepts the answer (it raises `JudgeFormatError` where not).

        Args:
            show_fault: whether a further attempt shows the judge its answer and what is wrong with it.

        Raises:
            JudgeRefused: the judge does not accept requests at all (its key or its name is wrong).
        """
        calls: list[JudgeCall] = []
        first: tuple[Message, ...] = ({"role": "user", "content": prompt},)
        messages, fault = first, ""
        for attempt in range(self.attempts):
            request = JudgeRequest(kind=kind, messages=messages, affinity=affinity, attempt=attempt)
            try:
                answer = await self.judge.ask(request)
            except JudgeUnavailable as error:
                return Asked(None, tuple(calls), Reason.TRANSPORT, str(error.message))
            except JudgeRefused as error:
                if error.status not in _OF_ONE_REQUEST:
                    raise
                return Asked(None, tuple(calls), Reason.TRANSPORT, str(error.message))
            try:
                if answer.finish_reason == "length":
                    raise JudgeFormatError(CUT_OFF)
                usable = read(answer.text)
            except JudgeFormatError as error:
                fault = error.message
                calls.append(_call(kind, answer, fault))
                if show_fault and answer.finish_reason != "length":  # one that was cut off would fill the context
                    said: Message = {"role": "assistant", "content": answer.text}
                    messages = (*first, said, {"role": "user", "content": _MEND.format(fault=fault)})
                continue
            calls.append(_call(kind, answer))
            self.judge.keep(request, answer)
            return Asked(usable, tuple(calls))
        return Asked(None, tuple(calls), Reason.PARSE, fault)

    def affinity(self, instruction: Instruction, answer: str) -> str:
        """The key by which requests prefer an endpoint that has their prefix in its cache."""
        if self.layout == "paper":
            return instruction.id
        return json.dumps([instruction.id, hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()])


def _call(kind: Kind, answer: JudgeAnswer, fault: str = "") -> JudgeCall:
    return JudgeCall(
        kind=kind,
        text=answer.text,
        prompt_tokens=answer.prompt_tokens,
        cached_tokens=answer.cached_tokens,
        completion_tokens=answer.completion_tokens,
        seconds=answer.seconds,
        fault=fault,
    )
