"""What goes over the wire: requests and answers of the verification service.

`app.py` serves them, `scopeif.verification.remote` asks with them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from scopeif.constraints.models import Instruction
from scopeif.reward import Scheme


class _Request(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    instruction: Instruction
    """The instruction with its constraints, as in a data file."""
    response: str
    """What the model wrote, without its stop token."""
    truncated: bool = False
    """Whether generation ended at the token limit; a truncated response has format reward 0."""
    thinking: bool = True
    """Whether the model was allowed to think before it answered."""
    split: bool = True
    """Separate the answer from thinking text and judge the format; false: the response is the answer itself, whose
    format is not judged but for `truncated`."""


class VerifyRequest(_Request):
    """`POST /v1/verify`."""

    details: bool = False
    """Also return the tools, their arguments and evidence, and the judge's texts."""


class RewardRequest(_Request):
    """`POST /v1/reward`."""

    scheme: Scheme = "scopeif"
    """How graded rewards of constraints become one (paper, section 5.2)."""
    alpha: float = Field(default=3.0, gt=0, allow_inf_nan=False)
    """Penalty severity (Eq. 5)."""
    object_floor: float = Field(default=0.0, ge=0, lt=1)
    """Smallest graded reward of one counting object; 0 is the paper."""


class VerifyAnswer(BaseModel):
    """The outcome of every constraint; `constraints` is empty where the format reward is 0."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    instruction_id: str
    answer: str
    """What was verified: the response without its thinking text."""
    format_reward: Literal[0, 1]
    format_fault: str | None = None
    """truncated, unclosed_think, extra_think_tag or empty."""
    verified: bool
    """False: at least one constraint is unverified, and there is no reward."""
    constraints: list[dict[str, Any]]
    """As in a file of outcomes: status, reason, detail, verifier, records, g; with `details` all that it keeps."""


class RewardAnswer(BaseModel):
    """The reward of a response under the scheme that was asked for, and under all."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    instruction_id: str
    reward: float | None
    """Null when a constraint is unverified: mask such a sample, do not score it."""
    verified: bool
    format_reward: Literal[0, 1]
    format_fault: str | None = None
    rewards: dict[str, float | None]
    """Under each scheme: scopeif, mean_graded, cla, ila."""
    statuses: list[Literal["satisfied", "violated", "unverified"]]
    """One a constraint; empty where the format reward is 0."""
    reasons: list[str | None]
    """Why a constraint is unverified."""


ErrorKind = Literal[
    "invalid",
    "unauthorized",
    "not_found",
    "method_not_allowed",
    "too_large",
    "busy",
    "draining",
    "unavailable",
    "internal",
]


class ErrorBody(BaseModel):
    """What is wrong, where, and what to do; the body of every status of 400 and above."""

    error: ErrorKind
    """Kind of the error."""
    message: str
    place: str | None = None
    fix: str | None = None
