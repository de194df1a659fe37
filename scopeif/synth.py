"""``python -m scopeif.synth``: build instruction data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.callback()
def synth() -> None:
    """Build instruction data."""


@app.command()
def offline(
    out: Annotated[Path, typer.Option(help="Folder that the files are written to.")],
    seed: Annotated[int, typer.Option(help="Random seed; the same seed gives the same bytes.")] = 7,
    train: Annotated[int, typer.Option(min=1, help="English training instructions.")] = 256,
    test: Annotated[int, typer.Option(min=1, help="English test instructions.")] = 256,
    chinese: Annotated[int, typer.Option(min=1, help="Chinese instructions, to test measuring.")] = 48,
) -> None:
    """Compose instructions from task seeds and constraint families, without a model.

    Writes train.jsonl, test.jsonl, and chinese.jsonl; no prompt and no combination of seed and constraints
    stands twice in them.
    """
    from scopeif.constraints.dataset import write_jsonl  # here: --help answers without the measuring stack
    from scopeif.synthesis.offline import Generator

    generator = Generator(seed)
    out.mkdir(parents=True, exist_ok=True)
    files = {
        "train.jsonl": generator.make(train, "en", "train"),
        "test.jsonl": generator.make(test, "en", "test"),
        "chinese.jsonl": generator.make(chinese, "zh", "test"),
    }
    for name, made in files.items():
        write_jsonl((one.instruction for one in made), out / name)
        constraints = sum(len(one.instruction.constraints) for one in made)
        typer.echo(f"{out / name}: {len(made)} instructions, {constraints} constraints")


if __name__ == "__main__":
    app()
