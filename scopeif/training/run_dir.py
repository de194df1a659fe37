"""The directory of one run, and which directory a command gets: an unfinished run of its own, or a new one.

runs/smoke/003/
    run.json          state: running, finished, stopped or failed; attempts; fingerprint of the config
    config.yaml       the resolved config
    lock              held by the launcher while the run lives
    stop.request      present when the trainer is asked to save and stop
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

from scopeif.errors import ClusterError, ResourceError
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.folders import folder_bytes

State = Literal["running", "finished", "stopped", "failed"]
STUCK_ATTEMPTS = 5
"""So many attempts without a new checkpoint are enough."""
LOCK_PATIENCE_S = 180.0
"""NFS servers keep the locks of a client that is gone for 90 s."""


@dataclass(frozen=True)
class RunDir:
    """Paths and state of one run directory."""

    path: Path

    @property
    def state_file(self) -> Path:
        return self.path / "run.json"

    @property
    def config_file(self) -> Path:
        return self.path / "config.yaml"

    @property
    def stop_file(self) -> Path:
        return self.path / "stop.request"

    def stop_requested(self) -> bool:
        """Whether the trainer should save and stop at its next safe point."""
        return self.stop_file.exists()

    def request_stop(self, why: str) -> None:
        """Ask the trainer to save and stop; it may be another process, on another node."""
        self.stop_file.write_text(why + "\n")

    def read(self) -> dict[str, Any]:
        """The contents of run.json; empty where there is none or it is cut."""
        try:
            state: dict[str, Any] = json.loads(self.state_file.read_text())
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return state

    def write(self, **changes: Any) -> None:
        """Change keys of run.json, whole or not at all."""
        partial = self.path / ".run.json.partial"
        partial.write_text(json.dumps(self.read() | changes, indent=2) + "\n")
        partial.replace(self.state_file)

    def begin(self, fingerprint: str, resume_step: int) -> None:
        """Note that an attempt starts."""
        self.stop_file.unlink(missing_ok=True)
        attempts = [*self.read().get("attempts", []), {"started": time.time(), "from_step": resume_step}]
        self.write(state="running", fingerprint=fingerprint, attempts=attempts)

    def end(self, state: State, reason: str = "") -> None:
        """Note how the attempt ended."""
        attempts = self.read().get("attempts", [{}])
        attempts[-1] |= {"ended": time.time(), "state": state, "reason": reason}
        self.write(state=state, attempts=attempts)

    def stuck(self, saved: int) -> bool:
        """Whether the last attempts all began at the step that is still the last one saved."""
        attempts = self.read().get("attempts", [])[-STUCK_ATTEMPTS:]
        return len(attempts) == STUCK_ATTEMPTS and all(attempt.get("from_step") == saved for attempt in attempts)


def fingerprint(config_text: str, files: Iterable[Path] = ()) -> str:
    """Identity of a resolved config and its data: an unfinished run is resumed only by the same ones."""
    digest = hashlib.sha256(config_text.encode())
    for file in files:
        if file.is_file():
            with file.open("rb") as content:
                digest.update(hashlib.file_digest(content, "sha256").digest())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Lease:
    """A run directory that this process alone may run in, and the step it resumes from (0: from the start)."""

    run: RunDir
    resume_step: int
    resumed: bool
    _lock: IO[str]

    def release(self) -> None:
        """Let another process take the directory."""
        self._lock.close()


def unfinished_bytes(folder: Path) -> int:
    """What the newest run directory in a folder has written, if its run is unfinished: the same command resumes it."""
    runs = [RunDir(path) for path in folder.glob("*") if path.name.isdigit()]
    newest = max(runs, key=lambda run: int(run.path.name), default=None)
    if newest is None or newest.read().get("state") in (None, "finished"):
        return 0
    return folder_bytes(newest.path)


def lease(root: Path, name: str, config_fingerprint: str) -> Lease:
    """Take the newest run of the same config if it is unfinished and nobody runs it now, else a new directory.

    Args:
        root: folder of all runs.
        name: name of the run; its directories are ``<root>/<name>/001`` and so on.
        config_fingerprint: of the resolved config.
    """
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    existing = sorted((path for path in folder.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    same = (run for run in map(RunDir, reversed(existing)) if run.read().get("fingerprint") == config_fingerprint)
    newest = next(same, None)
    if newest is not None and newest.read()["state"] != "finished":
        lock = _try_lock(newest.path)
        if lock is not None:
            steps = Checkpoints(newest.path).complete_steps()
            return Lease(newest, steps[-1] if steps else 0, True, lock)
    return _new(folder, int(existing[-1].name) + 1 if existing else 1)


def _new(folder: Path, number: int) -> Lease:
    while True:
        run = RunDir(folder / f"{number:03d}")
        try:
            run.path.mkdir()
        except FileExistsError:  # another launcher took the number a moment ago
            number += 1
            continue
        lock = _try_lock(run.path)
        if lock is not None:
            return Lease(run, 0, False, lock)
        number += 1


def _try_lock(folder: Path, patience_s: float = LOCK_PATIENCE_S) -> IO[str] | None:
    """Lock a run directory; None when somebody else runs there.

    An earlier start of the same SLURM job runs no more, but a file server that has not noticed the end of its node
    keeps the lock for a while.
    """
    job = os.environ.get("SLURM_JOB_ID", "")
    deadline = time.monotonic() + patience_s
    with contextlib.ExitStack() as unless_locked:
        file = unless_locked.enter_context((folder / "lock").open("a+"))
        os.set_inheritable(file.fileno(), False)
        while not _locks(file):
            file.seek(0)
            if not job or file.read() != job:
                return None
            if time.monotonic() > deadline:
                raise ClusterError(
                    f"an earlier start of job {job} holds the run, {patience_s:g} s after this one began",
                    place=file.name,
                    fix="end its processes, or remove the lock file when there are none",
                )
            time.sleep(1.0)
        unless_locked.pop_all()
    file.truncate(0)
    file.write(job)
    file.flush()
    return file


def _locks(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise ResourceError(
            f"the file system gives no locks: {error}",
            place=file.name,
            fix="set run.root to one that does (Lustre: mounted with -o flock)",
        ) from error
    return True
