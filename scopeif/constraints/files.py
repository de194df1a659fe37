"""Rows in files of any kind that data comes in: JSON Lines, a JSON array, Parquet; plain, gzip or zstd.

    for row in raw_rows("train.jsonl.zst"):
        row.place      # train.jsonl.zst:12, array.json:90, row 12, or rows.parquet: row 12 (all counted from 1)
        row.value      # the JSON object, or None where `row.reason` says what is wrong

A fault of the whole file (missing, another kind of file, cut off) is raised; the rows before it come first.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple

from scopeif.constraints import strict_json
from scopeif.errors import DataError

MAX_ROW_MB = 16
"""A longer line is no instruction; it is refused unread."""
MAX_ARRAY_MB = 2048
"""A JSON array is read as a whole; larger data comes as JSON Lines or Parquet."""
PARQUET_BATCH = 512
"""Rows of Parquet that are in memory at once."""

Compression = Literal["none", "gzip", "zstd"]
_MB = 1 << 20
_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_COMPRESSED: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_OTHER_KINDS = {
    b"PK\x03\x04": ("a zip archive", "unpack it and name a file in it"),
    b"BZh": ("bzip2-compressed", "decompress it; gzip and zstd are read as they are"),
    b"\xfd7zXZ": ("xz-compressed", "decompress it; gzip and zstd are read as they are"),
    b"ARROW1": ("an Arrow file", "save it as Parquet or JSON Lines"),
    b"version https://git-lfs": ("a Git LFS pointer, not the data", "fetch the data: git lfs pull"),
}
_FIX_KINDS = "give JSON Lines, a JSON array or Parquet"


class Kind(str, Enum):
    """How a file holds its rows."""

    JSON_LINES = "JSON Lines"
    JSON_ARRAY = "JSON array"
    PARQUET = "Parquet"


class Format(NamedTuple):
    """What `recognise` finds; compression of Parquet is Parquet's own affair."""

    kind: Kind
    compression: Compression = "none"


class RawRow(NamedTuple):
    """One row as it stands in the file.

    place: file and line or row, counted from 1; no two rows of a file have the same.
    value: the row's object; None where it cannot be read.
    reason: why it cannot be read.
    done: how much of the file is read up to here, 0 to 1.
    fix: what to do about it, if known.
    """

    place: str
    value: dict[str, Any] | None
    reason: str | None
    done: float
    fix: str | None = None


def recognise(path: Path) -> Format:
    """The format of a file by its content; the extension decides nothing but the words for an empty file.

    Raises:
        DataError: no such file, not readable, or a file of another kind.
    """
    head = _head(path)
    compression: Compression = next((name for mark, name in _COMPRESSED.items() if head.startswith(mark)), "none")
    if compression != "none":
        with _opened(path, compression) as (_, stream):
            head = _guarded(stream.read, path, 4096)
    if head.startswith(b"PAR1"):
        if compression != "none":
            raise DataError(f"a Parquet file in {compression}", place=str(path), fix="decompress it")
        return Format(Kind.PARQUET)
    for mark, (kind, fix) in _OTHER_KINDS.items():
        if head.startswith(mark):
            raise DataError(f"the file is {kind}", place=str(path), fix=fix)
    if head.startswith(_UTF16_MARKS) or b"\0" in head[:4]:
        raise DataError("the file is UTF-16 or UTF-32", place=str(path), fix="save it as UTF-8")
    if b"\0" in head:
        raise DataError("the file is binary, of a kind that is not read", place=str(path), fix=_FIX_KINDS)
    start = head.removeprefix(_UTF8_MARK).lstrip()
    if start and start[:1] not in (b"{", b"[") and path.suffix in (".csv", ".tsv", ".txt", ".md", ".yaml", ".yml"):
        raise DataError(f"files of kind {path.suffix!r} are not read", place=str(path), fix=_FIX_KINDS)
    return Format(Kind.JSON_ARRAY if start.startswith(b"[") else Kind.JSON_LINES, compression)


def raw_rows(path: Path) -> Iterator[RawRow]:
    """The rows of a file in order; blank lines hold none.

    Raises:
        DataError: the file, or the rest of it, cannot be read.
    """
    form = recognise(path)
    match form.kind:
        case Kind.PARQUET:
            yield from _parquet_rows(path)
        case Kind.JSON_ARRAY:
            yield from _array_rows(path, form.compression)
        case Kind.JSON_LINES:
            yield from _line_rows(path, form.compression)


# -- JSON Lines --------------------------------------------------------------------------------------------------


def _line_rows(path: Path, compression: Compression) -> Iterator[RawRow]:
    size = path.stat().st_size or 1
    with _opened(path, compression) as (file, stream):
        number, opening = 0, True
        while line := _guarded(stream.readline, path, MAX_ROW_MB * _MB + 1):
            number += 1
            done = min(1.0, file.tell() / size)
            place = f"{path}:{number}"
            if len(line) > MAX_ROW_MB * _MB:
                length = len(line) + _skip_line(stream, path)
                reason = f"the line has {length // _MB} MB, a row at most {MAX_ROW_MB}"
                yield RawRow(place, None, reason, done, fix="write one instruction a line")
                continue
            line = line.removeprefix(_UTF8_MARK) if number == 1 else line
            if not line.strip():
                continue
            if opening and line.strip() == b"{":
                fix = "write one object a line, or put the objects in a JSON array"
                raise DataError("the file's first object runs over several lines", place=place, fix=fix)
            opening = False
            yield _line_row(line, place, done)


