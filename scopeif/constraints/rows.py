"""One row of any layout to an instruction: ours, the official release's, or verl's (which carries ours as JSON)."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from pydantic import ValidationError

from scopeif.constraints import strict_json
from scopeif.constraints.faults import ROW, fault, validation_faults
from scopeif.constraints.models import Instruction
from scopeif.constraints.official import Split, from_official, is_official
from scopeif.errors import DataError

_JSON_COLUMNS = ("messages", "constraints", "provenance")
"""Columns of Parquet that hold lists or objects, or the JSON text of them."""


class Read(NamedTuple):
    """An instruction, or None with what is wrong."""

    instruction: Instruction | None
    faults: list[DataError]


def read_text(text: str, place: str) -> Read:
    """An instruction in our layout from one line of JSON."""
    try:
        value = strict_json.loads(text)
    except RecursionError:
        return Read(None, [fault(place, ROW, "invalid JSON: nested too deeply")])
    except ValueError as error:
        return Read(None, [fault(place, ROW, f"invalid JSON: {error}")])
    if not isinstance(value, dict):
        return Read(None, [fault(place, ROW, f"is a JSON {strict_json.type_name(value)}, not an object")])
    return _validated(text, value, place)


def read_row(value: dict[str, Any], place: str, number: int, split: Split, tabular: bool = False) -> Read:
    """An instruction from a row of any layout.

    Args:
        value: the row.
        place: file and line, for the faults.
        number: the row's number, from which an official row without an id has its own.
        split: the split of a row whose layout has none.
        tabular: the row comes from a table, in which absent keys are nulls and whole numbers may be floats.
    """
    if is_verl(value):
        return _read_verl(value, place)
    if tabular:
        try:
            value = _untabled(value)
        except ValueError as error:
            return Read(None, [fault(place, ROW, str(error))])
    if is_official(value):
        value, faults = from_official(value, place, number, split)
        if faults:
            return Read(None, faults)
    try:
        text = json.dumps(value, allow_nan=False)
    except RecursionError:
        return Read(None, [fault(place, ROW, "nested too deeply")])
    except (TypeError, ValueError) as error:
        return Read(None, [fault(place, ROW, f"holds a value that JSON has not: {error}")])
    return _validated(text, value, place)


def is_verl(value: dict[str, Any]) -> bool:
    """Whether a row has the layout that verl reads."""
    return "extra_info" in value or "data_source" in value


def _validated(text: str, value: dict[str, Any], place: str) -> Read:
    try:
        return Read(Instruction.model_validate_json(text, strict=True), [])
    except ValidationError as error:
        return Read(None, validation_faults(error, value, place))


def _read_verl(value: dict[str, Any], place: str) -> Read:
    extra = value.get("extra_info")
    text = extra.get("instruction") if isinstance(extra, dict) else None
    if not isinstance(text, str):
        source = value.get("data_source")
        reason = f"a row of data source {source!r} holds no instruction"
        fix = "write instructions with `scopeif data convert`, or name the source's reward function in reward.sources"
        return Read(None, [fault(place, "extra_info.instruction", reason, fix)])
    read = read_text(text, place)
    if read.instruction is None:
        return Read(None, [DataError(f"extra_info.instruction: {one.message}", place=place) for one in read.faults])
    if value.get("prompt") is not None and value["prompt"] != read.instruction.chat():
        reason = "differs from the prompt of extra_info.instruction"
        return Read(None, [fault(place, "prompt", reason, "write the file again with `scopeif data convert`")])
    return read


def _untabled(row: dict[str, Any]) -> dict[str, Any]:
    """A row as it was before a table unified the shapes of all rows: without nulls, with whole numbers."""
    row = dict(row)
    for key in _JSON_COLUMNS:
        if isinstance(row.get(key), str):
            try:
                row[key] = strict_json.loads(row[key])
            except ValueError as error:
                raise ValueError(f"{key} holds no JSON: {error}") from None
    for constraint in row.get("constraints") or ():
        if isinstance(constraint, dict) and isinstance(constraint.get("spec"), str):
            constraint["spec"] = strict_json.loads(constraint["spec"])
    provenance = row.pop("provenance", None)
    row = _restored(row)
    if provenance is not None:
        row["provenance"] = _without_nulls(provenance)
    return row


def _restored(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _restored(inner) for key, inner in value.items() if inner is not None}
    return [_restored(inner) for inner in value] if isinstance(value, list) else value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value
