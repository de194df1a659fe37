"""What wears a pool: thousands of runs, forks of its process, a machine that is short of memory."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import textwrap
import time
from collections.abc import Callable

import pytest

from tools_sandbox import Limits, Run, ToolPool

Start = Callable[..., subprocess.Popen[str]]
Tree = Callable[[int], frozenset[int]]
ECHO = Run("def f(x):\n    return x\n", "f", ["x"])
SLEEP = Run("def f():\n    import time\n    time.sleep(60)", "f")


def test_a_run_that_something_else_kills_is_short_of_memory(descendants: Tree) -> None:
    """What the kernel does when memory ends: SIGKILL, from nobody that the zygote knows."""
    others = descendants(os.getpid())  # what earlier tests of this process left running
    with ToolPool(workers=1) as pool:
        before = descendants(os.getpid())
        assert {pathlib.Path(f"/proc/{pid}/oom_score_adj").read_text() for pid in before - others} == {"1000\n"}
        waiting = pool._executor.submit(pool.run, SLEEP)
        while not (run := descendants(os.getpid()) - before):
            time.sleep(0.01)
        time.sleep(0.1)
        os.kill(next(iter(run)), signal.SIGKILL)
        result = waiting.result()
        assert (result.status, result.error) == ("memory", "killed by the kernel for memory")
        assert pool.run(ECHO).value == "x"
        assert descendants(os.getpid()) == before


def test_a_fork_that_holds_the_socket_of_a_run_does_not_change_its_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """When another thread of the client forks at the wrong moment, the end of a run is not heard of at once."""
    held = []
    with ToolPool(workers=1, limits=Limits(wall_s=0.3)) as pool:
        handle = pool._seats[0].handle
        assert handle is not None
        send = handle._send_run

        def hold_and_send(serial: int, descriptor: int) -> None:
            held.append(os.dup(descriptor))
            send(serial, descriptor)

        monkeypatch.setattr(handle, "_send_run", hold_and_send)
        for code, status in (("os._exit(0)", "no_result"), ("os.abort()", "crash")):
            assert pool.run(Run(f"import os\ndef f():\n    {code}", "f")).status == status
        assert pool.run(ECHO).value == "x"
    for descriptor in held:
        os.close(descriptor)


def test_forks_of_a_threaded_client_disturb_no_run(start_python: Start) -> None:
    code = """
    import os, threading, time
    from tools_sandbox import *
    stop = threading.Event()
    def fork():
        while not stop.is_set():
            child = os.fork()
            if child == 0:
                time.sleep(0.05); os._exit(0)
            os.waitpid(child, 0)
    forkers = [threading.Thread(target=fork) for _ in range(3)]
    with ToolPool(workers=2) as pool:
        for forker in forkers: forker.start()
        runs = [Run("def f(x):\\n    return x", "f", [i]) for i in range(300)]
        print([result.value for result in pool.run_many(runs)] == list(range(300)))
        stop.set()
        for forker in forkers: forker.join()
    """
    out, errors = start_python(["-c", textwrap.dedent(code)], text=True).communicate(timeout=60)
    assert (out, errors) == ("True\n", "")


def test_a_soak_of_four_thousand_runs_leaves_nothing_behind(descendants: Tree) -> None:
    def holding() -> tuple[int, frozenset[int], int]:
        tree = descendants(os.getpid())
        memory = sum(map(resident_kb, {os.getpid(), *tree}))
        return len(os.listdir("/proc/self/fd")), tree, memory

    runs = [Run("def f(x):\n    return [x, len('x' * x)]", "f", [i]) for i in range(500)]
    with ToolPool(workers=2) as pool:
        assert [result.value for result in pool.run_many(runs)] == [[i, i] for i in range(500)]
        descriptors, tree, memory = holding()
        for _ in range(8):
            assert all(result.ok for result in pool.run_many(runs))
        now = holding()
    assert now[:2] == (descriptors, tree)
    assert now[2] - memory < 5 * 1024


def resident_kb(pid: int) -> int:
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
