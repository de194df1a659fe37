"""The config keys of verification, typed and bounded; training, the command line and the service share them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from scopeif.errors import ConfigError
from scopeif.judge.endpoint_list import base_url
from scopeif.judge.rendering import Layout

VerifierKind = Literal["compiled", "tgv", "per_response", "auto", "llm", "rule", "static_tool", "remote"]
JUDGED = ("tgv", "per_response", "llm", "rule", "static_tool")
"""The kinds that cannot do without a judge; `auto` leaves constraints without a spec unverified then."""

ScopeCategory = Literal["Global", "Traversal", "Position", "Condition", "Nested"]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class RemoteSettings(_Section):
    """Where the verification service is, and how patiently it is asked."""

    urls: tuple[Annotated[str, AfterValidator(base_url)], ...] = ()
    """Base URLs of `scopeif serve`, such as http://node7:8000; several share the responses, and one stands in for
    another."""
    token_env: str | None = Field(default=None, min_length=1)
    """Environment variable that holds the service's bearer token; null for a service without one."""
    patience_s: float = Field(default=900.0, ge=0)
    """How long a response waits while no service answers it, before its constraints stay unverified."""
    deadline_s: float = Field(default=1800.0, gt=0)
    """Longest wait for one answer; longer than the service's own patience with its judge."""
    concurrency: int = Field(default=64, ge=1, le=4096)
    """Requests at a time."""


class VerificationSettings(_Section):
    """How constraints are verified, and the limits of one tool."""

    kind: VerifierKind = "auto"
    """compiled: by spec, without a judge. tgv: tool-grounded, the paper's. per_response: tgv for all constraints of
    a response in one pair of calls. auto: compiled where there is a spec, else tgv. llm, rule, static_tool: the paper's
    baselines. remote: by a service, as that is configured."""
    layout: Layout = "paper"
    """Order of the material in prompts; prefix lets an inference server cache what the calls about a response share."""
    attempts: int = Field(default=3, ge=1, le=10)
    """How often the judge is asked for the same thing until its answer can be used."""
    audit_frac: float = Field(default=0.0, ge=0, le=1)
    """auto: share of compiled constraints that are judged too, to watch the agreement."""
    judged_scopes: tuple[ScopeCategory, ...] = ()
    """auto: Scope categories that are judged even where a spec exists."""
    agreement_file: Path | None = None
    """auto: agreement of judge and measuring by category, as `scopeif verify --agreement` writes it; categories below
    `min_agreement` are judged."""
    min_agreement: float = Field(default=0.95, ge=0, le=1)
    """auto: the lowest agreement at which measuring decides."""
    min_audited: int = Field(default=20, ge=1)
    """auto: a category with fewer audited constraints is measured."""
    sandbox_workers: int = Field(default=1, ge=1, le=256)
    """Sandbox processes."""
    sandbox_require: Literal["seccomp", "full"] = "seccomp"
    """Kernel layers that the sandbox must have."""
    tool_cpu_s: int = Field(default=2, ge=1)
    """Processor seconds that one tool may use."""
    tool_wall_s: float = Field(default=10.0, gt=0)
    """Seconds that one tool may take."""
    tool_memory_mb: int = Field(default=256, ge=16)
    """Memory in MiB that one tool may use."""
    remote: RemoteSettings = RemoteSettings()
    """remote: the service; all other keys are the service's own then."""

    @model_validator(mode="after")
    def _has_service(self) -> VerificationSettings:
        if self.kind == "remote" and not self.remote.urls:
            raise ValueError("remote needs the address of a service: verification.remote.urls=[http://node7:8000]")
        return self


def require_judge(settings: VerificationSettings, has_judge: bool) -> None:
    """Refuse a verifier that needs a judge where there is none, and a judge that would never be asked.

    Raises:
        ConfigError: the message names the kind.
    """
    if settings.kind == "remote" and has_judge:
        raise ConfigError("the service has a judge of its own", place="judge", fix="leave it out")
    if settings.kind in JUDGED and not has_judge:
        raise ConfigError(
            f"{settings.kind} needs a judge",
            place="verification.kind",
            fix="name one (judge=openai_compatible judge.model=... judge.endpoints=[http://host:8000/v1]), or take "
            "verification=auto, which verifies constraints that have a spec without a judge",
        )
