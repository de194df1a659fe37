"""CSV that spreadsheet programs open without running what stands in it.

A cell that such a program could take for a formula gets an apostrophe in front, which it loses when it is read; so does
one that begins with an apostrophe. Line breaks within cells are read as line feeds, since these programs change them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from scopeif.constraints.atomic import replaced
from scopeif.errors import DataError

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
_DELIMITERS = (",", ";", "\t")  # some languages' versions of Excel save semicolons
_MAX_CELL = 2**31 - 1


class Line(NamedTuple):
    """A row of a CSV file: its cells by column, and file and line where it begins."""

    place: str
    cells: dict[str, str]


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write a table, whole or not at all, in UTF-8 with the mark by which Excel knows it.

    Raises:
        DataError: the file cannot be written.
    """
    with replaced(path) as whole, whole.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for row in rows:
            writer.writerow({name: _guarded(one_feed(text)) for name, text in row.items()})


def read_csv(path: Path, columns: Sequence[str]) -> Iterator[Line]:
    """The rows of a table, one by one; blank ones hold nothing.

    Args:
        columns: those that it must have; others are left out.

    Raises:
        DataError: it cannot be read, lacks a column, or a row has more or fewer cells than columns.
    """
    limit = csv.field_size_limit(_MAX_CELL)  # 128 KiB otherwise: responses are longer
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _lines(file, path, columns)
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", place=str(path)) from None
    except UnicodeDecodeError:
        raise DataError("the file is not UTF-8", place=str(path), fix="save it as CSV UTF-8") from None
    except csv.Error as error:
        raise DataError(f"this is no CSV: {error}", place=str(path)) from None
    finally:
        csv.field_size_limit(limit)


def _lines(file: TextIO, path: Path, columns: Sequence[str]) -> Iterator[Line]:
    head = file.readline()
    file.seek(0)
    delimiter = max(_DELIMITERS, key=head.count)
    reader = csv.reader(file, delimiter=delimiter, strict=True)
    names = [name.strip().removeprefix("\ufeff") for name in next(reader, [])]
    if missing := [name for name in columns if name not in names]:
        raise DataError(f"the columns {', '.join(missing)} are missing", place=f"{path}:1")
    begins = reader.line_num + 1
    for row in reader:
        place, begins = f"{path}:{begins}", reader.line_num + 1
        if not any(row):
            continue
        if len(row) != len(names):
            raise DataError(f"the row has {len(row)} cells, the head {len(names)}", place=place)
        cells = {name: _plain(one_feed(text)) for name, text in zip(names, row, strict=True) if name in columns}
        yield Line(place, cells)


def one_feed(text: str) -> str:
    """A text with every line break as one line feed."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _guarded(text: str) -> str:
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text


def _plain(text: str) -> str:
    return text[1:] if text.startswith("'") else text
