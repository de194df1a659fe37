"""The three outcomes of a constraint, and what they make of a response."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from scopeif.errors import InvalidInputError
from scopeif.reward import SCHEMES, Answer, Record, aggregate, graded_reward, satisfied


class Status(str, Enum):
    """Every constraint ends in one of three ways; a failure of ours is never a violation."""

    SATISFIED = "satisfied"
    VIOLATED = "violated"
    UNVERIFIED = "unverified"


class Reason(str, Enum):
    """Why a constraint stayed unverified."""

    NO_SPEC = "no_spec"
    AMBIGUOUS = "ambiguous"
    TOOL = "tool"
    INFRASTRUCTURE = "infrastructure"
    DRILL = "drill"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one constraint: its records, or the reason why there are none."""

    records: tuple[Record, ...] = ()
    reason: Reason | None = None
    detail: str = ""
    verifier: str = ""
    tool_source: str = ""
    cpu_ms: float = 0.0

    def __post_init__(self) -> None:
        if bool(self.records) == (self.reason is not None):
            raise InvalidInputError("an outcome has records or a reason why it has none, not both")

    @property
    def status(self) -> Status:
        if self.reason is not None:
            return Status.UNVERIFIED
        return Status.SATISFIED if satisfied(self.records) else Status.VIOLATED


@dataclass(frozen=True)
class ResponseOutcome:
    """The outcomes of all constraints of one response.

    A response whose format reward is 0 is verified with reward 0, and nothing of it is measured. Otherwise it is
    verified when every constraint is.
    """

    answer: Answer
    outcomes: tuple[Outcome, ...] = field(default=())

    @property
    def verified(self) -> bool:
        return all(outcome.status is not Status.UNVERIFIED for outcome in self.outcomes)

    def reward(self, scheme: str, alpha: float = 3.0, object_floor: float = 0.0) -> float | None:
        """The training reward (Eq. 10); None when a constraint is unverified.

        Raises:
            InvalidInputError: an unknown scheme, or no constraints.
        """
        if self.answer.format_reward == 0:
            return 0.0
        if not self.verified:
            return None
        return aggregate([outcome.records for outcome in self.outcomes], scheme, alpha, object_floor)

    def rewards(self, alpha: float = 3.0, object_floor: float = 0.0) -> dict[str, float | None]:
        """The reward under every scheme."""
        return {scheme: self.reward(scheme, alpha, object_floor) for scheme in SCHEMES}

    def to_json(self, alpha: float = 3.0, object_floor: float = 0.0) -> dict[str, Any]:
        """Everything that the rollout log keeps of this response, as JSON values (infinite bounds are null)."""
        return {
            "answer": self.answer.text,
            "format_reward": self.answer.format_reward,
            "format_fault": self.answer.reason,
            "verified": self.verified,
            "constraints": [_outcome_json(outcome, alpha, object_floor) for outcome in self.outcomes],
        }


def _outcome_json(outcome: Outcome, alpha: float, object_floor: float) -> dict[str, Any]:
    return {
        "status": outcome.status.value,
        "reason": outcome.reason.value if outcome.reason else None,
        "detail": outcome.detail,
        "verifier": outcome.verifier,
        "records": [_record_json(record) for record in outcome.records],
        "g": graded_reward(outcome.records, alpha, object_floor) if outcome.records else None,
        "tool_source": outcome.tool_source,
        "cpu_ms": outcome.cpu_ms,
    }


def _record_json(record: Record) -> dict[str, Any]:
    fields = asdict(record)
    for bound in ("lower", "upper"):
        if abs(fields[bound]) == float("inf"):
            fields[bound] = None
    return fields
