"""Attacks a pool with every hostile tool, and looks after each whether anything has changed.

A program, so that the tests can run it as another user and with layers taken away:

    python hostile_suite.py '{"drop": ["landlock", "namespaces"], "only": null}'

Prints a line of JSON for each tool: its name and what is wrong, an empty string when it was held.
"""

from __future__ import annotations

import json
import logging
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Collection
from typing import NamedTuple

from tools_sandbox import DEFAULT_PRELOAD, Limits, Result, Run, ToolPool, launch
from tools_sandbox import pool as pool_module

# Preloaded on purpose: an import that fails would make an attack fail for the wrong reason.
ATTACK_MODULES = (
    "atexit", "ctypes", "fcntl", "gc", "importlib.util", "mmap", "multiprocessing", "multiprocessing.popen_fork", "os",
    "resource", "select", "signal", "socket", "subprocess", "sys", "tempfile", "threading", "urllib.request",
)  # fmt: skip

# What takes a layer away from every zygote that starts afterwards. There is no such switch in the product.
WITHOUT = {
    "seccomp": "import tools_sandbox.seccomp as s, tools_sandbox.confine as c\n"
    "s.Filter.install = lambda self: None\nc.holes = lambda: []",
    "landlock": "import tools_sandbox.landlock as m\n"
    "def restrict(): raise OSError(38, 'not implemented')\nm.restrict = restrict",
    "namespaces": "import tools_sandbox.namespaces as m\nm.obstacle = lambda: 'Operation not permitted'",
}

HERE = pathlib.Path(__file__).parent
WATCHED = [pathlib.Path("/tmp"), pathlib.Path("/dev/shm"), pathlib.Path("/"), pathlib.Path()]
MARKER = "earlier-run-marker "
BENIGN = Run("def f(text):\n    return [len(text.split()), count_word(text), len('abc')]", "f", [MARKER * 200])
BENIGN_ANSWER = [200, 200, 3]
MAX_TRIES = 3
BUSY = "the machine was too busy to tell"


class Case(NamedTuple):
    name: str
    allowed: tuple[str, ...]  # statuses, or returned values as Python literals
    source: str

    def admits(self, result: Result) -> bool:
        literals = [text for text in self.allowed if text not in ("ok", "error")]
        return result.status in self.allowed or (result.ok and repr(result.value) in literals)

    @property
    def takes_long(self) -> bool:
        return "wall" in self.allowed


def read_cases(name: str, prelude: str = "") -> list[Case]:
    """The cases of a file. A block named PRELUDE comes before the sources of all that follow."""
    cases = []
    for block in re.split(r"^### ", (HERE / name).read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, source = block.partition("\n")
        if head == "PRELUDE":
            prelude = source
            continue
        title, _, allowed = head.rpartition(" -> ")
        cases.append(Case(title, tuple(re.findall(r"\[?'[^']*'\]?|\S+", allowed)), prelude + source))
    return cases


HANDED = read_cases("hostile_tools.txt")
PRELUDE = HANDED[0].source.partition("def f(")[0]
FURTHER = read_cases("hostile_further.txt", PRELUDE)
CASES = HANDED + FURTHER


def patched(bootstrap: str, statements: str) -> str:
    """The bootstrap of a zygote that executes some statements before it starts to serve."""
    head, found, tail = bootstrap.partition("from tools_sandbox.zygote import main")
    return f"{head}exec({statements!r}); {found}{tail}"


def process_tree(root: int) -> frozenset[int]:
    """The process ids of all descendants of `root`; needs a kernel with CONFIG_PROC_CHILDREN."""
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for children in pathlib.Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            try:
                pids = set(map(int, children.read_text().split())) - found
            except OSError:  # the thread has ended
                continue
            found |= pids
            waiting += pids
    return frozenset(found)


class Warnings(logging.Handler):
    """What the pool says of its troubles since the list was last emptied."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def attack(case: Case, pool: ToolPool, secret: pathlib.Path, warnings: Warnings) -> str:
    """What is wrong after one hostile tool; empty when it was held, `BUSY` when nothing can be said."""
    for _ in range(MAX_TRIES):
        warnings.lines.clear()
        tree = process_tree(os.getpid())
        result = pool.run(Run(case.source, "f", [str(secret), os.getpid()]))
        if not any("no CPU time" in line for line in warnings.lines):
            break
        pool.run(BENIGN)  # so that there is a zygote again
    else:
        return BUSY
    wrong = list(warnings.lines)
    if not case.admits(result):
        wrong.append(f"not allowed: {result}")
    if not result.ok and not (0 < len(result.error) <= 400 and result.error.isprintable()):
        wrong.append(f"the error is not one readable line: {result.error!r}")
    benign = pool.run(BENIGN)
    if benign.value != BENIGN_ANSWER:
        wrong.append(f"afterwards a benign run answers {benign}")
    if not tree or process_tree(os.getpid()) != tree:
        wrong.append("a process was left, or the zygote was replaced")
    if secret.read_text() != "secret" or secret.stat().st_mode & 0o777 != 0o644:
        wrong.append("the secret was changed")
    left = [path for folder in (*WATCHED, secret.parent) for path in entries(folder) if "left-behind" in path.name]
    if left or entries(secret.parent) != [secret]:
        wrong.append(f"files were left: {left or entries(secret.parent)}")
    return "; ".join(wrong)


def entries(folder: pathlib.Path) -> list[pathlib.Path]:
    return list(folder.iterdir())


def run_suite(drop: Collection[str], only: Collection[str] | None) -> None:
    for layer in drop:
        launch.BOOTSTRAP = patched(launch.BOOTSTRAP, WITHOUT[layer])
    if "seccomp" in drop:
        pool_module._CANARY_ANSWER = [4, False, ["a", "b"]]
    os.environ["HOSTILE_SECRET"] = "secret"
    warnings = Warnings()
    logging.getLogger("tools_sandbox").addHandler(warnings)
    preload = DEFAULT_PRELOAD + ATTACK_MODULES
    with (
        tempfile.TemporaryDirectory(prefix="hostile-") as folder,
        ToolPool(1, Limits(cpu_s=1, wall_s=30, memory_mb=64), preload, quarantine_after=0) as pool,
        ToolPool(1, Limits(wall_s=0.2, memory_mb=64), preload, quarantine_after=0) as hasty,
    ):
        secret = pathlib.Path(folder, "secret")
        secret.write_text("secret")
        secret.chmod(0o644)
        for each in (pool, hasty):
            each.run(BENIGN)
        print(json.dumps({"uid": os.getuid(), "layers": [x.name for x in pool.report().layers if x.present]}))
        for case in CASES:
            if only is None or case.name in only:
                wrong = attack(case, hasty if case.takes_long else pool, secret, warnings)
                print(json.dumps({"name": case.name, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    options = json.loads(sys.argv[1])
    run_suite(options["drop"], options["only"])
