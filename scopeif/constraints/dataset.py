"""Instructions on disk: JSON Lines that people read, and the Parquet rows that verl reads.

    instructions = read_jsonl("data/scope_mini/train.jsonl")
    write_parquet(instructions, "train.parquet")

A bad row is never dropped in silence: it is a `DataError` that names file, line, field and reason, e.g.
``train.jsonl:12: constraints[0].text: Field required``. JSON is strict (RFC 8259: no NaN, no duplicate keys).
Blank lines hold no row and are passed over; a UTF-8 byte order mark is too.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from scopeif.constraints.models import Instruction
from scopeif.errors import DataError

DATA_SOURCE = "scope_mini"
"""The default `data_source` of verl rows."""

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class Checked(NamedTuple):
    """The good rows of a file and the faults of the bad ones, each in the file's order."""

    instructions: list[Instruction]
    faults: list[DataError]


def read_jsonl(path: str | PathLike[str]) -> list[Instruction]:
    """Read a file of one instruction per line.

    Raises:
        DataError: the first fault of the file, with the count of further ones.
    """
    instructions, faults = check_jsonl(path)
    if faults:
        first, further = faults[0], len(faults) - 1
        tail = f" (and {further} further fault{'s' if further > 1 else ''} in this file)" if further else ""
        raise DataError(first.message + tail, place=first.place, fix=first.fix)
    return instructions


def check_jsonl(path: str | PathLike[str]) -> Checked:
    """Read a file and collect every fault instead of raising the first.

    A fault is one field of one row, or the file as a whole where it is missing, unreadable, or holds no row.
    """
    instructions: list[Instruction] = []
    faults: list[DataError] = []
    line_of: dict[str, int] = {}
    try:
        content = _read_bytes(Path(path))
    except DataError as fault:
        return Checked([], [fault])
    lines = content.removeprefix(_UTF8_MARK).split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        instruction, found = _check_row(line, place)
        if instruction is not None and instruction.id in line_of:
            reason = f"{instruction.id!r} is already the id of line {line_of[instruction.id]}"
            found = [_fault(place, "id", reason)]
            instruction = None
        if instruction is not None:
            line_of[instruction.id] = number
            instructions.append(instruction)
        faults += found
    if not instructions and not faults:
        faults.append(DataError("the file holds no row", place=str(path), fix="write one object per line"))
    return Checked(instructions, faults)


def write_jsonl(instructions: Iterable[Instruction], path: str | PathLike[str]) -> None:
    """Write one instruction per line (UTF-8, ``\\n``, keys in model order); `read_jsonl` gives the same back.

    Raises:
        DataError: a value that JSON cannot hold (in `provenance`: NaN, or an object of another type).
    """
    rows = [instruction_to_json(instruction) + "\n" for instruction in instructions]
    Path(path).write_bytes("".join(rows).encode("utf-8"))


def instruction_to_json(instruction: Instruction) -> str:
    """One instruction as one line of JSON; fields that are None are left out.

    Raises:
        DataError: a value that JSON cannot hold.
    """
    row = instruction.model_dump(mode="json", exclude_none=True, exclude={"provenance"})
    row["provenance"] = instruction.provenance  # as it is: a None in there is the caller's
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError) as error:  # a lone surrogate's UnicodeEncodeError is a ValueError too
        place = f"instruction {instruction.id!r}"
        raise DataError(f"cannot be written as JSON: {error}", place=place) from None
    return text


def instruction_from_json(text: str) -> Instruction:
    """The inverse of `instruction_to_json`.

    Raises:
        DataError: the first fault of the row.
    """
    instruction, faults = _check_row(text.encode("utf-8", "surrogatepass"), "row")
    if instruction is None:
        raise faults[0]
    return instruction


def verl_rows(instructions: Sequence[Instruction], data_source: str = DATA_SOURCE) -> list[dict[str, Any]]:
    """The rows that verl's `RLHFDataset` and reward managers read, in order.

    `extra_info.instruction` is the whole instruction as one JSON string: Parquet would merge the many shapes
    of specs into one struct, in which whole numbers turn into floats and absent keys into nulls.
    """
    return [
        {
            "data_source": data_source,
            "prompt": instruction.chat(),
            "ability": "instruction_following",
            "reward_model": {"style": "rule", "ground_truth": instruction.id},
            "extra_info": {
                "index": index,
                "id": instruction.id,
                "split": instruction.split,
                "instruction": instruction_to_json(instruction),
            },
        }
        for index, instruction in enumerate(instructions)
    ]


