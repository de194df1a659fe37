from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tools_sandbox import Limits, Run, starvation
from tools_sandbox.errors import ZygoteLost
from tools_sandbox.handle import Handle
from tools_sandbox.launch import Blueprint
from tools_sandbox.preload import DEFAULT_PRELOAD
from tools_sandbox.run import encode_arguments, encode_request
from tools_sandbox.starvation import Look
from tools_sandbox.verdict import Ending

SPIN = Run("def f():\n    while True: pass", "f")


@pytest.mark.parametrize(
    "looks, starved",
    [
        ([Look(False, 0.0, 0.0)], False),  # asleep
        ([Look(True, 9.9, 0.1)], False),  # it had the CPU
        ([Look(True, 1.0, 9.0)], True),  # it waited for one
        ([Look(False, 1.0, 6.0)], True),
        ([Look(True, 2.0, 2.0, age_s=6.5)], True),  # it was late to be born, and waited then
        ([Look(False, 0.0, 0.0, age_s=9.9)], False),
        ([Look(True, 0.1, 0.0), Look(True, 0.1, 0.0)], True),  # it waits all the time, which is not counted yet
        ([Look(True, 0.1, 0.0), Look(True, 0.15, 0.0)], False),  # it slept, and runs now
        ([Look(True, 0.1, 0.0), Look(False, 0.1, 0.0)], False),
        ([Look(True, 0.1, 0.0), None], False),
    ],
)
def test_who_is_starved(monkeypatch: pytest.MonkeyPatch, looks: list[Look | None], starved: bool) -> None:
    left = iter(looks)
    monkeypatch.setattr(starvation, "_descendant", lambda pid, depth: 1)
    monkeypatch.setattr(starvation, "look", lambda pid: next(left))
    assert starvation.starved(1, 1, wall_s=10, late_s=0) is starved


def test_a_client_that_was_stopped_judges_nobody() -> None:
    assert starvation.starved(1, 1, wall_s=10, late_s=5)


@pytest.mark.parametrize("load, starved", [(1e6, True), (0.0, False)])
def test_a_run_that_cannot_be_seen_is_judged_by_the_load(
    monkeypatch: pytest.MonkeyPatch, load: float, starved: bool
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (load, load, load))
    assert starvation.starved(2**22 + 1, 1, wall_s=10, late_s=0) is starved


def test_where_nothing_can_be_seen_nobody_is_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise FileNotFoundError("/proc")

    monkeypatch.setattr(os, "listdir", fail)
    monkeypatch.setattr(os, "getloadavg", fail)
    assert starvation.starved(1, 1, wall_s=10, late_s=0)


@pytest.mark.parametrize("loaded", [False, True])
def test_a_spinning_tool_is_blamed_only_when_it_had_the_cpu(loaded: bool) -> None:
    blueprint = Blueprint(Limits(cpu_s=2, wall_s=0.6), DEFAULT_PRELOAD)
    handle = Handle(blueprint)
    hog = None
    try:
        if loaded:
            core = {min(os.sched_getaffinity(0))}
            code = f"import os; os.sched_setaffinity(0, {core}); print(flush=True)\nwhile True: pass"
            hog = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
            assert hog.stdout is not None
            hog.stdout.readline()
            make_idle(handle.started.process.pid, core)
        try:
            talk = handle.converse(encode_request(SPIN, encode_arguments(SPIN)))
        except ZygoteLost:
            assert loaded  # so starved that not even the zygote answers: nobody is blamed
            return
        # The machine may be busy with other things, too: what the run really got decides what is right.
        if 0.25 < talk.account.cpu_s < 0.45:
            pytest.skip("the run had neither most of the CPU nor little of it")
        assert talk.ending is (Ending.STARVED if talk.account.cpu_s < 0.35 else Ending.DEADLINE)
    finally:
        if hog is not None:
            hog.kill()
            hog.communicate()
        handle.close()


def make_idle(zygote: int, core: set[int]) -> None:
    """Let the zygote and its runs have a core only when nobody else wants it."""
    chain = [zygote]
    while (child := starvation._parents_to_children().get(chain[-1])) is not None:
        chain.append(child)
    for pid in chain:
        os.sched_setaffinity(pid, core)
        os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))
