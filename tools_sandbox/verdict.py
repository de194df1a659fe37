"""From how a run ended to its status; pure."""

from __future__ import annotations

import enum
import os
import signal
from typing import Any, NamedTuple

from tools_sandbox import frame
from tools_sandbox.errors import BadFrame
from tools_sandbox.limits import Limits
from tools_sandbox.run import Status
from tools_sandbox.seccomp import MAX_EXIT_CODE
from tools_sandbox.wire import Account


class Ending(enum.Enum):
    """What the pool saw on the socket of a run."""

    FRAME = "a whole frame came"
    TOO_LARGE = "a frame larger than the limit was announced"
    CLOSED = "the other end closed before a whole frame"
    DEADLINE = "the wall limit came first"
    STARVED = "the wall limit came first, and the run had not been given the CPU"


class Talk(NamedTuple):
    """One conversation with a run: its ending, the frame's body, and the zygote's account of the process.

    `late`: the run said something after the wall limit, so it had not ended before.
    """

    ending: Ending
    body: bytes
    account: Account
    wall_s: float
    late: bool = False


class Verdict(NamedTuple):
    """Status, returned value and one-line explanation."""

    status: Status
    value: Any = None
    error: str = ""


def judge(talk: Talk, limits: Limits) -> Verdict:
    """What the run has come to. A whole frame decides alone; else the kernel's account does."""
    if talk.account.not_started:
        return Verdict("infra", error="the machine had no process for the run (fork failed)")
    if talk.ending is Ending.FRAME:
        return judge_answer(talk.body)
    if talk.ending is Ending.TOO_LARGE:
        return Verdict("too_large", error=f"the result has more than {limits.output_bytes} bytes")
    end = _end_of_process(talk, limits)
    # At the deadline, too, a run can have ended by itself, and its socket be held open by a fork of the client.
    ended_alone = not talk.late and (
        os.WIFEXITED(talk.account.wait_status) or os.WTERMSIG(talk.account.wait_status) != signal.SIGKILL
    )
    if talk.ending is Ending.CLOSED or end.status == "cpu" or ended_alone:
        return end
    if talk.ending is Ending.STARVED:
        return Verdict("infra", error=f"the machine gave the run no CPU time for {limits.wall_s:g} s")
    return Verdict("wall", error=f"not done after {limits.wall_s:g} s")


def judge_answer(body: bytes) -> Verdict:
    """Read the frame of a run, which the tool may have written itself."""
    try:
        answer = frame.parse(body, max_depth=frame.MAX_DEPTH + 1)
    except BadFrame as error:
        return Verdict("bad_result", error=str(error))
    match answer:
        case {"e": str(text), **rest} if not rest:
            return Verdict("error", error=one_line(text))
        case {"bad": str(text), **rest} if not rest:
            return Verdict("bad_result", error=one_line(text))
        case {"r": dict(), **rest} if not rest:
            return Verdict("bad_result", error="a dict; return a list, a string, a number, a bool or None")
        case {"r": value, **rest} if not rest:
            return Verdict("ok", value)
    return Verdict("bad_result", error="the frame is not an answer")


def one_line(text: str) -> str:
    """A tool's words, fit for a log and a terminal: one line, no control or direction characters, not long."""
    shown = "".join(char if char.isprintable() else " " for char in text[: 4 * frame.MAX_ERROR_LENGTH])
    return " ".join(shown.split())[: frame.MAX_ERROR_LENGTH] or "an error without a message"


def _end_of_process(talk: Talk, limits: Limits) -> Verdict:
    account = talk.account
    if not os.WIFSIGNALED(account.wait_status):
        code = os.waitstatus_to_exitcode(account.wait_status)
        if code > MAX_EXIT_CODE:
            return Verdict("infra", error="the run could not be locked down")
        return Verdict("no_result", error="the tool ended without a result")
    number = os.WTERMSIG(account.wait_status)
    # The kernel sends SIGXCPU at the limit, and SIGKILL a second later to a tool that handles it.
    over = account.cpu_s > limits.cpu_s
    if number == signal.SIGXCPU or (number == signal.SIGKILL and over):
        return Verdict("cpu", error=f"more than {limits.cpu_s} CPU seconds")
    if number == signal.SIGKILL and account.was_killed:
        return Verdict("no_result", error="the tool closed its result channel")
    if number == signal.SIGKILL:
        return Verdict("memory", error="killed by the kernel for memory")
    return Verdict("crash", error=f"ended by {_signal_name(number)}")


def _signal_name(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
