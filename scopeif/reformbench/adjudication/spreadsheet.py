"""CSV that spreadsheet programs open without running what stands in it.

A cell that such a program could take for a formula, or would change when it saves (007, 1/2, 3.10, 5 May, true), gets
an apostrophe in front, which it loses when it is read; so does one that begins with an apostrophe. Line breaks within
cells are read as line feeds, since these programs change them. A text that is longer than a cell may be is refused,
since they cut it off.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO

from scopeif.constraints.atomic import replaced
from scopeif.errors import DataError

_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠", "'")
_DELIMITERS = (",", ";", "\t")  # some languages' versions of Excel save semicolons
_MAX_READ = 2**31 - 1
MAX_CELL = 32_767
"""Most that a cell holds in Excel, in UTF-16 code units."""
_WORD_OF_A_VALUE = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|[ap]\.?m\.?|e|t|z"
    r"|eur|usd|gbp|cny|rmb|[年月日号时点分秒元]|上午|下午|星期[一二三四五六日天]?)"
)
_VALUE = re.compile(
    rf"(?=.*\d)(?:[\d\W_]|{_WORD_OF_A_VALUE}(?![a-z]))+|true|false|wahr|falsch|vrai|faux|verdadero|falso|真|假",
    re.IGNORECASE,
)
"""A number, a date, a time, a sum of money or a truth value: nothing but digits, marks and the words of these."""


class Line(NamedTuple):
    """A row of a CSV file: its cells by column, and file and line where it begins."""

    place: str
    cells: dict[str, str]


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write a table, whole or not at all, in UTF-8 with the mark by which Excel knows it.

    Raises:
        DataError: the file cannot be written, or a text is longer than a cell may be.
    """
    with replaced(path) as whole, whole.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for number, row in enumerate(rows, start=1):
            cells = {name: _guarded(one_feed(text)) for name, text in row.items()}
            for name, cell in cells.items():
                if (length := len(cell.encode("utf-16-le", "surrogatepass")) // 2) > MAX_CELL:
                    raise DataError(
                        f"{name} of row {number} has {length:,} characters; a cell of a spreadsheet holds {MAX_CELL:,}",
                        place=str(path),
                        fix="write JSON Lines: name a file that ends in .jsonl",
                    )
            writer.writerow(cells)


def read_csv(path: Path, columns: Sequence[str]) -> Iterator[Line]:
    """The rows of a table, one by one; blank ones hold nothing.

    Args:
        columns: those that it must have; others are left out.

    Raises:
        DataError: it cannot be read, lacks a column, or a row has more or fewer cells than columns.
    """
    limit = csv.field_size_limit(_MAX_READ)  # 128 KiB otherwise: responses are longer
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
    taken = text.lstrip().startswith(_FORMULA) or _VALUE.fullmatch(text.strip())
    return f"'{text}" if taken else text


def _plain(text: str) -> str:
    return text[1:] if text.startswith("'") else text
