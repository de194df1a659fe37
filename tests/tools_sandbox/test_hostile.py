"""Every hostile tool is held, with all layers and with the filter alone; and without the filter, not."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hostile_suite import BUSY, CASES, FURTHER, HANDED, Case

from tools_sandbox import Run, ToolPool

Attack = Callable[..., dict[str, Any]]


WAYS = {"all layers": (), "filter alone": ("landlock", "namespaces")}

# Attacks that the filter holds alone: neither the limits nor the other layers would.
HELD_BY_THE_FILTER_ALONE = (
    "kill parent(zygote)", "setpgid/setsid", "setpriority", "prlimit on parent", "unshare userns", "prctl",
    "add_key/keyctl", "SysV shm", "SysV msg/sem", "mmap PROT_EXEC shellcode", "mprotect exec", "dup2 over fd 3",
    "pretends that the sandbox failed", "a seccomp filter of its own", "asynchronous input and output", "timer_create",
    "another CPU, another scheduler, another priority", "yields the CPU to look starved",
    "robust lists and the exit word", "waits for signals", "kills itself to look like a shortage of memory",
    "reads the CPU clock of another process",
    "advice about memory that others feel", "a futex that other processes hear", "futexes with a history",
    "writes to the code of the interpreter", "every function of os that takes a path", "the channel as a socket object",
    "shutdown, options and names of the channel", "passes descriptors over the channel",
    "another number for the channel", "writes by other calls", "closes every descriptor by close_range",
)  # fmt: skip


@pytest.fixture(scope="session", params=list(WAYS))
def findings(request: pytest.FixtureRequest, attack_a_pool: Attack) -> dict[str, Any]:
    return {"dropped": WAYS[request.param], **attack_a_pool(drop=WAYS[request.param])}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_hostile_tool_is_held(findings: dict[str, Any], case: Case) -> None:
    if findings["wrong"][case.name] == BUSY:
        pytest.skip(BUSY)
    assert findings["wrong"][case.name] == ""


def test_the_suite_ran_as_it_was_told(findings: dict[str, Any]) -> None:
    assert findings["uid"] == os.geteuid()
    assert "seccomp" in findings["layers"]
    assert not set(findings["dropped"]) & set(findings["layers"])
    assert set(findings["wrong"]) == {case.name for case in CASES}


def test_without_the_filter_the_suite_fails(attack_a_pool: Attack, pool: ToolPool) -> None:
    """Negative control: the tests above would notice a filter that is not in force."""
    if any(layer.name == "namespaces" for layer in pool.report().missing):
        pytest.skip("without the filter, only the namespaces keep these attacks from the machine")
    wrong = attack_a_pool(drop=["seccomp"], only=HELD_BY_THE_FILTER_ALONE)["wrong"]
    assert len(wrong) == len(HELD_BY_THE_FILTER_ALONE)
    assert [name for name, what in wrong.items() if what == ""] == []


def test_the_lists_are_long_and_their_names_differ() -> None:
    assert len(HANDED) >= 99
    assert len(FURTHER) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


def test_a_tool_that_spins_after_its_frame_does_not_hold_the_worker(pool: ToolPool) -> None:
    """A tool that has sent its frame is killed, not waited for."""
    case = next(case for case in CASES if case.name == "sends its frame, then spins")
    result = pool.run(Run(case.source, "f", ["", 0]))
    assert result.value == "first"
    assert result.cpu_ms < 0.7 * 1000 * pool.limits.cpu_s
