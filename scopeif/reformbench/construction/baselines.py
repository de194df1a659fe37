"""Stage 3: one unconstrained response of every model to every question (section 3.3, appendix A.6)."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

from scopeif.judge.client import JudgeClient
from scopeif.reformbench.answering import Answered, Answerer, Item, What, answer, by_what, question_items, there
from scopeif.reformbench.build_settings import ModelSettings
from scopeif.reformbench.construction.build import BASELINES, REMOVAL, Build, who
from scopeif.reformbench.construction.questions import FILE as QUESTIONS_FILE
from scopeif.reformbench.construction.stage import CALLS, LeftOut, Manifest, file_hash, read_rows
from scopeif.reformbench.ledger import Ledger
from scopeif.reformbench.models import Question, Response

FILE = "responses.jsonl"
OTHER_TEXT = "answers another text"


async def baselines(build: Build) -> Manifest:
    """Ask the models for their unconstrained responses, and take those of files whose models nobody asks."""
    models = build.settings.models
    given = given_of(build, models) | {"inputs": build.inputs((REMOVAL, QUESTIONS_FILE))}
    folder = build.folder(BASELINES)
    if (manifest := folder.finished(given)) is not None:
        return manifest
    items = question_items(build.rows(REMOVAL, QUESTIONS_FILE, Question))
    answered = await responses(build, BASELINES, given, models, items)
    of_files, other = _of_files(build, items)
    return folder.finish(given, {FILE: answered.responses + of_files}, answered.refused + other)


def given_of(build: Build, models: Sequence[ModelSettings]) -> dict[str, Any]:
    """What responses of models depend on."""
    present = {str(path): file_hash(path) for path in build.settings.responses}
    return {"models": {model.label: who(model) for model in models}, "present": present}


async def responses(
    build: Build, stage: str, given: dict[str, Any], models: Sequence[ModelSettings], items: Sequence[Item]
) -> Answered:
    """Responses of models to items; those of files are not asked for again."""
    present = given_responses(build)
    async with AsyncExitStack() as stack:
        ledger = stack.enter_context(Ledger(build.out / stage / CALLS, given))
        answerers = [Answerer(model, await stack.enter_async_context(JudgeClient(model))) for model in models]
        tick = stack.enter_context(build.show(f"responses of {len(models)} models", len(items) * len(models)))
        return await answer(answerers, items, ledger, build.settings.concurrency, tick, present)


def given_responses(build: Build) -> dict[What, Response]:
    """The responses of the files that the settings name."""
    paths = build.settings.responses
    return by_what((row for path in paths for row in read_rows(path, Response)), ", ".join(map(str, paths)))


def _of_files(build: Build, items: Sequence[Item]) -> tuple[list[Response], list[LeftOut]]:
    """Responses of models that files alone speak for, model by model; and those that answer another text."""
    present = given_responses(build)
    asked = {model.label for model in build.settings.models}
    found: list[Response] = []
    other: list[LeftOut] = []
    for model in dict.fromkeys(what.model for what in present if what.model not in asked):
        for item in items:
            if (response := there(present, model, item)) is not None:
                found.append(response)
            elif (response := present.get(What(model, item.kind, item.item, None))) is not None:
                detail = f"{model}, question {item.item!r}: it answers another text than the question has now"
                other.append(LeftOut(id=response.id, reason=OTHER_TEXT, detail=detail))
    return found, other
