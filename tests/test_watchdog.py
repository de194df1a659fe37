"""Every process of a run ends with its launcher, however that ends, and nothing of it stays."""

import os
import subprocess
import sys
import time
from multiprocessing import shared_memory
from pathlib import Path

import pytest

from scopeif.watchdog import Family, Process

TREE = """
import subprocess, sys, time
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
print("ready", flush=True)
time.sleep(60)
"""

LAUNCHER = """
import pathlib, subprocess, sys, time
from scopeif.watchdog import Watchdog
watchdog = Watchdog(pathlib.Path(sys.argv[1]))
child = subprocess.Popen([sys.executable, "-c", sys.argv[2]], stdout=subprocess.PIPE)
child.stdout.readline()
time.sleep(1.5)  # the watchdog has looked at the process table
print(watchdog.pid, child.pid, flush=True)
if sys.stdin.readline():  # asked to finish
    watchdog.finish()
time.sleep(60)
"""


def spawn(source, *arguments):
    command = [sys.executable, "-c", source, *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def drop(process):
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def wait_until(condition, seconds=10):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def tree():
    """A child with a grandchild in another session."""
    child = spawn(TREE)
    child.stdout.readline()
    yield child
    drop(child)


def test_grandchildren_are_found_and_ended_even_as_orphans(tree):
    family = Family(tree.pid)
    wait_until(lambda: len(family.refresh()) == 1)
    tree.kill()
    tree.wait()
    assert len(family.refresh()) == 1  # the orphan, whose parent is gone
    family.end(grace_s=2)
    assert family.refresh() == set()


def test_a_reused_process_id_is_not_a_member():
    family = Family(os.getpid(), members={Process(1, started=-5)})
    assert Process(1, started=-5) not in family.refresh()
    assert 1 not in {member.pid for member in family.members}


MEMORY = """
import sys, time
from multiprocessing import resource_tracker, shared_memory
memory = shared_memory.SharedMemory(create=sys.argv[1] == "create", size=4096, name=sys.argv[2])
resource_tracker.unregister(memory._name, "shared_memory")
print(memory.name, flush=True)
time.sleep(60)
"""


def test_shared_memory_of_members_is_listed_and_what_was_there_before_is_not():
    names = [f"verl_weights_test_{os.getpid()}_{i}" for i in range(2)]  # a name that no other test takes for a trace
    foreign = shared_memory.SharedMemory(create=True, size=4096, name=names[0])
    family = Family(os.getpid())
    children = [spawn(MEMORY, "create", names[1]), spawn(MEMORY, "attach", foreign.name)]
    own, mapped = (child.stdout.readline().strip() for child in children)
    listed = family.shared_memory().values()
    for child in children:
        drop(child)
    shared_memory.SharedMemory(name=own).unlink()
    foreign.unlink()
    foreign.close()
    assert f"/dev/shm/{own}" in listed
    assert f"/dev/shm/{mapped}" not in listed


LATE = """
import signal, sys, time
from multiprocessing import resource_tracker, shared_memory
kept = []
def make(number, frame):
    kept.append(shared_memory.SharedMemory(create=True, size=4096, name=sys.argv[1]))
    resource_tracker.unregister(kept[0]._name, "shared_memory")
    time.sleep(60)
signal.signal(signal.SIGTERM, make)
print("ready", flush=True)
time.sleep(60)
"""


def test_shared_memory_that_is_made_while_a_member_is_ended_is_listed():
    name = f"verl_weights_test_{os.getpid()}_late"
    child = spawn(LATE, name)
    assert child.stdout.readline().strip() == "ready"
    members = {one for one in Family(os.getpid()).refresh() if one.pid == child.pid}  # the test's own helpers stay
    listed = Family(-1, members).end(grace_s=1).values()
    drop(child)
    shared_memory.SharedMemory(name=name).unlink()
    assert f"/dev/shm/{name}" in listed


def test_a_killed_launcher_takes_its_family_and_folder_along(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    launcher = spawn(LAUNCHER, str(folder), TREE)
    watchdog, child = (int(pid) for pid in launcher.stdout.readline().split())
    drop(launcher)
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in (watchdog, child)))
    assert not folder.exists()


def test_the_watchdog_survives_a_kill_by_name(tmp_path):
    launcher = spawn(LAUNCHER, str(tmp_path), TREE)
    watchdog, _ = (int(pid) for pid in launcher.stdout.readline().split())
    command = Path(f"/proc/{watchdog}/cmdline").read_text()
    assert "scopeif" not in command.replace(sys.executable, "")
    assert os.getpgid(watchdog) != os.getpgid(launcher.pid)
    drop(launcher)
    wait_until(lambda: not Path(f"/proc/{watchdog}").exists())


def test_a_launcher_that_is_done_has_everything_ended_and_lives_on(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    launcher = spawn(LAUNCHER, str(folder), TREE)
    _, child = (int(pid) for pid in launcher.stdout.readline().split())
    launcher.stdin.write("finish\n")
    launcher.stdin.flush()
    wait_until(lambda: not Path(f"/proc/{child}/cwd").exists() and not folder.exists())
    assert launcher.poll() is None
    drop(launcher)
