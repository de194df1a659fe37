"""The pool where clusters put it: containers, job steps with limits, Ray actors; many of them on one node."""

from __future__ import annotations

import os
import pathlib
import resource
import signal
import subprocess
import textwrap
from collections.abc import Callable
from typing import Any

import pytest

from tools_sandbox import Run, ToolPool

Start = Callable[..., subprocess.Popen[str]]
Tree = Callable[[int], frozenset[int]]
ECHO = Run("def f(x):\n    return x\n", "f", ["x"])

# What Docker's default profile (moby, profiles/seccomp/default.json, read on 2026-11-30) refuses on x86_64 to a
# container without added capabilities, by call number; the newer ones of the kernel are refused as well.
DOCKER = """
import ctypes, os, sys
from tools_sandbox import Limits, Run, ToolPool, kernel, seccomp
from tools_sandbox.seccomp import Instruction as Do

REFUSED = [
    103, 134, 136, 139, 153, 155, 156, *range(163, 184), 184, 185, 212, 227, 236, 237, 238, 239, 246, 248, 249, 250,
    256, 272, 279, 298, 300, 304, 308, 312, 313, 320, 321, 323, *range(425, 434), 438, 440, 442, 443, *range(450, 463),
]
CLONE, CLONE3, NEW_NAMESPACES = 56, 435, 0x7E020000
EPERM, ENOSYS = 0x00050000 | 1, 0x00050000 | 38
allow = Do(0x06, seccomp.ALLOW)
code = [
    Do(0x20, 0),
    Do(0x35, 463, otherwise=1), Do(0x06, EPERM),
    Do(0x15, CLONE3, otherwise=1), Do(0x06, ENOSYS),
    Do(0x15, CLONE, otherwise=4), Do(0x20, 16), Do(0x45, NEW_NAMESPACES, otherwise=1), Do(0x06, EPERM), allow,
]
for number in REFUSED:
    code += [Do(0x15, number, otherwise=1), Do(0x06, EPERM)]
seccomp.program = lambda _: [*code, allow]

def docker_capabilities(kept):
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(64):
        if capability not in kept:
            libc.prctl(kernel.PR_CAPBSET_DROP, capability, 0, 0, 0)
    low = sum(1 << capability for capability in kept)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    assert libc.capset(header, (ctypes.c_uint32 * 6)(low, low, low, 0, 0, 0)) == 0

kept = {"default": (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31), "none": ()}[sys.argv[1]]
if os.geteuid() != 0:
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
seccomp.Filter(kernel.X86_64).install()
if os.geteuid() == 0:
    docker_capabilities(kept)
try:
    kernel.unshare(0x10000000)
    print("not refused")
except PermissionError:
    pass
with ToolPool(workers=2, limits=Limits(cpu_s=1, wall_s=30)) as pool:
    print(*[layer.name for layer in pool.report().layers if layer.present])
    blocked = "def f():\\n    try:\\n        open('/')\\n    except OSError:\\n        return 'blocked'"
    spin = "def f():\\n    while True: pass"
    print(*[result.value for result in pool.run_many([Run(blocked, "f")] * 5)], pool.run(Run(spin, "f")).status)
"""


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return out.splitlines()


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86_64")
@pytest.mark.parametrize("capabilities", ["default", "none"])
@pytest.mark.parametrize("as_nobody", [False, True], ids=["same user", "as nobody"])
def test_what_docker_refuses_is_not_needed(start_python: Start, capabilities: str, as_nobody: bool) -> None:
    if as_nobody and (os.geteuid() != 0 or capabilities == "none"):
        pytest.skip("the same, or not possible")
    layers, results = finish(start_python(["-c", DOCKER, capabilities], as_nobody=as_nobody, text=True))
    assert "seccomp" in layers.split()
    assert "namespaces" not in layers.split()
    assert ("nobody" in layers.split()) == (as_nobody or (os.geteuid() == 0 and capabilities == "default"))
    assert results == "blocked blocked blocked blocked blocked cpu"


STEP = """
import os, resource
from tools_sandbox import Limits, Run, ToolPool
INFINITE = resource.RLIM_INFINITY
for what, value in {
    resource.RLIMIT_AS: (8 << 30, 8 << 30), resource.RLIMIT_NOFILE: (64, 64), resource.RLIMIT_MEMLOCK: (0, 0),
    resource.RLIMIT_CORE: (0, 0), resource.RLIMIT_STACK: (INFINITE, INFINITE), resource.RLIMIT_CPU: (100, 100),
}.items():
    resource.setrlimit(what, value)
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.setpgid(0, 0)
os.close(0)
with ToolPool(workers=2, limits=Limits(memory_mb=512)) as pool:
    print([pool.run(Run("def f(n):\\n    return len(bytes(n))", "f", [n << 20])).status for n in (1, 400, 600)])
"""


@pytest.mark.skipif(resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY, reason="cannot be set")
def test_the_limits_of_a_job_step_are_lived_with(start_python: Start) -> None:
    """A batch system's hard limits, one core, no terminal, no standard input."""
    assert finish(start_python(["-c", STEP], text=True)) == ["['ok', 'ok', 'error']"]


def test_many_pools_on_a_node_share_nothing(start_python: Start, descendants: Tree) -> None:
    """The end of one, by close or by SIGKILL, is nothing to the others."""
    code = """
    from tools_sandbox import *
    pool = ToolPool(workers=2)
    print("up", flush=True); input()
    """
    other = start_python(["-c", textwrap.dedent(code)], text=True, stdin=subprocess.PIPE)
    assert other.stdout is not None
    before = descendants(os.getpid())
    with ToolPool(workers=1) as first:
        of_first = descendants(os.getpid()) - before
        with ToolPool(workers=1) as second:
            assert other.stdout.readline() == "up\n"
            other.send_signal(signal.SIGKILL)
            other.communicate()
            assert (first.run(ECHO).value, second.run(ECHO).value) == ("x", "x")
            of_second = descendants(os.getpid()) - of_first
            first.close()
            assert second.run(ECHO).value == "x"
            assert descendants(os.getpid()) == of_second


RAY = """
import os, sys, time, psutil, ray
from tools_sandbox import *
ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR", log_to_driver=False)

@ray.remote(max_concurrency=4)
class Scorer:
    def __init__(self):
        self.pool = ToolPool(workers=2)
    async def score(self, x):
        return (await self.pool.arun(Run("def f(x):\\n    return x", "f", [x]))).value
    def processes(self):
        return [child.pid for child in psutil.Process().children(recursive=True)]

scorer = Scorer.remote()
print(ray.get([scorer.score.remote(i) for i in range(50)]) == list(range(50)))
pids = ray.get(scorer.processes.remote())
ray.kill(scorer)
time.sleep(1.5)
print(len(pids) >= 2, [pid for pid in pids if psutil.pid_exists(pid)])
"""


@pytest.mark.long
def test_a_ray_actor_holds_a_pool_and_takes_it_along(start_python: Start, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("ray")
    process: Any = start_python(["-c", RAY], text=True, cwd=tmp_path)
    assert finish(process) == ["True", "True []"]
