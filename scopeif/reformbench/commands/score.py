"""``scopeif reformbench score``, ``report`` and ``studies``: from calibrated probabilities to numbers and figures."""

from __future__ import annotations

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError, DataError

if TYPE_CHECKING:  # at run time inside the commands: --help answers without pydantic
    from scopeif.reformbench.report.material import Material
    from scopeif.reformbench.report.table import Table

INCOMPLETE = 3
"""Exit code when all is done, and models or parts are missing, which are named."""

BenchmarkArgument = Annotated[Path, typer.Argument(metavar="BENCHMARK", help="Folder of a benchmark.")]
JudgingOption = Annotated[
    Path | None,
    typer.Option(help="Folder with the judgings variant, single and variant-meta_prompt; BENCHMARK/judging."),
]
ResamplesOption = Annotated[int, typer.Option(min=1, help="Resamples of the intervals.")]
ConfidenceOption = Annotated[float, typer.Option(min=0.5, max=0.999, help="Confidence of the intervals.")]
CsvOption = Annotated[Path | None, typer.Option("--csv", help="Write the unrounded values to a file too.")]
RESAMPLES, CONFIDENCE = 10_000, 0.95

studies = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


class Combined(str, Enum):
    """What makes two combinations of requirements the same."""

    TARGET = "target"
    FEATURE = "feature"
    CATEGORY = "category"


