"""`scopeif reformbench COMMAND`: the benchmark from construction to report."""

from __future__ import annotations

import typer

from scopeif.reformbench.annotate_command import annotate
from scopeif.reformbench.build_command import answer, build
from scopeif.reformbench.judge_command import calibrate, judge, review
from scopeif.reformbench.measure_command import measure
from scopeif.reformbench.score_command import report, score, studies

app = typer.Typer(no_args_is_help=True)

for command in (build, answer, annotate, judge, review, calibrate, measure, score, report):
    app.command()(command)
app.add_typer(studies, name="studies", help="Composition, prompting, coverage, combinations and selection.")
