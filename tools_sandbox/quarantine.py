"""Keeps a tool that met the CPU or wall-clock limit again and again from taking any more of a worker's time."""

from __future__ import annotations

import dataclasses
import hashlib
import threading
import time
from collections.abc import Callable

from tools_sandbox.run import Result

_TIMEOUTS = frozenset({"cpu", "wall"})


@dataclasses.dataclass(slots=True)
class _Record:
    timeouts: int
    last: Result
    at: float


class Quarantine:
    """Counts the timeouts of each source. Safe from threads.

    Args:
        after: how many timeouts put a tool in quarantine; 0 for never.
        for_s: seconds after its last timeout at which a tool's record is dropped, so that a pool whose owner never
            calls `reset` neither refuses a tool for ever nor remembers every one.
    """

    def __init__(self, after: int, for_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._after = after
        self._for_s = for_s
        self._clock = clock
        self._lock = threading.Lock()
        self._records: dict[bytes, _Record] = {}

    def refusal(self, source: str) -> Result | None:
        """The result of a tool in quarantine, which is not to be run; None for any other."""
        if not self._records:
            return None
        with self._lock:
            self._drop_old_records()
            record = self._records.get(_key(source))
        if record is None or record.timeouts < self._after:
            return None
        error = f"quarantined, not run: {record.timeouts} runs met a limit, the last: {record.last.error}"
        return Result(record.last.status, error=error, quarantined=True)

    def note(self, source: str, result: Result) -> None:
        """Take notice of the result of a run."""
        if not self._after or result.status not in _TIMEOUTS:
            return
        with self._lock:
            key = _key(source)
            known = self._records.pop(key, None)  # to the end: the order is that of the last timeouts
            self._records[key] = _Record(known.timeouts + 1 if known else 1, result, self._clock())

    def reset(self) -> None:
        """Forget everything."""
        with self._lock:
            self._records.clear()

    def _drop_old_records(self) -> None:
        oldest = self._clock() - self._for_s
        for key, record in list(self._records.items()):
            if record.at > oldest:
                break
            del self._records[key]


def _key(source: str) -> bytes:
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).digest()
