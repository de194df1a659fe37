"""Checkpoints of a run: complete ones, the best one, and which may go.

checkpoints/global_step_20/     verl's: actor weights, optimizer, random state, data position, HF weights
checkpoints/global_step_20/COMPLETE   written last; a folder without it is not resumed from
best/                           the best step's HF model, and best.json with its step and metric
hf/global_step_20/              a step's HF model in bf16, for curves over training (selection.keep_hf_every)
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

from scopeif.errors import ModelNotFoundError, ResourceError
from scopeif.training.folders import folder_bytes, put_in_place, restore, staging

MARKER = "COMPLETE"
BEST_FILE = "best.json"
CARD = "README.md"
_PREFIX = "global_step_"
_SPARE = 1.05
"""How much more disk than the last checkpoint took must be free for the next."""

_FULL, _LORA = 8, 4
"""The first checkpoint in sizes of the policy: weights, Adam's state of what is trained, an HF model, all in fp32."""
_MERGING, _KEPT = 2, 1
"""What is written beside it: the HF model before the adapter is merged, and the one in bf16 that is kept."""


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
        self.kept_models = run_dir / "hf"

    def step_folder(self, step: int) -> Path:
        return self.folder / f"{_PREFIX}{step}"

    def model_folder(self, step: int) -> Path:
        """The Hugging Face model in a step's checkpoint."""
        return self.step_folder(step) / "actor" / "huggingface"

    def kept_model(self, step: int) -> Path:
        """The step's model that `keep_model` wrote."""
        return self.kept_models / f"{_PREFIX}{step}"

    def kept_steps(self) -> list[int]:
        """Steps whose model `keep_model` wrote, ascending."""
        return sorted(int(path.name.removeprefix(_PREFIX)) for path in self.kept_models.glob(f"{_PREFIX}*"))

    def complete_steps(self) -> list[int]:
        """Steps with a complete checkpoint, ascending."""
        markers = self.folder.glob(f"{_PREFIX}*/{MARKER}")
        return sorted(int(marker.parent.name.removeprefix(_PREFIX)) for marker in markers)

    def mark_complete(self, step: int) -> None:
        """Call after everything of the step's checkpoint is on disk."""
        _write_durably(self.step_folder(step) / MARKER, f"{step}\n")

    def drop_unfinished(self, step: int) -> None:
        """Remove what an attempt that was killed while it saved left of that step."""
        folder = self.step_folder(step)
        if not (folder / MARKER).exists():
            shutil.rmtree(folder, ignore_errors=True)

    def require_space(self, policy: Path, adapter: bool = False, keep: bool = False) -> None:
        """Check the free disk before a checkpoint is written.

        Args:
            policy: folder of the weights that training began with, in bf16; they tell the need of the first checkpoint.
            adapter: whether it is of a LoRA run, whose model lies there twice while it is merged.
            keep: whether `keep_model` follows.

        Raises:
            ResourceError: less is free than the last complete checkpoint took; nothing has been deleted or written.
        """
        steps, weights = self.complete_steps(), folder_bytes(policy, "*.safetensors")
        last = folder_bytes(self.step_folder(steps[-1])) if steps else (_LORA if adapter else _FULL) * weights
        beside = (_MERGING if adapter else 0) + (_KEPT if keep else 0)
        _require_free(self.folder, int(_SPARE * (last + beside * weights)))

    def keep_model(self, step: int) -> None:
        """Keep the step's Hugging Face model in bf16, whole or not at all; pruning does not touch it.

        Raises:
            ModelNotFoundError: the step's checkpoint holds no HF weights.
        """
        from scopeif.training.hf_model import copy_model

        copy_model(self.model_folder(step), self.kept_model(step), bf16=True)

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
        restore(self.best_model)
        file = self.best_model / BEST_FILE
        return Best(**json.loads(file.read_text())) if file.is_file() else None

    def keep_best(self, best: Best, card: str) -> None:
        """Make that step's HF weights the best model with this model card, whole or not at all.

        Raises:
            ModelNotFoundError: the step's checkpoint holds no HF weights.
        """
        source = self.model_folder(best.step)
        require_weights(source)
        staged = staging(self.best_model)
        shutil.copytree(source, staged, copy_function=_link_or_copy)
        (staged / CARD).write_text(card, encoding="utf-8")
        _write_durably(staged / BEST_FILE, json.dumps(asdict(best)) + "\n")
        put_in_place(staged, self.best_model)


def require_weights(folder: Path) -> None:
    """Check that a folder holds Hugging Face weights.

    Raises:
        ModelNotFoundError: it does not.
    """
    if not any(folder.glob("*.safetensors")):
        raise ModelNotFoundError(
            f"{folder} holds no *.safetensors",
            fix="keep hf_model in actor_rollout_ref.actor.checkpoint.save_contents",
        )


def _require_free(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ResourceError(
            f"a checkpoint needs {needed / 1e9:.1f} GB of free disk, {free / 1e9:.1f} GB are free",
            place=str(folder),
            fix="free some and give the same command again; nothing was written, the earlier checkpoints are whole",
        )


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
