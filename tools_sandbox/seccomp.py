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
from collections.abc import Callable, Mapping, Sequence
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
_MAP_HUGETLB = 0x40000
_LAST_CLOCK = 11  # CLOCK_TAI; what lies above, or below 0, names the CPU clock of any process of the machine
_X32_BIT = 0x40000000

# Offsets in struct seccomp_data. Arguments are read by their low 32 bits only: descriptors, exit codes, clocks and
# futex operations are ints for the kernel, and no PROT_* or MAP_* flag that is tested lies above.
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16

_LOAD, _EQUAL, _ABOVE, _AT_LEAST, _BITS, _RETURN = 0x20, 0x15, 0x25, 0x35, 0x45, 0x06

# Not sched_yield: with it, a run could wait for the CPU of its own will, and be taken for starved.
ALLOWED = (
    "munmap", "brk", "mremap", "rt_sigprocmask", "rt_sigaction", "rt_sigreturn", "close", "fstat",
    "lseek", "poll", "ppoll", "select", "pselect6", "nanosleep", "getrandom", "restart_syscall",
    "getrusage", "times", "alarm", "setitimer", "getitimer", "uname", "gettimeofday", "getpid", "gettid", "getuid",
    "getgid", "geteuid", "getegid", "sigaltstack", "time", "sched_getaffinity",
)  # fmt: skip


class Check(NamedTuple):
    """Answer `action` when argument number `argument` (from 0) passes `test` against `value`."""

    argument: int
    test: int
    value: int
    action: int = REFUSE


# Locks of this process alone: plain waits and wakes, all with FUTEX_PRIVATE_FLAG. A shared futex on a page of a
# library would be heard by every process that maps it, and the other operations have a long record of kernel bugs.
_FUTEXES = (128, 129, 137, 137 | 256, 138)  # WAIT, WAKE, WAIT_BITSET (also by CLOCK_REALTIME), WAKE_BITSET

# What allocators say: DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE. Others reach beyond the process: MERGEABLE tells whether
# somebody else holds the same page, PAGEOUT drops pages of libraries that all use, HWPOISON takes them away.
_ADVICE = (4, 8, 14, 15)

# Tried in order; a call that passes none of its checks is allowed.
CHECKS: Mapping[str, Sequence[Check]] = {
    "read": (Check(0, _ABOVE, RESULT_DESCRIPTOR),),
    "write": (Check(0, _ABOVE, RESULT_DESCRIPTOR),),
    "mmap": (Check(2, _BITS, _PROT_EXEC), Check(3, _BITS, _MAP_HUGETLB)),  # no new native code; the host's huge pages
    "mprotect": (Check(2, _BITS, _PROT_EXEC),),
    "madvise": (*(Check(2, _EQUAL, one, ALLOW) for one in _ADVICE), Check(2, _AT_LEAST, 0)),  # else refused
    "futex": (*(Check(1, _EQUAL, one, ALLOW) for one in _FUTEXES), Check(1, _AT_LEAST, 0)),
    "clock_gettime": (Check(0, _ABOVE, _LAST_CLOCK),),
    "clock_getres": (Check(0, _ABOVE, _LAST_CLOCK),),
    "clock_nanosleep": (Check(0, _ABOVE, _LAST_CLOCK),),
    "exit_group": (Check(0, _ABOVE, MAX_EXIT_CODE),),
    "exit": (Check(0, _ABOVE, MAX_EXIT_CODE),),
}


class Instruction(NamedTuple):
    """One classic-BPF instruction; `when` and `otherwise` skip that many instructions."""

    code: int
    value: int
    when: int = 0
    otherwise: int = 0


def program(architecture: Architecture) -> list[Instruction]:
    """The filter for one architecture.

    The kernel walks it for every call, and at its installation once for every number that there is. So it is a
    binary search: a list that is tried from top to bottom costs each run a tenth of a millisecond more.
    """
    numbers = architecture.numbers
    answers = {numbers[call]: [Instruction(_RETURN, ALLOW)] for call in ALLOWED if call in numbers}
    answers |= {numbers[call]: _checked(checks) for call, checks in CHECKS.items()}
    # glibc falls back to clone (refused in turn) only when it hears that clone3 does not exist.
    answers[numbers["clone3"]] = [Instruction(_RETURN, NOT_THERE)]
    return [
        Instruction(_LOAD, _ARCH),
        Instruction(_EQUAL, architecture.audit, when=1),
        Instruction(_RETURN, KILL_PROCESS),  # 32-bit calls have other numbers
        Instruction(_LOAD, _NUMBER),
        Instruction(_AT_LEAST, _X32_BIT, otherwise=1),
        Instruction(_RETURN, KILL_PROCESS),  # x32 calls would be a second table
        *_search(_ranges(answers)),
    ]


def _checked(checks: Sequence[Check]) -> list[Instruction]:
    code = []
    loaded = None
    for check in checks:
        if check.argument != loaded:
            code.append(Instruction(_LOAD, _ARGUMENTS + 8 * check.argument))
            loaded = check.argument
        code += [Instruction(check.test, check.value, otherwise=1), Instruction(_RETURN, check.action)]
    return [*code, Instruction(_RETURN, ALLOW)]


def _ranges(answers: Mapping[int, list[Instruction]]) -> list[tuple[int, list[Instruction]]]:
    """The answers in the order of call numbers, each with the number where it begins; refused in between."""
    ranges: list[tuple[int, list[Instruction]]] = [(0, [Instruction(_RETURN, REFUSE)])]
    for number, answer in sorted(answers.items()):
        ranges += [(number, answer), (number + 1, [Instruction(_RETURN, REFUSE)])]
    starts = dict(ranges)  # where two begin at the same number, the latter counts
    merged: list[tuple[int, list[Instruction]]] = []
    for start in sorted(starts):
        if not merged or starts[start] != merged[-1][1]:
            merged.append((start, starts[start]))
    return merged


def _search(ranges: Sequence[tuple[int, list[Instruction]]]) -> list[Instruction]:
    """Code that finds the range of the loaded number by halving."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, rest = _search(ranges[:middle]), _search(ranges[middle:])
    return [Instruction(_AT_LEAST, ranges[middle][0], when=len(below)), *below, *rest]


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
