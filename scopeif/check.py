"""``scopeif check recipe=NAME [key=value ...]``: whether a run would work here, before it costs anything."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from scopeif.command import errors_said

if TYPE_CHECKING:  # at run time inside the command: --help answers without pydantic
    from scopeif.checks.finding import Finding

FAULT = 1
"""Exit code when a check found a fault."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def check(
    overrides: Annotated[
        list[str], typer.Argument(metavar="recipe=NAME [KEY=VALUE]...", help="As for `scopeif train`.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
    load_test: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="How long the judge may be tried; 0 asks for its health alone."),
    ] = 20.0,
) -> None:
    """Check versions, config, policy, data, machine, sandbox, judge and cluster; nothing is started or written.

    One line a check: ok, warning or fault, with the fix. Takes about half a minute, most of it verl's imports.

    Exit code: 0 no fault, 1 a fault, 2 the config cannot be composed.
    """
    with errors_said():
        from scopeif.checks.running import run_checks
        from scopeif.checks.subject import Subject
        from scopeif.training.composing import compose_config
        from scopeif.training.planning.dry_run import planned_settings

        config = compose_config(overrides)
        subject = Subject(config, *planned_settings(config), load_test)
        findings = []
        for finding in run_checks(subject):
            findings.append(finding)
            if not as_json:
                _show(finding)
    faults = sum(finding.state == "fault" for finding in findings)
    warnings = sum(finding.state == "warning" for finding in findings)
    if as_json:
        print(json.dumps({"faults": faults, "warnings": warnings, "findings": list(map(asdict, findings))}))
    else:
        print(f"\n{faults} faults, {warnings} warnings")
    raise typer.Exit(FAULT if faults else 0)


_COLORS = {"ok": typer.colors.GREEN, "warning": typer.colors.YELLOW, "fault": typer.colors.RED}


def _show(finding: Finding) -> None:
    typer.echo(f"{typer.style(f'{finding.state:<8}', fg=_COLORS[finding.state])} {finding.check:<14} {finding.message}")
    if finding.fix and finding.state != "ok":
        typer.echo(f"{'':<24}fix: {finding.fix}")
    if finding.detail:
        typer.echo("".join(f"{'':<24}| {line}\n" for line in finding.detail.splitlines()), nl=False)


if __name__ == "__main__":
    app()