def _line_row(line: bytes, place: str, done: float) -> RawRow:
    try:
        value = strict_json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        reason = f"byte {line[error.start]:#04x} at position {error.start + 1} is not UTF-8"
        return RawRow(place, None, reason, done, fix="save the file as UTF-8")
    except RecursionError:
        return RawRow(place, None, "invalid JSON: nested too deeply", done)
    except ValueError as error:
        lone_returns = b"\r" in line.strip()
        fix = "end lines with a line feed, not with a carriage return alone" if lone_returns else None
        where = f"{error.msg} (column {error.colno})" if isinstance(error, json.JSONDecodeError) else error
        return RawRow(place, None, f"invalid JSON: {where}", done, fix)
    return _object_row(value, place, done)


def _object_row(value: object, place: str, done: float) -> RawRow:
    if not isinstance(value, dict):
        return RawRow(place, None, f"is a JSON {strict_json.type_name(value)}, not an object", done)
    return RawRow(place, value, None, done)


def _skip_line(stream: IO[bytes], path: Path) -> int:
    """Pass over the rest of a line; returns its length."""
    length = 0
    while part := _guarded(stream.readline, path, _MB):
        length += len(part)
        if part.endswith(b"\n"):
            break
    return length


# -- JSON array --------------------------------------------------------------------------------------------------


def _array_rows(path: Path, compression: Compression) -> Iterator[RawRow]:
    with _opened(path, compression) as (_, stream):
        content = _guarded(stream.read, path, MAX_ARRAY_MB * _MB + 1)
    if len(content) > MAX_ARRAY_MB * _MB:
        raise DataError(f"a JSON array of more than {MAX_ARRAY_MB} MB", place=str(path), fix="write it as JSON Lines")
    try:
        text = content.removeprefix(_UTF8_MARK).decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        reason = f"byte {content[error.start]:#04x} is not UTF-8"
        raise DataError(reason, place=f"{path}:{line}", fix="save the file as UTF-8") from None
    line, counted = 1, 0
    try:
        for number, element in enumerate(strict_json.array_elements(text), start=1):
            line += text.count("\n", counted, element.start)
            counted = element.start
            yield _object_row(element.value, f"{path}:{line}, row {number}", element.end / len(text))
    except RecursionError:
        raise DataError("invalid JSON: nested too deeply", place=f"{path}:{line}") from None
    except json.JSONDecodeError as error:
        place = f"{path}:{error.lineno}"
        fix = "correct it here; what follows in the array is not read"
        raise DataError(f"invalid JSON: {error.msg} (column {error.colno})", place=place, fix=fix) from None


# -- Parquet -----------------------------------------------------------------------------------------------------


def parquet_columns(path: Path) -> list[str]:
    """The names of a Parquet file's columns.

    Raises:
        DataError: the file is not whole.
    """
    with _parquet(path) as file:
        names: list[str] = file.schema_arrow.names
        return names


def _parquet_rows(path: Path) -> Iterator[RawRow]:
    with _parquet(path) as file:
        total, number = max(1, file.metadata.num_rows), 0
        for batch in file.iter_batches(batch_size=PARQUET_BATCH):
            for value in batch.to_pylist():
                number += 1
                yield RawRow(f"{path}: row {number}", value, None, number / total)


@contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    import pyarrow as pa  # here: the commands that never touch Parquet start without it
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise DataError(f"not a whole Parquet file: {reason}", place=str(path), fix="write it again") from None


# -- bytes -------------------------------------------------------------------------------------------------------


def _head(path: Path) -> bytes:
    if path.exists() and not path.is_file() and not path.is_dir():
        raise DataError("not a regular file", place=str(path), fix="save the data to a file first")
    try:
        with path.open("rb") as file:
            return file.read(4096)
    except FileNotFoundError:
        raise DataError("no such file", place=str(path), fix="check the path") from None
    except IsADirectoryError:
        raise DataError("a folder, not a file", place=str(path), fix=_files_in(path)) from None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", place=str(path)) from None


def _files_in(folder: Path) -> str:
    suffixes = (".jsonl", ".json", ".parquet", ".gz", ".zst")
    names = sorted(file.name for file in folder.iterdir() if file.suffix in suffixes)[:5]
    return f"name a file in it: {', '.join(names)}" if names else "name a data file"


@contextmanager
def _opened(path: Path, compression: Compression) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The file, and the stream of what is in it."""
    with path.open("rb") as file:
        if compression == "none":
            yield file, file
            return
        import pyarrow as pa  # its streams notice a file that is cut off; those of zstandard do not

        with io.BufferedReader(pa.CompressedInputStream(file, compression)) as stream:
            yield file, stream


def _guarded(read: Callable[[int], bytes], path: Path, size: int) -> bytes:
    """What `read(size)` gives; a fault of the disk or of the compressed stream becomes a `DataError`."""
    try:
        return read(size)
    except OSError as error:
        if error.strerror:
            raise DataError(f"cannot be read: {error.strerror}", place=str(path)) from None
        raise DataError(f"damaged or cut off: {error}", place=str(path), fix="copy or download it again") from None
