"""``python -m scopeif.replay``: rewards, advantages and metrics of a run from its rollout log, under any scheme."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scopeif.command import errors_said
from scopeif.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scopeif.training.replaying import LoggedRun, ReplayedStep, RewardRule

DIFFERS = 1
"""Exit code where the run's own rule does not give what was logged."""

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def replay(
    run: Annotated[Path, typer.Argument(help="Run directory, such as runs/smoke/001.")],
    reward: Annotated[
        str | None, typer.Option(help="scopeif, mean_graded, ila or cla; by default the run's own.")
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Penalty severity; by default the run's own.")] = None,
    object_floor: Annotated[
        float | None, typer.Option(help="Smallest graded reward of one object; by default the run's own.")
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON with all metrics of every step instead of a table.")
    ] = False,
) -> None:
    """Compute rewards, advantages and metrics of a run again from its rollout log, without a GPU.

    scopeif replay RUN --reward cla tells what another reward would have taught on the same rollouts: rewards, the
    largest differences to the logged ones, and the groups without spread ("flat"), which teach nothing. Without options
    it checks the log: everything must come out as it was logged.

    Exit code: 0, 1 where the run's own rule gives something else than the log, 2 the input cannot be used.
    """
    with errors_said():
        from scopeif.training.replaying import LoggedRun
        from scopeif.training.replaying import replay as replayed

        logged = LoggedRun.open(run)
        rule = _rule(logged, reward, alpha, object_floor)
        steps = list(replayed(logged, rule))
        if as_json:
            typer.echo(json.dumps(_json(logged, rule, steps), allow_nan=False))
        else:
            _table(logged, rule, steps)
    if rule == logged.rule and not all(step.same for step in steps):
        raise typer.Exit(DIFFERS)


def _rule(run: LoggedRun, reward: str | None, alpha: float | None, floor: float | None) -> RewardRule:
    from scopeif.reward import SCHEMES
    from scopeif.training.replaying import RewardRule, known_scheme

    scheme = run.rule.scheme if reward is None else known_scheme(reward)
    if scheme is None:
        raise ConfigError(f"{reward!r} is unknown", place="--reward", fix=f"use one of: {', '.join(SCHEMES)}")
    if alpha is not None and not 0 < alpha < math.inf:
        raise ConfigError(f"{alpha} is not a finite number above 0", place="--alpha")
    if floor is not None and not 0 <= floor < 1:
        raise ConfigError(f"{floor} is not in [0, 1)", place="--object-floor")
    return RewardRule(
        scheme, run.rule.alpha if alpha is None else alpha, run.rule.object_floor if floor is None else floor
    )


def _json(run: LoggedRun, rule: RewardRule, steps: Sequence[ReplayedStep]) -> dict[str, Any]:
    """All figures; a difference is null where only the log or only the replay has a value."""
    rows = [asdict(step) | {"same": step.same} for step in steps]
    for row in rows:
        for name in ("reward_difference", "advantage_difference"):
            row[name] = row[name] if math.isfinite(row[name]) else None
    logged = {f"logged_{name}": value for name, value in asdict(run.rule).items()}
    return {"run": str(run.path), **asdict(rule), **logged, "same_rule": rule == run.rule, "steps": rows}


def _table(run: LoggedRun, rule: RewardRule, steps: Sequence[ReplayedStep]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    own, other = run.rule.scheme, rule.scheme
    title = f"{run.path}: {other}, alpha {rule.alpha:g}; logged as {own}, alpha {run.rule.alpha:g}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in (
        "step", "samples", "unver-\nified", "reward\nlogged", "reward\nnow", "largest\ndiff", "adv.\ndiff",
        "flat\nlogged", "flat\nnow", "other\nmetrics",
    ):  # fmt: skip
        table.add_column(name, justify="right", no_wrap=True)
    for step in steps:
        flat = [step.metrics.get(f"group/zero_std_frac/{scheme}") for scheme in (own, other)]
        figures = (step.logged_reward, step.reward, step.reward_difference, step.advantage_difference, *flat)
        shown = ["-" if figure is None else f"{figure:.3f}" for figure in figures]
        counts = (step.step, step.samples, step.unverified)
        table.add_row(*map(str, counts), *shown, str(len(step.metric_differences)))
    Console().print(table)
    if rule == run.rule:
        differing = [step.step for step in steps if not step.same]
        typer.echo(f"steps that differ from the log: {differing}" if differing else "every step is as it was logged")


if __name__ == "__main__":
    sys.exit(app())
