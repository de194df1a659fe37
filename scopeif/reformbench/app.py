"""`scopeif reformbench COMMAND`: the benchmark from construction to report."""

from __future__ import annotations

import typer

from scopeif.reformbench.annotate_command import annotate
from scopeif.reformbench.build_command import answer, build
from scopeif.reformbench.judge_command import calibrate, judge, review

app = typer.Typer(no_args_is_help=True)

for command in (build, answer, annotate, judge, review, calibrate):
    app.command()(command)
