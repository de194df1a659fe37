"""What the user sees of a run: phases with their time, a line a step, a heartbeat, never a silent minute."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.status import Status
from rich.text import Text

from scopeif.training.progress import EVENTS_FILE
from scopeif.training.stall import STALL_FILE

HEARTBEAT_S = 10.0


class RunConsole:
    """Shows the events of one run directory as they are appended.

    On a terminal the running phase is a live line; elsewhere it is repeated every `HEARTBEAT_S` seconds.
    """

    def __init__(self) -> None:
        self.console = Console(highlight=False, soft_wrap=True)
        self._began = time.monotonic()
        self._phase, self._phase_began = "", self._began
        self._last_output = self._began
        self._status: Status | None = None
        self._events: Path | None = None
        self._offset = 0
        self._step_seconds: list[float] = []
        self._stalls: Path | None = None
        self._stalls_seen = 0

    def say(self, text: str, style: str = "") -> None:
        """One line with the time since start; the text is shown as it is."""
        clock = Text(f"{_clock(time.monotonic() - self._began):>7}  ", style="dim")
        self.console.print(clock.append_text(Text(text, style=style)))
        self._last_output = time.monotonic()

    def phase(self, text: str) -> None:
        """A new phase; its line comes at once."""
        self._phase, self._phase_began = text, time.monotonic()
        if self.console.is_terminal:
            self._live()
        else:
            self.say(text)

    def follow(self, run_dir: Path) -> None:
        """Show events of this run from now on."""
        self._events = run_dir / EVENTS_FILE
        self._offset = self._events.stat().st_size if self._events.exists() else 0
        self._stalls = run_dir / STALL_FILE
        self._stalls_seen = _size(self._stalls)

    def poll(self) -> None:
        """Show what is new, and the heartbeat when it is due; call several times a second."""
        for event in self._new_events():
            self._show(event)
        self._say_stall()
        if self.console.is_terminal:
            self._live()
        elif self._phase and time.monotonic() - self._last_output >= HEARTBEAT_S:
            self.say(f"… {self._phase_line()}", style="dim")

    def close(self) -> None:
        """Show the last events and end the live line."""
        for event in self._new_events():
            self._show(event)
        if self._status is not None:
            self._status.stop()
            self._status = None
        self._phase = ""

    def _say_stall(self) -> None:
        """The trainer has written its stacks, because nothing happened for `run.stall_s`."""
        if self._stalls is not None and (size := _size(self._stalls)) > self._stalls_seen:
            self._stalls_seen = size
            self.say(f"no progress in {self._phase_line()}; where the trainer waits: {self._stalls}", style="yellow")

    def _live(self) -> None:
        if self._status is None:
            self._status = self.console.status("")
            self._status.start()
        self._status.update(Text(self._phase_line()))

    def _phase_line(self) -> str:
        return f"{self._phase} ({time.monotonic() - self._phase_began:.0f} s)"

    def _new_events(self) -> list[dict[str, Any]]:
        if self._events is None or not self._events.exists():
            return []
        with self._events.open("rb") as file:
            file.seek(self._offset)
            whole, newline, _ = file.read().rpartition(b"\n")
        self._offset += len(whole) + len(newline)
        return [json.loads(line) for line in whole.splitlines() if line]

    def _show(self, event: Mapping[str, Any]) -> None:
        kind = event["kind"]
        if kind == "phase":
            step = f"step {event['step']}/{event['of']}: " if event.get("step") and event.get("of") else ""
            name = step + event["name"]
            if step:  # its line comes when the step is complete
                self._phase, self._phase_began = name, time.monotonic()
            else:
                self.phase(name)
        elif kind == "note":
            self.say(event["text"])
        elif kind == "warning":
            self.say(f"warning: {event['text']}", style="yellow")
        elif kind == "step":
            self._step_seconds.append(event["metrics"].get("timing_s/step", 0.0))
            self.say(step_line(event, self._step_seconds))
        elif kind == "validation":
            self.say(validation_line(event))


def step_line(event: Mapping[str, Any], step_seconds: list[float]) -> str:
    """The console line of one training step: reward, CSR, unverified, KL, seconds by phase, time to go."""
    metrics = event["metrics"]
    reward = next((f"{v:.3f}" for k, v in metrics.items() if k.startswith("train/reward/")), "-")
    recent = step_seconds[-5:]
    to_go = (event["of"] - event["step"]) * sum(recent) / len(recent)
    seconds = " ".join(
        f"{label} {metrics[f'timing_s/{name}']:.1f}"
        for label, name in (
            ("rollout", "gen"), ("old", "old_log_prob"), ("ref", "ref"), ("update", "update_actor"),
            ("sync", "update_weights"), ("save", "save_checkpoint"), ("val", "testing"),
        )
        if f"timing_s/{name}" in metrics
    )  # fmt: skip
    return (
        f"step {event['step']}/{event['of']}  reward {reward}  csr {_percent(metrics, 'train/csr')}"
        f"  unverified {_percent(metrics, 'train/unverified_frac')}  kl {metrics.get('actor/kl_loss', 0):.4f}"
        f"  {metrics.get('timing_s/step', 0):.1f} s ({seconds})  ETA {_clock(to_go)}"
    )


def validation_line(event: Mapping[str, Any]) -> str:
    """The console line of one validation."""
    metrics = event["metrics"]
    name = "before training" if event["step"] == 0 else f"after step {event['step']}"
    shown = [f"  {label} {_percent(metrics, metric)}" for metric, label in _VALIDATION.items() if metric in metrics]
    return f"validation {name}:{''.join(shown)}"


_VALIDATION = {
    "val/all/csr": "csr",
    "val/all/isr": "isr",
    "val/all/unverified_frac": "unverified",
    "val/ifeval/prompt_strict": "ifeval prompt strict",
    "val/ifeval/unverified_frac": "unverified",
    "val/reformbench/tcpr": "tcpr",
    "val/reformbench/emcr": "emcr",
    "val/reformbench/unverified_frac": "unverified",
}


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _percent(metrics: Mapping[str, float], name: str) -> str:
    return f"{100 * metrics[name]:.1f}%" if name in metrics else "-"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
