"""What must hold before anything heavy loads: memory, disk, a sandbox that isolates, the nodes of the job."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from scopeif.errors import ConfigError, ResourceError
from scopeif.training.own_ray import JOB_NODES
from scopeif.training.settings import Settings
from scopeif.verification.sandbox import require_sandbox

_GIB = 1 << 30


def check_machine(settings: Settings) -> None:
    """Refuse a machine on which the run would fail later.

    Raises:
        ResourceError: too little memory; the message says how much is needed and how much there is.
        SandboxIsolationError: the sandbox cannot isolate here; the message names the missing layer.
    """
    require_memory(settings.run.min_memory_gb)
    require_shared_memory()
    if settings.verification.kind != "remote":
        require_sandbox(settings.verification)


def available_memory_bytes() -> int:
    """Memory that this process may still take: the machine's, or less where a control group limits it."""
    import psutil

    return min([int(psutil.virtual_memory().available), *_left_in_control_groups()])


def _left_in_control_groups(proc: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")) -> list[int]:
    """What each control group above this process leaves (version 2); page cache that can go counts as free."""
    lines = proc.read_text().splitlines() if proc.is_file() else []
    own = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if own is None:
        return []
    left = []
    for group in (root / own, *(root / own).parents):
        limit = group / "memory.max"
        if limit.is_file() and (text := limit.read_text().strip()).isdigit():
            stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
            used = int((group / "memory.current").read_text()) - int(stat.get("inactive_file", 0))
            left.append(int(text) - used)
        if group == root:
            break
    return left


def require_memory(needed_gb: float) -> None:
    """Refuse too little free memory with a `ResourceError`."""
    present = available_memory_bytes() / _GIB
    if present < needed_gb:
        raise ResourceError(
            f"the run needs {needed_gb:g} GiB of free memory, {present:.1f} GiB are free",
            place="run.min_memory_gb",
            fix="end other programs, or lower run.min_memory_gb if you know better (smaller batches need less)",
        )


def require_disk(folder: Path, needed_gb: float, held_bytes: int = 0) -> None:
    """Refuse too little free disk below `folder`, which need not exist, with a `ResourceError`.

    Args:
        folder: where the run writes.
        needed_gb: GiB of a whole run.
        held_bytes: what it has written there already.
    """
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    present, held = shutil.disk_usage(existing).free / _GIB, held_bytes / _GIB
    if present + held < needed_gb:
        has = f", it holds {held:.1f} GiB" if held_bytes else ""
        raise ResourceError(
            f"the run needs {needed_gb:g} GiB of disk at {existing}{has}, {present:.1f} GiB are free",
            place="run.min_disk_gb",
            fix="free some, or set run.root to another disk; `dry_run=true` says what checkpoints take, and with fewer "
            "of them (selection.keep_last) run.min_disk_gb may be lower",
        )


def require_job_nodes(nnodes: int) -> None:
    """Refuse a cluster job of other nodes than the run trains on: the others would idle, paid for.

    Raises:
        ConfigError: the message names both numbers.
    """
    of_job = int(os.environ.get(JOB_NODES, nnodes))
    if of_job != nnodes:
        raise ConfigError(
            f"the run trains on {nnodes}, the job has {of_job}",
            place="trainer.nnodes",
            fix=f"add trainer.nnodes={of_job}, or submit with sbatch --nodes={nnodes}",
        )


def require_shared_memory(needed_gb: float = 1.0) -> None:
    """Refuse too little shared memory with a `ResourceError`.

    It holds Ray's objects and the weights on their way to vLLM; containers often start with 64 MiB.
    """
    present = shutil.disk_usage("/dev/shm").free / _GIB if Path("/dev/shm").is_dir() else 0.0
    if present < needed_gb:
        raise ResourceError(
            f"the run needs {needed_gb:g} GiB of shared memory, {present:.2f} GiB are free in /dev/shm",
            place="/dev/shm",
            fix="start the container with more (docker run --shm-size=4g), or remove old files there",
        )
