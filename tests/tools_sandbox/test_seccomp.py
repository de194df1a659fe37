"""The filter by itself: what it answers for every call, on both architectures, without a kernel."""

from __future__ import annotations

import os
import pathlib
import re
import signal
import subprocess
from collections.abc import Callable

import pytest

from tools_sandbox.kernel import AARCH64, X86_64, Architecture
from tools_sandbox.seccomp import ALLOW, KILL_PROCESS, NOT_THERE, REFUSE, Instruction, program

# A new call here needs a reason: what can a tool reach through it?
ALLOWED_ON_BOTH = {
    "brk", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "exit", "exit_group", "fstat", "futex",
    "getegid", "geteuid", "getgid", "getitimer", "getpid", "getrandom", "getrusage", "gettid", "gettimeofday",
    "getuid", "lseek", "madvise", "mmap", "mprotect", "mremap", "munmap", "nanosleep", "ppoll", "pselect6", "read",
    "restart_syscall", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity",
    "setitimer", "sigaltstack", "times", "uname", "write",
}  # fmt: skip
ONLY_X86_64 = {"alarm", "poll", "select", "time"}

ARCHITECTURES = pytest.mark.parametrize("arch", [X86_64, AARCH64], ids=lambda arch: arch.name)


def answer(code: list[Instruction], audit: int, number: int, *arguments: int) -> int:
    """Run the filter as the kernel would, on struct seccomp_data."""
    words = {0: number, 4: audit}
    for index in range(6):
        value = arguments[index] if index < len(arguments) else 0
        words[16 + 8 * index], words[20 + 8 * index] = value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF
    accumulator = position = 0
    while True:
        step = code[position]
        position += 1
        match step.code:
            case 0x20:
                accumulator = words[step.value]
                continue
            case 0x06:
                return step.value
            case 0x15:
                holds = accumulator == step.value
            case 0x25:
                holds = accumulator > step.value
            case 0x35:
                holds = accumulator >= step.value
            case 0x45:
                holds = accumulator & step.value != 0
            case other:
                raise AssertionError(f"unknown instruction {other:#x}")
        position += step.when if holds else step.otherwise


@ARCHITECTURES
def test_the_list_of_allowed_calls_is_pinned(arch: Architecture) -> None:
    code = program(arch)
    names = {number: name for name, number in arch.numbers.items()}
    # The arguments with which a call is allowed; else zeros.
    harmless = {arch.numbers["futex"]: (0, 128), arch.numbers["madvise"]: (0, 0, 4)}
    allowed = {names[n] for n in range(1024) if answer(code, arch.audit, n, *harmless.get(n, ())) == ALLOW}
    assert allowed == ALLOWED_ON_BOTH | (ONLY_X86_64 if arch is X86_64 else set())


@ARCHITECTURES
def test_everything_else_is_refused_without_killing(arch: Architecture) -> None:
    code = program(arch)
    others = {answer(code, arch.audit, n) for n in range(1024)} - {ALLOW}
    assert others == {REFUSE, NOT_THERE}
    assert answer(code, arch.audit, arch.numbers["clone3"]) == NOT_THERE


@ARCHITECTURES
def test_another_architecture_is_killed(arch: Architecture) -> None:
    code = program(arch)
    assert answer(code, 0x40000003, 1) == KILL_PROCESS  # i386
    assert answer(code, arch.audit, 0x40000000 + 39) == KILL_PROCESS  # x32
    assert answer(code, arch.audit, 0xFFFFFFFF) == KILL_PROCESS


