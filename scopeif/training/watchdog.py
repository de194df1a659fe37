"""Ends every process of a run when its launcher is gone, whatever killed it. Standard library only.

The launcher starts this file from standard input in a session of its own (`Watchdog`): it survives a kill of the
launcher, of its process group and of everything whose command line names the run. While the launcher lives it keeps a
list of the run's processes, because orphans lose their parents; when the launcher is gone it ends what is left, and
removes the shared memory, sockets and temporary folder that killed processes leave behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

POLL_S = 0.5
FILES_POLL_S = 10.0
TERM_GRACE_S = 3.0


@dataclass(frozen=True)
class Process:
    """A process by id and start time, so that a re-used id is never mistaken for it."""

    pid: int
    started: int


@dataclass
class Family:
    """All descendants ever seen of a root process, kept while they live even when their parents are gone."""

    root: int
    spared: frozenset[int] = frozenset()
    members: set[Process] = field(default_factory=set)

    def refresh(self) -> set[Process]:
        """Look at the process table once; returns the members alive."""
        table = _process_table()
        alive = {member for member in self.members if table.get(member.pid, (0, -1))[1] == member.started}
        grown = {self.root, *(member.pid for member in alive)}
        while found := {pid for pid, (parent, _) in table.items() if parent in grown and pid not in grown}:
            grown |= found
        grown -= {self.root, os.getpid(), *self.spared}
        self.members = {Process(pid, table[pid][1]) for pid in grown if pid in table}
        return self.members

    def files(self) -> set[str]:
        """Shared-memory and socket files that the members hold now; they outlive a killed process."""
        return _files_in_use(member.pid for member in self.refresh())

    def end(self, grace_s: float = TERM_GRACE_S) -> list[str]:
        """End all members: ask first, kill after `grace_s`. Returns the files that they would leave behind."""
        left_behind = self.files()
        _signal(self.members, signal.SIGTERM)
        deadline = time.monotonic() + grace_s
        while self.refresh() and time.monotonic() < deadline:
            time.sleep(0.05)
        left_behind |= _files_in_use(member.pid for member in self.members)
        deadline = time.monotonic() + grace_s
        while self.refresh() and time.monotonic() < deadline:
            _signal(self.members, signal.SIGKILL)
            time.sleep(0.05)
        return sorted(left_behind)


def remove_leftovers(files: Iterable[str], folder: str | None) -> None:
    """Unlink shared memory and sockets of ended processes, and the run's temporary folder."""
    for file in files:
        with contextlib.suppress(OSError):
            os.unlink(file)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)


class Watchdog:
    """Starts the watching process for this launcher; `pid` is to be spared when the launcher cleans up itself."""

    def __init__(self, temporary_folder: str | None) -> None:
        self._child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
        )
        assert self._child.stdin is not None
        order = {"launcher": os.getpid(), "folder": temporary_folder}
        source = Path(__file__).read_text()
        self._child.stdin.write(f"{source}\nwatch({json.dumps(json.dumps(order))})\n".encode())
        self._child.stdin.close()
        self.pid = self._child.pid

    def dismiss(self) -> None:
        """The launcher has cleaned up: nothing is left to watch."""
        self._child.kill()
        self._child.wait()


def watch(order_json: str) -> None:
    """Wait for the launcher's end, then end its family. Runs in the watching process."""
    order = json.loads(order_json)
    family = Family(order["launcher"], spared=frozenset({os.getpid()}))
    try:
        launcher = os.pidfd_open(order["launcher"])
    except ProcessLookupError:
        return
    files: set[str] = set()
    looked = 0.0
    while not select.select([launcher], [], [], POLL_S)[0]:
        family.refresh()
        if time.monotonic() - looked >= FILES_POLL_S:
            files, looked = files | family.files(), time.monotonic()
    remove_leftovers({*files, *family.end()}, order["folder"])


def _process_table() -> dict[int, tuple[int, int]]:
    """pid -> (parent, start time in clock ticks) of every process that is no zombie."""
    table = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()  # the name before it may hold anything
        except OSError:
            continue
        if fields[0] not in ("Z", "X"):
            table[int(entry)] = (int(fields[1]), int(fields[19]))
    return table


def _files_in_use(pids: Iterable[int]) -> set[str]:
    """Shared-memory files that the processes map, and socket files below /tmp that they are bound to."""
    mapped: set[int] = set()
    sockets: set[int] = set()
    for pid in pids:
        mapped |= _mapped_shared_memory(pid)
        sockets |= _open_sockets(pid)
    # By inode: a named semaphore is mapped under the temporary name that it was made with.
    files = {entry.path for entry in _entries("/dev/shm") if entry.inode() in mapped}
    with contextlib.suppress(OSError), open("/proc/net/unix", encoding="utf-8") as table:
        rows = (line.split(maxsplit=7) for line in list(table)[1:])
        files |= {row[7].strip() for row in rows if len(row) == 8 and int(row[6]) in sockets and row[7][:5] == "/tmp/"}
    return files


def _mapped_shared_memory(pid: int) -> set[int]:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        return {int(line.split(maxsplit=5)[4]) for line in maps if " /dev/shm/" in line}
    return set()


def _open_sockets(pid: int) -> set[int]:
    inodes = set()
    for descriptor in _entries(f"/proc/{pid}/fd"):
        with contextlib.suppress(OSError):
            target = os.readlink(descriptor.path)
            if target.startswith("socket:["):
                inodes.add(int(target[8:-1]))
    return inodes


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(folder))
    except OSError:
        return []


def _signal(processes: Iterable[Process], number: signal.Signals) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process.pid, number)
