"""Checkpoints of a run: complete ones, the best one, and which may go.

    checkpoints/global_step_20/     verl's: actor weights, optimizer, random state, data position, HF weights
    checkpoints/global_step_20/COMPLETE   written last; a folder without it is not resumed from
    best/                           the best step's HF model, and best.json with its step and metric
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from scopeif.errors import ModelNotFoundError

MARKER = "COMPLETE"
BEST_FILE = "best.json"
_PREFIX = "global_step_"


@dataclass(frozen=True)
class Best:
    """The best validated checkpoint so far."""

    step: int
    metric: str
    value: float


class Checkpoints:
    """The checkpoint folders of one run directory."""

    def __init__(self, run_dir: Path) -> None:
        self.folder = run_dir / "checkpoints"
        self.best_model = run_dir / "best"

    def step_folder(self, step: int) -> Path:
        return self.folder / f"{_PREFIX}{step}"

    def complete_steps(self) -> list[int]:
        """Steps with a complete checkpoint, ascending."""
        markers = self.folder.glob(f"{_PREFIX}*/{MARKER}")
        return sorted(int(marker.parent.name.removeprefix(_PREFIX)) for marker in markers)

    def mark_complete(self, step: int) -> None:
        """Call after everything of the step's checkpoint is on disk."""
        _write_durably(self.step_folder(step) / MARKER, f"{step}\n")

    def prune(self, keep_last: int) -> list[int]:
        """Delete all but the newest `keep_last` complete checkpoints; incomplete older ones go too.

        Returns the steps whose folders were deleted. The best model lives in a folder of its own and stays.
        """
        kept = set(self.complete_steps()[-keep_last:])
        newest = max(kept, default=0)
        folders = {int(path.name.removeprefix(_PREFIX)): path for path in self.folder.glob(f"{_PREFIX}*")}
        gone = sorted(step for step in folders if step not in kept and step < newest)
        for step in gone:
            shutil.rmtree(folders[step])
        return gone

    def best(self) -> Best | None:
        """The best checkpoint recorded, if any."""
        file = self.best_model / BEST_FILE
        return Best(**json.loads(file.read_text())) if file.is_file() else None

    def keep_best(self, best: Best) -> None:
        """Make that step's HF weights the best model, whole or not at all.

        Raises:
            ModelNotFoundError: the step's checkpoint holds no HF weights.
        """
        source = self.step_folder(best.step) / "actor" / "huggingface"
        if not any(source.glob("*.safetensors")):
            raise ModelNotFoundError(
                f"{source} holds no *.safetensors",
                fix="keep hf_model in actor_rollout_ref.actor.checkpoint.save_contents",
            )
        staged = self.best_model.with_name(".best.partial")
        shutil.rmtree(staged, ignore_errors=True)
        shutil.copytree(source, staged, copy_function=_link_or_copy)
        _write_durably(staged / BEST_FILE, json.dumps(asdict(best)) + "\n")
        replaced = self.best_model.with_name(".best.replaced")
        if self.best_model.exists():
            self.best_model.rename(replaced)
        staged.rename(self.best_model)
        shutil.rmtree(replaced, ignore_errors=True)


def _link_or_copy(source: str, target: str) -> str:
    """Hard-link weights (they are never written to again); copy where the file system cannot."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
    return target


def _write_durably(path: Path, text: str) -> None:
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
