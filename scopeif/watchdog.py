"""Ends every process of a run when its launcher is done or gone, whatever ended it. Standard library only.

The launcher starts this file from standard input in a session of its own (`Watchdog`): it survives a kill of the
launcher, of its process group and of everything whose command line names the run. While the launcher lives it keeps a
list of the run's processes, because orphans lose their parents. When the launcher closes its end of a pipe, or dies,
the watchdog ends what is left, and removes the run's temporary folder and the shared memory of killed processes.
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
SHARED_MEMORY = "/dev/shm"
OURS = ("psm_", "sem.", "verl_weights_")
"""How Python's shared memory and semaphores, and verl's weight buffers, are named."""


@dataclass(frozen=True)
class Process:
    """A process by id and start time, so that a re-used id is never mistaken for it."""

    pid: int
    started: int

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this process, and to no other that has its id now."""
        try:
            handle = os.pidfd_open(self.pid)
        except OSError:
            return
        try:
            if _process_table([str(self.pid)]).get(self.pid, (0, -1))[1] == self.started:
                with contextlib.suppress(OSError):
                    signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)


@dataclass
class Family:
    """All descendants ever seen of a root process, kept while they live even when their parents are gone."""

    root: int
    members: set[Process] = field(default_factory=set)
    foreign: frozenset[int] = field(default_factory=lambda: frozenset(_shared_memory()))
    """Inodes of the shared-memory files that were there before the run; they are somebody else's."""

    def refresh(self) -> set[Process]:
        """Look at the process table once; returns the members alive."""
        table = _process_table(os.listdir("/proc"))
        alive = {member for member in self.members if table.get(member.pid, (0, -1))[1] == member.started}
        grown = {self.root, *(member.pid for member in alive)}
        while found := {pid for pid, (parent, _) in table.items() if parent in grown and pid not in grown}:
            grown |= found
        grown -= {self.root, os.getpid()}
        self.members = {Process(pid, table[pid][1]) for pid in grown if pid in table}
        return self.members

    def shared_memory(self) -> dict[int, str]:
        """The shared-memory files of this run that members map now, by inode; they outlive a killed process."""
        mapped = set().union(*(_mapped(member.pid) for member in self.refresh()))
        present = _shared_memory()
        # By inode: a named semaphore is mapped under the temporary name that it was made with.
        return {inode: present[inode] for inode in mapped & present.keys() - self.foreign}

    def end(self, grace_s: float = TERM_GRACE_S) -> dict[int, str]:
        """End all members: ask first, kill after `grace_s`; returns the shared memory that they had meanwhile.

        They go on to work until they end, and may make more of it: so they are stopped while it is looked for.
        """
        files: dict[int, str] = {}
        for number in (signal.SIGTERM, signal.SIGKILL):
            self._freeze()
            files |= self.shared_memory()
            for member in self.refresh():
                member.signal(number)
                member.signal(signal.SIGCONT)
            deadline = time.monotonic() + grace_s
            while self.refresh() and time.monotonic() < deadline:
                files |= self.shared_memory()
                time.sleep(0.05)
        return files

    def _freeze(self) -> None:
        """Stop all members, also those that start meanwhile."""
        stopped: set[Process] = set()
        while new := self.refresh() - stopped:
            for member in new:
                member.signal(signal.SIGSTOP)
            stopped |= new


class Watchdog:
    """The watching process of this launcher."""

    def __init__(self, temporary_folder: Path) -> None:
        reader, self._writer = os.pipe()
        self._child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=[reader],
            cwd="/",
        )
        os.close(reader)
        assert self._child.stdin is not None
        order = json.dumps({"launcher": os.getpid(), "folder": str(temporary_folder), "pipe": reader})
        self._child.stdin.write(f"{Path(__file__).read_text()}\nwatch({order!r})\n".encode())
        self._child.stdin.close()
        self.pid = self._child.pid

    def finish(self, timeout_s: float = 30.0) -> None:
        """Have everything of the run ended and removed, and wait until it is."""
        os.close(self._writer)
        self._child.wait(timeout_s)


def watch(order_json: str) -> None:
    """Wait until the launcher is done or gone, then clean up after it. Runs in the watching process."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # SLURM sends it to every process of a job, a while before SIGKILL
    order = json.loads(order_json)
    family = Family(order["launcher"])
    waiting = [order["pipe"]]
    with contextlib.suppress(ProcessLookupError):
        waiting.append(os.pidfd_open(order["launcher"]))
    files: dict[int, str] = {}
    seen, looked = set(family.foreign), -FILES_POLL_S
    while not select.select(waiting, [], [], POLL_S)[0]:
        family.refresh()
        new = _shared_memory().keys() - seen  # whose it is can only be told while a process maps it
        if new or time.monotonic() - looked >= FILES_POLL_S:
            files, looked = files | family.shared_memory(), time.monotonic()
            seen |= new
    family.refresh()
    family.root = -1  # the id may soon be somebody else's; the members are known
    files |= family.end()
    present = _shared_memory()
    for inode, path in files.items():
        if present.get(inode) == path:
            with contextlib.suppress(OSError):
                os.unlink(path)
    shutil.rmtree(order["folder"], ignore_errors=True)


def _process_table(entries: Iterable[str]) -> dict[int, tuple[int, int]]:
    """pid -> (parent, start time in clock ticks) of every process that is no zombie."""
    table = {}
    for entry in entries:
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


def _shared_memory() -> dict[int, str]:
    """Inode -> path of the shared-memory files whose names are of our kinds."""
    try:
        entries = list(os.scandir(SHARED_MEMORY))
    except OSError:
        return {}
    return {entry.inode(): entry.path for entry in entries if entry.name.startswith(OURS)}


def _mapped(pid: int) -> set[int]:
    """Inodes of the shared-memory files that a process maps."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
        return {int(line.split(maxsplit=5)[4]) for line in maps if f" {SHARED_MEMORY}/" in line}
    return set()
