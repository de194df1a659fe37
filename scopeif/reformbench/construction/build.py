"""What all stages of one construction share: its folder, its settings, and how progress is shown."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from scopeif.judge.client import JudgeClient
from scopeif.judge.settings import JudgeSettings
from scopeif.reformbench.build_settings import BuildSettings, identity
from scopeif.reformbench.construction.calls import Caller, Recorded
from scopeif.reformbench.construction.progress import Show, silent
from scopeif.reformbench.construction.stage import CALLS, MANIFEST, StageFolder, file_hash, read_rows
from scopeif.reformbench.ledger import Ledger

T = TypeVar("T", bound=BaseModel)

QUESTIONS = "01_questions"
REMOVAL = "02_removal"
BASELINES = "03_baselines"
ANNOTATION = "04_annotation"
COMPOSITION = "05_composition"
CHECKS = "06_checks"
ANSWERS = "07_answers"
SCREENING = "08_screening"
SATISFIABILITY = "09_satisfiability"
RELEASE = "10_release"
STAGES = (
    QUESTIONS, REMOVAL, BASELINES, ANNOTATION, COMPOSITION, CHECKS, ANSWERS, SCREENING, SATISFIABILITY, RELEASE,
)  # fmt: skip
"""The stages' folders, in their order."""
BENCHMARK = "benchmark"
"""The folder of what is released."""


@dataclass(frozen=True)
class Build:
    """One construction.

    out: its folder.
    show: how progress is shown.
    """

    out: Path
    settings: BuildSettings
    show: Show = silent

    def folder(self, stage: str) -> StageFolder:
        """The folder of a stage."""
        return StageFolder(self.out, stage)

    def rows(self, stage: str, file: str, model: type[T]) -> list[T]:
        """The rows that an earlier stage wrote."""
        path = self.out / stage / file
        return read_rows(path, model) if path.stat().st_size else []

    def inputs(self, *files: tuple[str, str]) -> dict[str, str]:
        """The hashes of files of earlier stages, by their names."""
        return {f"{stage}/{file}": file_hash(self.out / stage / file) for stage, file in files}

    def finished(self) -> list[str]:
        """The stages that are finished, in their order."""
        return [stage for stage in STAGES if (self.out / stage / MANIFEST).is_file()]

    @asynccontextmanager
    async def callers(
        self, stage: str, given: Mapping[str, Any], *models: JudgeSettings | None
    ) -> AsyncIterator[tuple[Caller | None, ...]]:
        """A caller of each model while the block runs; None for None. They share the ledger of the stage.

        Raises:
            JudgeError: when the block is done, and a model refused all that it was asked.
        """
        async with AsyncExitStack() as stack:
            ledger = stack.enter_context(Ledger(self.out / stage / CALLS, given))
            judges: dict[int, Recorded] = {}
            for one in models:
                if one is not None and id(one) not in judges:
                    judges[id(one)] = Recorded(await stack.enter_async_context(JudgeClient(one)), ledger)
            yield tuple(None if one is None else Caller(judges[id(one)], self.settings.attempts) for one in models)
            for judge in judges.values():
                judge.require_answers()


def who(settings: JudgeSettings | None) -> dict[str, Any] | None:
    """A model in a manifest; None where there is none."""
    return None if settings is None else identity(settings)
