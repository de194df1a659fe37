"""Stacks of the trainer in a file when nothing happens for too long: where it waits, and for whom.

`faulthandler` writes them from a thread of its own in C, also when the interpreter is stuck. The trainer waits for its
workers by Ray, so that its stack names the call that does not come back.
"""

from __future__ import annotations

import faulthandler
from pathlib import Path
from typing import IO

STALL_FILE = Path("logs") / "stalled_stacks.txt"


class StallWatch:
    """Dumps the stacks of all threads of this process after `stall_s` seconds without `progress`, and again after each
    further ones."""

    def __init__(self, run_dir: Path, stall_s: float) -> None:
        self._path, self._stall_s = run_dir / STALL_FILE, stall_s
        self._file: IO[str] | None = None

    def progress(self) -> None:
        """Something happened: count anew. The first call starts the watch."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("a")
        faulthandler.dump_traceback_later(self._stall_s, repeat=True, file=self._file)

    def close(self) -> None:
        """End the watch; the file stays where something was written."""
        if self._file is None:
            return
        faulthandler.cancel_dump_traceback_later()
        self._file.close()
        self._file = None
        if self._path.stat().st_size == 0:
            self._path.unlink()
