"""The sandbox against its alternatives, interleaved in one run, with the bars that it is held to.

python benchmarks/sandbox.py [--rounds 12] [--soak 4000] [--no-hostile] [--write docs/results/sandbox.md]

Exit code 1 when a bar is missed. Ratios are medians over the rounds, of contenders that ran within the same second.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import logging
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from unittest import mock

from tools_sandbox import DEFAULT_PRELOAD, Run, ToolPool, launch
from tools_sandbox import pool as pool_module
from tools_sandbox.preload import SILENT_PRELOAD

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORKERS = 2
TOOL = """
def check(text):
    import re
    words = re.findall(r"\\w+", text)
    return [len(words), max(map(len, words)), text.count("fox")]
"""
TEXT = "the quick brown fox jumps over the lazy dog. " * 20
RUN = Run(TOOL, "check", [TEXT])
ANSWER = [180, 5, 20]
PLAIN = f"import json, sys\n{TOOL}\nprint(json.dumps(check(json.loads(sys.stdin.read()))))"

# No layer, no limit: the same processes and messages without what holds them.
BARE = """
import os, tools_sandbox.seccomp as s, tools_sandbox.confine as c, tools_sandbox.landlock as l
import tools_sandbox.namespaces as n
s.Filter.install = lambda self: None
c.holes = lambda: []
c.limits_of_a_run = lambda limits: []
c.become_nobody = lambda: c.Layer("nobody", False, "off")
def off(): raise OSError("off")
l.restrict = off
n.obstacle = lambda: "off"
"""

# One process a worker that forks, exits and waits, with the same modules in memory and the collector out of the way.
FORKER = """
import gc, importlib, json, os, sys, time
sys.path += json.loads(sys.argv[1])
os.register_at_fork = lambda **_: None
for name in json.loads(sys.argv[2]):
    importlib.import_module(name)
gc.collect(); gc.freeze(); gc.disable()
for line in sys.stdin:
    walls, used = [], 0.0
    before = time.process_time()
    for _ in range(int(line)):
        begin = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        _, _, usage = os.wait4(pid, 0)
        walls.append(time.perf_counter() - begin)
        used += usage.ru_utime + usage.ru_stime
    print(json.dumps([walls, used + time.process_time() - before]), flush=True)
