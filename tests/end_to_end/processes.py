"""The process table and the traces of a run, for tests that nothing is left behind."""

import os
import re
import time

GONE_S = 10


def processes_of(run):
    """Ids of the launcher's descendants, from the process table."""
    parents = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                parents[int(entry)] = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            continue
    family, grown = set(), {run.process.pid}
    while grown:
        family |= grown
        grown = {pid for pid, parent in parents.items() if parent in grown} - family
    return family - {run.process.pid}


def alive(pids):
    living = set()
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as file:
                if file.read().rpartition(")")[2].split()[0] not in ("Z", "X"):
                    living.add(pid)
        except OSError:
            continue
    return living


def assert_gone(pids, within_s=GONE_S):
    deadline = time.monotonic() + within_s
    while alive(pids):
        assert time.monotonic() < deadline, f"still alive after {within_s} s: {alive(pids)}"
        time.sleep(0.1)


KINDS = re.compile(
    r"sif-(?!test)|rl-colocate|ckpt_.*\.lock$|vllm|ray|[0-9a-f]{8}-[0-9a-f]{4}-|psm_|sem\.|verl_weights_(?!test)"
)
"""How verl, vLLM, Ray and Python name what they put into /tmp and /dev/shm."""


def traces():
    """Everything of these kinds that lies on this machine now."""
    return {f"{folder}/{n}" for folder in ("/dev/shm", "/tmp") for n in os.listdir(folder) if KINDS.match(n)}
