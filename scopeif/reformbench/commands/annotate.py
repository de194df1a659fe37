"""``scopeif reformbench annotate``: the formatting baseline of a model that answered a benchmark's questions."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError

if TYPE_CHECKING:  # at run time inside the command: --help answers without pydantic
    from collections.abc import Sequence

    from pydantic import BaseModel

    from scopeif.judge.settings import JudgeSettings
    from scopeif.reformbench.construction.annotation import AnnotatedRows
    from scopeif.reformbench.models import Response

UNVERIFIED = 3
"""Exit code when responses could not be annotated."""


def annotate(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCHMARK", help="Folder of a benchmark.")],
    name: Annotated[str, typer.Argument(metavar="MODEL", help="The model whose responses are annotated.")],
    annotator: Annotated[
        Path | None, typer.Option(help="YAML file with the settings of the annotating model, as in recipes/judge/.")
    ] = None,
    measured: Annotated[
        bool, typer.Option("--measured", help="Also annotate what can be measured; without an annotator that is all.")
    ] = False,
    attempts: Annotated[int, typer.Option(min=1, help="How often it is asked until an answer can be used.")] = 3,
    concurrency: Annotated[int, typer.Option(min=1, help="Responses under way at a time.")] = 64,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False,
) -> None:
    """Annotate a model's unconstrained responses: which features of the catalog each of them has.

    Writes annotations, baselines and extractions of the model into BENCHMARK. A run that was stopped goes on with the
    same command. A response that cannot be annotated has no baseline, and is named.

    Exit code: 0 all annotated, 3 not all, 2 the input cannot be used, 1 another error.
    """
    with errors_said("stopped; the same command goes on"):
        from scopeif.reformbench.benchmark_dir import BenchmarkDir
        from scopeif.reformbench.construction.stage import write_rows
        from scopeif.reformbench.ledger import written
        from scopeif.verifier_options import judge_from

        folder = BenchmarkDir(benchmark)
        responses = folder.responses("unconstrained", name)
        path = folder.file_of("annotations", name)
        for kind in ("responses/unconstrained", "baselines", "extractions", "annotations"):
            folder.require_own(kind, name)
        if path.exists():
            raise ConfigError("the model is annotated already", place=str(path), fix="remove the file")
        if annotator is None and not measured:
            fix = "name its settings, or give --measured"
            raise ConfigError("there is nobody to annotate", place="--annotator", fix=fix)
        part = path.with_name(f"{path.name}.part")
        settings = judge_from(annotator, None, [])
        found = asyncio.run(_annotate(settings, responses, part, measured, attempts, concurrency, quiet))
        files: dict[str, Sequence[BaseModel]] = {
            "baselines": found.baselines,
            "extractions": found.extractions,
            "annotations": found.annotations,
        }
        for kind, rows in files.items():
            file = folder.file_of(kind, name)
            with written(file):
                file.parent.mkdir(parents=True, exist_ok=True)
            write_rows(file, rows)
        part.unlink(missing_ok=True)
    typer.echo(f"{path}: {len(found.annotations)} features in {len(found.baselines)} responses")
    for one in found.unverified:
        typer.echo(f"unverified: {one.detail}", err=True)
    if found.unverified:
        raise typer.Exit(UNVERIFIED)


async def _annotate(
    settings: JudgeSettings | None,
    responses: list[Response],
    part: Path,
    measured: bool,
    attempts: int,
    concurrency: int,
    quiet: bool,
) -> AnnotatedRows:
    from contextlib import AsyncExitStack

    from scopeif.judge.client import JudgeClient
    from scopeif.reformbench.catalog.features import catalog
    from scopeif.reformbench.construction.annotating import Annotator, catalog_hash
    from scopeif.reformbench.construction.annotation import annotated_rows
    from scopeif.reformbench.construction.build import who
    from scopeif.reformbench.construction.calls import Caller, Recorded, each
    from scopeif.reformbench.construction.progress import shown, silent
    from scopeif.reformbench.construction.stage import value_hash
    from scopeif.reformbench.ledger import Ledger

    given: dict[str, Any] = {
        "annotator": who(settings),
        "measured": measured,
        "attempts": attempts,
        "prompts": Annotator.prompts(),
        "catalog": catalog_hash(catalog()),
        "responses": value_hash([[one.id, one.hash] for one in responses]),
    }
    async with AsyncExitStack() as stack:
        ledger = stack.enter_context(Ledger(part, given))
        caller = None
        if settings is not None:
            client = await stack.enter_async_context(JudgeClient(settings))
            caller = Caller(Recorded(client, ledger), attempts)
        tick = stack.enter_context((silent if quiet else shown)("annotation", len(responses)))
        annotator = Annotator(caller, catalog(), measured)
        results = await each(responses, annotator.annotate, concurrency, tick)
    return annotated_rows(responses, results)
