"""The config keys of verification, typed and bounded; training, the command line and the service share them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from scopeif.errors import ConfigError
from scopeif.judge.rendering import Layout

VerifierKind = Literal["compiled", "tgv", "per_response", "auto", "llm", "rule", "static_tool"]
JUDGED = ("tgv", "per_response", "llm", "rule", "static_tool")
"""The kinds that cannot do without a judge; `auto` leaves constraints without a spec unverified then."""

ScopeCategory = Literal["Global", "Traversal", "Position", "Condition", "Nested"]


class VerificationSettings(BaseModel):
    """How constraints are verified, and the limits of one tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    kind: VerifierKind = "auto"
    """compiled: by spec, without a judge. tgv: tool-grounded, the paper's. per_response: tgv for all constraints of
    a response in one pair of calls. auto: compiled where there is a spec, else tgv. llm, rule, static_tool: the paper's
    baselines."""
    layout: Layout = "paper"
    """Order of the material in prompts; prefix lets an inference server cache what the calls about a response share."""
    attempts: int = Field(default=3, ge=1, le=10)
    """How often the judge is asked for the same thing until its answer can be used."""
    audit_frac: float = Field(default=0.0, ge=0, le=1)
    """auto: share of compiled constraints that are judged too, to watch the agreement."""
    judged_scopes: tuple[ScopeCategory, ...] = ()
    """auto: Scope categories that are judged even where a spec exists."""
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


def require_judge(settings: VerificationSettings, has_judge: bool) -> None:
    """Refuse a verifier that needs a judge where there is none.

    Raises:
        ConfigError: the message names the kind.
    """
    if settings.kind in JUDGED and not has_judge:
        raise ConfigError(
            f"{settings.kind} needs a judge",
            place="verification.kind",
            fix="name one (judge=openai_compatible judge.model=... judge.endpoints=[http://host:8000/v1]), or take "
            "verification=auto, which verifies constraints that have a spec without a judge",
        )
