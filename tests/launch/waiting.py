"""What other processes do, and waiting for it."""

import time
from pathlib import Path

ROOT = Path(__file__).parents[2]


def wait_for(condition, what, timeout=30):
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not there after {timeout} s"
        time.sleep(0.2)


def processes(folder):
    """Ids of the processes that have this folder in their command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder).encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found
