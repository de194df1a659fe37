"""``python -m scopeif.verify``: verify responses with or without a judge, and explain how a reward came about."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError, DataError
from scopeif.verifier_options import (
    EndpointOption,
    JudgeOption,
    LayoutOption,
    ModelOption,
    WorkersOption,
    judge_from,
    open_judge,
    verification_from,
)

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
        str,
        typer.Option(
            help="compiled, tgv, per_response, auto, a baseline of the paper (llm, rule, static_tool), or remote."
        ),
    ] = "auto",
    model: ModelOption = None,
    endpoint: EndpointOption = None,
    judge: JudgeOption = None,
    service: Annotated[
        list[str] | None,
        typer.Option(help="remote: base URL of `scopeif serve`, http://host:8000; repeat for several."),
    ] = None,
    token_env: Annotated[
        str | None, typer.Option(help="remote: environment variable that holds the service's token.")
    ] = None,
    audit: Annotated[
        float, typer.Option(min=0, max=1, help="auto: share of measured constraints that are judged too.")
    ] = 0.0,
    agreement: Annotated[
        Path | None,
        typer.Option(help="auto: write how often the judge agreed, by category; verification.agreement_file reads it."),
    ] = None,
    layout: LayoutOption = "paper",
    concurrency: Annotated[int, typer.Option(min=1, help="Responses under way at a time.")] = 64,
    workers: WorkersOption = 1,
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
        judge_settings = judge_from(judge, model, endpoint or [])
        remote: dict[str, Any] = {"urls": service or [], "token_env": token_env}
        if verifier == "remote":
            remote["concurrency"] = concurrency
        settings = verification_from(verifier, layout, workers, judge_settings is not None, remote, audit)
        if (audit or agreement) and (verifier != "auto" or judge_settings is None):
            raise ConfigError("only auto with a judge can be audited", place="--audit, --agreement", fix="see --help")
        asyncio.run(_verify(wanted, responses, out, settings, judge_settings, concurrency, thinking, retry_unverified))
        unverified = _report(out, wanted, agreement)
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
) -> None:
    """Verify and write."""
    from scopeif.verification.build import open_verifier
    from scopeif.verification.engine import verify_many
    from scopeif.verification.responses import outcome_row, read_responses, settle

    done = settle(out, again)
    # Every row is checked before the first call.
    todo = sum(1 for _ in read_responses(responses, wanted, done, thinking))
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("a", encoding="utf-8") as file:
        async with open_judge(judge_settings) as client, open_verifier(settings, client) as chosen:
            items = read_responses(responses, wanted, done, thinking)
            with _Tally(todo, len(done), client) as tally:
                async with contextlib.aclosing(verify_many(chosen, items, concurrency)) as results:
                    async for item, outcome in results:
                        file.write(outcome_row(item.key, outcome) + "\n")
                        file.flush()
                        tally.add(outcome.verified)
    typer.echo(f"verified {tally.done} ({tally.line()})")


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


def _report(out: Path, wanted: dict[str, Instruction], agreement: Path | None) -> int:
    """Print what the file of outcomes holds, and write the agreement; returns its unverified responses."""
    from collections import Counter

    from scopeif.verification.agreement import Agreement

    total, unverified, statuses, reasons = 0, 0, Counter[str](), Counter[str]()
    audited = Agreement()
    with out.open(encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            total += 1
            unverified += not row["verified"]
            statuses.update(constraint["status"] for constraint in row["constraints"])
            reasons.update(constraint["reason"] for constraint in row["constraints"] if constraint["reason"])
            if instruction := wanted.get(row["instruction_id"]):
                for constraint, outcome in zip(instruction.constraints, row["constraints"], strict=False):
                    audited.add(constraint, outcome["audit"])
    typer.echo(f"{out}: {total} responses, {unverified} of them unverified")
    typer.echo("constraints: " + (", ".join(f"{n} {status}" for status, n in sorted(statuses.items())) or "none"))
    if reasons:
        typer.echo("unverified because of: " + ", ".join(f"{reason} {n}" for reason, n in reasons.most_common()))
    for row in audited.rows():
        typer.echo(f"judge agrees on {row['agreed']} of {row['audited']}: {row['scope']}, {row['target']}")
    if agreement is not None:
        audited.write(agreement)
    return unverified


def _instructions(path: Path) -> dict[str, Instruction]:
    from scopeif.constraints.dataset import read_instructions

    return {instruction.id: instruction for instruction in read_instructions(path)}


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
    place = f"{out}:{number}"
    try:
        row = json.loads(line)
        instruction = wanted.get(row["instruction_id"])
        known = len(row["constraints"]) in (0, len(instruction.constraints)) if instruction else False
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(f"this is no outcome: {type(error).__name__}: {error}", place=place) from None
    if instruction is None or not known:
        what = f"instruction {row['instruction_id']!r}, as it was verified, is not among the instructions"
        raise DataError(what, place=place)
    explain(Console(), instruction, row)


if __name__ == "__main__":
    sys.exit(app())
