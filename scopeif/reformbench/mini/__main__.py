"""``python -m scopeif.reformbench.mini``: make `data/reform_mini` again, from the root of the repository."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scopeif.command import errors_said


def main(
    config: Annotated[Path, typer.Argument(metavar="CONFIG", help="Its config.")] = Path("data/reform_mini/build.yaml"),
) -> None:
    """Write witnesses.jsonl and the benchmark beside CONFIG; the same inputs give the same bytes.

    Exit code: 0 done, 2 the input cannot be used, 1 another error.
    """
    with errors_said():
        from scopeif.reformbench.mini.make import make

        report = make(config)
    for stage, manifest in report.stages.items():
        typer.echo(f"{stage}: {manifest.counts}, left out {manifest.left_out}")


if __name__ == "__main__":
    typer.run(main)
