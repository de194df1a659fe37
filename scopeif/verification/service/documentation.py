"""What the OpenAPI document says beside the types: examples, and every refusal."""

from __future__ import annotations

from typing import Any

from fastapi.openapi.models import Example
from pydantic import BaseModel

from scopeif.verification.service.answers import STATUS
from scopeif.verification.service.api import ErrorBody, ErrorKind, RewardAnswer, VerifyAnswer

DESCRIPTION = """Verifies responses against the constraints of their instructions.

Every constraint ends *satisfied*, *violated* or *unverified*. What could not be verified is never scored: `verified` is
false, `reward` is null and the reasons are given; mask such a sample. A request is one response to one instruction."""

_CONSTRAINT = {
    "text": "There must be exactly four lines in the response.",
    "scope": "Global(Entire Response)",
    "target": {"primary": "Capacity", "secondary": "Unit Count"},
    "range": "Equality",
    "counting_objects": [{"object": "lines in the response", "type": "specific"}],
    "spec": {
        "clauses": [
            {
                "object": "lines in the response",
                "measure": {"kind": "count", "unit": "line"},
                "range": {"kind": "bounds", "lower": 4, "upper": 4},
            }
        ]
    },
}
_PROMPT = "Describe a dance on a stage. There must be exactly four lines in the response."
_REQUEST = {
    "instruction": {"id": "dance", "prompt": _PROMPT, "constraints": [_CONSTRAINT]},
    "response": "The lights go on.\nShe turns.\nThe lights go off.",
}
_RECORD = {
    "lower": 4,
    "upper": 4,
    "actual": 3,
    "object": "lines in the response",
    "vacuous": False,
    "start": 0,
    "end": 47,
}

VERIFY_EXAMPLES: dict[str, Example] = {
    "by spec": {"summary": "Three lines where four are asked for", "value": _REQUEST},
    "truncated": {"summary": "A response that the token limit cut off", "value": _REQUEST | {"truncated": True}},
}
REWARD_EXAMPLES: dict[str, Example] = VERIFY_EXAMPLES | {
    "strict": {"summary": "All or nothing", "value": _REQUEST | {"scheme": "ila"}}
}
ANSWERS: dict[type[BaseModel], dict[str, Any]] = {
    VerifyAnswer: {
        "instruction_id": "dance",
        "answer": _REQUEST["response"],
        "format_reward": 1,
        "format_fault": None,
        "verified": True,
        "constraints": [
            {"status": "violated", "reason": None, "detail": "", "verifier": "compiled", "records": [_RECORD],
             "g": 0.4723665527410147}
        ],
    },
    RewardAnswer: {
        "instruction_id": "dance",
        "reward": 0.4723665527410147,
        "verified": True,
        "format_reward": 1,
        "format_fault": None,
        "rewards": {"scopeif": 0.4723665527410147, "mean_graded": 0.4723665527410147, "ila": 0.0, "cla": 0.0},
        "statuses": ["violated"],
        "reasons": [None],
    },
}  # fmt: skip
"""The answers to the first examples."""

_MEANINGS: dict[ErrorKind, str] = {
    "invalid": "the body is no JSON, a field is missing, unknown or wrong, or there are too many constraints",
    "unauthorized": "the bearer token is missing or wrong",
    "too_large": "the body is too long",
    "busy": "too many requests are under way; ask again after `Retry-After` seconds",
    "draining": "this replica stops and takes no further requests",
    "unavailable": "the sandbox fails, or no endpoint of the judge answers",
    "internal": "a fault of the service",
}
REFUSALS: tuple[ErrorKind, ...] = ("too_large", "invalid", "busy", "draining", "unavailable", "internal")
_HEADERS = {401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"}


def answers(model: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """The documented answer of a route that serves."""
    return {200: {"content": {"application/json": {"example": ANSWERS[model]}}}}


def refusals(*kinds: ErrorKind) -> dict[int | str, dict[str, Any]]:
    """The documented refusals of a route, by status."""
    documented: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        status, meaning = STATUS[kind], _MEANINGS[kind]
        entry = documented.setdefault(
            status, {"model": ErrorBody, "description": "", "content": {"application/json": {"examples": {}}}}
        )
        entry["description"] = f"{entry['description']}; {kind}: {meaning}".removeprefix("; ")
        body = ErrorBody(error=kind, message=meaning).model_dump()
        entry["content"]["application/json"]["examples"][kind] = {"value": body}
        if status in _HEADERS:
            entry["headers"] = {_HEADERS[status]: {"schema": {"type": "string"}}}
    return documented
