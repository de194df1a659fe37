"""``python -m scopeif.verify``: verify responses with or without a judge, and explain how a reward came about."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError, DataError

if TYPE_CHECKING:  # at run time inside the command: --help answers without pydantic
    from scopeif.constraints.models import Instruction
    from scopeif.judge.client import JudgeClient
    from scopeif.judge.settings import JudgeSettings
    from scopeif.verification.settings import VerificationSettings

UNVERIFIED = 3
"""Exit code when all is done and something stayed unverified."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def verify(
    instructions: Annotated[Path, typer.Option(help="Instructions with constraints, any format that `data` reads.")],
    responses: Annotated[
        Path | None,
        typer.Option(
            help='JSON Lines: {"instruction_id": ..., "response": ..., "response_id": "0", "truncated": false}.'
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Outcomes, JSON Lines; a file that exists is continued.")] = Path(
        "outcomes.jsonl"
    ),
    verifier: Annotated[
        str, typer.Option(help="compiled, tgv, per_response, auto, or a baseline of the paper: llm, rule, static_tool.")
    ] = "auto",
    model: Annotated[str | None, typer.Option(help="The judge's model, as its server lists it.")] = None,
    endpoint: Annotated[
        list[str] | None, typer.Option(help="The judge's base URL, http://host:8000/v1; repeat for several.")
    ] = None,
    judge: Annotated[
        Path | None, typer.Option(help="YAML file with all of the judge's settings, as in recipes/judge/.")
    ] = None,
    layout: Annotated[str, typer.Option(help="Order of the material in prompts: paper, or prefix.")] = "paper",
    concurrency: Annotated[int, typer.Option(min=1, help="Responses under way at a time.")] = 64,
    workers: Annotated[int, typer.Option(min=1, help="Sandbox processes.")] = 1,
    thinking: Annotated[bool, typer.Option(help="Whether the model was allowed to think before it answered.")] = True,
    retry_unverified: Annotated[
        bool, typer.Option("--retry-unverified", help="Verify again what stayed unverified in OUT.")
    ] = False,
    explain: Annotated[
        int | None, typer.Option(metavar="ROW", min=1, help="Show row ROW of OUT, and verify nothing.")
    ] = None,
) -> None:
    """Verify responses against the constraints of their instructions.

    Exit code: 0 all verified, 3 something stayed unverified, 2 the input cannot be used, 1 another error.
    """
    with errors_said("stopped; the same command goes on"):
        wanted = _instructions(instructions)
        if explain is not None:
            _explain(wanted, out, explain)
            return
        if responses is None:
            raise ConfigError("there is nothing to verify", place="--responses", fix="name a file of responses")
        judge_settings = _judge(judge, model, endpoint or [])
        settings = _settings(verifier, layout, workers, judge_settings is not None)
        unverified = asyncio.run(
            _verify(wanted, responses, out, settings, judge_settings, concurrency, thinking, retry_unverified)
        )
    raise typer.Exit(UNVERIFIED if unverified else 0)


async def _verify(
    wanted: dict[str, Instruction],
    responses: Path,
    out: Path,
    settings: VerificationSettings,
    judge_settings: JudgeSettings | None,
    concurrency: int,
    thinking: bool,
    again: bool,
) -> int:
    """Verify, write and report; returns how many responses of the file of outcomes are unverified."""
    from scopeif.verification.build import build_pool, build_verifier
    from scopeif.verification.engine import verify_many
    from scopeif.verification.responses import outcome_row, read_responses, settle

    done = settle(out, again)
    # Every row is checked before the first call.
    todo = sum(1 for _ in read_responses(responses, wanted, done, thinking))
    out.parent.mkdir(parents=True, exist_ok=True)
    with build_pool(settings) as pool, out.open("a", encoding="utf-8") as file:
        async with _open_judge(judge_settings) as client:
            chosen = build_verifier(settings, pool, client)
            items = read_responses(responses, wanted, done, thinking)
            with _Tally(todo, len(done), client) as tally:
                async with contextlib.aclosing(verify_many(chosen, items, concurrency)) as results:
                    async for item, outcome in results:
                        file.write(outcome_row(item.key, outcome) + "\n")
                        file.flush()
                        tally.add(outcome.verified)
    return _report(out, tally)


@contextlib.asynccontextmanager
async def _open_judge(settings: JudgeSettings | None) -> AsyncIterator[JudgeClient | None]:
    if settings is None:
        yield None
        return
    from scopeif.judge.client import JudgeClient

    async with JudgeClient(settings) as client:
        yield client


