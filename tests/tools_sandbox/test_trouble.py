"""When the sandbox itself fails: never a verdict on the tool, and never a run without the filter."""

from __future__ import annotations

import logging
import os
import select
import signal
from collections.abc import Callable

import pytest

from tools_sandbox import DEFAULT_PRELOAD, Run, SandboxUnavailable, ToolPool
from tools_sandbox import pool as pool_module

Patch = Callable[[str], None]
Tree = Callable[[int], frozenset[int]]
ECHO = Run("def f(x):\n    return x\n", "f", ["x"])


def zygotes(pool: ToolPool) -> list[int]:
    """Process ids of the outermost process of each zygote."""
    handles = [seat.handle for seat in pool._seats]
    return [handle.started.process.pid for handle in handles if handle is not None]


def kill(pool: ToolPool) -> None:
    """Kill the first zygote and wait until the pool could notice."""
    handle = pool._seats[0].handle
    assert handle is not None
    os.kill(handle.started.process.pid, signal.SIGKILL)
    select.select([handle.started.control], [], [], 5)


def test_a_start_without_seccomp_names_the_layer_and_the_way_out(patched_zygotes: Patch) -> None:
    patched_zygotes(
        "import tools_sandbox.seccomp as s\n"
        "def refuse(self): raise OSError(22, 'Invalid argument')\n"
        "s.Filter.install = refuse"
    )
    with pytest.raises(SandboxUnavailable, match=r"'seccomp' is not available.*Use Linux") as caught:
        ToolPool(workers=2)
    assert caught.value.layer == "seccomp"


def test_a_filter_that_is_taken_but_not_enforced_is_noticed(patched_zygotes: Patch) -> None:
    patched_zygotes("import tools_sandbox.seccomp as s; s.Filter.install = lambda self: None")
    with pytest.raises(SandboxUnavailable, match="not enforced"):
        ToolPool(workers=1)


def test_an_unknown_architecture_is_refused(patched_zygotes: Patch) -> None:
    patched_zygotes("import os; others = os.uname_result((*os.uname()[:4], 'riscv64')); os.uname = lambda: others")
    with pytest.raises(SandboxUnavailable, match="riscv64"):
        ToolPool(workers=1)


def test_the_canary_notices_a_filter_that_went_missing(patched_zygotes: Patch) -> None:
    patched_zygotes(
        "import tools_sandbox.seccomp as s, tools_sandbox.confine as c;"
        "s.Filter.install = lambda self: None; c.check_seccomp = lambda f: c.Layer('seccomp', True, 'pretended')"
    )
    with pytest.raises(SandboxUnavailable, match="canary"):
        ToolPool(workers=1)


def test_a_run_that_cannot_be_locked_down_is_infra_and_its_tool_is_not_read(patched_zygotes: Patch) -> None:
    with ToolPool(workers=1) as pool:
        assert pool.run(ECHO).ok
        patched_zygotes(
            "import tools_sandbox.child as c, os; zygote = os.getpid()\n"
            "def fail(*_): raise OSError(12, 'Cannot allocate memory')\n"
            "c._lock_down = fail"
        )
        kill(pool)
        result = pool.run(ECHO)
        assert result.status == "infra"
        assert result.value is None


@pytest.mark.parametrize(
    "breakage, layer",
    [
        ("import tools_sandbox.landlock as m\ndef restrict(): raise OSError(38, 'not implemented')\n"
         "m.restrict = restrict", "landlock"),
        ("import tools_sandbox.namespaces as m; m.obstacle = lambda: 'Operation not permitted'", "namespaces"),
    ],
    ids=["landlock", "namespaces"],
)  # fmt: skip
def test_another_missing_layer_is_logged_and_reported(
    patched_zygotes: Patch, caplog: pytest.LogCaptureFixture, descendants: Tree, breakage: str, layer: str
) -> None:
    patched_zygotes(breakage)
    before = descendants(os.getpid())
    with caplog.at_level(logging.WARNING, "tools_sandbox"), ToolPool(workers=2) as pool:
        assert layer in [missing.name for missing in pool.report().missing]
        assert [r.value for r in pool.run_many([ECHO] * 4)] == ["x"] * 4
        spun = pool.run(Run("import os\ndef f():\n    os._exit(0)", "f"))
        assert spun.status == "no_result"
    lines = [record.message for record in caplog.records if layer in record.message]
    assert len(lines) == 1
    with pytest.raises(SandboxUnavailable, match=layer):
        ToolPool(workers=1, require="full")
    assert descendants(os.getpid()) == before


def test_full_holds_where_nothing_is_missing(pool: ToolPool) -> None:
    if pool.report().missing:
        pytest.skip(f"this machine lacks {[layer.name for layer in pool.report().missing]}")
    with ToolPool(workers=1, require="full") as full:
        assert full.run(ECHO).ok


def test_a_module_that_does_not_exist_is_named() -> None:
    with pytest.raises(SandboxUnavailable, match="No module named 'nonsense'"):
        ToolPool(workers=1, preload=(*DEFAULT_PRELOAD, "nonsense"))


def test_a_zygote_that_dies_at_the_start_shows_its_last_words(patched_zygotes: Patch) -> None:
    patched_zygotes("raise RuntimeError('last words')")
    with pytest.raises(SandboxUnavailable, match="RuntimeError: last words"):
        ToolPool(workers=1)


def test_a_killed_zygote_is_replaced_and_the_run_repeated(descendants: Tree) -> None:
    with ToolPool(workers=1) as pool:
        for _ in range(2):
            first = zygotes(pool)
            kill(pool)
            assert pool.run(ECHO).value == "x"
            assert zygotes(pool) != first
        assert len(descendants(zygotes(pool)[0])) <= 1


def test_trouble_twice_is_infra_and_the_pool_recovers(patched_zygotes: Patch) -> None:
    with ToolPool(workers=1) as pool:
        with pytest.MonkeyPatch.context() as broken:
            broken.setattr("tools_sandbox.launch.BOOTSTRAP", "raise RuntimeError('no luck')")
            kill(pool)
            result = pool.run(ECHO)
            assert result.status == "infra"
            assert "no luck" in result.error
        assert pool.run(ECHO).value == "x"


def test_a_wrong_canary_after_a_crash_makes_the_run_infra(monkeypatch: pytest.MonkeyPatch) -> None:
    crash = Run("import os\ndef f():\n    os.abort()", "f")
    with ToolPool(workers=1) as pool:
        assert pool.run(crash).status == "crash"
        monkeypatch.setattr(pool_module, "_CANARY_ANSWER", ["another"])
        result = pool.run(crash)
        assert result.status == "infra"
        assert "canary" in result.error


def test_the_canary_sings_every_so_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "CANARY_EVERY", 5)
    with ToolPool(workers=1) as pool:
        first = zygotes(pool)
        pool.run_many([ECHO] * 12)
        handle = pool._seats[0].handle
        assert handle is not None
        assert handle.runs == 12 + 1 + 3  # the runs, the canary of the start, and one after every fifth
        assert zygotes(pool) == first


def test_an_old_zygote_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "RUNS_PER_ZYGOTE", 4)
    with ToolPool(workers=1) as pool:
        first = zygotes(pool)
        assert all(result.ok for result in pool.run_many([ECHO] * 6))
        assert zygotes(pool) != first
