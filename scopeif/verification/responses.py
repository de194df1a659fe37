"""Responses to verify and their outcomes on disk, JSON Lines both; a file of outcomes can be continued."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scopeif.constraints.atomic import replaced
from scopeif.constraints.faults import validation_faults
from scopeif.constraints.files import raw_rows
from scopeif.constraints.models import Instruction
from scopeif.errors import DataError
from scopeif.reward import split_answer
from scopeif.verification.engine import Item
from scopeif.verification.outcome import ResponseOutcome


class Key(NamedTuple):
    """Which response to which instruction."""

    instruction_id: str
    response_id: str


class ResponseRow(BaseModel):
    """One row of a file of responses."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    instruction_id: str = Field(min_length=1)
    response: str
    response_id: str = "0"
    """Tells several responses to one instruction apart."""
    truncated: bool = False
    """Whether generation ended at the token limit."""

    @property
    def key(self) -> Key:
        return Key(self.instruction_id, self.response_id)


def read_responses(
    path: Path, instructions: Mapping[str, Instruction], done: frozenset[Key], thinking: bool = True
) -> Iterator[Item[Key]]:
    """The responses of a file that are not done yet, one by one.

    Raises:
        DataError: a row that is none, an unknown instruction, or a response that stands twice.
    """
    seen: set[Key] = set()
    for row in raw_rows(path):
        if row.value is None:
            raise DataError(row.reason or "no JSON object", place=row.place)
        try:
            response = ResponseRow.model_validate(row.value)
        except ValidationError as error:
            first = validation_faults(error, row.value, row.place)[0]
            raise DataError(first.message, place=row.place, fix=_FORM) from None
        if response.key in seen:
            raise DataError(
                f"response {response.response_id!r} to {response.instruction_id!r} stands twice",
                place=row.place,
                fix="give several responses to one instruction a response_id each",
            )
        seen.add(response.key)
        if response.instruction_id not in instructions:
            raise DataError(f"instruction {response.instruction_id!r} is unknown", place=row.place)
        if response.key not in done:
            answer = split_answer(response.response, response.truncated, thinking)
            yield Item(response.key, instructions[response.instruction_id], answer)


_FORM = '{"instruction_id": "...", "response": "...", "response_id": "0", "truncated": false}'


def outcome_row(key: Key, outcome: ResponseOutcome, alpha: float = 3.0, object_floor: float = 0.0) -> str:
    """One line of a file of outcomes."""
    row: dict[str, Any] = {**key._asdict(), "reward": outcome.rewards(alpha, object_floor)}
    return json.dumps(row | outcome.to_json(alpha, object_floor), ensure_ascii=False, allow_nan=False)


def settle(path: Path, again: bool = False) -> frozenset[Key]:
    """The responses that a file of outcomes has; a half-written last line is cut off.

    Args:
        again: take the unverified ones out of the file, so that they are verified again.

    Raises:
        DataError: a line is no outcome; the file is left as it was.
    """
    if not path.exists():
        return frozenset()
    done = set()
    with path.open("rb") as old, replaced(path) as whole, whole.open("wb") as new:
        for number, line in enumerate(old, start=1):
            try:
                key, verified = _key_of(line, f"{path}:{number}")
            except DataError:
                if line.endswith(b"\n"):
                    raise
                break  # half-written: a killed run left it
            if verified or not again:
                new.write(line.removesuffix(b"\n") + b"\n")
                done.add(key)
    return frozenset(done)


def _key_of(line: bytes, place: str) -> tuple[Key, bool]:
    """Which response a line of a file of outcomes is about, and whether it is verified."""
    try:
        row = json.loads(line.decode("utf-8"))
        return Key(row["instruction_id"], row["response_id"]), bool(row["verified"])
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(
            f"this is no outcome: {type(error).__name__}: {error}", place=place, fix="name another file, or remove it"
        ) from None
