"""The judge's config keys, typed and bounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from scopeif.errors import InvalidInputError
from scopeif.judge.endpoint_list import base_url

Kind = Literal["tool_design", "judgment", "batch"]
"""What a call is for: designing a tool, judging one constraint, or all constraints of a response at once."""


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Sampling(_Section):
    """How the judge samples one kind of call."""

    temperature: float = Field(default=0.0, ge=0, le=2)
    """Temperature of the first attempt; 0 is greedy."""
    max_tokens: int | None = Field(default=8192, ge=1)
    """Longest answer in tokens, reasoning included; null leaves it to the server."""


class SamplingSettings(_Section):
    """Sampling per kind of call."""

    tool_design: Sampling = Sampling()
    """The call that designs a verification tool."""
    judgment: Sampling = Sampling()
    """The call that judges one constraint."""
    batch: Sampling = Sampling(max_tokens=16384)
    """The call that judges all constraints of a response."""
    temperature_step: float = Field(default=0.3, ge=0, le=1)
    """Added to the temperature for every further attempt at an unusable answer, up to 1."""

    def temperature(self, kind: Kind, attempt: int) -> float:
        """The temperature of an attempt; attempt 0 is the first."""
        first = self.of(kind).temperature
        return round(max(first, min(1.0, first + attempt * self.temperature_step)), 6)

    def of(self, kind: Kind) -> Sampling:
        """The sampling of a kind of call."""
        sampling: Sampling = getattr(self, kind)
        return sampling


class ConcurrencySettings(_Section):
    """How many calls one endpoint has at a time: more after answers, fewer after 429, timeouts and slow answers."""

    start: int = Field(default=32, ge=1, le=4096)
    """Calls at a time to begin with."""
    min: int = Field(default=4, ge=1, le=4096)
    """Never fewer."""
    max: int = Field(default=256, ge=1, le=4096)
    """Never more."""
    slow_answer_s: float = Field(default=240.0, gt=0)
    """An answer that takes longer counts as a sign of overload."""

    @model_validator(mode="after")
    def _ordered(self) -> ConcurrencySettings:
        if not self.min <= self.start <= self.max:
            raise ValueError(f"must be ordered: min {self.min} <= start {self.start} <= max {self.max}")
        return self

    def shared_by(self, clients: int) -> ConcurrencySettings:
        """The share of each of so many clients that ask the same endpoints."""
        parts = {name: max(1, getattr(self, name) // clients) for name in ("start", "min", "max")}
        return self.model_copy(update=parts)


class BreakerSettings(_Section):
    """When an endpoint is given up for a while, and how it is taken back."""

    failures: int = Field(default=5, ge=1)
    """Failures in a row after which no calls are sent to it."""
    cool_down_s: float = Field(default=1.0, gt=0)
    """Pause before it is asked for its health; doubled after every failure, with jitter."""
    cool_down_cap_s: float = Field(default=30.0, gt=0)
    """The longest pause."""
    probes: int = Field(default=4, ge=1)
    """Calls at a time that it gets after a good health report, until one is answered."""


class PriceSettings(_Section):
    """Price per million tokens, in whatever currency."""

    prompt: float = Field(default=0.0, ge=0)
    """Prompt tokens that the server had not cached."""
    cached: float = Field(default=0.0, ge=0)
    """Prompt tokens that it had."""
    completion: float = Field(default=0.0, ge=0)
    """Completion tokens, reasoning included."""


class JudgeSettings(_Section):
    """The judge: which model, where, and how patiently it is asked."""

    model: str = Field(min_length=1)
    """The model's name as the endpoints list it."""
    endpoints: tuple[str, ...] = ()
    """Base URLs such as http://node7:8000/v1."""
    endpoints_file: Path | None = None
    """A file with one base URL a line instead, `#` comments; it is read again when it changes."""
    endpoints_poll_s: float = Field(default=5.0, gt=0)
    """How often that file is looked at."""
    api_key_env: str | None = Field(default=None, min_length=1)
    """Environment variable that holds the API key; null for servers without one."""
    reasoning_effort: str | None = "medium"
    """Sent as `reasoning_effort`; null is not sent."""
    sampling: SamplingSettings = SamplingSettings()
    """Temperature and token caps."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Further fields of every request, for example a seed or a chat template argument."""
    concurrency: ConcurrencySettings = ConcurrencySettings()
    """Calls at a time per endpoint."""
    deadline_s: float = Field(default=600.0, gt=0)
    """Longest wait for one answer, far above the slowest honest one: a tight limit fails the longest items first."""
    connect_timeout_s: float = Field(default=5.0, gt=0)
    """Longest wait for a connection."""
    silence_s: float = Field(default=60.0, gt=0)
    """A busy endpoint that has answered nothing for so long is asked for its health; gone, its calls go elsewhere."""
    retries: int = Field(default=6, ge=0)
    """Further tries after an endpoint took a request and failed; refused connections and 429 use up none."""
    backoff_base_s: float = Field(default=0.5, gt=0)
    """The wait before a further try is random, up to this much, doubled with every failure."""
    backoff_cap_s: float = Field(default=30.0, gt=0)
    """The longest such wait."""
    outage_patience_s: float = Field(default=900.0, ge=0)
    """How long requests wait while no endpoint answers, before they fail."""
    breaker: BreakerSettings = BreakerSettings()
    """Circuit breaker of each endpoint."""
    price: PriceSettings = PriceSettings()
    """For the cost in the usage report."""
    cache_path: Path | None = None
    """SQLite file of parsed answers on a disk of this node; null is no cache."""
    cache_max_mb: int = Field(default=4096, ge=1)
    """The oldest answers are dropped above this size."""

    @field_validator("endpoints")
    @classmethod
    def _urls(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        try:
            return tuple(dict.fromkeys(base_url(url) for url in urls))
        except InvalidInputError as error:
            raise ValueError(str(error)) from None

    @field_validator("extra_body")
    @classmethod
    def _no_own_fields(cls, body: dict[str, Any]) -> dict[str, Any]:
        own = {"model", "messages", "temperature", "max_tokens", "reasoning_effort", "stream", "n"}
        if clash := sorted(own & set(body)):
            raise ValueError(f"{', '.join(clash)} cannot be set here")
        return body

    @model_validator(mode="after")
    def _one_list(self) -> JudgeSettings:
        if bool(self.endpoints) == (self.endpoints_file is not None):
            raise ValueError("give either endpoints or endpoints_file")
        return self
