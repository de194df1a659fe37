"""A finished run goes on: a new run that starts from the last checkpoint of another, up to a larger number of steps."""

from __future__ import annotations

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
    policy = OmegaConf.load(earlier.config_file).actor_rollout_ref.model.path
    if policy != config.actor_rollout_ref.model.path:
        raise ConfigError(f"{folder} trained {policy}, not {config.actor_rollout_ref.model.path}", place=_PLACE)
    total = config.trainer.total_training_steps
    if total is not None and total <= steps[-1]:
        raise ConfigError(
            f"{folder} has {steps[-1]} steps already, {total} are asked for", place="trainer.total_training_steps"
        )
    config.trainer.resume_mode = "resume_path"
    config.trainer.resume_from_path = str(checkpoints.step_folder(steps[-1]))
    config.trainer.val_before_train = False
    return steps[-1]
