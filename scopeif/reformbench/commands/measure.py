"""``scopeif reformbench measure``: label responses by formal specs, without judges."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scopeif.command import errors_said
from scopeif.reformbench.commands.build import Kind, PromptCondition

if TYPE_CHECKING:  # at run time inside the command: --help answers without pydantic
    from scopeif.reformbench.calibration.calibration import Calibrated

UNVERIFIED = 3
"""Exit code when requirements could not be measured."""


def measure(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCHMARK", help="Folder of a benchmark.")],
    models: Annotated[list[str], typer.Argument(metavar="MODEL...", help="Models whose responses are there.")],
    kind: Annotated[Kind, typer.Option(help="Which responses: variant or single.")] = Kind.VARIANT,
    condition: Annotated[PromptCondition, typer.Option(help="Under which prompt condition.")] = PromptCondition.PLAIN,
    out: Annotated[
        Path | None, typer.Option(help="File of probabilities; BENCHMARK/measured/variant/probabilities.jsonl.")
    ] = None,
) -> None:
    """Label responses by the formal specs of the requirements: probabilities of 0 and 1, of calibration "measured".

    No judge takes part. A requirement without a spec, or a response that can be read in two ways, stays unverified.
    Models that the file holds already stay in it. Then: scopeif reformbench score BENCHMARK --judging
    BENCHMARK/measured.

    Exit code: 0 all labelled, 3 some are unverified, 2 the input cannot be used, 1 another error.
    """
    with errors_said():
        from scopeif.reformbench.benchmark_dir import BenchmarkDir
        from scopeif.reformbench.calibration.file import read_calibrated, write_calibrated
        from scopeif.reformbench.calibration.measured import added, measured, not_looked_for
        from scopeif.reformbench.report.places import Asked

        folder = BenchmarkDir(benchmark)
        variants = list(folder.variants().values())
        responses = [row for name in models for row in folder.responses(kind.value, name, condition.value)]
        asked = Asked(kind.value, condition.value)
        path = out or benchmark / "measured" / asked.folder / "probabilities.jsonl"
        found = measured(variants, responses)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_calibrated(path, added(read_calibrated(path), found) if path.exists() else found)
        blind = not_looked_for([one for one in folder.baselines() if one.model in models], variants)
    for feature, questions in blind.items():
        typer.echo(f"baseline: {feature} was not measured in {questions} responses, and counts as absent", err=True)
    if _said(found, path):
        raise typer.Exit(UNVERIFIED)


def _said(found: Calibrated, path: Path) -> int:
    """Print what was labelled; returns the number of unverified requirements."""
    from collections import Counter

    for model in found.models():
        labels = Counter(one.value for instance, one in found.probabilities.items() if instance.model == model)
        known = labels[1.0] + labels[0.0]
        typer.echo(f"{path}: {model}: {labels[1.0]} of {known} requirements satisfied, {labels[None]} unverified")
    return sum(one.value is None for one in found.probabilities.values())
