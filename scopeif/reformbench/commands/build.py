"""``scopeif reformbench build`` and ``answer``: make a benchmark, and have a model answer it."""

from __future__ import annotations

import asyncio
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError

if TYPE_CHECKING:  # at run time inside the commands: --help answers without pydantic
    from scopeif.reformbench.answering import Answered, Item
    from scopeif.reformbench.build_settings import ModelSettings
    from scopeif.reformbench.construction.pipeline import Report

WAITING = 3
"""Exit code when a person has to do something before the construction goes on, or a server refused items."""


class Kind(str, Enum):
    """What a model is asked."""

    UNCONSTRAINED = "unconstrained"
    VARIANT = "variant"
    SINGLE = "single"


class PromptCondition(str, Enum):
    """What stands behind the instruction."""

    PLAIN = "plain"
    META_PROMPT = "meta_prompt"


def build(
    config: Annotated[Path, typer.Argument(metavar="CONFIG.yaml", help="Questions, models and settings.")],
    out: Annotated[
        Path, typer.Argument(metavar="OUT_DIR", help="Folder of the construction; one that was begun goes on.")
    ],
    until: Annotated[str, typer.Option(help="Last stage to do, such as composition.")] = "release",
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Make a benchmark: from questions to OUT_DIR/benchmark, in ten stages.

    A run that was stopped goes on with the same command, and asks no model again what it has answered. Where difficulty
    screening needs calibrated probabilities it stops, and says what to do.

    Exit code: 0 done, 3 waiting for a person, 2 the input cannot be used, 1 another error.
    """
    with errors_said("stopped; the same command goes on"):
        from scopeif.reformbench.build_settings import read_settings
        from scopeif.reformbench.construction.build import Build
        from scopeif.reformbench.construction.pipeline import construct
        from scopeif.reformbench.construction.progress import shown, silent

        report = asyncio.run(construct(Build(out, read_settings(config), silent if quiet else shown), until))
    _say(report, out)
    if report.waiting:
        raise typer.Exit(WAITING)


def answer(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCHMARK", help="Folder of a benchmark.")],
    kind: Annotated[
        Kind, typer.Option(help="Questions, instructions, or instructions with one requirement.")
    ] = Kind.VARIANT,
    model: Annotated[str | None, typer.Option(help="The model's name, as its server lists it.")] = None,
    endpoint: Annotated[
        list[str] | None, typer.Option(help="Base URL of its server, http://host:8000/v1; repeat for several.")
    ] = None,
    settings: Annotated[Path | None, typer.Option(help="YAML file with all settings of the model.")] = None,
    name: Annotated[str | None, typer.Option(help="What records call the model; its model name by default.")] = None,
    condition: Annotated[
        PromptCondition, typer.Option(help="meta_prompt appends a fixed text.")
    ] = PromptCondition.PLAIN,
    out: Annotated[Path | None, typer.Option(help="File of responses; by default in BENCHMARK/responses.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Items under way at a time.")] = 64,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Have a model answer a benchmark: one user message an item, no system prompt, one response.

    Responses come into OUT.part one by one, and OUT appears when all are there. A run that was stopped goes on with the
    same command.

    Exit code: 0 all answered, 3 a server refused items, 2 the input cannot be used, 1 another error.
    """
    with errors_said("stopped; the same command goes on"):
        from scopeif.reformbench.benchmark_dir import BenchmarkDir
        from scopeif.reformbench.construction.stage import write_rows

        chosen = _model(settings, model, endpoint or [], name)
        folder = BenchmarkDir(benchmark)
        path = out or folder.responses_path(kind.value, chosen.label, condition.value)
        items = _items(folder, kind, condition)
        if out is None:
            folder.require_own(path.parent.relative_to(benchmark).as_posix(), chosen.label)
        if path.exists():
            raise ConfigError("the file is there already", place=str(path), fix="remove it, or name another with --out")
        answered = asyncio.run(_answer(chosen, items, condition, path, concurrency, quiet))
        write_rows(path, answered.responses)
        if not answered.refused:
            _part(path).unlink(missing_ok=True)
    truncated = sum(response.truncated for response in answered.responses)
    empty = sum(not response.text.strip() for response in answered.responses)
    typer.echo(f"{path}: {len(answered.responses)} responses, {truncated} truncated, {empty} empty")
    for one in answered.refused:
        typer.echo(f"refused: {one.id}: {one.detail}", err=True)
    if answered.refused:
        raise typer.Exit(WAITING)


def _part(path: Path) -> Path:
    return path.with_name(f"{path.name}.part")


def _model(file: Path | None, model: str | None, endpoints: list[str], name: str | None) -> ModelSettings:
    import yaml
    from pydantic import ValidationError

    from scopeif.reformbench.build_settings import ModelSettings, settings_fault

    given: dict[str, Any] = {}
    if file is not None:
        try:
            given = yaml.safe_load(file.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise ConfigError(f"the file cannot be read: {error}", place=f"--settings {file}") from None
        if not isinstance(given, dict):
            raise ConfigError("the file holds no settings", place=f"--settings {file}")
    options = {"model": model, "endpoints": tuple(endpoints), "name": name}
    given |= {key: value for key, value in options.items() if value}
    try:
        return ModelSettings.model_validate(given)
    except ValidationError as error:
        fault = settings_fault(
            error, f"--settings {file}" if file else "the model", lambda _: ModelSettings.model_fields
        )
        fault.fix = "give --model and --endpoint, or --settings FILE"
        raise fault from None


def _items(folder: Any, kind: Kind, condition: PromptCondition) -> list[Item]:
    from scopeif.reformbench.answering import question_items, single_items, variant_items, with_condition

    questions = folder.questions()
    languages = {question.id: question.language for question in questions.values()}
    if kind is Kind.UNCONSTRAINED:
        items = question_items(questions.values())
    else:
        variants = folder.variants()
        languages = {variant.id: languages[variant.question] for variant in variants.values()}
        items = variant_items(variants.values())
        if kind is Kind.SINGLE:
            items = single_items(variants.values(), questions)
    return with_condition(items, condition.value, languages)


async def _answer(
    model: ModelSettings, items: list[Item], condition: PromptCondition, path: Path, concurrency: int, quiet: bool
) -> Answered:
    from scopeif.judge.client import JudgeClient
    from scopeif.reformbench.answering import Answerer, answer, items_hash
    from scopeif.reformbench.build_settings import identity
    from scopeif.reformbench.construction.progress import shown, silent
    from scopeif.reformbench.ledger import Ledger

    given = {
        "model": model.label,
        "settings": identity(model),
        "condition": condition.value,
        "items": items_hash(items),
    }
    show = silent if quiet else shown
    with Ledger(_part(path), given) as ledger, show(model.label, len(items)) as tick:
        async with JudgeClient(model) as client:
            return await answer([Answerer(model, client, condition.value)], items, ledger, concurrency, tick)


def _say(report: Report, out: Path) -> None:
    """What every stage kept, and what it left out for which reason."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE, show_edge=False)
    table.add_column("stage")
    table.add_column("kept")
    table.add_column("left out")
    for stage, manifest in report.stages.items():
        kept = ", ".join(f"{count:,} {name.removesuffix('.jsonl')}" for name, count in manifest.counts.items())
        left = ", ".join(f"{count:,} {reason}" for reason, count in manifest.left_out.items())
        table.add_row(stage, kept, left or "none")
    Console(soft_wrap=True).print(table)
    if report.waiting:
        typer.echo(report.waiting)
    elif (out / "benchmark").is_dir():
        typer.echo(f"what was left out stands in {out}/*/left_out.jsonl; the benchmark: {out / 'benchmark'}")
