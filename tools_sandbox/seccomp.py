"""The first layer: a filter on system calls that every run is put under before it reads its tool.

Default deny: about 40 calls are allowed, those that computing, sleeping and answering on descriptor 3 need.
No call opens a file or a socket, starts a process or a thread, or reaches another process. An unlisted
call fails with EACCES instead of killing: libraries probe for calls and live with a refusal.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import struct
from collections.abc import Callable
from typing import Any, NamedTuple

from tools_sandbox import kernel
from tools_sandbox.kernel import Architecture

RESULT_DESCRIPTOR = 3  # the run's own socket; 0, 1 and 2 are /dev/null
MAX_EXIT_CODE = 95  # a tool cannot leave with a code above: those are the child's own, from before the filter

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000
REFUSE = _ERRNO | errno.EACCES
NOT_THERE = _ERRNO | errno.ENOSYS

_PROT_EXEC = 4
_X32_BIT = 0x40000000

# Offsets in struct seccomp_data. Arguments are read by their low 32 bits only: descriptors and exit codes are
# ints for the kernel, and no PROT_* flag lies above.
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16

_LOAD, _EQUAL, _ABOVE, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06

# The frequent ones first: the filter is a list that the kernel walks.
ALLOWED = (
    "futex", "munmap", "brk", "clock_gettime", "madvise", "mremap", "rt_sigprocmask", "rt_sigaction",
    "rt_sigreturn", "close", "fstat", "lseek", "poll", "ppoll", "select", "pselect6", "nanosleep",
    "clock_nanosleep", "getrandom", "restart_syscall", "sched_yield", "getrusage", "times", "alarm",
    "setitimer", "getitimer", "uname", "gettimeofday", "getpid", "gettid", "getuid", "getgid", "geteuid",
    "getegid", "sigaltstack", "time", "sched_getaffinity", "clock_getres",
)  # fmt: skip


class ArgumentRule(NamedTuple):
    """Refuse `call` when its argument number `argument` (from 0) passes `test` against `value`."""

    call: str
    argument: int
    test: int
    value: int


ARGUMENT_RULES = (
    ArgumentRule("read", 0, _ABOVE, RESULT_DESCRIPTOR),
    ArgumentRule("write", 0, _ABOVE, RESULT_DESCRIPTOR),
    ArgumentRule("mmap", 2, _BITS, _PROT_EXEC),  # no new native code
    ArgumentRule("mprotect", 2, _BITS, _PROT_EXEC),
    ArgumentRule("exit_group", 0, _ABOVE, MAX_EXIT_CODE),
    ArgumentRule("exit", 0, _ABOVE, MAX_EXIT_CODE),
)


class Instruction(NamedTuple):
    """One classic-BPF instruction; `when` and `otherwise` skip that many instructions."""

    code: int
    value: int
    when: int = 0
    otherwise: int = 0


def program(architecture: Architecture) -> list[Instruction]:
    """The filter for one architecture."""
    numbers = architecture.numbers
    code = [
        Instruction(_LOAD, _ARCH),
        Instruction(_EQUAL, architecture.audit, when=1),
        Instruction(_RETURN, KILL_PROCESS),  # 32-bit calls have other numbers
        Instruction(_LOAD, _NUMBER),
        Instruction(_AT_LEAST, _X32_BIT, otherwise=1),
        Instruction(_RETURN, KILL_PROCESS),  # x32 calls would be a second table
    ]
    for rule in ARGUMENT_RULES:
        code += [
            Instruction(_EQUAL, numbers[rule.call], otherwise=4),
            Instruction(_LOAD, _ARGUMENTS + 8 * rule.argument),
            Instruction(rule.test, rule.value, otherwise=1),
            Instruction(_RETURN, REFUSE),
            Instruction(_RETURN, ALLOW),
        ]
    for call in ALLOWED:
        if call in numbers:
            code += [Instruction(_EQUAL, numbers[call], otherwise=1), Instruction(_RETURN, ALLOW)]
    # glibc falls back to clone (refused in turn) only when it hears that clone3 does not exist.
    code += [Instruction(_EQUAL, numbers["clone3"], otherwise=1), Instruction(_RETURN, NOT_THERE)]
    return [*code, Instruction(_RETURN, REFUSE)]


class _Program(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))


class Filter:
    """The filter in the form that the kernel takes, made once so that a run only installs it."""

    def __init__(self, architecture: Architecture) -> None:
        code = program(architecture)
        raw = b"".join(struct.pack("=HBBI", i.code, i.when, i.otherwise, i.value) for i in code)
        self._code = ctypes.create_string_buffer(raw, len(raw))
        self._program = _Program(len(code), ctypes.addressof(self._code))

    def install(self) -> None:
        """Put this process under the filter, for ever. Needs no_new_privs; raises OSError."""
        kernel.prctl(kernel.PR_SET_SECCOMP, 2, ctypes.addressof(self._program))  # 2: SECCOMP_MODE_FILTER


def holes() -> list[str]:
    """Which of a few forbidden acts are possible here; for a child that has just installed the filter.

    A kernel or a container can accept a filter and not enforce it, so the start asks.
    """
    return [name for name, act in _FORBIDDEN.items() if not _refused(act)]


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


_FORBIDDEN: dict[str, Callable[[], Any]] = {
    "open a file": lambda: os.open("/", os.O_RDONLY),
    "create a socket": lambda: socket.socket(),
    "send a signal": lambda: os.kill(os.getppid(), 0),
    "start a process": _fork,
    "duplicate a descriptor": lambda: os.dup(0),
}


def _refused(act: Callable[[], Any]) -> bool:
    try:
        act()
    except OSError as error:
        return error.errno == errno.EACCES
    return False
