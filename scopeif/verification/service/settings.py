"""The settings of the service, typed and bounded."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scopeif.judge.settings import JudgeSettings
from scopeif.verification.settings import VerificationSettings


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class LimitSettings(_Section):
    """What one replica takes; what goes beyond is refused, not delayed."""

    body_kb: int = Field(default=1024, ge=1)
    """Longest body of a request in KiB; above: 413."""
    constraints: int = Field(default=64, ge=1)
    """Most constraints of one instruction; above: 422."""
    concurrency: int = Field(default=256, ge=1)
    """Requests that are verified at a time."""
    queue: int = Field(default=256, ge=0)
    """Requests that may wait for their turn beside them; above: 429."""
    queue_s: float = Field(default=5.0, gt=0)
    """How long such a request waits at most; then: 429."""
    retry_after_s: int = Field(default=1, ge=1)
    """The Retry-After of a 429 or 503."""


class ScalingSettings(_Section):
    """How many replicas there are."""

    replicas: int = Field(default=1, ge=1, le=1024)
    """Replicas; with `max_replicas` the fewest."""
    max_replicas: int | None = Field(default=None, ge=1, le=1024)
    """The most; Ray Serve then adds and takes away replicas with the load. Null: always `replicas`."""
    replica_cpus: float = Field(default=1.0, ge=0)
    """Processors that a replica reserves on its Ray node."""

    @model_validator(mode="after")
    def _ordered(self) -> ScalingSettings:
        if self.max_replicas is not None and self.max_replicas < self.replicas:
            raise ValueError(f"max_replicas is {self.max_replicas}, below replicas, {self.replicas}")
        return self


class ServiceSettings(_Section):
    """Everything that a replica needs to know."""

    verification: VerificationSettings = VerificationSettings()
    """How constraints are verified."""
    judge: JudgeSettings | None = None
    """The judge; null for verifiers that do without."""
    limits: LimitSettings = LimitSettings()
    """Limits of one replica."""
    scaling: ScalingSettings = ScalingSettings()
    """Number of replicas."""
    token_sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    """SHA-256 of the bearer token that /v1 asks for; null: no token. The token itself stays in the launcher."""
    drain_s: float = Field(default=60.0, gt=0)
    """How long running requests may take to end when the service stops."""
