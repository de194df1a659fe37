"""Calls of a model whose answers are never asked for twice: each is in the stage's ledger before it is used.

A stage that was stopped runs again from its beginning and finds in the ledger what was answered; its own results are
written when they are whole. So a kill at any moment costs no answer, and changes none.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from scopeif.errors import JudgeError, JudgeFormatError, JudgeRefused, JudgeUnavailable
from scopeif.judge.client import JudgeClient
from scopeif.judge.completions import request_body, request_key
from scopeif.judge.final_text import final_text
from scopeif.judge.loose_json import blocks
from scopeif.judge.messages import JudgeAnswer, JudgeRequest
from scopeif.reformbench.ledger import Ledger
from scopeif.verification.asking import Asked, Asker

A = TypeVar("A", bound=BaseModel)
Item = TypeVar("Item")
R = TypeVar("R")
T = TypeVar("T")

_KEPT = ("text", "finish_reason", "prompt_tokens", "completion_tokens", "model")
GO_ON = "the same command goes on where it stopped"


class Recorded:
    """A judge whose answers, usable or not, are recorded before they are given."""

    def __init__(self, client: JudgeClient, ledger: Ledger) -> None:
        self._client, self._ledger = client, ledger
        self._answered, self._refused = len(ledger), ""

    async def ask(self, request: JudgeRequest) -> JudgeAnswer:
        """The answer, from the ledger where it is there.

        Raises:
            JudgeRefused: the server does not take the request.
            JudgeError: no answer came: nothing is decided about the item, and the stage stops.
        """
        key = request_key(request_body(self._client.settings, request), request.attempt).hex()
        if key in self._ledger:
            return _answer(self._ledger[key])
        try:
            answer = await self._client.ask(request)
        except JudgeRefused as error:
            self._refused = error.message
            raise
        except JudgeUnavailable as error:
            # Not the class that askers turn into an unverified item: what no server answered is asked again.
            raise JudgeError(error.message, place=self._client.settings.model, fix=GO_ON) from None
        self._answered += 1
        row = {name: getattr(answer, name) for name in _KEPT} | {"text": clean(answer.text)}
        if key not in self._ledger:  # of two that were in flight as one
            self._ledger.append(key, row)
        return _answer(row)

    def keep(self, request: JudgeRequest, answer: JudgeAnswer) -> None:
        """Nothing: the ledger has it."""

    def require_answers(self) -> None:
        """Refuse to let a stage end with nothing but refusals: that is a fault of the settings, not of the items.

        Raises:
            JudgeError: requests were refused, and none was answered.
        """
        if self._refused and not self._answered:
            raise JudgeError(
                f"every request is refused: {self._refused}",
                place=self._client.settings.model,
                fix="check the model's token limit (sampling.judgment.max_tokens) and extra_body",
            )


class Caller:
    """Asks one model for JSON objects or for text.

    Args:
        attempts: how often it asks until the answer can be used.
    """

    def __init__(self, judge: Recorded, attempts: int) -> None:
        self._asker = Asker(judge, attempts)

    async def ask(self, text: str, read: Callable[[str], T], affinity: str = "") -> Asked[T]:
        """A usable answer, or why there is none; `read` raises `JudgeFormatError` for one that is not usable."""
        return await self._asker.ask("judgment", text, affinity, read, show_fault=True)

    async def json(
        self, text: str, model: type[A], affinity: str = "", check: Callable[[A], None] | None = None
    ) -> Asked[A]:
        """An answer in the form of `model`; `check` raises `JudgeFormatError` where its values are impossible."""

        def read(said: str) -> A:
            value = read_object(said, model)
            if check is not None:
                check(value)
            return value

        return await self.ask(text, read, affinity)


def read_object(text: str, model: type[A]) -> A:
    """The last JSON object of an answer, read as `model`.

    Raises:
        JudgeFormatError: there is none, or it has another form.
    """
    found = [block for block in blocks(final_text(text)) if block.fault is not None or isinstance(block.value, dict)]
    if not found:
        raise JudgeFormatError("there is no JSON object")
    if found[-1].fault is not None:
        raise JudgeFormatError(f"the JSON object cannot be read: {found[-1].fault}")
    try:
        return model.model_validate(found[-1].value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        message = first["msg"].removeprefix("Value error, ")
        raise JudgeFormatError(f"{place}: {message}" if place else message) from None


async def each(
    items: Sequence[Item], work: Callable[[Item], Awaitable[R]], concurrency: int, tick: Callable[[], object]
) -> list[R]:
    """The results of `work` on every item, in their order; the first error ends what is under way.

    Args:
        tick: called after every item.
    """
    results: dict[int, R] = {}
    waiting = iter(enumerate(items))

    async def worker() -> None:
        for index, item in waiting:
            results[index] = await work(item)
            tick()

    workers = [asyncio.create_task(worker()) for _ in range(min(concurrency, len(items)))]
    try:
        await asyncio.gather(*workers)
    finally:
        for one in workers:
            one.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
    return [results[index] for index in range(len(items))]


def clean(text: str) -> str:
    """A text that can be written as UTF-8: a lone surrogate, which is no character, becomes "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _answer(row: dict[str, Any]) -> JudgeAnswer:
    return JudgeAnswer(**{name: row[name] for name in _KEPT})
