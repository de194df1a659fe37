"""Imported by Ray's worker processes at their start, to load what their actors will need while a core is idle.

A run's actors are created one after another, and each would import verl for eight seconds before it can do anything.
Ray starts ``WORKERS`` processes ahead, up to its option ``worker_maximum_startup_concurrency``, lets each import the
modules of ``preload_python_modules``, and gives them to actors as they become ready. The first go to the trainer and
the transfer queue, which cannot wait; the others import verl on an otherwise idle core, for the actors that come last.
"""

from __future__ import annotations

import importlib
import os
import threading
from pathlib import Path

from scopeif.training.imports import without_collector

EARLY = 4
"""The trainer, the transfer queue's controller and storage, the rendezvous of the training workers."""

WORKERS = EARLY + 3
"""After them come the reward worker, the load balancer and the agent loop."""


def preload(folder: Path) -> None:
    """Take the next number of this run, and import what the actor of that number needs."""
    number = next((n for n in range(WORKERS) if _takes(folder / f"preload-{n}")), WORKERS)
    if EARLY <= number < WORKERS:
        thread = threading.Thread(target=_import, args=("verl.trainer.ppo.v1",), kwargs={"idle": True})
        thread.start()
        thread.join()
    else:
        _import("transfer_queue" if number < EARLY else "verl.trainer.ppo.v1")


def _import(module: str, idle: bool = False) -> None:
    if idle:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))  # on Linux, of this thread alone
    with without_collector():
        importlib.import_module(module)


def _takes(path: Path) -> bool:
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


if "SCOPEIF_RUN_FOLDER" in os.environ:
    preload(Path(os.environ["SCOPEIF_RUN_FOLDER"]))
