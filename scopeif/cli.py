"""`scopeif COMMAND`: the same commands as `python -m scopeif.COMMAND`."""

from __future__ import annotations

import sys


def main() -> None:
    """Dispatch to the command's own module, which is loaded only then."""
    import typer

    summary = "Train for precise, scope-aware instruction following."
    app = typer.Typer(no_args_is_help=True, add_completion=False, help=summary)

    @app.command(
        "train",
        help="Train a policy with GRPO: scopeif train recipe=smoke [key=value ...]",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    def train(context: typer.Context) -> None:
        from scopeif.train import main as run

        sys.exit(run(context.args))

    from scopeif.synth import app as synth

    app.add_typer(synth, name="synth", help="Make instructions with constraints.")
    app()