def write_parquet(
    instructions: Sequence[Instruction], path: str | PathLike[str], data_source: str = DATA_SOURCE
) -> None:
    """Write `verl_rows` as Parquet with an explicit schema, the same for every file."""
    import pyarrow as pa  # here: the commands that never touch Parquet start without it
    import pyarrow.parquet as pq

    text = pa.string()
    schema = pa.schema(
        {
            "data_source": text,
            "prompt": pa.list_(pa.struct({"role": text, "content": text})),
            "ability": text,
            "reward_model": pa.struct({"style": text, "ground_truth": text}),
            "extra_info": pa.struct({"index": pa.int64(), "id": text, "split": text, "instruction": text}),
        }
    )
    pq.write_table(pa.Table.from_pylist(verl_rows(instructions, data_source), schema=schema), path)


# -- one row ----------------------------------------------------------------------------------------------


def _read_bytes(path: Path) -> bytes:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise DataError("no such file", place=str(path), fix="check the path") from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", place=str(path)) from None
    if content.startswith(_UTF16_MARKS):
        raise DataError("the file is UTF-16", place=str(path), fix="save it as UTF-8")
    return content


def _check_row(line: bytes, place: str) -> tuple[Instruction | None, list[DataError]]:
    try:
        text = line.decode("utf-8")
        value = _strict_json(text)
    except UnicodeDecodeError as error:
        reason = f"byte {line[error.start]:#04x} at position {error.start + 1} is not UTF-8"
        return None, [_fault(place, "(row)", reason, fix="save the file as UTF-8")]
    except RecursionError:
        return None, [_fault(place, "(row)", "invalid JSON: nested too deeply")]
    except ValueError as error:
        return None, [_fault(place, "(row)", f"invalid JSON: {error}")]
    if not isinstance(value, dict):
        return None, [_fault(place, "(row)", f"is a JSON {_json_type(value)}, not an object")]
    try:
        return Instruction.model_validate_json(text, strict=True), []
    except ValidationError as error:
        return None, _validation_faults(error, value, place)


def _validation_faults(error: ValidationError, row: object, place: str) -> list[DataError]:
    """One fault a field, without the "too short" that a faulty item causes in the list around it."""
    reason_of: dict[str, str] = {}
    for found in error.errors():
        field = _field(found["loc"], row, missing=found["type"] == "missing")
        if found["type"] == "too_short" and any(inner.startswith(f"{field}[") for inner in reason_of):
            continue
        reason_of.setdefault(field, found["msg"].removeprefix("Value error, "))
    return [_fault(place, field, reason) for field, reason in reason_of.items()]


def _strict_json(text: str) -> object:
    """`json.loads` alone takes NaN, overflowing numbers, duplicate keys and lone surrogates."""

    def constant(name: str) -> None:
        raise ValueError(f"{name} is no JSON number")

    def number(digits: str) -> float:
        value = float(digits)
        if math.isinf(value):
            raise ValueError(f"{digits} is beyond the range of a float")
        return value

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = dict(pairs)
        if len(keys) < len(pairs):
            names = [key for key, _ in pairs]
            raise ValueError(f"duplicate key {next(name for name in names if names.count(name) > 1)!r}")
        return keys

    value: object = json.loads(text, parse_constant=constant, parse_float=number, object_pairs_hook=unique)
    if any("\ud800" <= char <= "\udfff" for char in json.dumps(value, ensure_ascii=False)):
        raise ValueError("an escaped surrogate stands alone")
    return value


def _field(loc: tuple[int | str, ...], row: object, missing: bool) -> str:
    """The field's path as it stands in the row: pydantic's own path also names the branches of its unions."""
    path, here = "", row
    for position, part in enumerate(loc):
        if isinstance(part, int) and isinstance(here, list):
            path, here = f"{path}[{part}]", here[part]
            continue
        absent = missing and position == len(loc) - 1
        if isinstance(part, str) and isinstance(here, dict) and (part in here or absent):
            path, here = f"{path}.{part}", here.get(part)
    return path.lstrip(".") or "(row)"


def _fault(place: str, field: str, reason: str, fix: str | None = None) -> DataError:
    return DataError(f"{field}: {reason}", place=place, fix=fix)


def _json_type(value: object) -> str:
    names = {list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")
