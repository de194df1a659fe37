"""Asking models for responses: one user message, no system prompt, one response an item (section 4.1, Table A13).

What a model said is taken as it is: a response that the token limit cut off is kept and flagged, and an empty one is
an empty response. Only thinking that a server left at the beginning of the text is taken off. Every response is in the
ledger as soon as it comes, so that a stopped run goes on without asking twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from scopeif.errors import DataError, JudgeError, JudgeRefused, JudgeUnavailable
from scopeif.judge.client import JudgeClient
from scopeif.judge.messages import JudgeAnswer, JudgeRequest
from scopeif.reformbench.build_settings import ModelSettings, identity
from scopeif.reformbench.construction.calls import GO_ON, clean, each
from scopeif.reformbench.construction.stage import LeftOut, value_hash
from scopeif.reformbench.construction.wording import single_instruction
from scopeif.reformbench.ledger import Ledger
from scopeif.reformbench.models import Language, Question, Response, ResponseKind, Variant, text_hash
from scopeif.reformbench.prompt_file import prompt

Condition = Literal["plain", "meta_prompt"]
"""`meta_prompt` appends a fixed text to the user message (section 4.4, appendix A.8)."""
REFUSED = "refused"
_OF_ONE_REQUEST = (400, 413, 422)
"""HTTP statuses that speak of this one prompt (too long, say), not of the configuration."""
_ID_DIGITS = 20
_OPEN, _CLOSE = "<think>", "</think>"
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_PARAGRAPH_ENDS = re.compile(r"[^\S\n]*\n[^\S\n]*\n")


@dataclass(frozen=True)
class Item:
    """What a model is asked: the text of its one user message, and what that is of the benchmark."""

    kind: ResponseKind
    item: str
    text: str
    position: int | None = None


def question_items(questions: Iterable[Question]) -> list[Item]:
    """The questions themselves, for unconstrained responses."""
    return [Item("unconstrained", question.id, question.text) for question in questions]


def variant_items(variants: Iterable[Variant]) -> list[Item]:
    """The instructions with all three requirements."""
    return [Item("variant", variant.id, variant.instruction) for variant in variants]


def single_items(variants: Iterable[Variant], questions: Mapping[str, Question]) -> list[Item]:
    """Three single-constraint versions of each variant (section 4.3)."""
    return [
        Item("single", variant.id, single_instruction(questions[variant.question], requirement), position)
        for variant in variants
        for position, requirement in enumerate(variant.requirements)
    ]


def with_condition(items: Iterable[Item], condition: Condition, languages: Mapping[str, Language]) -> list[Item]:
    """The items under a prompt condition; the appended text is in the language of the item."""
    if condition == "plain":
        return list(items)
    appended = {language: prompt(f"meta_prompt_{language}").template for language in ("en", "zh")}
    return [Item(one.kind, one.item, f"{one.text}\n\n{appended[languages[one.item]]}", one.position) for one in items]


class What(NamedTuple):
    """What a response answers, and who."""

    model: str
    kind: ResponseKind
    item: str
    position: int | None


class Answerer(NamedTuple):
    """A model that answers."""

    settings: ModelSettings
    client: JudgeClient
    condition: Condition = "plain"


class Answered(NamedTuple):
    """The responses, model by model in the order of the items, and what a server refused."""

    responses: list[Response]
    refused: list[LeftOut]


async def answer(
    answerers: Sequence[Answerer],
    items: Sequence[Item],
    ledger: Ledger,
    concurrency: int,
    tick: Callable[[], object],
    present: Mapping[What, Response] | None = None,
) -> Answered:
    """Ask every model for every item.

    Args:
        concurrency: items under way at a time, over all models.
        present: responses that are there already, as `by_what` gives them; they are not asked for.

    Raises:
        JudgeError: no server answered; or one refused all that it was asked.
    """

    async def one(pair: tuple[Item, Answerer]) -> Response | LeftOut:
        item, answerer = pair
        id_ = response_id(item, answerer.settings, answerer.condition)
        if (known := there(present or {}, answerer.settings.label, item)) is not None:
            return known
        if id_ in ledger:
            return Response.model_validate(ledger[id_])
        said = await _ask(answerer, item)
        if isinstance(said, LeftOut):
            return said
        response = _response(id_, item, answerer, said)
        if id_ not in ledger:
            ledger.append(id_, response.model_dump(mode="json"))
        return response

    pairs = [(item, answerer) for item in items for answerer in answerers]
    results = await each(pairs, one, concurrency, tick)
    by_model = [results[number :: len(answerers)] for number in range(len(answerers))]
    for answerer, of_model in zip(answerers, by_model, strict=True):
        _refuse_all_refused(answerer, of_model)
    flat = [result for of_model in by_model for result in of_model]
    return Answered(
        [result for result in flat if isinstance(result, Response)],
        [result for result in flat if isinstance(result, LeftOut)],
    )


def response_id(item: Item, settings: ModelSettings, condition: Condition = "plain") -> str:
    """The identity of a response, hashed: who is asked, what, and how. It tells nobody the model's name."""
    asked = [settings.label, item.kind, item.item, item.position, text_hash(item.text), identity(settings), condition]
    return f"r-{value_hash(asked)[:_ID_DIGITS]}"


