"""What the zygote does to itself once, before it serves: from the outer layers to the inner ones."""

from __future__ import annotations

import contextlib
import os
import pathlib
import resource
import signal
import threading
from collections.abc import Callable

from tools_sandbox import kernel, landlock, namespaces
from tools_sandbox.lifeline import Lifeline
from tools_sandbox.limits import Limits
from tools_sandbox.namespaces import NOBODY
from tools_sandbox.report import Layer
from tools_sandbox.seccomp import MAX_EXIT_CODE, RESULT_DESCRIPTOR, Filter, holes

MAX_DESCRIPTORS = 64  # of the zygote; a run closes all above 3, so the number bounds that work
_NOT_INSTALLED = MAX_EXIT_CODE + 2


def reset_signals() -> None:
    """An exec keeps blocked and ignored signals. With SIGCHLD ignored, no run's end could be learned."""
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:  # Python itself ignores those
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


def go_first_when_memory_ends() -> None:
    """When the machine runs out of memory, the kernel is to take a run, not the client."""
    with contextlib.suppress(OSError):  # no /proc
        pathlib.Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def become_nobody() -> Layer:
    """The fourth layer. As root: give up the user id for one that owns nothing."""
    if os.geteuid() != 0:
        uid = os.getuid()
        return Layer("nobody", uid == NOBODY, f"runs as user id {uid}")
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError as error:
        return Layer("nobody", False, f"root, but the user id cannot be given up: {error}")
    kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else the id maps of the user namespace belong to root
    return Layer("nobody", True, f"runs as user id {NOBODY}")


def enter_namespaces(lifeline: Lifeline, before_watching: Callable[[], None]) -> Layer:
    """The third layer. Returns in the process that is to serve; the one above it only watches."""
    reason = namespaces.obstacle()
    if reason is not None:
        return Layer("namespaces", False, reason)
    namespaces.enter()
    pid = os.fork()
    if pid != 0:
        before_watching()
        _watch(pid, lifeline)
    # Its parent is the watcher, whose death is the end of everything inside.
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    lifeline.stop_asking_for_the_parent()
    return Layer("namespaces", True, "user, pid, network, mount, ipc, uts; an empty read-only root")


def give_up_privileges() -> None:
    """No privilege can come back, not by exec either, and no other process may look inside this one."""
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.drop_capabilities()
    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    for what in (resource.RLIMIT_CORE, resource.RLIMIT_MEMLOCK, resource.RLIMIT_MSGQUEUE):
        resource.setrlimit(what, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, _within_reach(resource.RLIMIT_NOFILE, MAX_DESCRIPTORS))


def limits_of_a_run(limits: Limits) -> list[tuple[int, tuple[int, int]]]:
    """What setrlimit is to be told in every run. Memory comes on top of what the interpreter uses now."""
    memory = _address_space() + (limits.memory_mb << 20)
    descriptors = RESULT_DESCRIPTOR + 1
    wanted = [
        (resource.RLIMIT_AS, memory, memory),
        (resource.RLIMIT_CPU, limits.cpu_s, limits.cpu_s + 1),  # SIGXCPU, then SIGKILL
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_NPROC, 0, 0),
        (resource.RLIMIT_NOFILE, descriptors, descriptors),
    ]
    return [(what, _within_reach(what, soft, hard)) for what, soft, hard in wanted]


def _within_reach(what: int, soft: int, hard: int | None = None) -> tuple[int, int]:
    """The limits, lowered to the one that the batch system set, which cannot be raised."""
    _, top = resource.getrlimit(what)
    hard = soft if hard is None else hard
    return (soft, hard) if top == resource.RLIM_INFINITY else (min(soft, top), min(hard, top))


def restrict_by_landlock() -> Layer:
    """The second layer. Needs no_new_privs."""
    try:
        version = landlock.restrict()
    except OSError as error:
        return Layer("landlock", False, str(error))
    return Layer("landlock", True, f"ABI {version}, nothing allowed")


def check_seccomp(filter_: Filter) -> Layer:
    """The first layer: whether a child of this process can install the filter, and is then really held."""
    pid = os.fork()
    if pid == 0:
        try:
            filter_.install()
        except BaseException:  # noqa: BLE001 - the child must not return into the caller's code
            os._exit(_NOT_INSTALLED)
        os._exit(len(holes()))
    _, status = os.waitpid(pid, 0)
    if status == 0:
        return Layer("seccomp", True, "default deny, checked in a child")
    code = os.waitstatus_to_exitcode(status)
    if code == _NOT_INSTALLED:
        return Layer("seccomp", False, "the kernel does not take the filter")
    return Layer("seccomp", False, f"the filter is accepted but not enforced (check ended with {code})")


def thread_count() -> int:
    """Threads of this process as the kernel counts them, or as Python does where /proc is missing."""
    try:
        return len(os.listdir("/proc/self/task"))
    except OSError:
        return threading.active_count()


def _address_space() -> int:
    """Bytes of address space in use now; a guess on the high side where /proc is missing."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 128 << 20


def _watch(child: int, lifeline: Lifeline) -> None:
    """Stay until the zygote or the client ends. Never returns."""
    try:
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
        lifeline.sit_beside(child)
    finally:
        os._exit(0)  # the kernel then ends the zygote (parent-death signal) and with it the whole namespace