@ARCHITECTURES
@pytest.mark.parametrize(
    "call, arguments, verdict",
    [
        ("read", (3,), ALLOW),
        ("read", (4,), REFUSE),
        ("write", (3,), ALLOW),
        ("write", (4,), REFUSE),
        ("write", (-1,), REFUSE),
        ("write", (1 << 32 | 1,), ALLOW),  # the kernel takes the low half too: this is descriptor 1
        ("write", (1 << 32 | 7,), REFUSE),
        ("mmap", (0, 4096, 3), ALLOW),
        ("mmap", (0, 4096, 7), REFUSE),
        ("mmap", (0, 4096, 1 << 32 | 4), REFUSE),
        ("mprotect", (0, 4096, 3), ALLOW),
        ("mprotect", (0, 4096, 5), REFUSE),
        ("mmap", (0, 4096, 3, 0x22), ALLOW),
        ("mmap", (0, 4096, 3, 0x40022), REFUSE),  # the host's huge pages
        ("madvise", (0, 4096, 4), ALLOW),  # MADV_DONTNEED
        ("madvise", (0, 4096, 12), REFUSE),  # MADV_MERGEABLE
        ("madvise", (0, 4096, 21), REFUSE),  # MADV_PAGEOUT
        ("madvise", (0, 4096, 1 << 32 | 100), REFUSE),  # MADV_HWPOISON
        ("futex", (0, 128), ALLOW),  # FUTEX_WAIT of this process alone
        ("futex", (0, 129), ALLOW),
        ("futex", (0, 137 | 256), ALLOW),
        ("futex", (0, 0), REFUSE),  # heard by every process that maps the page
        ("futex", (0, 1), REFUSE),
        ("futex", (0, 134), REFUSE),  # FUTEX_LOCK_PI
        ("futex", (0, 1 << 32 | 1), REFUSE),
        ("futex", (0, 0xFFFFFFFF), REFUSE),
        ("clock_gettime", (0,), ALLOW),
        ("clock_gettime", (11,), ALLOW),
        ("clock_gettime", (12,), REFUSE),
        ("clock_gettime", ((~1 << 3 | 2) & 0xFFFFFFFFFFFFFFFF,), REFUSE),  # the CPU clock of process 1
        ("clock_getres", ((~1 << 3 | 2) & 0xFFFFFFFF,), REFUSE),
        ("clock_nanosleep", (-14,), REFUSE),
        ("exit_group", (0,), ALLOW),
        ("exit_group", (95,), ALLOW),
        ("exit_group", (97,), REFUSE),
        ("exit_group", (256 + 97,), REFUSE),  # the kernel would cut it to 97
        ("exit", (-1,), REFUSE),
    ],
)
def test_arguments(arch: Architecture, call: str, arguments: tuple[int, ...], verdict: int) -> None:
    assert answer(program(arch), arch.audit, arch.numbers[call], *arguments) == verdict


@ARCHITECTURES
def test_the_search_is_short_and_its_jumps_fit(arch: Architecture) -> None:
    code = program(arch)
    assert len(code) < 200
    assert all(step.when < 256 and step.otherwise < 256 for step in code)


HEADERS = {"x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "/usr/include/asm-generic/unistd.h"}


@ARCHITECTURES
def test_the_call_numbers_are_those_of_the_kernel_headers(arch: Architecture) -> None:
    """aarch64 uses the generic table; this is all that a machine of another kind can check."""
    header = pathlib.Path(HEADERS[arch.name])
    if not header.exists():
        pytest.skip(f"no {header}")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    numbers = {name: int(number) for name, number in found}
    assert {name: numbers[name] for name in arch.numbers} == dict(arch.numbers)


THIRTY_TWO_BIT = """
import ctypes, mmap, sys
from tools_sandbox import kernel
from tools_sandbox.seccomp import Filter
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("b814000000cd80c3"))  # mov eax, 20 (getpid of i386); int 0x80; ret
call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
if sys.argv[1] == "filtered":
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    Filter(kernel.architecture()).install()
sys.exit(0 if call() > 0 else 1)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="int 0x80 is of x86")
def test_the_kernel_kills_a_32_bit_call(start_python: Callable[..., subprocess.Popen[bytes]]) -> None:
    free, filtered = (start_python(["-c", THIRTY_TWO_BIT, how]) for how in ("free", "filtered"))
    free.communicate()
    filtered.communicate()
    if free.returncode != 0:
        pytest.skip("this kernel has no 32-bit calls")
    assert filtered.returncode == -signal.SIGSYS
