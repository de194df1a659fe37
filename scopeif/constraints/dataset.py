"""Instructions on disk: JSON Lines that people read, and the Parquet rows that verl reads.

    instructions = read_instructions("data/scope_mini/train.jsonl")
    write_parquet(instructions, "train.parquet")

Files are recognised by their content: JSON Lines or a JSON array (plain, gzip or zstd) and Parquet, with rows in our
layout, in verl's, or in that of the official release.

A bad row is never dropped in silence: it is a `DataError` that names file, line, field and reason, e.g.
``train.jsonl:12: constraints[0].text: Field required``. JSON is strict (RFC 8259: no NaN, no duplicate keys).
Blank lines hold no row and are passed over; a UTF-8 byte order mark is too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from scopeif.constraints.atomic import replaced
from scopeif.constraints.faults import ROW, fault
from scopeif.constraints.files import Kind, parquet_columns, raw_rows, recognise
from scopeif.constraints.models import Instruction
from scopeif.constraints.official import Split
from scopeif.constraints.rows import Read, is_verl, read_row
from scopeif.errors import DataError

DATA_SOURCE = "scope_mini"
"""The default `data_source` of verl rows."""
MAX_FAULTS = 1000
"""Faults of a file that are kept; further ones are counted."""

_TEST_NAME = re.compile(r"(?:^|[^a-z])(?:test|val|valid|validation|dev|eval)(?:[^a-z]|$)")
_BATCH = 1024


class Row(NamedTuple):
    """One row of a file.

    place: file and line, or file and row, counted from 1.
    instruction: None where the row is bad.
    faults: what is wrong with a bad row.
    done: how much of the file is read up to here, 0 to 1.
    """

    place: str
    instruction: Instruction | None
    faults: list[DataError]
    done: float


class Checked(NamedTuple):
    """The good rows of a file and the faults of the bad ones, each in the file's order.

    faults: the first `MAX_FAULTS`, a fault of the whole file last.
    fault_count: all of them.
    bad_rows: rows with a fault.
    """

    instructions: list[Instruction]
    faults: list[DataError]
    fault_count: int
    bad_rows: int


def iter_rows(path: str | PathLike[str], split: Split | None = None) -> Iterator[Row]:
    """The rows of a file one by one, good and bad.

    Args:
        path: a file of any format that `scopeif.constraints.files.recognise` knows.
        split: the split of rows whose layout has none (the official release's); told by the file's name if None.

    Raises:
        DataError: the file, or the rest of it, cannot be read, or it holds no row.
    """
    path = Path(path)
    split = split or ("test" if _TEST_NAME.search(path.name.lower()) else "train")
    tabular = recognise(path).kind is Kind.PARQUET
    place_of: dict[str, str] = {}
    number = 0
    for number, raw in enumerate(raw_rows(path), start=1):
        if raw.value is None:
            yield Row(raw.place, None, [fault(raw.place, ROW, raw.reason or "", raw.fix)], raw.done)
            continue
        read = read_row(raw.value, raw.place, number, split, tabular)
        if read.instruction is not None:
            read = _unless_known(read.instruction, raw.place, place_of, path)
        yield Row(raw.place, read.instruction, read.faults, raw.done)
    if number == 0:
        raise DataError("the file holds no row", place=str(path), fix="write one object per line")


def read_instructions(path: str | PathLike[str], split: Split | None = None) -> list[Instruction]:
    """The instructions of a file, all of whose rows are good.

    Raises:
        DataError: the first fault of the file, with the count of further ones.
    """
    checked = check_instructions(path, split)
    if checked.faults:
        first, further = checked.faults[0], checked.fault_count - 1
        tail = f" (and {further} further fault{'s' if further > 1 else ''} in this file)" if further else ""
        raise DataError(first.message + tail, place=first.place, fix=first.fix)
    return checked.instructions


def is_verl_file(path: str | PathLike[str]) -> bool:
    """Whether a file is Parquet in verl's layout; False for what is no Parquet file."""
    if Path(path).suffix != ".parquet" or recognise(Path(path)).kind is not Kind.PARQUET:
        return False
    return is_verl(dict.fromkeys(parquet_columns(Path(path))))


def check_instructions(path: str | PathLike[str], split: Split | None = None) -> Checked:
    """Read a file and collect its faults instead of raising the first.

    A fault is one field of one row, or the file as a whole where it is missing, unreadable, or holds no row.
    """
    instructions: list[Instruction] = []
    faults: list[DataError] = []
    fault_count = bad_rows = 0
    try:
        for row in iter_rows(path, split):
            if row.instruction is not None:
                instructions.append(row.instruction)
                continue
            bad_rows += 1
            fault_count += len(row.faults)
            faults += row.faults[: MAX_FAULTS - len(faults)]
    except DataError as error:
        faults.append(error)
        fault_count += 1
    return Checked(instructions, faults, fault_count, bad_rows)


def write_jsonl(instructions: Iterable[Instruction], path: str | PathLike[str]) -> int:
    """Write one instruction per line (UTF-8, ``\\n``, keys in model order); `read_instructions` gives the same back.

    A name that ends in ``.gz`` or ``.zst`` is compressed. The file appears when it is whole.

    Returns:
        Rows written.

    Raises:
        DataError: a value that JSON cannot hold (in `provenance`: NaN, or an object of another type).
    """
    import pyarrow as pa

    compression = {".gz": "gzip", ".zst": "zstd"}.get(Path(path).suffix)
    rows = 0
    with replaced(path) as new, pa.output_stream(str(new), compression=compression) as stream:
        for instruction in instructions:
            stream.write((instruction_to_json(instruction) + "\n").encode("utf-8"))
            rows += 1
    return rows


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


def verl_rows(
    instructions: Iterable[Instruction], data_source: str = DATA_SOURCE, start: int = 0
) -> list[dict[str, Any]]:
    """The rows that verl's `RLHFDataset` and reward managers read, in order, numbered from `start`."""
    return [
        verl_row(index, data_source, one.id, one.chat(), instruction_to_json(one), one.split)
        for index, one in enumerate(instructions, start=start)
    ]


def verl_row(
    index: int, data_source: str, id_: str, chat: list[dict[str, str]], text: str, split: str = "test"
) -> dict[str, Any]:
    """One row as verl reads it.

    Args:
        index: number of the row in its file, from 0.
        data_source: name of the data, by which rows are scored and metrics are named.
        id_: of the row.
        chat: the prompt's messages.
        text: all that scoring needs, as one JSON string (`extra_info.instruction`): Parquet would merge the many shapes
            of specs into one struct, in which whole numbers turn into floats and absent keys into nulls.
        split: train or test.
    """
    return {
        "data_source": data_source,
        "prompt": chat,
        "ability": "instruction_following",
        "reward_model": {"style": "rule", "ground_truth": id_},
        "extra_info": {"index": index, "id": id_, "split": split, "instruction": text},
    }


def write_parquet(
    instructions: Iterable[Instruction], path: str | PathLike[str], data_source: str = DATA_SOURCE
) -> int:
    """Write `verl_rows` as Parquet; the file appears when it is whole.

    Returns:
        Rows written.
    """
    numbered = enumerate(instructions)
    return write_verl_rows((row for n, one in numbered for row in verl_rows([one], data_source, start=n)), path)


def write_verl_rows(rows: Iterable[dict[str, Any]], path: str | PathLike[str]) -> int:
    """Write rows of `verl_row` with an explicit schema, the same for every file; the file appears when it is whole.

    Returns:
        Rows written.
    """
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
    written, remaining = 0, iter(rows)
    with replaced(path) as new, pq.ParquetWriter(new, schema) as writer:
        while batch := list(islice(remaining, _BATCH)):
            writer.write_table(pa.Table.from_pylist(batch, schema=schema))
            written += len(batch)
    return written


def _unless_known(instruction: Instruction, place: str, place_of: dict[str, str], path: Path) -> Read:
    first = place_of.setdefault(instruction.id, place)
    if first == place:
        return Read(instruction, [])
    where = first.removeprefix(str(path))
    where = where.removeprefix(": ") if where.startswith(": ") else f"line {where.removeprefix(':')}"
    return Read(None, [fault(place, "id", f"{instruction.id!r} is already the id of {where}")])
