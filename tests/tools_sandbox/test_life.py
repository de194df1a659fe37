"""The zygotes live exactly as long as their client, however it ends; and the client may be of any kind."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import textwrap
import time
from collections.abc import Callable

import pytest

import tools_sandbox

Tree = Callable[[int], frozenset[int]]
Client = Callable[..., subprocess.Popen[str]]
NOBODY = 65534

CLIENT = """
import os, sys, threading, time
from tools_sandbox import *
ECHO = Run("def f(x):\\n    return x", "f", ["x"])
SPIN = Run("def f():\\n    while True: pass", "f")
SLEEP = Run("def f():\\n    import time\\n    time.sleep(60)", "f")
"""


@pytest.fixture
def client(start_python: Callable[..., subprocess.Popen[str]]) -> Callable[..., subprocess.Popen[str]]:
    """Starts a process that uses the package on its own."""

    def start(code: str, as_nobody: bool = False) -> subprocess.Popen[str]:
        return start_python(["-c", CLIENT + textwrap.dedent(code)], as_nobody=as_nobody, text=True)

    return start


def finish(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    return out


def wait_until_gone(pids: frozenset[int], patience_s: float) -> frozenset[int]:
    end = time.monotonic() + patience_s
    while pids and time.monotonic() < end:
        pids = frozenset(pid for pid in pids if alive(pid))
        time.sleep(0.01)
    return pids


def alive(pid: int) -> bool:
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


@pytest.mark.parametrize("what", ["SPIN", "SLEEP"])
@pytest.mark.parametrize("namespaces", [True, False], ids=["namespaces", "bare"])
def test_killing_the_client_ends_everything_within_a_second(
    client: Client, what: str, namespaces: bool, descendants: Tree
) -> None:
    bare = """
    from tools_sandbox import launch
    launch.BOOTSTRAP = launch.BOOTSTRAP.replace(
        "from tools_sandbox.zygote",
        "import tools_sandbox.namespaces as n; n.obstacle = lambda: 'not today'; from tools_sandbox.zygote")
    """
    code = f"""
    pool = ToolPool(workers=2)
    thread = threading.Thread(target=pool.run_many, args=([{what}] * 2,))
    thread.start(); time.sleep(0.2); print("running", flush=True); thread.join()
    """
    process = client(("" if namespaces else textwrap.dedent(bare)) + textwrap.dedent(code))
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == "running\n"
    tree = descendants(process.pid)
    assert len(tree) >= 4  # two zygotes and two runs, at least
    process.kill()
    process.wait()
    left = wait_until_gone(tree, 1.0)
    process.stdout.close()
    process.stderr.close()
    assert left == frozenset()


def test_a_fork_of_the_client_does_not_keep_the_zygotes_alive(client: Client, descendants: Tree) -> None:
    """The fork holds the control sockets open, so only the watch on the process can tell."""
    process = client("""
    pool = ToolPool(workers=1)
    child = os.fork()
    if child == 0:
        time.sleep(20); os._exit(0)
    print(child, flush=True); time.sleep(20)
    """)
    assert process.stdout is not None
    child = int(process.stdout.readline())
    tree = descendants(process.pid) - {child}
    assert tree
    process.kill()
    try:
        assert wait_until_gone(tree, 1.0) == frozenset()
    finally:
        os.kill(child, signal.SIGKILL)
        process.communicate(timeout=10)


def test_the_exit_of_the_interpreter_closes_the_pool(client: Client, descendants: Tree) -> None:
    process = client("""
    pool = ToolPool(workers=2)
    print(pool.run(ECHO).value, flush=True)
    input_closed = sys.stdout.write("done\\n")
    """)
    assert finish(process) == "x\ndone\n"
    assert descendants(process.pid) == frozenset()


def test_a_forgotten_pool_closes_itself(descendants: Tree) -> None:
    pool = tools_sandbox.ToolPool(workers=1)
    mine = frozenset(seat.handle.started.process.pid for seat in pool._seats if seat.handle is not None)
    del pool
    assert wait_until_gone(mine, 2.0) == frozenset()


def test_a_fork_of_the_client_cannot_use_the_pool_nor_end_it(client: Client) -> None:
    out = finish(
        client("""
    pool = ToolPool(workers=1)
    if os.fork() == 0:
        try:
            pool.run(ECHO)
        except PoolClosed as error:
            print("refused", flush=True)
        pool.close()
        sys.exit(0)
    os.wait()
    print(pool.run(ECHO).value)
    """)
    )
    assert out == "refused\nx\n"


def test_a_client_full_of_threads_and_locks_can_start_a_pool(client: Client) -> None:
    """The zygote is exec'd: no lock that another thread holds comes along."""
    out = finish(
        client("""
    import logging
    lock = threading.Lock(); lock.acquire()
    stop = threading.Event()
    def busy():
        while not stop.is_set():
            logging.getLogger().debug("x"); open(os.devnull).close()
    threads = [threading.Thread(target=busy) for _ in range(8)]
    for thread in threads: thread.start()
    for _ in range(3):
        with ToolPool(workers=2) as pool:
            print([result.value for result in pool.run_many([ECHO] * 4)])
    stop.set()
    """)
    )
    assert out == "['x', 'x', 'x', 'x']\n" * 3


def test_the_pool_outlives_the_thread_that_made_it(client: Client) -> None:
    out = finish(
        client("""
    made = []
    thread = threading.Thread(target=lambda: made.append(ToolPool(workers=1)))
    thread.start(); thread.join(); time.sleep(0.5)
    print(made[0].run(ECHO).value)
    """)
    )
    assert out == "x\n"


def test_a_client_may_ignore_and_block_signals(client: Client) -> None:
    out = finish(
        client("""
    import signal
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    with ToolPool(workers=1, limits=Limits(cpu_s=1, wall_s=30)) as pool:
        print(pool.run(ECHO).value, pool.run(SPIN).status)
    """)
    )
    assert out == "x cpu\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
@pytest.mark.parametrize("namespaces", [True, False], ids=["namespaces", "bare"])
def test_an_ordinary_user_has_a_sandbox_too(client: Client, namespaces: bool) -> None:
    code = """
    pool = ToolPool(workers=1, limits=Limits(cpu_s=1, wall_s=30), preload=(*DEFAULT_PRELOAD, "socket", "os"))
    def attack(code):
        body = f"import os, socket\\ndef f():\\n    try:\\n        return repr({code})\\n    except OSError:\\n        return 'blocked'"
        return pool.run(Run(body, "f")).value
    print(os.getuid(), [layer.name for layer in pool.report().missing])
    print(attack("open('/etc/passwd')"), attack("os.fork()"), attack("socket.socket()"), attack("os.kill(1, 0)"))
    print(pool.run(SPIN).status, pool.run(Run("import os\\ndef f(): os.abort()", "f")).status, pool.run(ECHO).value)
    pool.close()
    """  # noqa: E501
    bare = """
    from tools_sandbox import launch
    launch.BOOTSTRAP = launch.BOOTSTRAP.replace(
        "from tools_sandbox.zygote",
        "import tools_sandbox.namespaces as n; n.obstacle = lambda: 'not today'; from tools_sandbox.zygote")
    """
    text = ("" if namespaces else textwrap.dedent(bare)) + textwrap.dedent(code)
    process = client(text, as_nobody=True)
    lines = finish(process).splitlines()
    assert lines[0].startswith(f"{NOBODY} [")
    assert ("namespaces" in lines[0]) >= (not namespaces)
    assert lines[1:] == ["blocked blocked blocked blocked", "cpu crash x"]
