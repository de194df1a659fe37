"""The cache of parsed answers: one SQLite file on a disk of this node, shared by its processes.

Its use is to go on after a stop, and to replay. It never fails a call: a file that cannot be used is not used, with one
warning; a file that is locked or a disk that is full is tried again later.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

from scopeif.judge.messages import JudgeAnswer
from scopeif.judge.notices import Notices

_VERSION = 1
_BUSY_S, _PAUSE_S = 5.0, 30.0
_CHECK_SIZE_EVERY = 64  # writes
_MAX_PENDING = 10_000
_TEMPORARY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}


class AnswerCache:
    """Answers by the key of their exact request. All work on the file is done in one thread of its own."""

    def __init__(self, path: Path, max_mb: int, notices: Notices) -> None:
        self._path, self._max_bytes, self._notices = path, max_mb * 2**20, notices
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="judge-cache")
        self._pending: dict[bytes, JudgeAnswer] = {}
        self._writer: asyncio.Task[None] | None = None
        # Of the thread:
        self._database: sqlite3.Connection | None = None
        self._off, self._paused_until, self._writes = False, 0.0, 0

    async def get(self, key: bytes) -> JudgeAnswer | None:
        """The answer that was kept for this request."""
        if (pending := self._pending.get(key)) is not None:
            return replace(pending, from_cache=True)
        if not self._usable():
            return None
        text = await asyncio.get_running_loop().run_in_executor(self._thread, self._read, key)
        if text is None:
            return None
        try:
            return replace(JudgeAnswer(**json.loads(text)), from_cache=True)
        except (ValueError, TypeError):  # written by another program
            return None

    def keep(self, key: bytes, answer: JudgeAnswer) -> None:
        """Store an answer, soon."""
        if self._usable() and len(self._pending) < _MAX_PENDING:
            self._pending[key] = answer
            if self._writer is None or self._writer.done():
                self._writer = asyncio.create_task(self._write_pending())

    async def close(self) -> None:
        """Write what is pending and close the file."""
        if self._writer is not None:
            await self._writer
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    @property
    def state(self) -> str:
        """Whether it works: on, paused or off."""
        return "off" if self._off else "paused" if not self._usable() else "on"

    def _usable(self) -> bool:
        return not self._off and time.monotonic() >= self._paused_until

    async def _write_pending(self) -> None:
        while self._pending:
            batch = dict(self._pending)
            await asyncio.get_running_loop().run_in_executor(self._thread, self._write, batch)
            for key in batch:
                self._pending.pop(key, None)

    def _read(self, key: bytes) -> str | None:
        try:
            row = self._open().execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        except (sqlite3.Error, OSError) as error:
            self._failed(error)
            return None
        return row[0] if row and isinstance(row[0], str) else None

    def _write(self, batch: dict[bytes, JudgeAnswer]) -> None:
        if not self._usable():
            return
        rows = [(key, json.dumps(asdict(answer))) for key, answer in batch.items()]
        try:
            database = self._open()
            with database:
                database.executemany("INSERT OR REPLACE INTO answers (key, answer) VALUES (?, ?)", rows)
            self._writes += len(rows)
            if self._writes >= _CHECK_SIZE_EVERY:
                self._writes = 0
                self._drop_oldest(database)
        except (sqlite3.Error, OSError) as error:
            self._failed(error)

    def _open(self) -> sqlite3.Connection:
        if self._database is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            database = sqlite3.connect(self._path, timeout=_BUSY_S)
            try:
                _prepare(database)
            except BaseException:
                database.close()
                raise
            self._database = database
        return self._database

    def _drop_oldest(self, database: sqlite3.Connection) -> None:
        """Row ids grow with time: a tenth of their span is dropped until the pages in use fit."""

        def number(query: str) -> int:
            value = database.execute(query).fetchone()[0]
            return int(value or 0)

        page = number("PRAGMA page_size")
        while (number("PRAGMA page_count") - number("PRAGMA freelist_count")) * page > self._max_bytes:
            first, last = number("SELECT min(rowid) FROM answers"), number("SELECT max(rowid) FROM answers")
            if first == last:
                return
            with database:
                database.execute("DELETE FROM answers WHERE rowid <= ?", (first + (last - first) // 10,))

    def _failed(self, error: Exception) -> None:
        temporary = _is_temporary(error)
        self._paused_until = time.monotonic() + _PAUSE_S
        self._off = not temporary
        rest = f"it is left alone for {_PAUSE_S:.0f} s" if temporary else "nothing is cached; move the file away"
        self._notices.say("cache", logging.WARNING, f"the answer cache {self._path} cannot be used ({error}): {rest}")
        if self._off:
            self._close()

    def _close(self) -> None:
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                self._database.close()
            self._database = None


def _prepare(database: sqlite3.Connection) -> None:
    """Make the table in a new file; several processes may be about it at once, and not every statement waits then."""
    end = time.monotonic() + _BUSY_S
    while True:
        try:
            _create(database)
            return
        except sqlite3.OperationalError as error:
            if not _is_temporary(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


def _create(database: sqlite3.Connection) -> None:
    used = database.execute("SELECT 1 FROM sqlite_master").fetchone()  # before the version, which comes with the table
    version = database.execute("PRAGMA user_version").fetchone()[0]
    if used and version != _VERSION:
        raise sqlite3.DatabaseError("the file is a database of something else")
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(f"PRAGMA journal_size_limit = {2**26}")
    if version != _VERSION:
        with database:
            database.execute("BEGIN IMMEDIATE")
            database.execute("CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL)")
            database.execute(f"PRAGMA user_version = {_VERSION}")


def _is_temporary(error: Exception) -> bool:
    code = getattr(error, "sqlite_errorcode", None)
    return isinstance(code, int) and code & 0xFF in _TEMPORARY
