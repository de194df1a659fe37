"""Shared fixtures of the sandbox tests."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

import tools_sandbox
from tools_sandbox import DEFAULT_PRELOAD, Limits, ToolPool, launch
from tools_sandbox.namespaces import NOBODY

sys.path.append(str(pathlib.Path(__file__).parent))

import hostile_suite
from hostile_suite import ATTACK_MODULES, patched, process_tree

ROOT = pathlib.Path(tools_sandbox.__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def descendants() -> Callable[[int], frozenset[int]]:
    return process_tree


@pytest.fixture(scope="session")
def pool() -> Iterator[ToolPool]:
    """A pool that hostile tools may import everything in. A busy machine can take its time to spend a second."""
    with ToolPool(workers=1, limits=Limits(cpu_s=1, wall_s=30), preload=DEFAULT_PRELOAD + ATTACK_MODULES) as pool:
        yield pool


@pytest.fixture
def patched_zygotes(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Runs the given statements in every zygote before it starts to serve: no switch is in the product."""

    def patch(statements: str) -> None:
        monkeypatch.setattr(launch, "BOOTSTRAP", patched(launch.BOOTSTRAP, statements))

    return patch


@pytest.fixture(scope="session")
def start_python() -> Callable[..., subprocess.Popen[Any]]:
    """Starts a Python that can import the package, as this user or as nobody."""

    def start(arguments: list[str], *, as_nobody: bool = False, **options: Any) -> subprocess.Popen[Any]:
        python = sys.executable
        if as_nobody:
            python = _python_for_nobody()
            options |= {"user": NOBODY, "group": NOBODY, "extra_groups": [], "cwd": "/"}
        places = [str(ROOT), *(entry for entry in sys.path if "site-packages" in entry)]
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen([python, "-B", *arguments], env={"PYTHONPATH": os.pathsep.join(places)}, **options)

    return start


@pytest.fixture(scope="session")
def attack_a_pool(
    start_python: Callable[..., subprocess.Popen[Any]], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., dict[str, Any]]:
    """Runs `hostile_suite.py`: who it was (`uid`, `layers`), and what is `wrong` with each tool."""

    def attack(drop: Sequence[str] = (), only: Sequence[str] | None = None, as_nobody: bool = False) -> dict[str, Any]:
        program = [str(pathlib.Path(hostile_suite.__file__).resolve()), json.dumps({"drop": drop, "only": only})]
        with (tmp_path_factory.mktemp("hostile") / "out").open("w+b") as out:
            process = start_python(program, as_nobody=as_nobody, stdout=out)
            try:
                _, errors = process.communicate(timeout=240)
            finally:
                process.kill()
            assert process.returncode == 0, errors.decode()
            out.seek(0)
            head, *rows = map(json.loads, out)
        return {**head, "wrong": {row["name"]: row["wrong"] for row in rows}}

    return attack


def _python_for_nobody() -> str:
    """An interpreter that the user nobody can start."""
    for python in (sys.executable, shutil.which("python3", path="/usr/bin:/usr/local/bin") or ""):
        check = "import sys; sys.exit(sys.version_info < (3, 11))"
        try:
            probe = subprocess.run([python, "-c", check], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", env={})
        except OSError:
            continue
        if probe.returncode == 0:
            return python
    pytest.skip("no Python 3.11 that the user nobody may start")
