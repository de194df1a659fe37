"""Shared fixtures of the sandbox tests."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator

import pytest

from tools_sandbox import DEFAULT_PRELOAD, Limits, ToolPool, launch

# Preloaded on purpose: an import that fails would make an attack fail for the wrong reason.
ATTACK_MODULES = (
    "atexit", "ctypes", "fcntl", "gc", "mmap", "multiprocessing", "multiprocessing.popen_fork", "os",
    "resource", "select", "signal", "socket", "subprocess", "sys", "tempfile", "threading", "urllib.request",
)  # fmt: skip


def process_tree(root: int) -> frozenset[int]:
    """The process ids of all descendants of `root`."""
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = {root}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return frozenset(found - {root})
        found |= more


@pytest.fixture(scope="session")
def descendants() -> Callable[[int], frozenset[int]]:
    return process_tree


@pytest.fixture(scope="session")
def pool() -> Iterator[ToolPool]:
    """A pool that hostile tools may import everything in. A busy machine can take its time to spend a second."""
    with ToolPool(workers=1, limits=Limits(cpu_s=1, wall_s=30), preload=DEFAULT_PRELOAD + ATTACK_MODULES) as pool:
        yield pool


@pytest.fixture(scope="session")
def hasty_pool() -> Iterator[ToolPool]:
    """For tools that sleep."""
    with ToolPool(workers=1, limits=Limits(wall_s=1), preload=DEFAULT_PRELOAD + ATTACK_MODULES) as pool:
        yield pool


@pytest.fixture
def patched_zygotes(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Runs the given statements in every zygote before it starts to serve: no switch is in the product."""

    def patch(statements: str) -> None:
        before, after = launch.BOOTSTRAP.split("from tools_sandbox.zygote import main")
        code = f"exec({statements!r}); from tools_sandbox.zygote import main"
        monkeypatch.setattr(launch, "BOOTSTRAP", before + code + after)

    return patch
