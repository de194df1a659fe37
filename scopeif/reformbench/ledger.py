"""Files that a stopped program goes on with: one JSON line a record, appended and flushed one by one.

    with Ledger(path, {"model": "judge", "questions": "9f2c..."}) as ledger:
        if "q1" not in ledger:
            ledger.append("q1", {"text": "..."})
        ledger["q1"]                                        # {"text": "..."}

The first line says under what the file was begun; a ledger that was begun under anything else is refused, with what
differs. A last line that a kill cut off is taken away, or closed where only its end is missing.
"""

from __future__ import annotations

import codecs
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple, Self

from scopeif.errors import ConfigError, DataError

_SHOWN = 80
"""Characters of a value that a message shows."""


class _Place(NamedTuple):
    """Where a row stands in the file, in bytes."""

    start: int
    length: int


class Ledger:
    """Rows by key in the order of their coming; only their places are in memory.

    Args:
        path: the file; it is made where there is none, its folder too.
        given: plain JSON values that the rows depend on: settings, hashes of inputs and prompts.

    Raises:
        ConfigError: the file was begun under something else; the message says what differs.
        DataError: a line of the file is no row, another process is at work on it, or it cannot be written.
    """

    def __init__(self, path: Path, given: Mapping[str, Any]) -> None:
        self.path = path
        self._places: dict[str, _Place] = {}
        with written(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open("a+b")
        try:
            hold(self._file, path)
            self._resume(dict(given))
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; all of it is on the disk then.

        Raises:
            DataError: the disk did not take it all.
        """
        if not self._file.closed:
            try:
                with written(self.path):
                    os.fsync(self._file.fileno())
            finally:
                self._file.close()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, key: str) -> dict[str, Any]:
        place = self._places[key]
        row: dict[str, Any] = json.loads(os.pread(self._file.fileno(), place.length, place.start))
        row.pop("key")
        return row

    def __iter__(self) -> Iterator[str]:
        """The keys, in the order in which the rows came."""
        return iter(self._places)

    def append(self, key: str, row: Mapping[str, Any]) -> None:
        """Write a row; it survives a kill of this process from here on.

        Raises:
            DataError: the key is there already, or `row` has a field of that name; or the row cannot be written, as on
                a full disk: the file is as it was before then.
        """
        if key in self._places or "key" in row:
            raise DataError(f"the key {key!r} is there already", place=str(self.path))
        line = _line({"key": key, **row})
        place = _Place(self._end, len(line))
        self._write(line)
        self._places[key] = place

    def _write(self, line: bytes) -> None:
        # Past the file's buffer, which would keep a row that failed and write it later.
        handle, left = self._file.fileno(), memoryview(line)
        with written(self.path):
            try:
                while left:
                    left = left[os.write(handle, left) :]
            except OSError:
                os.ftruncate(handle, self._end)
                raise
        self._end += len(line)

    def _resume(self, given: dict[str, Any]) -> None:
        given = json.loads(_line(given))  # tuples and paths as they come back from the file
        self._end = 0
        if os.pread(self._file.fileno(), len(codecs.BOM_UTF8), 0) == codecs.BOM_UTF8:
            fix = "save it as UTF-8 without the mark"
            raise DataError("the file begins with a byte order mark", place=f"{self.path}:1", fix=fix)
        self._mend()
        self._file.seek(0)
        first = self._file.readline()
        self._end = len(first)
        if not first:
            self._write(_line({"given": given}))
            return
        begun = self._read(first, 1).get("given")
        if not isinstance(begun, dict):
            raise DataError("the file is no ledger", place=f"{self.path}:1", fix="name another folder")
        refuse_other(begun, given, self.path)
        for number, line in enumerate(self._file, start=2):
            key = self._read(line, number).get("key")
            if not isinstance(key, str) or key in self._places:
                raise DataError(f"the row has no key of its own: {key!r}", place=f"{self.path}:{number}")
            self._places[key] = _Place(self._end, len(line))
            self._end += len(line)

    def _read(self, line: bytes, number: int) -> dict[str, Any]:
        row = _object(line)
        if row is None:
            raise DataError("the line is no JSON object", place=f"{self.path}:{number}", fix="restore the file")
        return row

    def _mend(self) -> None:
        """Close a last line that lacks its end, or take it away where it lacks more."""
        handle, size = self._file.fileno(), self._file.seek(0, os.SEEK_END)
        start = _last_line(handle, size)
        tail = os.pread(handle, size - start, start)
        if tail and _object(tail) is None:
            self._file.truncate(start)
        elif tail:
            self._end = size
            self._write(b"\n")


def _last_line(handle: int, size: int) -> int:
    """Where the text behind the last line feed begins."""
    while size:
        step = min(size, 1 << 16)
        cut = os.pread(handle, step, size - step).rfind(b"\n")
        if cut >= 0:
            return size - step + cut + 1
        size -= step
    return 0


def refuse_other(begun: Mapping[str, Any], given: Mapping[str, Any], path: Path) -> None:
    """Refuse to go on with what was begun under other settings or inputs.

    Raises:
        ConfigError: they differ; the message says in what.
    """
    if differing := list(_differences(begun, given)):
        raise ConfigError(
            f"this was begun under other settings or inputs: {'; '.join(differing)}",
            place=str(path),
            fix="set them back, name another folder, or remove the folder of this stage and those of later ones",
        )


def _differences(before: Any, now: Any, name: str = "") -> Iterator[str]:
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for key in sorted({*before, *now}):
            inner = f"{name}.{key}" if name else str(key)
            yield from _differences(before.get(key), now.get(key), inner)
    elif before != now:
        yield f"{name} was {_shown(before)}, is {_shown(now)}"


def _shown(value: Any) -> str:
    text = "not there" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _object(line: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the folder for this process while the block runs; a kill lets go of it.

    Raises:
        DataError: another process holds it, or it cannot be made.
    """
    with written(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with held(folder / ".lock", folder):
        yield


@contextmanager
def held(lock: Path, what: Path) -> Iterator[None]:
    """Hold a lock file for this process while the block runs; a kill lets go of it.

    Args:
        lock: the file, made where there is none. It is never replaced, unlike what it stands for.
        what: what it stands for, as a message names it.

    Raises:
        DataError: another process holds it, or it cannot be made.
    """
    with written(what):
        file = lock.open("ab")
    with file:
        hold(file, what)
        yield


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Tell what the system says of writing to a path as an error of ours.

    Raises:
        DataError: the block ended by an `OSError`.
    """
    try:
        yield
    except OSError as error:
        raise DataError(f"cannot be written: {error.strerror or error}", place=str(path)) from None


def hold(file: IO[bytes], path: Path) -> None:
    """Hold an open file for this process until it is closed.

    Raises:
        DataError: another process holds it, or has put another file in its place; or there are no file locks here.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DataError("another process is at work here", place=str(path), fix="wait for it") from None
    except OSError as error:
        fix = "use a file system that has them (Lustre: mounted with -o flock)"
        raise DataError(f"file locks do not work: {error.strerror}", place=str(path), fix=fix) from None
    # Rows that are appended to a file that has been replaced since it was opened would be lost.
    if os.fstat(file.fileno()).st_nlink == 0:
        raise DataError("another process is at work here", place=str(path), fix="wait for it")
