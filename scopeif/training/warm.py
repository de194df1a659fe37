"""Import verl in idle Ray workers while the trainer still starts, so that its actors need not wait for it.

verl starts its actors one after the other, and each spends about ten CPU seconds importing; on a small machine that is
most of the time to the first step. A Ray worker that has run a task is re-used for the next actor of the job: these
tasks import, hold their workers until the light actors have started, and let go.
"""

from __future__ import annotations

import fcntl
import time
from pathlib import Path

WORKERS = 4
"""The heavy actors of one node: policy, rewards, vLLM, agent loop."""

RELEASED = "warm.release"
HOLD_AT_MOST_S = 300.0


def start(folder: Path) -> None:
    """Start the importing tasks in the background.

    Args:
        folder: a folder on this node that lives as long as the run.
    """
    import ray

    task = ray.remote(num_cpus=0, max_retries=0)(_import_and_hold)
    for _ in range(WORKERS):
        task.remote(str(folder))


def release(folder: Path) -> None:
    """Let the warm workers take actors."""
    (folder / RELEASED).touch()


def _import_and_hold(folder: str) -> None:
    with (Path(folder) / "warm.lock").open("w") as turn:  # one at a time: the first is ready when it is needed
        fcntl.flock(turn, fcntl.LOCK_EX)
        import verl.trainer.ppo.v1
        import verl.workers.engine_workers  # noqa: F401
    deadline = time.monotonic() + HOLD_AT_MOST_S
    while not (Path(folder) / RELEASED).exists() and time.monotonic() < deadline:
        time.sleep(0.05)