class _Tally:
    """Counts, and shows them while work goes on: a bar in a terminal, else a line now and then."""

    def __init__(self, todo: int, done_before: int, judge: JudgeClient | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self.todo, self.before, self._judge = todo, done_before, judge
        self.done = self.unverified = 0
        self._begun = self._said = time.monotonic()
        self._console = Console(stderr=True)
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
        self._progress = Progress(*columns, console=self._console, disable=not self._console.is_terminal)
        self._task = self._progress.add_task("", total=todo)
        self._every_s = 0.2 if self._console.is_terminal else 10.0

    def __enter__(self) -> _Tally:
        if self.before:
            self._console.print(f"{self.before} responses are verified already, {self.todo} are left")
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def add(self, verified: bool) -> None:
        """Count one response."""
        self.done += 1
        self.unverified += not verified
        now, bar = time.monotonic(), self._console.is_terminal
        if now - self._said < self._every_s and not (bar and self.done == self.todo):
            return
        self._said = now
        if bar:
            self._progress.update(self._task, completed=self.done, description=self.line())
        else:
            left = (self.todo - self.done) / self.rate()
            self._console.print(f"{self.done}/{self.todo}  {self.line()}  {left:.0f} s left", highlight=False)

    def rate(self) -> float:
        """Responses a second."""
        return self.done / max(time.monotonic() - self._begun, 1e-9)

    def line(self) -> str:
        """Rate, unverified responses, and what the judge cost."""
        parts = [f"{self.rate():.1f}/s", f"unverified {self.unverified}"]
        if self._judge is not None:
            kinds = self._judge.usage()["kinds"].values()
            parts.append(f"calls {sum(kind['asked'] for kind in kinds)}")
            parts.append(f"cached {sum(kind['cache_hits'] for kind in kinds)}")
            if cost := sum(kind["cost"] for kind in kinds):
                parts.append(f"cost {cost:.2f}")
        return "  ".join(parts)


def _report(out: Path, tally: _Tally) -> int:
    """Print what the file of outcomes holds; returns its unverified responses."""
    from collections import Counter

    total, unverified, statuses, reasons = 0, 0, Counter[str](), Counter[str]()
    with out.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            total += 1
            unverified += not row["verified"]
            statuses.update(constraint["status"] for constraint in row["constraints"])
            reasons.update(constraint["reason"] for constraint in row["constraints"] if constraint["reason"])
    typer.echo(f"{out}: {total} responses, {unverified} of them unverified ({tally.line()})")
    typer.echo("constraints: " + (", ".join(f"{n} {status}" for status, n in sorted(statuses.items())) or "none"))
    if reasons:
        typer.echo("unverified because of: " + ", ".join(f"{reason} {n}" for reason, n in reasons.most_common()))
    return unverified


def _instructions(path: Path) -> dict[str, Instruction]:
    from scopeif.constraints.dataset import read_instructions

    return {instruction.id: instruction for instruction in read_instructions(path)}


def _judge(file: Path | None, model: str | None, endpoints: list[str]) -> JudgeSettings | None:
    from pydantic import ValidationError

    from scopeif.judge.settings import JudgeSettings

    given: dict[str, Any] = {}
    if file is not None:
        import yaml

        try:
            given = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (OSError, yaml.YAMLError) as error:
            raise ConfigError(f"the file cannot be read: {error}", place=f"--judge {file}") from None
        if not isinstance(given, dict):
            raise ConfigError("the file holds no settings", place=f"--judge {file}")
    given |= {name: value for name, value in (("model", model), ("endpoints", tuple(endpoints))) if value}
    if not given:
        return None
    try:
        return JudgeSettings.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the judge"
        raise ConfigError(first["msg"], place=place, fix="give --model and --endpoint, or --judge FILE") from None


def _settings(verifier: str, layout: str, workers: int, has_judge: bool) -> VerificationSettings:
    from scopeif.judge.rendering import Layout
    from scopeif.verification.settings import JUDGED, VerificationSettings, VerifierKind

    for option, value, known in (("--verifier", verifier, VerifierKind), ("--layout", layout, Layout)):
        if value not in get_args(known):
            raise ConfigError(f"{value!r} is unknown", place=option, fix=f"use one of: {', '.join(get_args(known))}")
    if verifier in JUDGED and not has_judge:
        raise ConfigError(f"{verifier} needs a judge", place="--verifier", fix="give --model and --endpoint")
    return VerificationSettings.model_validate({"kind": verifier, "layout": layout, "sandbox_workers": workers})


def _explain(wanted: dict[str, Instruction], out: Path, number: int) -> None:
    from itertools import islice

    from rich.console import Console

    from scopeif.verification.explain import explain

    if not out.exists():
        raise DataError("the file does not exist", place=f"--out {out}", fix="verify first")
    with out.open(encoding="utf-8") as file:
        line = next(islice(file, number - 1, None), None)
    if line is None:
        raise DataError(f"there is no row {number}", place=str(out))
    row = json.loads(line)
    if row["instruction_id"] not in wanted:
        raise DataError(f"instruction {row['instruction_id']!r} is not among the instructions", place=f"{out}:{number}")
    explain(Console(), wanted[row["instruction_id"]], row)


if __name__ == "__main__":
    sys.exit(app())
