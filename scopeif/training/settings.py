"""ScopeIF's own config keys, typed and bounded; everything else in a run's config is verl's."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from scopeif.errors import ConfigError
from scopeif.judge.settings import JudgeSettings
from scopeif.reward import Scheme
from scopeif.verification.settings import VerificationSettings, require_judge


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RewardSettings(_Section):
    """How records become a reward (paper, section 5.2)."""

    scheme: Scheme = "scopeif"
    alpha: float = Field(default=3.0, gt=0, allow_inf_nan=False)
    object_floor: float = Field(default=0.0, ge=0, lt=1)
    shuffle: bool = False


class UnverifiedSettings(_Section):
    """What happens to samples that no verifier could judge."""

    min_verified_per_group: int = Field(default=2, ge=2)
    max_frac: float = Field(default=0.5, ge=0, le=1)
    drill_frac: float = Field(default=0.0, ge=0, lt=1)


class RunSettings(_Section):
    """Where a run lives and what it needs of the machine."""

    name: str = Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    root: str = Field(default="runs", min_length=1)
    seed: int = Field(default=42, ge=0)
    stop_grace_s: float = Field(default=600, gt=0)
    min_memory_gb: float = Field(default=0, ge=0)
    min_disk_gb: float = Field(default=0, ge=0)


class SelectionSettings(_Section):
    """Which checkpoints are kept."""

    metric: str = Field(default="val/all/csr", min_length=1)
    keep_last: int = Field(default=2, ge=1)


class RolloutLogSettings(_Section):
    """The log of every rollout."""

    enabled: bool = True


class Settings(_Section):
    """All own keys of a run."""

    thinking: bool
    run: RunSettings
    reward: RewardSettings = RewardSettings()
    verification: VerificationSettings = VerificationSettings()
    judge: JudgeSettings | None = None
    unverified: UnverifiedSettings = UnverifiedSettings()
    selection: SelectionSettings = SelectionSettings()
    rollout_log: RolloutLogSettings = RolloutLogSettings()

    @field_validator("thinking", mode="before")
    @classmethod
    def _on_or_off(cls, value: object) -> object:
        if value in ("on", "off"):
            return value == "on"
        if isinstance(value, bool):  # YAML reads a bare on or off as a boolean
            return value
        raise ValueError("must be on or off")

    @classmethod
    def from_config(cls, config: Any) -> Settings:
        """Read the own keys out of a composed config.

        Raises:
            ConfigError: a value is of the wrong type or out of bounds; the message names the key.
        """
        from omegaconf import OmegaConf

        own = {name: OmegaConf.select(config, name) for name in cls.model_fields if name != "reward"}
        plain = {name: _plain(value) for name, value in own.items() if value is not None}
        plain["reward"] = {key: config.reward[key] for key in RewardSettings.model_fields}
        try:
            return cls.model_validate(plain)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            raise ConfigError(f"{first['msg']} (value {first['input']!r})", place=key) from None


def check_consistency(config: Any, settings: Settings) -> None:
    """Refuse values that are each fine and wrong together.

    Raises:
        ConfigError: the message names both keys.
    """
    require_judge(settings.verification, settings.judge is not None)
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    if rollout.n < settings.unverified.min_verified_per_group:
        raise ConfigError(
            f"groups of {rollout.n} never hold the {settings.unverified.min_verified_per_group} verified samples that "
            "unverified.min_verified_per_group asks for",
            place="actor_rollout_ref.rollout.n",
        )
    if actor.ppo_mini_batch_size != config.data.train_batch_size:
        raise ConfigError(
            f"mini-batches of {actor.ppo_mini_batch_size} prompts in batches of {config.data.train_batch_size}: one "
            "whose samples all stayed unverified would have a loss over no token",
            place="actor_rollout_ref.actor.ppo_mini_batch_size",
            fix="make it equal to data.train_batch_size",
        )
    if actor.loss_agg_mode != "token-mean":
        raise ConfigError(
            f"{actor.loss_agg_mode!r} divides by samples that stayed unverified too",
            place="actor_rollout_ref.actor.loss_agg_mode",
            fix="use token-mean",
        )
    model = config.actor_rollout_ref.model
    if config.trainer.device == "cpu" and (model.lora_rank > 0 or model.lora_adapter_path is not None):
        raise ConfigError(
            "LoRA adapters cannot be sent to vLLM on a CPU",
            place="actor_rollout_ref.model.lora_rank",
            fix="train the full weights: actor_rollout_ref.model.lora_rank=0",
        )


def _plain(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
