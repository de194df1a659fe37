"""Every hostile tool of `hostile_tools.txt`, and after each: nothing has changed."""

from __future__ import annotations

import os
import pathlib
import re
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest

from tools_sandbox import DEFAULT_PRELOAD, Result, Run, ToolPool

Patch = Callable[[str], None]
Tree = Callable[[int], frozenset[int]]


class Case(NamedTuple):
    name: str
    allowed: tuple[str, ...]  # statuses, or returned values as Python literals
    source: str

    def admits(self, result: Result) -> bool:
        literals = [text for text in self.allowed if text not in ("ok", "error")]
        return result.status in self.allowed or (result.ok and repr(result.value) in literals)


WATCHED = [pathlib.Path("/tmp"), pathlib.Path("/dev/shm"), pathlib.Path("/"), pathlib.Path()]


def read_cases() -> list[Case]:
    text = pathlib.Path(__file__).with_name("hostile_tools.txt").read_text(encoding="utf-8")
    prelude, *blocks = re.split(r"^### ", text, flags=re.MULTILINE)[1:]
    prelude = prelude.partition("\n")[2]
    cases = []
    for block in blocks:
        head, _, source = block.partition("\n")
        name, _, allowed = head.rpartition(" -> ")
        cases.append(Case(name, tuple(re.findall(r"'[^']*'|\S+", allowed)), prelude + source))
    return cases


CASES = read_cases()
MARKER = Run("def f(text):\n    return len(text)", "f", ["earlier-run-marker " * 200])
BENIGN = Run("def f(text):\n    return [len(text.split()), count_word(text)]", "f", ["one two three"])


@pytest.fixture
def secret(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[pathlib.Path]:
    """A file that must stay as it is, in folders where nothing must appear."""
    monkeypatch.setenv("HOSTILE_SECRET", "secret")
    path = tmp_path / "secret"
    path.write_text("secret")
    path.chmod(0o644)
    yield path
    assert path.read_text() == "secret"
    assert path.stat().st_mode & 0o777 == 0o644
    assert places(tmp_path) == {"secret"}
    assert not [name for folder in WATCHED for name in places(folder) if "left-behind" in name]


def places(folder: pathlib.Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_hostile_tool_is_held(
    case: Case, pool: ToolPool, hasty_pool: ToolPool, secret: pathlib.Path, descendants: Tree
) -> None:
    pool = hasty_pool if case.allowed == ("wall",) else pool
    assert pool.run(MARKER).value == 3800
    tree = descendants(os.getpid())
    result = pool.run(Run(case.source, "f", [str(secret), os.getpid()]))
    assert case.admits(result), result
    assert result.ok or result.error
    assert pool.run(BENIGN).value == [3, 3]
    assert descendants(os.getpid()) == tree, "a process was left, or the zygote was replaced"


# The attacks that the filter stops alone (not the limits or the namespaces too), and that do no harm.
HELD_BY_SECCOMP_ALONE = (
    "setpriority",
    "setpgid/setsid",
    "prctl",
    "mmap PROT_EXEC shellcode",
    "mprotect exec",
    "dup2 over fd 3",
)


def test_without_the_filter_the_hostile_tools_get_through(
    patched_zygotes: Patch, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Negative control: the tests above would notice a filter that is not in force."""
    patched_zygotes(
        "import tools_sandbox.seccomp as s, tools_sandbox.confine as c;"
        "s.Filter.install = lambda self: None; c.holes = lambda: []"
    )
    monkeypatch.setattr("tools_sandbox.pool._CANARY_ANSWER", [4, False, ["a", "b"]])
    cases = [case for case in CASES if case.name in HELD_BY_SECCOMP_ALONE]
    assert len(cases) == len(HELD_BY_SECCOMP_ALONE)
    with ToolPool(workers=1, preload=(*DEFAULT_PRELOAD, "ctypes", "mmap", "os", "sys")) as pool:
        results = pool.run_many([Run(case.source, "f", ["", 0]) for case in cases])
    held = [case.name for case, result in zip(cases, results, strict=True) if case.admits(result)]
    assert held == []


def test_a_tool_that_spins_after_its_frame_does_not_hold_the_worker(pool: ToolPool) -> None:
    """A tool that has sent its frame is killed, not waited for."""
    case = next(case for case in CASES if case.name == "sends its frame, then spins")
    begin = time.monotonic()
    assert pool.run(Run(case.source, "f", ["", 0])).value == "first"
    assert time.monotonic() - begin < 0.9
