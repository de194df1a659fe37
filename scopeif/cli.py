"""`scopeif COMMAND`: the same commands as `python -m scopeif.COMMAND`."""

from __future__ import annotations

import sys

import typer

from scopeif.check import check
from scopeif.data import app as data
from scopeif.export import export
from scopeif.reformbench.app import app as reformbench
from scopeif.replay import replay
from scopeif.serve import serve
from scopeif.synth import app as synth
from scopeif.verify import verify

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Train for precise, scope-aware instruction following."
)
app.add_typer(data, name="data", help="Check, convert, show and fetch instruction data.")
app.add_typer(synth, name="synth", help="Make instructions with constraints.")
app.add_typer(reformbench, name="reformbench", help="ReFormBench: build it, answer, judge, calibrate, score, report.")

app.command()(check)
app.command()(verify)
app.command()(serve)
app.command()(replay)
app.command()(export)


@app.command(add_help_option=False, context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
def train(context: typer.Context) -> None:
    """Train a policy with GRPO: scopeif train recipe=smoke [key=value ...]"""
    from scopeif.train import main as run

    sys.exit(run(context.args))


def main() -> None:
    """Run the command line."""
    app()
