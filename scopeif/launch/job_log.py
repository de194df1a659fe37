"""What a job says in its log, and what its processes said last in theirs."""

from __future__ import annotations

import time
from pathlib import Path


def say(text: str) -> None:
    """One line with the time; SLURM puts it into the job's output file."""
    print(f"{time.strftime('%Y-%m-%d %H:%M:%S')}  {text}", flush=True)


def last_words(log: Path, lines: int = 3) -> str:
    """The last lines of a log that say anything, as one."""
    said = [line.strip() for line in log.read_text(errors="replace").splitlines()] if log.is_file() else []
    return " / ".join([line for line in said if line][-lines:]) or "nothing was heard of it"
