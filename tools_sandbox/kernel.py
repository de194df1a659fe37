"""System calls that Python has no function for, through ctypes, and their numbers.

Nothing here creates a ctypes callback: that would leave an executable page for tools to find.
"""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Mapping
from typing import Any, NamedTuple

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4

_LIBC: Any = ctypes.CDLL(None, use_errno=True)
_LIBC.syscall.restype = ctypes.c_long
_LIBC.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_LIBC.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]


class Architecture(NamedTuple):
    """The system-call numbers of one processor architecture."""

    name: str
    audit: int  # AUDIT_ARCH_*, which the kernel shows to a filter
    numbers: Mapping[str, int]


X86_64 = Architecture(
    "x86_64",
    0xC000003E,
    {
        "alarm": 37, "brk": 12, "clock_getres": 229, "clock_gettime": 228, "clock_nanosleep": 230,
        "clone3": 435, "close": 3, "exit": 60, "exit_group": 231, "fstat": 5, "futex": 202, "getegid": 108,
        "geteuid": 107, "getgid": 104, "getitimer": 36, "getpid": 39, "getrandom": 318, "getrusage": 98,
        "gettid": 186, "gettimeofday": 96, "getuid": 102, "lseek": 8, "madvise": 28, "mmap": 9,
        "mprotect": 10, "mremap": 25, "munmap": 11, "nanosleep": 35, "pivot_root": 155, "poll": 7,
        "ppoll": 271, "pselect6": 270, "read": 0, "restart_syscall": 219, "rt_sigaction": 13,
        "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_getaffinity": 204, "select": 23,
        "setitimer": 38, "sigaltstack": 131, "time": 201, "times": 100, "uname": 63, "write": 1,
    },
)  # fmt: skip

# Not tested on such a machine. The table follows include/uapi/asm-generic/unistd.h, which has no alarm, poll,
# select and time.
AARCH64 = Architecture(
    "aarch64",
    0xC00000B7,
    {
        "brk": 214, "clock_getres": 114, "clock_gettime": 113, "clock_nanosleep": 115, "clone3": 435,
        "close": 57, "exit": 93, "exit_group": 94, "fstat": 80, "futex": 98, "getegid": 177, "geteuid": 175,
        "getgid": 176, "getitimer": 102, "getpid": 172, "getrandom": 278, "getrusage": 165, "gettid": 178,
        "gettimeofday": 169, "getuid": 174, "lseek": 62, "madvise": 233, "mmap": 222, "mprotect": 226,
        "mremap": 216, "munmap": 215, "nanosleep": 101, "pivot_root": 41, "ppoll": 73, "pselect6": 72,
        "read": 63, "restart_syscall": 128, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
        "sched_getaffinity": 123, "setitimer": 103, "sigaltstack": 132, "times": 153,
        "uname": 160, "write": 64,
    },
)  # fmt: skip

# The same on every architecture.
LANDLOCK_CREATE_RULESET = 444
LANDLOCK_RESTRICT_SELF = 446


def architecture() -> Architecture:
    """The running machine's; raises OSError where there is no table for it."""
    machine = os.uname().machine
    if machine == "x86_64" and ctypes.sizeof(ctypes.c_void_p) == 8:
        return X86_64
    if machine == "aarch64":
        return AARCH64
    raise OSError(errno.ENOSYS, f"no system-call table for {machine!r}")


def prctl(option: int, first: int = 0, second: int = 0) -> int:
    return _checked(_LIBC.prctl(option, first, second, 0, 0), f"prctl({option})")


def syscall(number: int, *arguments: Any) -> int:
    return _checked(_LIBC.syscall(ctypes.c_long(number), *arguments), f"system call {number}")


def unshare(flags: int) -> None:
    _checked(_LIBC.unshare(flags), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    result = _LIBC.mount(_text(source), target.encode(), _text(kind), flags, _text(data))
    _checked(result, f"mount {kind or 'flags'} on {target}")


def detach(target: str) -> None:
    """Unmount lazily (MNT_DETACH)."""
    _checked(_LIBC.umount2(target.encode(), 2), f"umount {target}")


def drop_capabilities() -> None:
    """Give up every capability, also those that a later exec would bring back."""
    for capability in range(64):
        if _LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            break  # past the last one, or not allowed: without privileges there is nothing to drop
    _LIBC.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)  # fails where there are none (Linux < 4.3)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this thread
    nothing = (ctypes.c_uint32 * 6)()
    _checked(_LIBC.capset(header, nothing), "capset")


def _text(value: str | None) -> bytes | None:
    return None if value is None else value.encode()


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result
