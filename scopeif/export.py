"""``python -m scopeif.export``: a trained model out of a run directory, as a Hugging Face folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError, ModelNotFoundError

if TYPE_CHECKING:
    from scopeif.training.checkpoints import Checkpoints

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def export(
    run: Annotated[Path, typer.Argument(help="Run directory, such as runs/qwen3_8b/001.")],
    out: Annotated[Path, typer.Option(help="Folder of the model; it must not exist.")],
    best: Annotated[bool, typer.Option("--best", help="The best model by validation (the default).")] = False,
    step: Annotated[int | None, typer.Option(min=1, help="The model of this step.")] = None,
    bf16: Annotated[bool, typer.Option(help="Write float32 weights in bf16.")] = True,
) -> None:
    """Copy a model with its tokenizer out of a run: scopeif export RUN --step 30 --out model

    Steps are those of complete checkpoints and of selection.keep_hf_every. The folder is whole or not there, and is
    checked with transformers.

    Exit code: 0, 2 the input cannot be used, 1 there is no such model.
    """
    with errors_said():
        from scopeif.training.checkpoints import Checkpoints
        from scopeif.training.hf_model import check_loads, copy_model

        if best and step is not None:
            raise ConfigError("two models are asked for", place="--best, --step", fix="give one of them")
        if out.exists():
            raise ConfigError("the folder exists", place=f"--out {out}", fix="name another, or remove it")
        if not (run / "config.yaml").is_file():
            raise ConfigError("this is no run directory", place=str(run), fix="name one such as runs/smoke/001")
        source = _source(Checkpoints(run), step)
        check_loads(source)
        copy_model(source, out, bf16=bf16)
        check_loads(out)
        typer.echo(f"{out}: the model of {source}")


def _source(checkpoints: Checkpoints, step: int | None) -> Path:
    """Where the model lies.

    Raises:
        ModelNotFoundError: nowhere; the message names what there is.
    """
    kept, complete = checkpoints.kept_steps(), checkpoints.complete_steps()
    if step is None and checkpoints.best() is not None:
        return checkpoints.best_model
    if step in complete:
        return checkpoints.model_folder(step)
    if step in kept:
        return checkpoints.kept_model(step)
    steps = ", ".join(map(str, sorted({*kept, *complete}))) or "none"
    wanted = "best model yet: no validation chose one" if step is None else f"model of step {step}"
    raise ModelNotFoundError(f"there is no {wanted}", place=str(checkpoints.best_model.parent), fix=f"--step: {steps}")


if __name__ == "__main__":
    sys.exit(app())
