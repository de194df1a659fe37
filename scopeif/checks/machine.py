"""The machine: memory, disk, shared memory, open files, ports, GPUs."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from scopeif.checks.finding import Finding, fault, of_error, ok, warning
from scopeif.checks.subject import Subject
from scopeif.errors import ResourceError
from scopeif.training.planning.memory import GIB
from scopeif.training.planning.plan import make_plan
from scopeif.training.preflight import available_memory_bytes, require_disk, require_memory, require_shared_memory
from scopeif.training.run_dir import unfinished_bytes

OPEN_FILES = 4096
"""Ray and vLLM hold a few thousand sockets and files."""
_PORTS = 64


def check_memory(subject: Subject) -> Iterator[Finding]:
    """Against what the recipe asks for."""
    needed = subject.settings.run.min_memory_gb
    try:
        require_memory(needed)
    except ResourceError as error:
        yield of_error("memory", error)
        return
    yield ok("memory", f"{available_memory_bytes() / GIB:.1f} GiB are free, {needed:g} are needed")


def check_disk(subject: Subject) -> Iterator[Finding]:
    """Against what the recipe asks for, and what the plan says."""
    run = subject.settings.run
    held = unfinished_bytes(Path(run.root) / run.name)
    try:
        require_disk(Path(run.root), run.min_disk_gb, held)
    except ResourceError as error:
        yield of_error("disk", error)
        return
    folder = next(path for path in (Path(run.root).absolute(), *Path(run.root).absolute().parents) if path.exists())
    free, planned = shutil.disk_usage(folder).free, make_plan(subject.config, subject.settings).disk.total
    text = f"{free / GIB:.1f} GiB are free at {folder}, checkpoints and rollouts take about {planned / GIB:.1f}"
    if held:
        text += f", of which an unfinished run has written {held / GIB:.1f}"
    if free + held < planned:
        yield warning("disk", text, "set run.root to another disk, or keep fewer checkpoints (selection.keep_last)")
    else:
        yield ok("disk", text)


def check_shared_memory(subject: Subject) -> Iterator[Finding]:
    """Ray's objects, and the weights on their way to vLLM."""
    try:
        require_shared_memory()
    except ResourceError as error:
        yield of_error("shared memory", error)
        return
    yield ok("shared memory", f"{shutil.disk_usage('/dev/shm').free / GIB:.1f} GiB are free in /dev/shm")


def check_open_files(subject: Subject) -> Iterator[Finding]:
    """The limit of this shell, which the run inherits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < OPEN_FILES:
        yield warning("open files", f"{soft} may be open at a time", f"ulimit -n {min(hard, 65536)}")
    else:
        yield ok("open files", f"{soft} may be open at a time")


def check_ports(subject: Subject) -> Iterator[Finding]:
    """Ray, vLLM and the trainer listen on free ports of this node's address."""
    name = socket.gethostname()
    try:
        address = socket.gethostbyname(name)
        with ExitStack() as stack:
            for _ in range(_PORTS):
                stack.enter_context(socket.socket()).bind((address, 0))
    except OSError as error:
        fix = f"let {name} resolve to an address of this node (/etc/hosts), and leave it free ports"
        yield fault("ports", f"cannot listen on {name}: {error}", fix)
        return
    yield ok("ports", f"{_PORTS} are free on {address}")


def check_gpus(subject: Subject) -> Iterator[Finding]:
    """Number and memory of this node's GPUs; on a cluster, the nodes' own are Ray's to tell."""
    if subject.config.trainer.device == "cpu":
        yield ok("GPUs", "none is needed")
        return
    if not subject.own_cluster:
        return
    cards = visible(gpu_memory_mib())
    needed = subject.config.trainer.n_gpus_per_node
    if len(cards) < needed:
        fix = "run it on a GPU node, or change trainer.n_gpus_per_node"
        yield fault("GPUs", f"{len(cards)} are here, {needed} are needed", fix)
        return
    peak = make_plan(subject.config, subject.settings, min(cards) << 20).memory.peak
    text = f"{len(cards)} of {min(cards) / 1024:.0f} GiB; the estimate is {peak / GIB:.0f} GiB"
    if min(cards) * 2**20 < peak:
        yield warning("GPUs", text, "lower ppo_max_token_len_per_gpu or gpu_memory_utilization, or use more GPUs")
    else:
        yield ok("GPUs", text)


def gpu_memory_mib() -> list[int]:
    """Memory of each GPU that the driver shows; empty without one."""
    command = ["nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    return [int(line) for line in listed.split() if line.isdigit()]


def visible(cards: list[int]) -> list[int]:
    """Those of all cards that CUDA_VISIBLE_DEVICES leaves to this shell; the driver shows the others too."""
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES")
    if chosen is None:
        return cards
    names = [name.strip() for name in chosen.split(",") if name.strip()]
    if not all(name.isdigit() for name in names):  # by their UUIDs: how many is known, not which
        return cards[: len(names)]
    return [cards[int(name)] for name in names if int(name) < len(cards)]
