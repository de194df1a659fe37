"""Files of every kind that data comes in, and of kinds that it does not."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from scopeif.constraints import files
from scopeif.constraints.dataset import check_instructions, read_instructions
from scopeif.constraints.files import Kind, recognise
from scopeif.errors import DataError
from tests.constraints.rows import row

LINE = json.dumps(row()).encode()
LINES = b"".join(json.dumps(row(id=str(number))).encode() + b"\n" for number in range(40))
ARRAY = json.dumps([row(id=str(number)) for number in range(3)], indent=2).encode()


def zipped(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)  # the time would make other names of tests in every worker


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data.any"


def ids(path: Path) -> list[str]:
    return [one.id for one in read_instructions(path)]


@pytest.mark.parametrize(
    "content,kind,rows",
    [
        (LINES, Kind.JSON_LINES, 40),
        (ARRAY, Kind.JSON_ARRAY, 3),
        (b"\xef\xbb\xbf" + LINES, Kind.JSON_LINES, 40),
        (b"\xef\xbb\xbf\n" + ARRAY, Kind.JSON_ARRAY, 3),
        (LINES.replace(b"\n", b"\r\n"), Kind.JSON_LINES, 40),
        (zipped(LINES), Kind.JSON_LINES, 40),
        (zipped(LINES[:0]) + zipped(LINES), Kind.JSON_LINES, 40),
        (zstandard.compress(ARRAY), Kind.JSON_ARRAY, 3),
    ],
)
def test_the_content_tells_the_kind(content: bytes, kind: Kind, rows: int, path: Path) -> None:
    path.write_bytes(content)
    assert recognise(path).kind is kind
    assert len(ids(path)) == rows


@pytest.mark.parametrize(
    "content,name,message",
    [
        (LINES.decode().encode("utf-16"), "x.jsonl", "UTF-16 or UTF-32"),
        (LINES.decode().encode("utf-16-le"), "x.jsonl", "UTF-16 or UTF-32"),
        (b"PK\x03\x04rest", "x.jsonl", "a zip archive"),
        (b"BZh91AY", "x.jsonl", "bzip2-compressed"),
        (b"SQLite format 3\0", "x.jsonl", "binary, of a kind that is not read"),
        (b"version https://git-lfs.github.com/spec/v1\n", "x.jsonl", "Git LFS pointer"),
        (b"id,prompt\n1,x\n", "x.csv", "files of kind '.csv' are not read"),
        (b"PAR1 and no footer", "x.parquet", "not a whole Parquet file"),
        (zipped(b"PAR1"), "x.parquet.gz", "a Parquet file in gzip"),
        (zipped(LINES)[:-20], "x.jsonl.gz", "damaged or cut off"),
        (zipped(LINES)[:30] + b"zzzzz" + zipped(LINES)[35:], "x.jsonl.gz", "damaged or cut off"),
        (zstandard.compress(LINES)[:-5], "x.jsonl.zst", "damaged or cut off"),
        (zstandard.compress(LINES) + b"junk", "x.jsonl.zst", "damaged or cut off"),
        (b'{\n "id": "a"\n}\n', "x.json", "first object runs over several lines"),
        (b"[" * 100_000, "x.json", "nested too deeply"),
        (ARRAY[:-2], "x.json", "Expecting ',' or ']'"),
        (ARRAY + b"x", "x.json", "Extra data"),
        (b'[{"id": NaN}]', "x.json", "NaN is no JSON number"),
        (b'["\\ud800"]', "x.json", "surrogate"),
        (b'[{"id": "\xe9"}]', "x.json", "is not UTF-8"),
    ],
)
def test_a_file_that_is_no_data_says_what_it_is(content: bytes, name: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=message) as raised:
        read_instructions(path)
    assert raised.value.place is not None
    assert raised.value.place.startswith(str(path))


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match="not a regular file"):
        recognise(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(DataError, match="symbolic links"):
        recognise(tmp_path / "loop")


def test_rows_before_a_fault_of_the_file_are_read(path: Path) -> None:
    text = ARRAY.decode().splitlines()
    at = next(number for number, line in enumerate(text) if '"id": "2"' in line)
    text[at] = "oops"
    path.write_text("\n".join(text))
    checked = check_instructions(path)
    assert [one.id for one in checked.instructions] == ["0", "1"]
    assert checked.faults[0].place == f"{path}:{at + 1}"


def test_rows_of_an_array_are_placed_by_their_line(path: Path) -> None:
    path.write_text('[\n{"id": 1},\n\n  {"id": 2}, 3\n]')
    places = [(fault.place, fault.message) for fault in check_instructions(path).faults]
    assert {place for place, _ in places} == {f"{path}:2, row 1", f"{path}:4, row 2", f"{path}:4, row 3"}
    assert (f"{path}:4, row 3", "(row): is a JSON number, not an object") in places


def test_an_id_that_stands_twice_in_one_line_or_table(path: Path) -> None:
    path.write_text(json.dumps([row(), row(prompt="Another.")]))
    (fault,) = check_instructions(path).faults
    assert str(fault) == f"{path}:1, row 2: id: 'a' is already the id of line 1, row 1"
    table = [{**row(), "constraints": json.dumps(row()["constraints"]), "provenance": "{}"}] * 2
    pq.write_table(pa.Table.from_pylist(table), path)
    (fault,) = check_instructions(path).faults
    assert str(fault) == f"{path}: row 2: id: 'a' is already the id of row 1"


def test_a_line_that_is_too_long_is_passed_over_unread(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ROW_MB", 1)
    path.write_bytes(LINE + b"\n" + b"x" * 5_000_000 + b"\n" + json.dumps(row(id="b")).encode())
    checked = check_instructions(path)
    assert [one.id for one in checked.instructions] == ["a", "b"]
    assert [str(fault).splitlines()[0] for fault in checked.faults] == [
        f"{path}:2: (row): the line has 4 MB, a row at most 1"
    ]


def test_a_row_of_the_longest_length_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ROW_MB", 1)
    path.write_bytes(LINE + b" " * ((1 << 20) - len(LINE) - 1) + b"\n")
    assert ids(path) == ["a"]


def test_lines_that_end_in_returns_alone_are_explained(path: Path) -> None:
    path.write_bytes(LINES.replace(b"\n", b"\r"))
    (fault,) = check_instructions(path).faults
    assert "Extra data" in fault.message
    assert "carriage return" in (fault.fix or "")


def test_parquet_is_told_by_content_and_read_in_batches(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "PARQUET_BATCH", 2)
    pq.write_table(pa.Table.from_pylist([{"id": str(number), "x": 1} for number in range(5)]), path)
    assert recognise(path).kind is Kind.PARQUET
    rows = list(files.raw_rows(path))
    assert [one.place for one in rows] == [f"{path}: row {number}" for number in range(1, 6)]
    assert rows[-1].done == 1