def score(
    benchmark: BenchmarkArgument,
    judging: JudgingOption = None,
    exclude: Annotated[
        bool, typer.Option("--exclude-unverified", help="Score what is verified; an error otherwise.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    resamples: ResamplesOption = RESAMPLES,
    confidence: ConfidenceOption = CONFIDENCE,
) -> None:
    """Score the models of a benchmark: TCPR, EMCR and its levels, with intervals.

    Exit code: 0 done, 3 models are left out, 2 the input cannot be used, 1 another error.
    """
    with errors_said():
        from scopeif.reformbench.report.score_tables import table_2

        material = _material(benchmark, judging, resamples, confidence)
        for one in material.evaluated:
            if one.unverified and not exclude:
                what = f"{one.unverified} requirements are unverified"
                fix = "judge them again (judge --again), or score the others: --exclude-unverified"
                raise DataError(what, place=f"model {one.model!r}", fix=fix)
        missing = material.left_out()
        typer.echo(_json(material) if as_json else table_2(material).markdown().rpartition("\n[")[0])
    for absent in missing:
        typer.echo(f"left out: {absent.title}: {absent.why}", err=True)
    if missing:
        raise typer.Exit(INCOMPLETE)


def report(
    benchmark: BenchmarkArgument,
    out: Annotated[Path, typer.Option(help="Folder of the report.")],
    judging: JudgingOption = None,
    example: Annotated[
        list[str] | None, typer.Option(help="Id of a variant whose responses are shown in full; repeat for several.")
    ] = None,
    resamples: ResamplesOption = RESAMPLES,
    confidence: ConfidenceOption = CONFIDENCE,
) -> None:
    """Write the report of a benchmark: report.md, a CSV file a table, PNG and SVG a figure.

    Exit code: 0 complete, 3 parts are missing, which report.md lists with the commands that make them, 2 the input
    cannot be used, 1 another error.
    """
    with errors_said():
        from scopeif.reformbench.report.writing import write_report

        written = write_report(_material(benchmark, judging, resamples, confidence), out, example or [])
    typer.echo(f"{out / 'report.md'}: {len(written.files)} files, {len(written.absent)} parts missing")
    if written.absent:
        raise typer.Exit(INCOMPLETE)


@studies.command()
def composition(
    benchmark: BenchmarkArgument,
    judging: JudgingOption = None,
    csv: CsvOption = None,
    resamples: ResamplesOption = RESAMPLES,
    confidence: ConfidenceOption = CONFIDENCE,
) -> None:
    """Requirements answered one by one against all in one response (Table 3)."""
    with errors_said():
        from scopeif.reformbench.report.study_tables import table_3

        _show([table_3(_material(benchmark, judging, resamples, confidence))], csv)


@studies.command()
def prompting(
    benchmark: BenchmarkArgument,
    judging: JudgingOption = None,
    csv: CsvOption = None,
    resamples: ResamplesOption = RESAMPLES,
    confidence: ConfidenceOption = CONFIDENCE,
) -> None:
    """What a fixed meta-prompt after each instruction changes (Fig. 4)."""
    with errors_said():
        from scopeif.reformbench.report.study_tables import table_prompting

        _show([table_prompting(_material(benchmark, judging, resamples, confidence))], csv)


@studies.command()
def coverage(benchmark: BenchmarkArgument, judging: JudgingOption = None, csv: CsvOption = None) -> None:
    """How far the catalog reaches for models that are annotated and not evaluated (Tables 4 and A4)."""
    with errors_said():
        from scopeif.reformbench.report.study_tables import table_4, table_a4

        material = _material(benchmark, judging, 1, CONFIDENCE)
        _show([table_4(material), table_a4(material)], csv)


@studies.command()
def combinations(
    benchmark: BenchmarkArgument,
    judging: JudgingOption = None,
    by: Annotated[Combined, typer.Option(help="What makes two combinations the same.")] = Combined.TARGET,
    min_variants: Annotated[int, typer.Option(min=1, help="Variants that a ranked combination has at least.")] = 3,
    limit: Annotated[int, typer.Option(min=1, help="How many are shown.")] = 20,
    csv: CsvOption = None,
    resamples: ResamplesOption = RESAMPLES,
    confidence: ConfidenceOption = CONFIDENCE,
) -> None:
    """Which combinations of requirements are hardest (appendix A.9)."""
    with errors_said():
        from scopeif.reformbench.report.difficulty_tables import table_combinations

        material = _material(benchmark, judging, resamples, confidence)
        _show([table_combinations(material, by.value, min_variants, limit)], csv)


@studies.command()
def selection(
    benchmark: BenchmarkArgument,
    candidates: Annotated[Path, typer.Option(help="File of all candidate variants, the discarded ones too.")],
    probabilities: Annotated[Path, typer.Option(help="Calibrated probabilities of the screening models on them.")],
    retain: Annotated[int, typer.Option(min=1, help="How many variants screening keeps.")],
    csv: CsvOption = None,
) -> None:
    """What it does to scores that the evaluated models also screened the variants (appendix A.7.5)."""
    with errors_said():
        from scopeif.reformbench.calibration.file import read_calibrated
        from scopeif.reformbench.construction.stage import read_rows
        from scopeif.reformbench.models import Variant
        from scopeif.reformbench.report.difficulty_tables import table_selection
        from scopeif.reformbench.report.evaluated import labelled

        material = _material(benchmark, None, 1, CONFIDENCE)
        variants = {one.id: one for one in read_rows(candidates, Variant)}
        calibrated = read_calibrated(probabilities)
        found = {}
        for model in calibrated.models():
            one = labelled(model, variants, calibrated, material.baselines.get(model, {}))
            if one.unannotated:
                what = f"{len(one.unannotated)} questions of the candidates have no baseline of model {model!r}"
                raise DataError(what, fix=material.places.annotate(model))
            found[model] = one.benchmark
        _show([table_selection(found, retain)], csv)


def _material(benchmark: Path, judging: Path | None, resamples: int, confidence: float) -> Material:
    from scopeif.reformbench.report.material import Material
    from scopeif.reformbench.scoring.bootstrap import Resampling

    if not benchmark.is_dir():
        raise ConfigError("there is no such folder", place=str(benchmark), fix="make one: scopeif reformbench build")
    return Material.of(benchmark, judging, Resampling(resamples, confidence))


def _show(tables: list[Table], csv: Path | None) -> None:
    """Print tables, and write the first one's values where a file is named."""
    from scopeif.constraints.atomic import replaced

    for table in tables:
        typer.echo(table.markdown().rpartition("\n[")[0])
    if csv is not None:
        with replaced(csv) as whole:
            whole.write_text(tables[0].csv(), encoding="utf-8", newline="")


def _json(material: Material) -> str:
    models = {}
    for one in material.evaluated:
        intervals = one.intervals
        models[one.model] = {
            **one.scores.to_json(),
            "intervals": {
                "tcpr": intervals.tcpr.to_json(),
                "emcr": intervals.emcr.to_json(),
                "correction_rate": {str(level): of.to_json() for level, of in intervals.correction_rate.items()},
            },
            "questions_without_baseline": len(one.unannotated),
            "unverified": one.unverified,
        }
    return json.dumps({"calibration": material.main.calibration, "models": models}, ensure_ascii=False, indent=1)
