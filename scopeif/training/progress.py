"""Progress events: the trainer appends them to a file of the run, the launcher shows them.

The two are different processes, on a cluster on different nodes; the run folder is what they share.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVENTS_FILE = "events.jsonl"


class ProgressLog:
    """Appends events of one run; each is one JSON line with a time and a kind.

    `watched` is called at every event: a run without events for long has stalled.
    """

    def __init__(self, run_dir: Path, watched: Callable[[], None] = lambda: None) -> None:
        self._path, self._watched = run_dir / EVENTS_FILE, watched

    def phase(self, name: str, step: int | None = None, **details: Any) -> None:
        """A new phase begins: loading, rollout, update, validation, ..."""
        self._append(kind="phase", name=name, step=step, **details)

    def note(self, text: str) -> None:
        """One line for the reader."""
        self._append(kind="note", text=text)

    def warning(self, text: str) -> None:
        """One line that asks for a look at the run."""
        self._append(kind="warning", text=text)

    def step(self, **figures: Any) -> None:
        """A training step is complete."""
        self._append(kind="step", **figures)

    def validation(self, **figures: Any) -> None:
        """A validation is complete."""
        self._append(kind="validation", **figures)

    def _append(self, **event: Any) -> None:
        self._watched()
        line = json.dumps({"time": time.time(), **event}, ensure_ascii=False)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
