"""Workers that Ray starts ahead import by their number; the collector is paused for it and no longer."""

import gc
import json
import os
import subprocess
import sys

import pytest

from scopeif.training.cpu import preload
from scopeif.training.imports import without_collector


@pytest.fixture
def imported(monkeypatch):
    """What was imported, with the scheduling policy of the thread that did it."""
    seen = []
    monkeypatch.setattr(
        preload.importlib, "import_module", lambda name: seen.append((name, os.sched_getscheduler(0), gc.isenabled()))
    )
    return seen


def test_the_first_import_the_queue_the_next_verl_on_an_idle_core_and_later_ones_verl_at_once(tmp_path, imported):
    for _ in range(preload.WORKERS + 2):
        preload.preload(tmp_path)
    numbered = dict(enumerate(imported))
    early = [numbered.pop(number) for number in range(preload.EARLY)]
    warm = [numbered.pop(number) for number in range(preload.EARLY, preload.WORKERS)]
    late = list(numbered.values())
    assert {(name, policy) for name, policy, _ in early} == {("transfer_queue", os.SCHED_OTHER)}
    assert {(name, policy) for name, policy, _ in warm} == {("verl.trainer.ppo.v1", os.SCHED_IDLE)}
    assert {(name, policy) for name, policy, _ in late} == {("verl.trainer.ppo.v1", os.SCHED_OTHER)}
    assert len(late) == 2
    assert not any(collecting for _, _, collecting in imported)
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_outside_a_run_it_imports_nothing():
    code = "import json, sys, scopeif.training.cpu.preload; print(json.dumps(sorted(sys.modules)))"
    environment = {name: value for name, value in os.environ.items() if name != "SCOPEIF_RUN_FOLDER"}
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert not {"torch", "transfer_queue", "verl"} & set(json.loads(shown.stdout))


def test_the_collector_is_back_after_an_import_that_fails():
    with pytest.raises(ImportError), without_collector():
        raise ImportError
    assert gc.isenabled()
