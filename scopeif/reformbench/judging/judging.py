"""Two judges over many responses (appendix A.3): each by itself, every label with its evidence, every row once.

    judges = [
        JudgeSetup("gpt", judge_settings("gpt-5.4-mini", ("https://api.openai.com/v1",), api_key_env="OPENAI_API_KEY")),
        JudgeSetup("gemini", judge_settings("gemini-3.1-flash-lite", ("https://...",), api_key_env="GEMINI_API_KEY")),
    ]
    reports = await judge_all(judges, lambda: assessed(variants, responses), folder)
    first, second = (judgments_in(file_of(folder, one.name), assessed(variants, responses)) for one in judges)

A row of a judge's file holds all labels of one response, so that none is ever half judged. Its key holds the seal of
the prompt: a response, an instruction or a criterion that changed is judged again, everything else is not.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scopeif.errors import ConfigError, DataError
from scopeif.judge.client import JudgeClient
from scopeif.judge.messages import JudgeAnswer, JudgeRequest
from scopeif.judge.settings import JudgeSettings, Sampling, SamplingSettings
from scopeif.reformbench.judging.judgment_file import key_of
from scopeif.reformbench.judging.prompt import PROMPT, Assessed
from scopeif.reformbench.judging.reading import read_verdicts
from scopeif.reformbench.ledger import Ledger
from scopeif.reformbench.models import Judgment
from scopeif.reformbench.prompt_file import prompt
from scopeif.verification.asking import Asker
from scopeif.verification.bounded import bounded

Progress = Callable[["JudgingReport"], None]
"""Called after every response with how far a judge is."""
_SAMPLING = SamplingSettings(
    judgment=Sampling(max_tokens=32_768), batch=Sampling(max_tokens=32_768), temperature_step=0.0
)


@dataclass(frozen=True)
class JudgeSetup:
    """A judge: the name under which its labels stand, where it is, and how often it is asked for a usable answer."""

    name: str
    settings: JudgeSettings
    attempts: int = 3

    def given(self) -> dict[str, Any]:
        """What its labels depend on; a file of labels is not continued under anything else.

        Neither attempts nor token limits are among it: more of them only bring labels that could not be had.
        """
        settings = self.settings.model_dump(mode="json", include={"model", "reasoning_effort", "extra_body"})
        sampling = self.settings.sampling
        temperatures = [sampling.batch.temperature, sampling.judgment.temperature, sampling.temperature_step]
        return {"judge": self.name, **settings, "temperatures": temperatures, "prompt": prompt(PROMPT).hash}


@dataclass
class JudgingReport:
    """How far a judge is.

    total: responses to judge.
    before: of them, those that its file had already.
    done: those that were judged since.
    unverified: labels among the latter that could not be had.
    usage: the judge's tokens, cost and latencies, at the end.
    """

    judge: str
    total: int = 0
    before: int = 0
    done: int = 0
    unverified: int = 0
    usage: dict[str, Any] | None = None


def judge_settings(model: str, endpoints: Sequence[str], **changes: Any) -> JudgeSettings:
    """A judge's settings as the paper has them: temperature 0, further attempts too, and high reasoning effort.

    Args:
        changes: further keys, or other values; `reasoning_effort` takes what the server knows as its highest.
    """
    given = {"reasoning_effort": "high", "sampling": _SAMPLING, **changes}
    return JudgeSettings.model_validate({"model": model, "endpoints": tuple(endpoints), **given})


def file_of(folder: Path, judge: str) -> Path:
    """Where the labels of the judge of this name stand."""
    return folder / f"judgments_{re.sub(r'[^A-Za-z0-9.-]+', '_', judge)}.jsonl"


async def judge_all(
    judges: Sequence[JudgeSetup],
    items: Callable[[], Iterable[Assessed]],
    folder: Path,
    concurrency: int = 64,
    progress: Progress | None = None,
) -> list[JudgingReport]:
    """Let the judges label all responses, at the same time and without knowing of each other.

    A file that exists is continued. Where one judge cannot go on, the other is stopped; both files keep what they have.

    Args:
        items: gives all responses, anew at every call.
        concurrency: responses under way at a time, of each judge.

    Raises:
        ConfigError: two judges share a file, or a file was begun under other settings.
        DataError: a response stands twice among the items.
        JudgeRefused: a judge accepts no requests at all.
    """
    if len({file_of(folder, one.name) for one in judges}) < len(judges):
        names = ", ".join(repr(one.name) for one in judges)
        raise ConfigError(f"the judges {names} share a file", fix="give names that differ in letters or digits")
    tasks = [
        asyncio.create_task(judge_into(one, items, file_of(folder, one.name), concurrency, progress)) for one in judges
    ]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def judge_into(
    judge: JudgeSetup,
    items: Callable[[], Iterable[Assessed]],
    path: Path,
    concurrency: int = 64,
    progress: Progress | None = None,
) -> JudgingReport:
    """Let one judge label the responses that its file does not have; errors as `judge_all`.

    Without a cache in its settings the judge gets one beside the file, so that no answer is paid for twice.
    """
    settings = judge.settings
    if settings.cache_path is None:
        settings = settings.model_copy(update={"cache_path": path.with_suffix(".cache.sqlite")})
    with Ledger(path, judge.given()) as ledger:
        keys = [key_of(item) for item in items()]  # every item is checked before the first call
        if len(set(keys)) < len(keys):
            again = next(key for key, times in Counter(keys).items() if times > 1).rpartition(" ")[0]
            raise DataError(f"response {again!r} is to be judged twice", fix="give every response an id of its own")
        report = JudgingReport(judge.name, total=len(keys), before=sum(key in ledger for key in keys))
        todo = (item for item in items() if key_of(item) not in ledger)
        async with JudgeClient(settings) as client:
            asker = Asker(_Remembering(client), judge.attempts)
            async with contextlib.aclosing(judge_many(judge.name, asker, todo, concurrency)) as results:
                async for item, judgments in results:
                    ledger.append(key_of(item), {"judgments": [one.model_dump(mode="json") for one in judgments]})
                    report.done += 1
                    report.unverified += sum(one.label is None for one in judgments)
                    if progress is not None:
                        progress(report)
            report.usage = client.usage()
    return report


@dataclass(frozen=True)
class _Remembering:
    """A judge of which every answer is kept, usable or not: a stopped run asks nothing again.

    What stays unverified is judged anew after `judgment_file.forget_unverified` with more attempts or tokens.
    """

    client: JudgeClient

    async def ask(self, request: JudgeRequest) -> JudgeAnswer:
        """The answer, kept at once; errors as the client's."""
        answer = await self.client.ask(request)
        self.client.keep(request, answer)
        return answer

    def keep(self, request: JudgeRequest, answer: JudgeAnswer) -> None:
        """It is kept already."""


