"""The pool at work with honest tools."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tools_sandbox import InvalidInput, Limits, PoolClosed, Result, Run, ToolPool

ECHO = "def f(x):\n    return x\n"


def call(pool: ToolPool, body: str, *args: object) -> Result:
    return pool.run(Run(f"def f(*args):\n    {body}\n", "f", args))


@pytest.mark.parametrize(
    "value", [[], [1, [2.5, "x", None, True]], "text", "", 3, -1.5, None, False, [{"a": {"b": [1]}}], 10**300]
)
def test_json_values_come_back(pool: ToolPool, value: object) -> None:
    result = pool.run(Run(ECHO, "f", [value]))
    assert (result.status, result.value, result.error) == ("ok", value, "")
    assert result.ok
    assert 0 < result.cpu_ms < 1000
    assert result.wall_ms > 0


def test_a_tuple_is_a_list(pool: ToolPool) -> None:
    assert pool.run(Run("def f():\n    return (1, (2,))", "f")).value == [1, [2]]


@pytest.mark.parametrize("text", ["naïve 漢字 🙂", "\u2028 \x00", "lone \ud800 surrogate"])
def test_arguments_arrive_unchanged(pool: ToolPool, text: str) -> None:
    source = "def f(text):\n    return [ord(c) for c in text]"
    assert pool.run(Run(source, "f", [text])).value == [ord(c) for c in text]


def test_the_helpers_are_given(pool: ToolPool) -> None:
    assert pool.run(Run("def f(text):\n    return count_word(text)", "f", ["one two"])).value == 2
    assert "count_word" in pool.report().helpers


def test_an_imported_module_works_and_another_is_named(pool: ToolPool) -> None:
    assert pool.run(Run("def f():\n    import statistics as s\n    return s.mean([1, 3])", "f")).value == 2
    result = pool.run(Run("def f():\n    import sqlite3", "f"))
    assert result.error == "line 2: ModuleNotFoundError: No module named 'sqlite3'"


@pytest.mark.parametrize(
    "source, error",
    [
        ("def f():\n    x = 1\n    return x / 0", "line 3: ZeroDivisionError: division by zero"),
        ("def f()\n    return 1", "line 1: SyntaxError: expected ':'"),
        ("def g():\n    return 1", "the tool defines no function 'f'"),
        ("f = 3", "TypeError: 'int' object is not callable"),
        ("def f(x):\n    return 1", "TypeError: f() missing 1 required positional argument: 'x'"),
        ("def f():\n    import json\n    json.loads('{')", "line 3: JSONDecodeError: Expecting property name"),
        ("def f():\n    raise ValueError('two\\n  lines')", "line 2: ValueError: two lines"),
        ("def f():\n    raise SystemExit", "line 2: SystemExit"),
        ("def f():\n    return f()", "line 2: RecursionError: maximum recursion depth exceeded"),
        ("def f():\n    return [object()]", "TypeError: the tool returned a object, which JSON cannot say"),
        ("def f():\n    return [{1: 2}]", "TypeError: the tool returned a dict with keys that are not strings"),
        ("def f():\n    return 'a' * 10**10", "line 2: MemoryError"),
        ("raise ValueError('at import')\ndef f(): pass", "line 1: ValueError: at import"),
    ],
)
def test_errors_are_one_readable_line(pool: ToolPool, source: str, error: str) -> None:
    result = pool.run(Run(source, "f"))
    assert result.status == "error"
    assert result.value is None
    assert result.error.startswith(error)
    assert "\n" not in result.error


def test_the_line_of_an_error_is_the_tools_own(pool: ToolPool) -> None:
    source = "def g(x):\n    return sorted(x, key=len)\ndef f():\n    return g([1])"
    assert pool.run(Run(source, "f")).error == "line 2: TypeError: object of type 'int' has no len()"


def test_runs_are_alike_on_every_zygote() -> None:
    source = "def f():\n    import random\n    return [random.random(), list({'a', 'b', 'c', 'd', 'e'}), hash('text')]"
    with ToolPool(workers=2) as pool:
        results = pool.run_many([Run(source, "f", seed=seed) for seed in (1, 1, 1, 1, 2)])
    values = [result.value for result in results]
    assert values[0] == values[1] == values[2] == values[3]
    assert values[4][0] != values[0][0]
    assert values[4][1:] == values[0][1:]


def test_the_time_is_utc_and_the_environment_is_bare(pool: ToolPool) -> None:
    source = "def f():\n    import os, time\n    return [time.tzname[0], sorted(os.environ)]"
    zone, names = pool.run(Run(source, "f")).value
    assert zone == "UTC"
    assert set(names) <= {"PYTHONHASHSEED", "PYTHONUTF8", "TZ", "LD_BIND_NOW", "LD_LIBRARY_PATH", "LC_CTYPE"}


def test_limits_are_kept() -> None:
    limits = Limits(cpu_s=1, wall_s=30, memory_mb=64, output_bytes=100, source_bytes=200, argument_bytes=300)
    with ToolPool(workers=1, limits=limits) as pool:
        assert call(pool, "return 'x' * 80").status == "ok"
        assert call(pool, "return 'x' * 100").status == "too_large"
        assert call(pool, "return 1", "x" * 290).status == "ok"
        assert call(pool, "return 1", "x" * 300).error == "the arguments have 304 bytes; the limit is 300"
        assert call(pool, "pass  " + "#" * 200).error == "the source has 225 bytes; the limit is 200"
        assert call(pool, "return len(bytes(40 << 20))").status == "ok"
        assert call(pool, "return len(bytes(90 << 20))").error == "line 2: MemoryError"
        spun = call(pool, "\n    while True: pass")
        assert (spun.status, spun.error) == ("cpu", "more than 1 CPU seconds")
        assert 700 < spun.cpu_ms < 1500  # the kernel counts by clock ticks


@pytest.mark.parametrize("crumb", ["object()", "[]", "{}", "str(len(held))", "bytes(10**6)"])
def test_a_tool_that_uses_up_its_memory_is_told_so(crumb: str) -> None:
    """Even when not a byte is left to say it with."""
    body = f"held = []\n    while True:\n        held.append({crumb})"
    with ToolPool(workers=1, limits=Limits(memory_mb=32)) as small:
        assert call(small, body).error in ("line 4: MemoryError", "MemoryError")  # no room for a traceback


def test_a_tool_that_does_not_heed_the_signal_of_the_cpu_limit_is_killed(pool: ToolPool) -> None:
    """A second later, by the kernel."""
    spun = call(pool, "import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n    while True: pass")
    assert (spun.status, spun.error) == ("cpu", "more than 1 CPU seconds")
    assert 1500 < spun.cpu_ms < 2500


def test_a_short_wall_limit_ends_a_sleeping_tool() -> None:
    with ToolPool(workers=1, limits=Limits(wall_s=0.3)) as pool:
        result = call(pool, "import time; time.sleep(60)")
        assert (result.status, result.error) == ("wall", "not done after 0.3 s")
        assert 300 <= result.wall_ms < 2000
        assert call(pool, "return 1").value == 1


def test_results_keep_the_order_of_the_runs() -> None:
    with ToolPool(workers=2) as pool:
        source = "def f(i):\n    import time\n    time.sleep(0.02 * (i % 3))\n    return i"
        assert [r.value for r in pool.run_many(Run(source, "f", [i]) for i in range(20))] == list(range(20))
        assert pool.run_many([]) == []


async def test_the_asynchronous_side(pool: ToolPool) -> None:
    single = await pool.arun(Run(ECHO, "f", [7]))
    many = await pool.arun_many(Run(ECHO, "f", [i]) for i in range(5))
    assert [single.value, *(result.value for result in many)] == [7, 0, 1, 2, 3, 4]


async def test_the_event_loop_stays_free(pool: ToolPool) -> None:
    ticks = 0
    task = asyncio.create_task(pool.arun(Run("def f():\n    import time\n    time.sleep(0.3)", "f")))
    while not task.done():
        await asyncio.sleep(0.01)
        ticks += 1
    assert (await task).value is None
    assert ticks > 5


def test_many_threads_submit() -> None:
    with ToolPool(workers=2) as pool, ThreadPoolExecutor(32) as threads:
        runs = [Run(ECHO, "f", [i]) for i in range(200)]
        assert [r.value for r in threads.map(pool.run, runs)] == list(range(200))


def test_the_host_may_have_many_descriptors_open() -> None:
    """The control socket then has a high number, which a run would not close."""
    held = [os.dup(0) for _ in range(150)]
    try:
        with ToolPool(workers=1) as pool:
            assert pool.run(Run(ECHO, "f", ["x"])).value == "x"
    finally:
        for descriptor in held:
            os.close(descriptor)


def test_a_closed_pool_refuses() -> None:
    pool = ToolPool(workers=1)
    pool.close()
    pool.close()
    with pytest.raises(PoolClosed):
        pool.run(Run(ECHO, "f", [1]))
    with pytest.raises(PoolClosed):
        pool.run_many([Run(ECHO, "f", [1])])


def test_close_cuts_a_run_off_and_leaves_nothing(descendants: Callable[[int], frozenset[int]]) -> None:
    tree, descriptors = descendants(os.getpid()), len(os.listdir("/proc/self/fd"))
    pool = ToolPool(workers=1)
    with ThreadPoolExecutor(1) as threads:
        sleep = Run("def f():\n    import time\n    time.sleep(60)", "f")
        sleeper = threads.submit(pool.run_many, [sleep] * 5)
        time.sleep(0.2)
        begin = time.monotonic()
        pool.close()
        with pytest.raises(PoolClosed):
            sleeper.result()
    assert time.monotonic() - begin < 3
    assert descendants(os.getpid()) == tree
    assert len(os.listdir("/proc/self/fd")) == descriptors


def test_the_report_lists_every_layer(pool: ToolPool) -> None:
    report = pool.report()
    assert [layer.name for layer in report.layers] == ["seccomp", "landlock", "namespaces", "nobody"]
    assert report.layers[0].present
    assert len(report.lines()) == 5
    assert all(layer.detail for layer in report.layers)


@pytest.mark.parametrize(
    "arguments", [{"workers": 0}, {"workers": 1.5}, {"require": "none"}, {"preload": "json"}], ids=str
)
def test_nonsense_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(arguments))):
        ToolPool(**arguments)  # type: ignore[arg-type]
