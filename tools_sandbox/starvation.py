"""Whether a run that met the wall limit was given the CPU at all.

A machine that is overloaded, throttled or suspended must not turn into a verdict on the tool. The kernel's
account of a task says how long it waited for a CPU though it could have run (/proc/PID/schedstat).
"""

from __future__ import annotations

import math
import os
import time
from typing import NamedTuple

_SECOND_LOOK_S = 0.05
_STATE, _START = 0, 19  # of /proc/PID/stat, behind the name
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class Look(NamedTuple):
    """A task at one moment."""

    runnable: bool
    cpu_s: float
    waited_s: float  # ready, but not on a CPU; a wait that still lasts is not counted yet
    age_s: float = math.inf


def starved(zygote: int, depth: int, wall_s: float, late_s: float) -> bool:
    """About a run at its wall limit: the process `depth` generations below the outermost one, `zygote`.

    `late_s`: by how much the caller itself came too late; a client that was stopped cannot judge anyone.
    """
    if late_s > 1.0:
        return True
    run = _descendant(zygote, depth)
    first = look(run) if run is not None else None
    if first is None:
        return _machine_is_overloaded()  # hidden from us (hidepid), not started yet, or already gone
    # A zygote that waits for a CPU itself is late with the run.
    unborn_s = max(0.0, wall_s + late_s - first.age_s)
    if first.waited_s + unborn_s >= wall_s / 2:
        return True
    if not first.runnable or first.cpu_s >= wall_s / 2:
        return False
    # Ready, with little to show for it: it slept for long, or it waits since long and the wait still lasts.
    time.sleep(_SECOND_LOOK_S)
    second = look(run) if run is not None else None
    return second is not None and second.runnable and second.cpu_s - first.cpu_s < _SECOND_LOOK_S / 2


def look(pid: int) -> Look | None:
    """None when the process is gone or cannot be seen."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            on_cpu, waited, _ = file.read().split()
    except (OSError, IndexError, ValueError):
        return None
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[_START]) / _TICKS_A_SECOND
    return Look(fields[_STATE] == b"R", int(on_cpu) / 1e9, int(waited) / 1e9, age_s)


def _descendant(pid: int, depth: int) -> int | None:
    """A zygote is a chain: perhaps a watcher, the zygote itself, and one run."""
    children = _parents_to_children()
    run: int | None = pid
    for _ in range(depth):
        run = None if run is None else children.get(run)
    return run


def _parents_to_children() -> dict[int, int]:
    found = {}
    try:
        names = os.listdir("/proc")
    except OSError:
        return {}
    for name in names:
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    found[int(file.read().rpartition(b")")[2].split()[1])] = int(name)
            except (OSError, IndexError, ValueError):
                continue  # it ended while we looked
    return found


def _machine_is_overloaded() -> bool:
    try:
        return os.getloadavg()[0] > (os.cpu_count() or 1)
    except OSError:
        return True  # without /proc nothing is known, and nobody is to blame
