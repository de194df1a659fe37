"""How several judge jobs share one file of endpoints without locks, which not every shared file system has.

    judge_endpoints.txt             what training reads: all endpoints, one a line
    judge_endpoints.txt.d/JOB       the endpoints of one job, written by that job alone

Each job writes its own file again every few seconds, and the shared one whenever it is not what the jobs' files say.
Two jobs that write it in the same moment may leave out each other; the next round, seconds later, mends that. A job
that died without a word stops writing its file, and its endpoints go after `STALE_S`. Ages are differences of times
that one file server gave, so clocks of nodes do not matter. Every file is renamed into place: no reader sees a half.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STALE_S = 120.0
HEADER = "# Written by judge jobs; each of them keeps its own endpoints in {folder}/\n"


@dataclass(frozen=True)
class EndpointLease:
    """The endpoints of one job in the shared file."""

    shared: Path
    owner: str
    """Names the job among all that share the file."""

    def hold(self, urls: Sequence[str]) -> None:
        """List these endpoints as the job's; call again every few seconds, far below `STALE_S`."""
        self._folder.mkdir(parents=True, exist_ok=True)
        _replace(self._own, "".join(f"{url}\n" for url in urls), self.owner)
        self._merge(self._own.stat().st_mtime)

    def release(self) -> None:
        """Take all endpoints of the job off the list."""
        self.hold(())
        self._own.unlink(missing_ok=True)

    @property
    def _folder(self) -> Path:
        return self.shared.with_name(self.shared.name + ".d")

    @property
    def _own(self) -> Path:
        return self._folder / self.owner

    def _merge(self, now: float) -> None:
        urls: dict[str, None] = {}
        for part in sorted(self._folder.iterdir()):
            if part.name.startswith("."):  # being written
                continue
            try:
                if now - part.stat().st_mtime > STALE_S:
                    part.unlink(missing_ok=True)  # its job writes it again, if it lives
                else:
                    urls |= dict.fromkeys(part.read_text().split())
            except FileNotFoundError:  # its job has just taken it away
                continue
        text = HEADER.format(folder=self._folder.name) + "".join(f"{url}\n" for url in urls)
        if not self.shared.is_file() or self.shared.read_text() != text:
            _replace(self.shared, text, self.owner)


def _replace(path: Path, text: str, writer: str) -> None:
    partial = path.with_name(f".{path.name}.{writer}.partial")
    with partial.open("w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
