"""Memory and open files of the trainer and its machine, as metrics of a step."""

from __future__ import annotations

import os
import resource

from scopeif.training.preflight import available_memory_bytes

_GIB = 1 << 30


def machine_metrics() -> dict[str, float]:
    """Figures of this process and of the machine that it runs on; the actor's memory is among verl's."""
    import psutil

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(os.listdir("/proc/self/fd"))
    shared = os.statvfs("/dev/shm")
    return {
        "machine/free_memory_gb": available_memory_bytes() / _GIB,
        "machine/free_shared_memory_gb": shared.f_bavail * shared.f_frsize / _GIB,
        "machine/trainer_memory_gb": psutil.Process().memory_info().rss / _GIB,
        "machine/trainer_open_files": float(opened),
        "machine/trainer_open_files_frac": opened / soft if soft > 0 else 0.0,
    }