def judge_many(
    name: str, asker: Asker, items: Iterable[Assessed], concurrency: int = 64
) -> AsyncGenerator[tuple[Assessed, list[Judgment]], None]:
    """Judge responses, at most `concurrency` at a time; yields each with its labels, in the order of completion.

    An item is taken from `items` only when there is room for it, and only while results are taken.

    Raises:
        InvalidInputError: a concurrency below 1.
        JudgeRefused: the judge accepts no requests at all.
    """
    return bounded(lambda item: _judge(name, asker, item), items, concurrency)


async def _judge(name: str, asker: Asker, item: Assessed) -> tuple[Assessed, list[Judgment]]:
    """All labels of one response; where no answer could be used, all of them are unverified."""
    count, seal, text = len(item.positions), item.seal, item.response.text
    asked = await asker.ask(
        "batch" if count > 1 else "judgment",
        item.prompt(),
        item.variant.id,
        lambda said: read_verdicts(said, seal, count, text),
        show_fault=True,
    )
    reason = f"{asked.reason.value}: {asked.fault}" if asked.reason else ""
    verdicts = asked.usable or [None] * count
    judgments = [
        Judgment(
            judge=name,
            model=item.response.model,
            variant=item.variant.id,
            position=position,
            response=item.response.id,
            response_hash=item.response.hash,
            label=verdict.label if verdict else None,
            evidence=verdict.evidence if verdict else "",
            reason=reason,
        )
        for position, verdict in zip(item.positions, verdicts, strict=True)
    ]
    return item, judgments
