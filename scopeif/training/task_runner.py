"""The Ray actor that holds the trainer: verl's own runner, with ScopeIF's trainers registered."""

from __future__ import annotations

from typing import Any

from verl.trainer.main_ppo import TaskRunnerV1
from verl.trainer.ppo.utils import need_critic, need_reference_policy
from verl.utils.config import validate_config

_Base: type = TaskRunnerV1.__ray_metadata__.modified_class


class TaskRunner(_Base):  # type: ignore[misc]
    """Runs one training from a composed config."""

    def run(self, config: Any) -> None:
        from scopeif.training import overlapped, trainer  # noqa: F401  (registers the trainers)

        validate_config(config, use_reference_policy=need_reference_policy(config), use_critic=need_critic(config))
        super().run(config)
