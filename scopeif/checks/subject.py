"""What is checked: a composed config, the settings read from it, and the policy's tokenizer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scopeif.training.own_ray import ray_address
from scopeif.training.settings import Settings


@dataclass
class Subject:
    """A run that could be started."""

    config: Any
    settings: Settings
    no_endpoints: str | None = None
    """What to say of a judge whose address is not given."""
    load_test_s: float = 20.0
    """How long the judge may be tried, in seconds; 0 asks for its health alone."""

    @property
    def policy(self) -> Path:
        """The policy's folder."""
        return Path(self.config.actor_rollout_ref.model.path).expanduser()

    @cached_property
    def tokenizer(self) -> Any:
        """The policy's tokenizer.

        Raises:
            ModelNotFoundError: the folder holds none, or one without a chat template.
        """
        from transformers.utils import logging

        from scopeif.constraints.prompt_length import load_tokenizer

        logging.set_verbosity_error()
        return load_tokenizer(self.policy)

    @property
    def template_options(self) -> dict[str, Any]:
        """Options of the chat template, as the launcher gives them."""
        from omegaconf import OmegaConf

        given: Any = OmegaConf.to_container(self.config.data.apply_chat_template_kwargs, resolve=True)
        options: dict[str, Any] = {"enable_thinking": self.settings.thinking} | given
        return options

    @property
    def own_cluster(self) -> bool:
        """Whether the run starts its own Ray on this machine."""
        return ray_address(self.config) == "local"
