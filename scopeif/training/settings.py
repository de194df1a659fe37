"""ScopeIF's own config keys, typed and bounded; everything else in a run's config is verl's."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictBool, ValidationError, field_validator

from scopeif.errors import ConfigError
from scopeif.judge.settings import JudgeSettings
from scopeif.reward import Scheme
from scopeif.verification.settings import VerificationSettings


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class RewardSettings(_Section):
    """How records become a reward (paper, section 5.2)."""

    scheme: Scheme = "scopeif"
    """How constraints become a reward: scopeif (Eq. 7), mean_graded (its ablation), ila or cla (binary)."""
    alpha: float = Field(default=3.0, gt=0, allow_inf_nan=False)
    """Penalty severity of the graded reward (Eq. 5)."""
    object_floor: float = Field(default=0.0, ge=0, lt=1)
    """Smallest graded reward of one counting object; 0 is the paper."""
    shuffle: bool = False
    """Control experiment: advantages are permuted within each group, so that nothing can be learnt."""
    overlong_tokens: int = Field(default=0, ge=0)
    """Soft over-long penalty: the last so many tokens before data.max_response_length lower the reward; 0 is none."""
    overlong_penalty: float = Field(default=0.5, gt=0, allow_inf_nan=False)
    """How much a response of the full length loses; in between it is linear."""
    sources: dict[str, str] = Field(default_factory=dict)
    """Own reward functions for rows without constraints: their data source to package.module:function."""


class UnverifiedSettings(_Section):
    """What happens to samples that no verifier could judge."""

    min_verified_per_group: int = Field(default=2, ge=2)
    """A group with fewer verified samples teaches nothing: its advantages and loss mask are 0."""
    max_frac: float = Field(default=0.5, ge=0, le=1)
    """Above this share of unverified samples in a step, the run saves and stops."""
    drill_frac: float = Field(default=0.0, ge=0, lt=1)
    """Share of samples left unverified on purpose, to rehearse an outage."""


class RunSettings(_Section):
    """Where a run lives and what it needs of the machine."""

    name: str = Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    """Name of the run, by default the recipe's; its directories are <root>/<name>/001, 002, ..."""
    root: str = Field(default="runs", min_length=1)
    """Folder that holds all runs."""
    seed: int = Field(default=42, ge=0)
    """Seed of the data order, of rollout sampling and of the actor's mini-batches."""
    stop_grace_s: float = Field(default=600, gt=0)
    """Seconds that a stop request (SIGTERM, SIGUSR1) may take to save before all processes are ended."""
    min_memory_gb: float = Field(default=0, ge=0)
    """Memory in GiB that the run needs on its node; less is refused before anything loads."""
    min_disk_gb: float = Field(default=0, ge=0)
    """Free disk in GiB that the run needs for checkpoints and logs."""
    stall_s: float = Field(default=1800, gt=0)
    """Seconds without progress after which the trainer writes its stacks to logs/stalled_stacks.txt."""
    extends: str | None = Field(default=None, min_length=1)
    """Directory of a finished run that this one continues from its last checkpoint, up to a larger number of steps."""


class SelectionSettings(_Section):
    """Which checkpoints are kept."""

    metric: str = Field(default="val/all/csr", min_length=1)
    """Validation metric that chooses the best checkpoint; higher is better."""
    keep_last: int = Field(default=2, ge=1)
    """Checkpoints kept beside the best one."""
    keep_hf_every: int = Field(default=0, ge=0)
    """Keep the Hugging Face weights of every so many steps in bf16, for curves over training; 0 keeps none."""


class ValidationSettings(_Section):
    """What is validated, on data.val_files, whenever trainer.test_freq says."""

    enabled: bool = True
    """Whether there is any validation; without one there is no best model. `validate=false` says the same."""
    max_samples: int | None = Field(default=None, ge=1)
    """Rows drawn from each validation file by the run's seed; IFEval and ReFormBench are always whole."""
    guard_prompts: int = Field(default=64, ge=0, le=64)
    """Everyday prompts whose answers are compared with the base model's, as a metric alone; 0 is none."""
    reformbench_baselines: str | None = Field(default=None, min_length=1)
    """File of ReFormBench baselines, as `annotate` writes them; without one, those of the first validation."""


class RolloutLogSettings(_Section):
    """The log of every rollout."""

    enabled: bool = True
    """Write every rollout with its records, reward parts and advantage."""
    table_rows: int = Field(default=4, ge=0)
    """Rollouts of a step that trackers show as a table; needs `enabled`."""


class Settings(_Section):
    """All own keys of a run."""

    thinking: bool
    """Whether the policy may think before it answers, on or off; off: any think tag makes the format reward 0."""
    dry_run: StrictBool = False
    """Print and write the resolved config and what the run will need, and start nothing."""
    run: RunSettings
    """Where a run lives and what it needs of the machine."""
    reward: RewardSettings = RewardSettings()
    """How records become a reward; `reward=...` chooses a scheme. The section's other keys are verl's."""
    verification: VerificationSettings = VerificationSettings()
    """How constraints are verified; `verification=...` chooses a kind."""
    judge: JudgeSettings | None = None
    """The judge; `judge=none` is none, `judge=gpt_oss_120b` the paper's, `judge=openai_compatible` another."""
    unverified: UnverifiedSettings = UnverifiedSettings()
    """What happens to samples that no verifier could judge."""
    selection: SelectionSettings = SelectionSettings()
    """Which checkpoints are kept."""
    validation: ValidationSettings = ValidationSettings()
    """What is validated."""
    rollout_log: RolloutLogSettings = RolloutLogSettings()
    """The log of every rollout."""

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
        reward = {key: _plain(config.reward[key]) for key in RewardSettings.model_fields}
        plain["reward"] = {key: value for key, value in reward.items() if value is not None}
        try:
            return cls.model_validate(plain)
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(str(part) for part in first["loc"])
            value = "" if isinstance(first["input"], dict) else f" (value {first['input']!r})"
            raise ConfigError(f"{first['msg']}{value}", place=key) from None


def _plain(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
