"""How much disk the checkpoints and the rollout log take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scopeif.training.planning.memory import adapter_parameters, bytes_of
from scopeif.training.planning.shape import ModelShape, model_shape
from scopeif.training.planning.workload import Workload
from scopeif.training.settings import SelectionSettings

LOGGED_BYTES = 4000
"""A rollout in the log, compressed; measured on the recipe smoke are 1 to 2 kB, thinking text adds to it."""


@dataclass(frozen=True)
class Checkpoint:
    """Bytes of one checkpoint."""

    kept: int
    """Weights and optimizer to resume from, and the Hugging Face model."""
    writing: int
    """While it is written: a merged LoRA model lies beside the unmerged one until it is whole."""


@dataclass(frozen=True)
class Disk:
    """Bytes."""

    checkpoint: int
    """One: weights and optimizer to resume from, and the Hugging Face model."""
    best: int
    kept_models: int
    """bf16 weights that `selection.keep_hf_every` keeps."""
    count: int
    """Checkpoints that are kept, and one that is being written."""
    merging: int
    """What a LoRA checkpoint takes more while its Hugging Face model is merged."""
    checkpoints: int
    """All of them, and the best model."""
    rollouts: int

    @property
    def total(self) -> int:
        return self.checkpoints + self.kept_models + self.rollouts


def checkpoint_bytes(config: Any) -> Checkpoint:
    """The size of a composed config's checkpoint; verl saves weights in the actor's type, fp32 by default.

    Raises:
        ModelNotFoundError: the policy is not there, and its shape is not known by name.
    """
    return _checkpoint(config, model_shape(config.actor_rollout_ref.model.path))


def disk(config: Any, shape: ModelShape, work: Workload, selection: SelectionSettings) -> Disk:
    """The disk need of a composed config."""
    one, best = _checkpoint(config, shape), _model_size(config) * shape.parameters
    return Disk(
        checkpoint=one.kept,
        best=best,
        kept_models=2 * shape.parameters * (work.steps // selection.keep_hf_every if selection.keep_hf_every else 0),
        count=selection.keep_last + 1,
        merging=one.writing - one.kept,
        checkpoints=selection.keep_last * one.kept + one.writing + best,
        rollouts=LOGGED_BYTES * work.responses * work.steps,
    )


def _checkpoint(config: Any, shape: ModelShape) -> Checkpoint:
    size, adapter = _model_size(config), adapter_parameters(config, shape)
    merged, unmerged = size * shape.parameters, size * (shape.parameters + adapter)
    contents = config.actor_rollout_ref.actor.checkpoint.save_contents
    weights = unmerged if "model" in contents else 0
    optimizer = 2 * size * (adapter or shape.parameters) if "optimizer" in contents else 0
    if "hf_model" not in contents:
        return Checkpoint(weights + optimizer, weights + optimizer)
    kept = weights + optimizer + merged
    return Checkpoint(kept, kept + unmerged if adapter else kept)


def _model_size(config: Any) -> int:
    return bytes_of(config.actor_rollout_ref.actor.fsdp_config.model_dtype)
