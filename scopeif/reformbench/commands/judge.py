"""``scopeif reformbench judge``, ``review`` and ``calibrate``: from responses to calibrated pass probabilities."""

from __future__ import annotations

import asyncio
import re
import time
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError, DataError

if TYPE_CHECKING:  # at run time inside the commands: --help answers without pydantic
    from scopeif.reformbench.adjudication.adjudication import Adjudication, Refused
    from scopeif.reformbench.adjudication.strata import Pair
    from scopeif.reformbench.calibration.pool import Pool
    from scopeif.reformbench.judging.judging import JudgeSetup, JudgingReport
    from scopeif.reformbench.judging_dir import JudgingDir

_EVERY_S = 10.0
"""Between two lines about progress where there is no terminal."""
OPEN = 3
"""Exit code when all is done and something stayed unverified, or was refused."""

DirArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the judging.")]


class Rule(str, Enum):
    """How disagreements are calibrated."""

    STRATIFIED = "stratified"
    POOLED = "pooled"


def judge(
    folder: DirArgument,
    judges: Annotated[Path, typer.Option(help="YAML list of two judges: name, model, endpoints, ...")],
    variants: Annotated[Path, typer.Option(help="File of variants.")],
    responses: Annotated[list[Path], typer.Option(help="File of responses to them; repeat for several.")],
    questions: Annotated[
        Path | None, typer.Option(help="File of questions, where responses are to one requirement each.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Decides which disagreements are reviewed, and which judge is A.")] = 0,
    fewer: Annotated[
        bool, typer.Option("--fewer", help="Leave out files of responses that were named before.")
    ] = False,
    again: Annotated[bool, typer.Option("--again", help="Judge again what stayed unverified.")] = False,
    concurrency: Annotated[int, typer.Option(min=1, help="Responses under way at a time, of each judge.")] = 64,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Let two judges label responses independently. The same command goes on where it stopped, or with more responses.

    Exit code: 0 all labelled, 3 some labels are unverified, 2 the input cannot be used, 1 another error.
    """
    with errors_said("stopped; the same command goes on"):
        from scopeif.reformbench.judging.judges_file import read_judges
        from scopeif.reformbench.judging.judging import file_of
        from scopeif.reformbench.judging.judgment_file import forget_unverified
        from scopeif.reformbench.judging_dir import Judging, JudgingDir
        from scopeif.reformbench.ledger import alone_in

        setups = read_judges(judges)
        names = setups[0].name, setups[1].name
        chosen = JudgingDir(folder)
        judging = Judging(
            judges=names,
            variants=variants.resolve(),
            responses=tuple(path.resolve() for path in responses),
            questions=questions and questions.resolve(),
            seed=seed,
        )
        with alone_in(folder):
            chosen.begin(judging, fewer)
            for path in (file_of(folder, name) for name in names):
                if again and path.exists():
                    forget_unverified(path)
        reports = asyncio.run(_judge(chosen, setups, concurrency, quiet))
        unverified = _agreement(chosen)
    for report in reports:
        cost = sum(kind["cost"] for kind in (report.usage or {})["kinds"].values())
        done = f"{report.done} responses judged, {report.before} were before"
        typer.echo(f"{report.judge}: {done}" + (f", cost {cost:.2f}" if cost else ""))
    if unverified:
        raise typer.Exit(OPEN)


def review(
    folder: DirArgument,
    write: Annotated[
        Path | None, typer.Option(help="Write what is to be reviewed to a file, CSV or JSON Lines, and stop.")
    ] = None,
    read: Annotated[
        list[Path] | None, typer.Option(help="Take over such a file with answers; may be repeated.")
    ] = None,
    earlier: Annotated[
        list[Path] | None, typer.Option(help="Take over adjudications.jsonl of an earlier judging where they match.")
    ] = None,
    reviewer: Annotated[str, typer.Option(help="Who reviews, in the terminal.")] = "reviewer",
    margin: Annotated[float, typer.Option(min=0.001, max=0.5, help="Target margin of the sample size.")] = 0.03,
) -> None:
    """Review the sampled disagreements of two judges: here in the terminal, or by way of a file.

    Exit code: 0 done, 3 rows or records were refused, 2 the input cannot be used, 1 another error.
    """
    with errors_said("stopped; the same command goes on"):
        from scopeif.reformbench.calibration.file import read_adjudications
        from scopeif.reformbench.judging_dir import JudgingDir

        chosen = JudgingDir(folder)
        population = chosen.pairs()
        before = [
            one.model_copy(update={"matched": True}) for path in earlier or [] for one in read_adjudications(path)
        ]
        answered, faults, warnings = _answers(chosen, population, read or [])
        _, refused = chosen.keep(population, [*before, *answered])
        if write is not None:
            from scopeif.reformbench.adjudication.review_file import write_review

            write_review(write, chosen.review_set(population, margin=margin).drawn)
        elif not read and not earlier:
            refused += _in_terminal(chosen, population, reviewer, margin)
        _coverage(chosen, population, margin)
        if aside := len(chosen.unmatched()):
            typer.echo(f"{aside} adjudications match no disagreement now and are set aside: {chosen.unmatched_path}")
    for warning in warnings:
        typer.echo(f"warning: {warning}", err=True)
    for text in (*map(str, faults), *(f"{one.record.instance}: {one.reason}" for one in refused)):
        typer.echo(f"refused: {text}", err=True)
    if faults or refused:
        raise typer.Exit(OPEN)


def calibrate(
    folder: DirArgument,
    out: Annotated[Path, typer.Option(help="File of probabilities.")],
    rule: Annotated[Rule, typer.Option(help="stratified: Eqs. 7 and 8; pooled: Eq. 13.")] = Rule.STRATIFIED,
    pool: Annotated[
        str | None,
        typer.Option(help="Adjudications for each judge, such as 6689:436, or paper; those of DIR by default."),
    ] = None,
    fallback: Annotated[
        bool, typer.Option("--fallback-pooled", help="stratified: the pool for strata without any review.")
    ] = False,
    exclude: Annotated[
        bool, typer.Option("--exclude-unverified", help="Give unverified labels no probability; an error otherwise.")
    ] = False,
) -> None:
    """Turn two judges' labels and the adjudications into calibrated pass probabilities.

    Exit code: 0 done, 2 the input cannot be used, 1 another error.
    """
    with errors_said():
        from scopeif.reformbench.calibration.calibration import Unverified, pooled, stratified
        from scopeif.reformbench.calibration.file import write_calibrated
        from scopeif.reformbench.calibration.pool import Pool
        from scopeif.reformbench.judging_dir import JudgingDir

        chosen = JudgingDir(folder)
        population, records = chosen.pairs(), chosen.records()
        given = _pool(pool) if pool else None
        if given and rule is Rule.STRATIFIED and not fallback:
            fix = "say --fallback-pooled, or --rule pooled"
            raise ConfigError("a pool is given, and no fallback that uses it", place="--pool", fix=fix)
        unverified: Unverified = "exclude" if exclude else "error"
        if rule is Rule.POOLED:
            calibrated = pooled(population, given or Pool.of(records), unverified=unverified)
        else:
            calibrated = stratified(
                population, records, fallback="pooled" if fallback else None, pool=given, unverified=unverified
            )
        write_calibrated(out, calibrated)
    counts = ", ".join(f"{count} {origin}" for origin, count in calibrated.counts().most_common())
    typer.echo(f"{out}: {calibrated.calibration}: {counts}")


async def _judge(
    chosen: JudgingDir, setups: tuple[JudgeSetup, JudgeSetup], concurrency: int, quiet: bool
) -> list[JudgingReport]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from scopeif.reformbench.judging.judging import judge_all

    text = TextColumn("{task.fields[judge]}", markup=False), TextColumn("{task.fields[unverified]} unverified")
    columns = (text[0], BarColumn(), MofNCompleteColumn(), text[1], TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=quiet or not console.is_terminal) as progress:
        bars = {one.name: progress.add_task("", total=None, judge=one.name, unverified=0) for one in setups}

        said = dict.fromkeys(bars, time.monotonic())

        def tell(report: JudgingReport) -> None:
            done = report.before + report.done
            progress.update(bars[report.judge], total=report.total, completed=done, unverified=report.unverified)
            if not (quiet or console.is_terminal) and time.monotonic() - said[report.judge] > _EVERY_S:
                said[report.judge] = time.monotonic()
                typer.echo(f"{report.judge}: {done}/{report.total}, {report.unverified} unverified", err=True)

        return await judge_all(setups, chosen.items, chosen.path, concurrency, tell)


def _agreement(chosen: JudgingDir) -> int:
    """Print how the judges agree with each other and with measuring; returns the unverified instances."""
    from scopeif.reformbench.adjudication.strata import agreement
    from scopeif.reformbench.judging.third_opinion import third_opinion

    population = chosen.pairs()
    rows = agreement(population)
    for row in rows:
        share = "no labels of both" if row.agreement is None else f"{row.agreement:.2%} agreement"
        typer.echo(f"{row.model}: {share}, {row.disagreements} disagreements, {row.unverified} unverified")
    labels = (label for pair in population for label in (pair.first, pair.second))
    for found in third_opinion(chosen.items(), labels).rows:
        if found.feature is None:
            kappa = "undefined" if found.confusion.kappa is None else f"{found.confusion.kappa:.3f}"
            agreed = found.confusion.both_pass + found.confusion.both_fail
            typer.echo(f"{found.judge}: agrees with measuring on {agreed} of {found.confusion.n}, kappa {kappa}")
    return sum(row.unverified for row in rows)


class _Answers(NamedTuple):
    """What files of answers brought, all together."""

    records: list[Adjudication]
    faults: list[DataError]
    warnings: list[DataError]


def _answers(chosen: JudgingDir, population: list[Pair], files: list[Path]) -> _Answers:
    from scopeif.reformbench.adjudication.review_file import read_review

    items = chosen.reviewable(population) if files else []
    imported = [read_review(path, items) for path in files]
    return _Answers(
        [one for each in imported for one in each.records],
        [one for each in imported for one in each.faults],
        [one for each in imported for one in each.warnings],
    )


def _in_terminal(chosen: JudgingDir, population: list[Pair], reviewer: str, margin: float) -> list[Refused]:
    from scopeif.reformbench.adjudication.review_file import read_review
    from scopeif.reformbench.adjudication.reviewer import review

    name = re.sub(r"[^\w.-]+", "_", reviewer)
    answers = chosen.path / f"answers_{name}.jsonl"
    everything = chosen.reviewable(population)

    def taken_over() -> list[Refused]:
        new = read_review(answers, everything).records if answers.exists() else ()
        return chosen.keep(population, new)[1]

    try:
        review(chosen.review_set(population, margin=margin).drawn, answers, reviewer, others=everything)
    except KeyboardInterrupt:
        taken_over()
        raise
    return taken_over()


def _coverage(chosen: JudgingDir, population: list[Pair], margin: float) -> None:
    """Print how far the review is, by model."""
    from collections import Counter

    from scopeif.reformbench.adjudication.table import adjudication_table

    left = Counter(one.stratum.model for one in chosen.review_set(population, margin=margin).drawn)
    for row in adjudication_table(population, chosen.records())[:-1]:
        reviewed = f"{row.samples} of {row.disagreements} disagreements reviewed ({row.matched} earlier)"
        typer.echo(f"{row.model}: {reviewed}, first judge {row.first}, second {row.second}; {left[row.model]} to go")


def _pool(text: str) -> Pool:
    from scopeif.reformbench.calibration.pool import PAPER_POOL, Pool

    if text == "paper":
        return PAPER_POOL
    first, _, second = text.partition(":")
    if not (first.isdecimal() and second.isdecimal()):
        raise ConfigError(f"{text!r} is no pool", place="--pool", fix="write it as 6689:436, or say paper")
    return Pool(int(first), int(second))
