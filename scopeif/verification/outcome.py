"""The three outcomes of a constraint, and what they make of a response."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

from pydantic import TypeAdapter

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
    TRANSPORT = "transport"
    PARSE = "parse"
    NO_RECORD = "no_record"
    DRILL = "drill"


@dataclass(frozen=True)
class JudgeCall:
    """One answer of the judge: what it was asked for, what it said, what that cost."""

    kind: str
    text: str
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    fault: str = ""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one constraint: its records, or the reason why there are none.

    `tool_source`, `tool_arguments` and `evidence` are the tool that was run, what it was run on and what came out;
    `calls` the judge's answers, unusable ones too. `conflict`: the judge's verdict in words disagrees with its records.
    `escalated`: measuring found the response ambiguous, and the judge decided. `audit`: whether the judge agrees with
    a measured outcome, where it was asked to check.
    """

    records: tuple[Record, ...] = ()
    reason: Reason | None = None
    detail: str = ""
    verifier: str = ""
    tool_source: str = ""
    tool_arguments: tuple[Any, ...] = ()
    evidence: str = ""
    calls: tuple[JudgeCall, ...] = ()
    conflict: bool = False
    escalated: bool = False
    audit: bool | None = None
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
        "tool_arguments": list(outcome.tool_arguments),
        "evidence": outcome.evidence,
        "calls": [asdict(call) for call in outcome.calls],
        "conflict": outcome.conflict,
        "escalated": outcome.escalated,
        "audit": outcome.audit,
        "cpu_ms": outcome.cpu_ms,
    }


def outcome_from_json(row: Mapping[str, Any]) -> Outcome:
    """The outcome that a log, a file of outcomes or the service wrote as JSON.

    Raises:
        InvalidInputError: it is none.
    """
    try:
        return _OUTCOME.validate_python({**row, "records": [_record(fields) for fields in row["records"]]})
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(f"this is no outcome: {type(error).__name__}: {error}") from error


_OUTCOME, _RECORD = TypeAdapter(Outcome), TypeAdapter(Record)


def _record(fields: Mapping[str, Any]) -> Record:
    """An infinite bound has been written as null."""
    lower, upper = fields["lower"], fields["upper"]
    whole = {**fields, "lower": -math.inf if lower is None else lower, "upper": math.inf if upper is None else upper}
    _RECORD.validate_python(whole)  # the types alone: it would make floats of whole numbers
    return Record(**whole)


def _record_json(record: Record) -> dict[str, Any]:
    fields = dict(vars(record))  # what `asdict` does, ten times as fast
    for bound in ("lower", "upper"):
        if abs(fields[bound]) == float("inf"):
            fields[bound] = None
    return fields
