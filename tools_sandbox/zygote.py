"""The process that starts the runs. It is exec'd clean, confines itself, then forks a child for every run.

It inherits nothing of the client (no threads, locks, secrets, descriptors), and it never reads a tool's
source, arguments or result: those go over a socket of the run's own, so that every run starts from the same
memory and nothing of one run can be found by another. All that is known about a run's end comes from here.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import re
import resource
import socket
import sys
import time
from typing import Any, NoReturn

from tools_sandbox import confine, wire
from tools_sandbox.child import LOCK_FAILED, Confinement, run_tool
from tools_sandbox.kernel import architecture
from tools_sandbox.lifeline import Lifeline
from tools_sandbox.limits import Limits
from tools_sandbox.preload import SILENT_PRELOAD
from tools_sandbox.report import Layer
from tools_sandbox.seccomp import Filter

_GRACE_S = 2.0  # beyond the wall limit, which the pool keeps, before the zygote ends a run by itself
_NATURAL_END_S = 0.1


class StartFailed(Exception):
    """Something without which the zygote must not serve: (layer, reason)."""


def main() -> NoReturn:
    """`argv[1]`: the configuration as JSON. Serves until the control socket closes or the client dies."""
    config = json.loads(sys.argv[1])
    control = _on_a_low_number(config["control"])
    lifeline = Lifeline(config["client"])
    confine.reset_signals()
    try:
        helpers = _preload(config["preload"], config["text"])
        hold, layers = _confine(control, lifeline, Limits(**config["limits"]))
    except StartFailed as failure:
        layer, reason = failure.args
        control.send(json.dumps({"failed": layer, "reason": reason}).encode())
        os._exit(1)
    control.send(json.dumps({"layers": layers, "helpers": sorted(helpers)}).encode())
    # Collected once and set aside: the collector of a child then leaves the shared pages alone.
    gc.collect()
    gc.freeze()
    gc.disable()
    me = os.getpid()
    run_descriptor = _serve(control, lifeline, hold.limits.wall_s + _GRACE_S)
    try:
        run_tool(run_descriptor, me, hold, helpers)
    finally:
        os._exit(LOCK_FAILED)


def _on_a_low_number(descriptor: int) -> socket.socket:
    """The client may have thousands of descriptors; a run closes only those below `MAX_DESCRIPTORS`."""
    control = socket.socket(fileno=os.dup(descriptor))
    os.close(descriptor)
    return control


def _preload(modules: list[str], text_module: str) -> dict[str, Any]:
    """Import what tools may import, and give the functions that they are handed."""
    for name in (*SILENT_PRELOAD, *modules):
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise StartFailed("preload", str(error)) from None
    try:
        text = importlib.import_module(text_module)
    except ImportError as error:
        raise StartFailed("text", str(error)) from None
    _warm_up()
    # A run cannot read files. With nothing to search, an import that fails says so at once.
    sys.path.clear()
    sys.path_importer_cache.clear()
    return {name: getattr(text, name) for name in text.__all__}


def _warm_up() -> None:
    """First uses that load or build something, once for all runs."""
    re.compile(r"\b\w+\b").findall("warm up")
    time.strptime("2020", "%Y")
    json.loads(json.dumps([1, "x", None, 1.5]))
    exec(compile("def f(x):\n    return [x]\n", "<warm>", "exec"), {})
    "x".encode("idna")
    re.purge()


def _confine(
    control: socket.socket, lifeline: Lifeline, limits: Limits
) -> tuple[Confinement, list[tuple[str, bool, str]]]:
    threads = confine.thread_count()
    if threads != 1:
        raise StartFailed("zygote", f"it has {threads} threads; a fork would lose all but one")
    try:
        filter_ = Filter(architecture())
    except OSError as error:
        raise StartFailed("seccomp", str(error)) from None
    kernel_limits = confine.limits_of_a_run(limits)
    confine.go_first_when_memory_ends()
    _silence()
    nobody = confine.become_nobody()
    namespaces = confine.enter_namespaces(lifeline, before_watching=control.close)
    try:
        confine.give_up_privileges()
    except OSError as error:
        raise StartFailed("seccomp", str(error)) from None
    landlock = confine.restrict_by_landlock()
    seccomp = confine.check_seccomp(filter_)
    if not seccomp.present:
        raise StartFailed("seccomp", seccomp.detail)
    layers: list[Layer] = [seccomp, landlock, namespaces, nobody]
    rows = [(layer.name, layer.present, layer.detail) for layer in layers]
    return Confinement(filter_, limits, kernel_limits, confine.MAX_DESCRIPTORS), rows


def _silence() -> None:
    """From here on nobody reads what is printed. Before, the pool shows it when the start fails."""
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    os.close(nothing)


def _serve(control: socket.socket, lifeline: Lifeline, patience_s: float) -> int:
    """Fork for every command, for ever. Returns in the forks only: the descriptor of the run's socket.

    Nothing of a run stays in the zygote, nor does it leave its frame to the next run: no count, no serial.
    """
    while True:
        lifeline.wait_readable(control.fileno())
        message, descriptors, _, _ = socket.recv_fds(control, 64, 1)
        if not message:
            os._exit(0)
        serial = wire.command(message).serial
        try:
            pid = os.fork()
        except OSError:
            pid = -1
        if pid == 0:
            return descriptors[0]
        os.close(descriptors[0])
        if pid < 0:
            account = wire.Account(serial, 0, False, True, 0, 0, 0)
            _next_stop(control, lifeline, None)
        else:
            account = _see_to_the_end(control, lifeline, serial, pid, patience_s)
        control.send(account.pack())


def _see_to_the_end(
    control: socket.socket, lifeline: Lifeline, serial: int, pid: int, patience_s: float
) -> wire.Account:
    """Wait until the pool has its frame, gave up, or saw the run end; then make sure that it has ended."""
    stop = _next_stop(control, lifeline, patience_s)
    ended = _wait_a_little(pid) if stop == wire.STOP_ENDED else None
    was_killed = ended is None
    if ended is None:
        os.kill(pid, 9)
        ended = _reap(pid, 0)
        if stop is None:
            _next_stop(control, lifeline, None)
    assert ended is not None
    status, usage = ended
    return wire.Account(
        serial,
        status,
        was_killed,
        False,
        int(usage.ru_utime * 1e6),
        int(usage.ru_stime * 1e6),
        usage.ru_maxrss,
    )


def _next_stop(control: socket.socket, lifeline: Lifeline, patience_s: float | None) -> int | None:
    """The pool's word that a run is over; None when it does not come in time. A closed socket ends it all."""
    if not lifeline.wait_readable(control.fileno(), patience_s):
        return None
    message = control.recv(64)
    if not message:
        os._exit(0)  # the run goes with us: by its parent-death signal or with the pid namespace
    return wire.command(message).kind


def _wait_a_little(pid: int) -> tuple[int, resource.struct_rusage] | None:
    """A run whose socket closed is mostly on its way out; its true end tells more than our kill."""
    deadline = time.monotonic() + _NATURAL_END_S
    while True:
        ended = _reap(pid, os.WNOHANG)
        if ended is not None or time.monotonic() > deadline:
            return ended
        time.sleep(0.0002)


def _reap(pid: int, options: int) -> tuple[int, resource.struct_rusage] | None:
    found, status, usage = os.wait4(pid, options)
    return (status, usage) if found == pid else None
