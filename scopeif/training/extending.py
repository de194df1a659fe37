"""A finished run goes on: a new run that starts from the last checkpoint of another, up to a larger number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scopeif.errors import ConfigError
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.run_dir import RunDir

_PLACE = "run.extends"


def extend(config: Any, folder: str) -> int:
    """Have the run of a config start from the last checkpoint of the run in `folder`; returns its step.

    Steps, metrics and prompts continue after that step; weights, optimizer and data position are the checkpoint's. The
    earlier run is left as it is, its best model included: `best/` of the new run is the best of the new steps.

    Raises:
        ConfigError: no finished run with a checkpoint is there, it trained another policy, or no step would be left.
    """
    from omegaconf import OmegaConf

    earlier = RunDir(Path(folder).expanduser().absolute())
    state = earlier.read().get("state")
    if state != "finished":
        raise ConfigError(
            f"{folder} is no finished run but {state!r}" if state else f"{folder} is no run directory",
            place=_PLACE,
            fix="name a run directory such as runs/qwen3_8b/001; an unfinished run is resumed by its own command",
        )
    checkpoints = Checkpoints(earlier.path)
    steps = checkpoints.complete_steps()
    if not steps:
        raise ConfigError(f"{folder} holds no checkpoint", place=_PLACE)
    known = OmegaConf.load(earlier.config_file)
    trained, model = known.actor_rollout_ref.model, config.actor_rollout_ref.model
    if trained.path != model.path:
        raise ConfigError(f"{folder} trained {trained.path}, not {model.path}", place=_PLACE)
    if trained.get("lora_rank", 0) != model.get("lora_rank", 0):
        ranks = f"{trained.get('lora_rank', 0)}, not {model.get('lora_rank', 0)}"
        raise ConfigError(f"{folder} trained with lora_rank {ranks}", place=_PLACE)
    _refuse_other_shards(checkpoints.step_folder(steps[-1]), config)
    _refuse_other_data(known.data.train_files, config.data.train_files, folder)
    total = config.trainer.total_training_steps
    if total is not None and total <= steps[-1]:
        raise ConfigError(
            f"{folder} has {steps[-1]} steps already, {total} are asked for", place="trainer.total_training_steps"
        )
    config.trainer.resume_mode = "resume_path"
    config.trainer.resume_from_path = str(checkpoints.step_folder(steps[-1]))
    config.trainer.val_before_train = False
    return steps[-1]


def _refuse_other_shards(folder: Path, config: Any) -> None:
    """A checkpoint is read by as many ranks as have written it."""
    ranks = config.trainer.nnodes * config.trainer.n_gpus_per_node
    shards = len(list((folder / "actor").glob("model_world_size_*_rank_*.pt")))
    if shards and shards != ranks:
        raise ConfigError(
            f"{folder} was written by {shards} GPUs, this run has {ranks}",
            place=_PLACE,
            fix="run it on as many; or train on from its model alone: actor_rollout_ref.model.path=<run>/best",
        )


def _refuse_other_data(earlier: Sequence[str], now: Sequence[str], folder: str) -> None:
    """The checkpoint holds a position in its data: in other rows it would leave some out, in silence."""
    import pyarrow.parquet as pq

    def same(one: str, other: str) -> bool:
        return Path(one).is_file() and bool(pq.read_table(one).equals(pq.read_table(other)))

    if len(earlier) != len(now) or not all(map(same, earlier, now)):
        raise ConfigError(
            f"{folder} was trained on other rows, or its data is no longer there ({', '.join(earlier)})",
            place=_PLACE,
            fix="give the same data.train_files; or train on from its model alone: "
            f"actor_rollout_ref.model.path={folder}/best",
        )
