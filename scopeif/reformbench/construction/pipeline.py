"""All stages in their order: the whole way from questions to a benchmark folder.

    report = await construct(Build(Path("out"), read_settings(Path("build.yaml")), shown))
    report.waiting        # what a person has to do before it can go on; empty when it is done

Each stage reads what the ones before it wrote; a finished stage is not done again.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from scopeif.errors import ConfigError
from scopeif.reformbench.construction import (
    annotation,
    answers,
    baselines,
    checks,
    composition,
    questions,
    release,
    removal,
    satisfiability,
    screening,
)
from scopeif.reformbench.construction.build import (
    ANNOTATION,
    ANSWERS,
    BASELINES,
    CHECKS,
    COMPOSITION,
    QUESTIONS,
    RELEASE,
    REMOVAL,
    SATISFIABILITY,
    SCREENING,
    STAGES,
    Build,
)
from scopeif.reformbench.construction.stage import Manifest
from scopeif.reformbench.ledger import alone_in

_Stage = Callable[[Build], Manifest | Awaitable[Manifest]]

_WORK: dict[str, _Stage] = {
    QUESTIONS: questions.collect,
    REMOVAL: removal.remove,
    BASELINES: baselines.baselines,
    ANNOTATION: annotation.annotate,
    COMPOSITION: composition.compose,
    CHECKS: checks.check,
    ANSWERS: answers.answers,
    SCREENING: screening.screen,
    SATISFIABILITY: satisfiability.review,
    RELEASE: release.release,
}


@dataclass(frozen=True)
class Report:
    """What a construction came to: the manifests of its finished stages, and what it waits for."""

    stages: dict[str, Manifest]
    waiting: str = ""


async def construct(build: Build, until: str = RELEASE) -> Report:
    """Do the stages that are not finished.

    Args:
        until: the last stage that is done.

    Raises:
        ConfigError: `until` is no stage; or a finished stage was made under other settings.
        DataError: an input cannot be used, or another process is at work in the folder.
        JudgeError: a model did not answer; the same command goes on.
    """
    last = _stage(until)
    done: dict[str, Manifest] = {}
    with alone_in(build.out):
        for stage in STAGES[: STAGES.index(last) + 1]:
            try:
                result = _WORK[stage](build)
                done[stage] = await result if inspect.isawaitable(result) else result
            except screening.Waiting as wait:
                return Report(done, str(wait))
    undecided = done[last].left_out.get(release.UNDECIDED, 0) if last == RELEASE else 0
    return Report(done, release.what_to_decide(build, undecided) if undecided else "")


def _stage(name: str) -> str:
    """A stage by its name, with or without its number."""
    for stage in STAGES:
        if name in (stage, stage.partition("_")[2], stage.partition("_")[0].lstrip("0")):
            return stage
    known = ", ".join(stage.partition("_")[2] for stage in STAGES)
    raise ConfigError(f"{name!r} is no stage", place="--until", fix=f"use one of: {known}")