def items_hash(items: Iterable[Item]) -> str:
    """Of what is asked: ids and texts, in their order."""
    return value_hash([[one.kind, one.item, one.position, text_hash(one.text)] for one in items])


def by_what(responses: Iterable[Response], place: str) -> dict[What, Response]:
    """Responses that are there already, by model, kind, item and position.

    Raises:
        DataError: two answer the same.
    """
    found: dict[What, Response] = {}
    for response in responses:
        what = What(response.model, response.kind, response.item, response.position)
        if what in found:
            raise DataError(f"{found[what].id!r} and {response.id!r} answer the same", place=place)
        found[what] = response
    return found


def there(present: Mapping[What, Response], model: str, item: Item) -> Response | None:
    """The response that is there already; None where it answers another text, or there is none."""
    found = present.get(What(model, item.kind, item.item, item.position))
    return found if found is not None and found.prompt_hash == text_hash(item.text) else None


async def _ask(answerer: Answerer, item: Item) -> JudgeAnswer | LeftOut:
    request = JudgeRequest("judgment", [{"role": "user", "content": item.text}], affinity=item.item)
    try:
        return await answerer.client.ask(request)
    except JudgeUnavailable as error:
        raise JudgeError(error.message, place=answerer.settings.label, fix=GO_ON) from None
    except JudgeRefused as error:
        if error.status not in _OF_ONE_REQUEST:
            raise
        name = item.item if item.position is None else f"{item.item}[{item.position}]"
        detail = f"{answerer.settings.label}, {item.kind}: {error.message}"
        return LeftOut(id=name, reason=REFUSED, detail=detail)


def _response(id_: str, item: Item, answerer: Answerer, answer: JudgeAnswer) -> Response:
    text, thought = _without_thinking(clean(answer.text))
    settings: dict[str, Any] = identity(answerer.settings) | {"condition": answerer.condition}
    settings |= {"served_model": answer.model, "finish_reason": answer.finish_reason}
    settings |= {"completion_tokens": answer.completion_tokens, "thinking_removed": thought}
    return Response(
        id=id_,
        model=answerer.settings.label,
        kind=item.kind,
        item=item.item,
        position=item.position,
        prompt_hash=text_hash(item.text),
        text=text,
        truncated=answer.finish_reason == "length",
        settings=settings,
    )


def _without_thinking(text: str) -> tuple[str, bool]:
    """The text behind the thinking, and whether there was any; thinking that never closed leaves nothing.

    Thinking stands at the beginning, behind its opening tag. Some servers strip that tag alone: without it, the first
    closing tag ends thinking where it is by itself on its line, or the last of the first paragraph, and in no code. Any
    other tag is of an answer that speaks of it.
    """
    if text.lstrip().startswith(_OPEN):
        return text.partition(_CLOSE)[2].strip(), True
    before, tag, behind = text.partition(_CLOSE)
    if tag and _OPEN not in before and "`" not in before.rpartition("\n")[2] and before.count("```") % 2 == 0:
        alone = not before.rpartition("\n")[2].strip() and not behind.partition("\n")[0].strip()
        leading = not _BLANK_LINE.search(before.strip()) and _PARAGRAPH_ENDS.match(behind) is not None
        if alone or leading:
            return behind.strip(), True
    return text, False


def _refuse_all_refused(answerer: Answerer, results: Sequence[Response | LeftOut]) -> None:
    refused = [result for result in results if isinstance(result, LeftOut)]
    if refused and len(refused) == len(results):
        raise JudgeError(
            f"every request is refused: {refused[0].detail}",
            place=answerer.settings.label,
            fix="check its token limit (sampling.judgment.max_tokens) and extra_body",
        )
