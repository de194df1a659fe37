"""The run's own records, one JSON line each: metrics of every step and validation, and the prompts of every step."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any

METRICS_FILE = "metrics.jsonl"
PROMPTS_FILE = "prompts.jsonl"


class StepLog:
    """Appends to ``metrics.jsonl`` and ``prompts.jsonl`` of one run."""

    def __init__(self, run_dir: Path) -> None:
        self._metrics = run_dir / METRICS_FILE
        self._prompts = run_dir / PROMPTS_FILE

    def step(self, step: int, metrics: Mapping[str, Any]) -> None:
        """All metrics of a training step."""
        _append(self._metrics, {"step": step, "kind": "train", **_numbers(metrics)})

    def validation(self, step: int, metrics: Mapping[str, Any]) -> None:
        """All metrics of a validation; step 0 is the one before training."""
        _append(self._metrics, {"step": step, "kind": "val", **_numbers(metrics)})

    def prompts(self, step: int, ids: Sequence[str]) -> None:
        """The instruction ids of a step, in the order in which they are trained on."""
        _append(self._prompts, {"step": step, "ids": list(ids)})

    def forget_after(self, step: int) -> None:
        """Drop the lines of later steps: a run resumed from `step` writes them again."""
        for path in (self._metrics, self._prompts):
            if not path.is_file():
                continue
            kept = [line for line in path.read_text().splitlines() if _step_of(line, default=step + 1) <= step]
            partial = path.with_name(f".{path.name}.partial")
            partial.write_text("".join(f"{line}\n" for line in kept))
            partial.replace(path)


def read_metrics(run_dir: Path, kind: str) -> dict[int, dict[str, Any]]:
    """The metrics of every step (``train``) or validation (``val``) of a run, by step; a cut last line is left out."""
    path = run_dir / METRICS_FILE
    rows: dict[int, dict[str, Any]] = {}
    for line in path.read_text().splitlines() if path.is_file() else ():
        try:
            row = json.loads(line)
        except json.JSONDecodeError:  # the last line of a killed run
            continue
        if row["kind"] == kind:
            rows[row["step"]] = row
    return rows


def _step_of(line: str, default: int) -> int:
    try:
        return int(json.loads(line)["step"])
    except (ValueError, KeyError, TypeError):  # the last line of a killed run may be cut
        return default


def _numbers(metrics: Mapping[str, Any]) -> dict[str, float | None]:
    plain = {name: float(value) for name, value in metrics.items() if isinstance(value, Real)}
    return {name: value if math.isfinite(value) else None for name, value in plain.items()}


def _append(path: Path, row: Mapping[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
