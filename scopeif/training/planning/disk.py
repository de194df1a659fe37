"""How much disk the checkpoints and the rollout log take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scopeif.training.planning.shape import ModelShape
from scopeif.training.planning.workload import Workload
from scopeif.training.settings import SelectionSettings

LOGGED_BYTES = 4000
"""A rollout in the log, compressed; measured on the recipe smoke are 1 to 2 kB, thinking text adds to it."""


@dataclass(frozen=True)
class Disk:
    """Bytes."""

    checkpoint: int
    """One: weights and optimizer to resume from, and the Hugging Face model."""
    best: int
    kept_models: int
    """bf16 weights that `selection.keep_hf_every` keeps."""
    checkpoints: int
    """All that are kept, the best model and one that is being written."""
    rollouts: int

    @property
    def total(self) -> int:
        return self.checkpoints + self.kept_models + self.rollouts


def disk(config: Any, shape: ModelShape, work: Workload, selection: SelectionSettings) -> Disk:
    """The disk need of a composed config; verl saves weights in the actor's type, fp32 by default."""
    size = 2 if config.actor_rollout_ref.actor.fsdp_config.model_dtype in ("bf16", "bfloat16") else 4
    rank = config.actor_rollout_ref.model.lora_rank
    adapter = shape.lora_parameters(rank) if rank else 0
    model = size * (shape.parameters + adapter)
    checkpoint = 2 * model + 2 * size * (adapter or shape.parameters)
    return Disk(
        checkpoint=checkpoint,
        best=model,
        kept_models=2 * shape.parameters * (work.steps // selection.keep_hf_every if selection.keep_hf_every else 0),
        checkpoints=(selection.keep_last + 1) * checkpoint + model,
        rollouts=LOGGED_BYTES * work.responses * work.steps,
    )
