"""``python -m scopeif.synth``: build instruction data."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Preset(str, Enum):
    """The profiles of instructions."""

    FULL = "full"
    MINI = "mini"


class _Sizes(NamedTuple):
    train: int
    test: int
    chinese: int
    languages: str


_DEFAULTS = {Preset.FULL: _Sizes(2000, 200, 0, "en,zh"), Preset.MINI: _Sizes(256, 256, 48, "en")}


@app.callback()
def synth() -> None:
    """Build instruction data."""


@app.command()
def offline(
    out: Annotated[Path, typer.Option(help="Folder that the files are written to.")] = Path("data/offline"),
    preset: Annotated[
        Preset,
        typer.Option(
            help="full: 1 to 12 constraints of all categories. mini: 1 to 6, for answers of 1 to 5 sentences."
        ),
    ] = Preset.FULL,
    train: Annotated[
        int | None, typer.Option("--n", "--train", min=0, help="Training instructions. (full: 2000, mini: 256)")
    ] = None,
    test: Annotated[int | None, typer.Option(min=0, help="Test instructions. (full: 200, mini: 256)")] = None,
    languages: Annotated[
        str | None,
        typer.Option(help="Languages that share them evenly, of en and zh. (full: en,zh; mini: en)"),
    ] = None,
    chinese: Annotated[
        int | None, typer.Option(min=0, help="Chinese test instructions in a file of their own. (full: 0, mini: 48)")
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed; the same arguments give the same bytes.")] = 7,
    witnesses: Annotated[
        bool,
        typer.Option(
            "--witnesses",
            help="Also write *_witnesses.jsonl: for each instruction a text that satisfies all its constraints, and "
            "texts that violate one of them alone, with the records that measuring must give.",
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Compose instructions from task seeds and formal specs, without a model.

    Writes train.jsonl, test.jsonl and, where asked for, chinese.jsonl. No prompt and no combination of task and
    constraints stands twice in them; constraints never contradict each other.

    \b
    Two thousand instructions, and their witnesses:
      scopeif synth offline --out data/mine --n 2000 --seed 7 --languages en,zh --witnesses
    The shipped data:
      scopeif synth offline --out data/scope_mini --preset mini --force
    """
    from scopeif.synthesis.files import parts_of, write_set  # here: --help answers without the measuring stack
    from scopeif.synthesis.offline import Generator

    sizes = _DEFAULTS[preset]
    with errors_said():
        parts = parts_of(
            sizes.train if train is None else train,
            sizes.test if test is None else test,
            sizes.chinese if chinese is None else chinese,
            _languages(languages or sizes.languages),
        )
        if not parts:
            raise ConfigError("no instruction is asked for", place="command line", fix="give --n, --test or --chinese")
        begun = time.monotonic()
        with _progress() as show:
            files = write_set(out, parts, Generator(seed, preset.value), witnesses, force, show)
    for one in files:
        beside = f", {one.mutants:,} mutants in {one.path.stem}_witnesses.jsonl" if witnesses else ""
        mean = one.constraints / one.instructions
        typer.echo(
            f"{one.path}: {one.instructions:,} instructions, {one.constraints:,} constraints "
            f"({min(one.sizes)} to {max(one.sizes)}, mean {mean:.2f}){beside}"
        )
    typer.echo(f"{time.monotonic() - begun:.1f} s; look at one: python -m scopeif.data show {files[0].path}")


def _languages(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in ("en", "zh")]
    if unknown or not names:
        shown = repr(unknown[0]) if unknown else repr(text)
        raise ConfigError(f"{shown} is no language with seeds", place="--languages", fix="use en, zh or en,zh")
    return names


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar, where somebody looks."""
    if not sys.stderr.isatty():
        yield lambda name, made, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda name, made, total: progress.update(task, description=name, completed=made, total=total)


if __name__ == "__main__":
    app()
