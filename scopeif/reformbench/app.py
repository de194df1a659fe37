"""`scopeif reformbench COMMAND`: the benchmark from construction to report."""

from __future__ import annotations

import typer

from scopeif.reformbench.commands.annotate import annotate
from scopeif.reformbench.commands.build import answer, build
from scopeif.reformbench.commands.judge import calibrate, judge, review
from scopeif.reformbench.commands.measure import measure
from scopeif.reformbench.commands.score import report, score, studies

app = typer.Typer(no_args_is_help=True)

for command in (build, answer, annotate, judge, review, calibrate, measure, score, report):
    app.command()(command)
app.add_typer(studies, name="studies", help="Composition, prompting, coverage, combinations and selection.")
