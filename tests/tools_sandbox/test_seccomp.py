"""The filter by itself: what it answers for every call, on both architectures, without a kernel."""

from __future__ import annotations

import pytest

from tools_sandbox.kernel import AARCH64, X86_64, Architecture
from tools_sandbox.seccomp import ALLOW, KILL_PROCESS, NOT_THERE, REFUSE, Instruction, program

# A new call here needs a reason: what can a tool reach through it?
ALLOWED_ON_BOTH = {
    "brk", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "exit", "exit_group", "fstat", "futex",
    "getegid", "geteuid", "getgid", "getitimer", "getpid", "getrandom", "getrusage", "gettid", "gettimeofday",
    "getuid", "lseek", "madvise", "mmap", "mprotect", "mremap", "munmap", "nanosleep", "ppoll", "pselect6", "read",
    "restart_syscall", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_getaffinity", "sched_yield",
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
    allowed = {names[n] for n in range(1024) if answer(code, arch.audit, n) == ALLOW}
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
        ("exit_group", (0,), ALLOW),
        ("exit_group", (95,), ALLOW),
        ("exit_group", (97,), REFUSE),
        ("exit_group", (256 + 97,), REFUSE),  # the kernel would cut it to 97
        ("exit", (-1,), REFUSE),
    ],
)
def test_arguments(arch: Architecture, call: str, arguments: tuple[int, ...], verdict: int) -> None:
    assert answer(program(arch), arch.audit, arch.numbers[call], *arguments) == verdict
