"""Responses to verify and their outcomes on disk, JSON Lines both; a file of outcomes can be continued."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

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
            first = error.errors()[0]
            field = ".".join(str(part) for part in first["loc"])
            raise DataError(f"{field}: {first['msg']}", place=row.place, fix=_FORM) from None
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
    """
    if not path.exists():
        return frozenset()
    kept, done = [], set()
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if again and not row["verified"]:
            continue
        kept.append(line)
        done.add(Key(row["instruction_id"], row["response_id"]))
    whole = "".join(f"{line}\n" for line in kept)
    if path.read_text(encoding="utf-8") != whole:
        part = path.with_name(path.name + ".part")
        part.write_text(whole, encoding="utf-8")
        part.replace(path)
    return frozenset(done)