"""


@dataclasses.dataclass(frozen=True)
class Sample:
    """One contender in one round, all times a run."""

    p50_ms: float
    cpu_ms: float
    runs_per_s: float


@dataclasses.dataclass(frozen=True)
class Bar:
    """One promise: the measured number, and what it must not pass."""

    name: str
    measured: float
    limit: float
    at_least: bool = False
    unit: str = ""

    @property
    def kept(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def row(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "kept" if self.kept else "MISSED"
        return f"| {self.name} | {sign} {self.limit:g}{self.unit} | {self.measured:.3g}{self.unit} | {verdict} |"


Measure = Callable[[int], Sample]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--soak", type=int, default=4000, help="runs of the soak")
    parser.add_argument("--no-hostile", action="store_true", help="leave the hostile suite out")
    parser.add_argument("--write", type=pathlib.Path, help="also write the result to this file")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    logging.disable(logging.WARNING)  # the pool without layers would warn of each
    with ExitStack() as stack:
        # Without the filter, the canary answers otherwise.
        stack.enter_context(mock.patch.object(pool_module, "_CANARY_ANSWER", mock.ANY))
        contenders: dict[str, Measure] = {
            "tools_sandbox": stack.enter_context(_pooled("")),
            "tools_sandbox, isolation off": stack.enter_context(_pooled(BARE)),
            "bare fork + _exit, same modules": stack.enter_context(_forkers()),
            "subprocess python -I": _subprocesses,
        }
        rounds = [_one_round(contenders) for _ in range(options.rounds + 1)][1:]  # the first one warms up
    bars = [*_bars(rounds), *_soak(options.soak)]
    if not options.no_hostile:
        bars.append(_hostile())
    text = "\n".join(_report(rounds, bars, options.rounds, load))
    print(text)
    if options.write:
        options.write.write_text(text + "\n", encoding="utf-8")
    return 0 if all(bar.kept for bar in bars) else 1


def _one_round(contenders: dict[str, Measure]) -> dict[str, Sample]:
    return {name: measure(20 if measure is _subprocesses else 100) for name, measure in contenders.items()}


@contextmanager
def _pooled(patch: str) -> Iterator[Measure]:
    """The pool, with statements that its zygotes execute first."""
    original = launch.BOOTSTRAP
    head, _, tail = original.partition("from tools_sandbox.zygote")
    launch.BOOTSTRAP = f"{head}exec({patch!r}); from tools_sandbox.zygote{tail}"
    try:
        pool = ToolPool(WORKERS)
    finally:
        launch.BOOTSTRAP = original
    tree = _descendants(os.getpid())

    def measure(count: int) -> Sample:
        used = _cpu_s(tree)
        walls = [_timed(lambda: _expect(pool.run(RUN).value)) for _ in range(count)]
        results = []
        elapsed = _timed(lambda: results.extend(pool.run_many([RUN] * count * 2)))
        used = _cpu_s(tree) - used
        for result in results:
            _expect(result.value)
        return Sample(statistics.median(walls) * 1e3, used / (3 * count) * 1e3, 2 * count / elapsed)

    with pool:
        yield measure


def _cpu_s(tree: frozenset[int]) -> float:
    """CPU seconds of this process, of the zygotes and of the runs that they waited for."""
    ticks = 0
    for pid in tree:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += sum(map(int, fields[11:15]))  # utime, stime, cutime, cstime
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def _descendants(root: int) -> frozenset[int]:
    parents = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return frozenset(found - {root})


def _subprocesses(count: int) -> Sample:
    used = _own_cpu_s()
    walls = [_timed(_one_subprocess) for _ in range(count)]
    with ThreadPoolExecutor(WORKERS) as threads:
        elapsed = _timed(lambda: list(threads.map(lambda _: _one_subprocess(), range(2 * count))))
    return Sample(statistics.median(walls) * 1e3, (_own_cpu_s() - used) / (3 * count) * 1e3, 2 * count / elapsed)


def _one_subprocess() -> None:
    command = [sys.executable, "-I", "-c", PLAIN]
    out = subprocess.run(command, input=json.dumps(TEXT), capture_output=True, text=True, check=True)
    _expect(json.loads(out.stdout))


def _own_cpu_s() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@contextmanager
def _forkers() -> Iterator[Measure]:
    modules = json.dumps([*SILENT_PRELOAD, *DEFAULT_PRELOAD, "tools_sandbox.text", "tools_sandbox.zygote"])
    command = [sys.executable, "-s", "-S", "-B", "-c", FORKER, json.dumps(launch._search_path()), modules]
    forkers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(WORKERS)
    ]

    def ask(forker: subprocess.Popen[str], count: int) -> tuple[list[float], float]:
        assert forker.stdin is not None
        assert forker.stdout is not None
        forker.stdin.write(f"{count}\n")
        forker.stdin.flush()
        walls, used = json.loads(forker.stdout.readline())
        return walls, used

    def measure(count: int) -> Sample:
        walls, used = ask(forkers[0], count)
        with ThreadPoolExecutor(WORKERS) as threads:
            begin = time.perf_counter()
            list(threads.map(lambda forker: ask(forker, count), forkers))
            elapsed = time.perf_counter() - begin
        return Sample(statistics.median(walls) * 1e3, used / count * 1e3, 2 * count / elapsed)

    try:
        yield measure
    finally:
        for forker in forkers:
            forker.communicate()


def _bars(rounds: Sequence[dict[str, Sample]]) -> list[Bar]:
    def ratio(above: str, below: str, what: str) -> float:
        return statistics.median(getattr(one[above], what) / getattr(one[below], what) for one in rounds)

    ours, off, fork, plain = rounds[0]
    return [
        Bar("CPU a run / subprocess", ratio(ours, plain, "cpu_ms"), 1 / 6),
        Bar(f"runs/s with {WORKERS} workers / subprocess", ratio(ours, plain, "runs_per_s"), 5, at_least=True),
        Bar("p50 / bare fork + _exit", ratio(ours, fork, "p50_ms"), 4),
        Bar("CPU a run, isolation on / off", ratio(ours, off, "cpu_ms"), 1.25),
        Bar("p50, isolation on / off", ratio(ours, off, "p50_ms"), 1.25),
    ]


def _soak(count: int) -> list[Bar]:
    with ToolPool(WORKERS) as pool:
        pool.run_many([RUN] * 200)
        zygotes = _descendants(os.getpid())
        before = _holding(zygotes)
        for _ in range(0, count, 200):
            for result in pool.run_many([RUN] * 200):
                _expect(result.value)
        after = _holding(_descendants(os.getpid()))
    names = ("descriptors", "processes", "zombies")
    growth = [
        Bar(f"soak of {count}: {name} more", now - then, 0)
        for name, now, then in zip(names, after, before, strict=False)
    ]
    return [*growth, Bar(f"soak of {count}: memory more", (after[3] - before[3]) / 1024, 5, unit=" MB")]


def _holding(zygotes: frozenset[int]) -> tuple[int, int, int, int]:
    """Descriptors, processes, zombies, and kB of memory of this process and its zygotes."""
    states = [pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] for pid in zygotes]
    memory = 0
    for pid in (os.getpid(), *zygotes):
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        memory += sum(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return len(os.listdir("/proc/self/fd")), len(zygotes), states.count("Z"), memory


def _hostile() -> Bar:
    """The hostile tests; how many of them pass, in per cent."""
    tests = map(str, (ROOT / "tests" / "tools_sandbox").glob("test_hostile*.py"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-rf", *tests]
    out = subprocess.run(command, capture_output=True, text=True, cwd=ROOT).stdout
    counts = {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed|error)", out)}
    print(*re.findall("^FAILED.*", out, re.MULTILINE), sep="\n", file=sys.stderr)
    passed, failed = counts.get("passed", 0), counts.get("failed", 0) + counts.get("error", 0)
    return Bar(f"hostile tests held ({passed + failed})", 100 * passed / max(passed + failed, 1), 100, True, " %")


def _report(rounds: Sequence[dict[str, Sample]], bars: Sequence[Bar], count: int, load: float) -> Iterator[str]:
    today = datetime.datetime.now(datetime.UTC).date()
    yield "# The sandbox, measured\n"
    yield f"{today}, `python benchmarks/sandbox.py`: {count} rounds of every contender in turn, medians; a tool that"
    yield f"counts words with `re`; Python {platform.python_version()}, Linux {platform.release()},"
    yield f"{os.cpu_count()} cores, {platform.machine()}; load average {load:.1f} before it began: trust the ratios.\n"
    yield "| contender | p50 ms | CPU ms a run | runs/s, 2 workers |"
    yield "|---|---|---|---|"
    for name in rounds[0]:
        of = [one[name] for one in rounds]
        middle = [statistics.median(values) for values in zip(*map(dataclasses.astuple, of), strict=True)]
        yield f"| {name} | {middle[0]:.2f} | {middle[1]:.2f} | {middle[2]:.0f} |"
    yield "\n| bar | limit | measured | |"
    yield "|---|---|---|---|"
    for bar in bars:
        yield bar.row()


def _timed(act: Callable[[], object]) -> float:
    begin = time.perf_counter()
    act()
    return time.perf_counter() - begin


def _expect(value: object) -> None:
    if value != ANSWER:
        raise SystemExit(f"a wrong answer: {value!r}")


if __name__ == "__main__":
    sys.exit(main())
