"""What trackers get beside metrics: one run id across restarts, and a few rollouts of each step as a table.

verl (verl/utils/tracking.py) opens the trackers that `trainer.logger` names; W&B reads its run from the environment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from scopeif.training.run_dir import RunDir

COLUMNS = ("instruction_id", "prompt", "response", "reward", "advantage", "constraints")
_LONGEST = 2000
"""Characters of a text in a table; the rollout log has all of it."""


def tracking_environment(run: RunDir) -> dict[str, str]:
    """Environment variables under which every attempt at a run is the same run of W&B, kept in its run directory.

    The id is made of the first attempt, so that a run in a new directory is a new one.
    """
    state = run.read()
    first = state.get("attempts", [{}])[0].get("started", "")
    digest = hashlib.sha256(f"{run.path}\n{state.get('fingerprint')}\n{first}".encode()).hexdigest()[:12]
    return {"WANDB_RUN_ID": digest, "WANDB_RESUME": "allow", "WANDB_DIR": str(run.path)}


def sample_table(rows: Sequence[Mapping[str, Any]], scheme: str, count: int) -> list[list[Any]]:
    """The cells of `count` rows of a step's rollout log, evenly spread over it, in the order of `COLUMNS`."""
    chosen = [rows[index * len(rows) // count] for index in range(min(count, len(rows)))]
    return [
        [
            row["instruction_id"],
            _short(row["prompt"]),
            _short(row["response"]),
            row["reward"][scheme],
            row["advantage"],
            " ".join(constraint["status"] for constraint in row["constraints"]) or row["format_fault"] or "",
        ]
        for row in chosen
    ]


def log_samples(loggers: Mapping[str, Any], table: Sequence[Sequence[Any]], step: int) -> None:
    """Give a table to the trackers that show one: W&B as a table, TensorBoard as text.

    Args:
        loggers: verl's, by backend (`Tracking.logger`).
        table: rows of cells in the order of `COLUMNS`.
        step: training step.
    """
    if "wandb" in loggers:
        wandb = loggers["wandb"]
        shown = wandb.Table(columns=list(COLUMNS), data=[list(row) for row in table])
        wandb.log({"rollouts": shown}, step=step)
    if "tensorboard" in loggers:
        loggers["tensorboard"].writer.add_text("rollouts", _markdown(table), step)


def _markdown(table: Sequence[Sequence[Any]]) -> str:
    lines = [COLUMNS, ["---"] * len(COLUMNS), *table]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    text = "" if value is None else str(value)
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("\n", "<br>")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ... ({len(text)} characters)"
