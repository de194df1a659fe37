"""From the end of a run to its status, as a table."""

from __future__ import annotations

import json
import signal

import pytest

from tools_sandbox import Limits
from tools_sandbox.verdict import Ending, Talk, judge, judge_answer
from tools_sandbox.wire import Account, account

EXIT_0, EXIT_1, EXIT_97 = 0, 1 << 8, 97 << 8


def talk(ending: Ending, status: int = 0, cpu_s: float = 0.1, killed: bool = False) -> Talk:
    return Talk(ending, b'{"r": 1}', Account(1, status, killed, False, int(cpu_s * 1e6), 0, 0), 1.0)


@pytest.mark.parametrize(
    "end, status",
    [
        (talk(Ending.FRAME), "ok"),
        (talk(Ending.FRAME, signal.SIGKILL, killed=True), "ok"),
        (talk(Ending.FRAME, signal.SIGXCPU, 2.01), "ok"),
        (talk(Ending.TOO_LARGE), "too_large"),
        (talk(Ending.CLOSED, EXIT_0), "no_result"),
        (talk(Ending.CLOSED, EXIT_1), "no_result"),
        (talk(Ending.CLOSED, EXIT_97), "infra"),
        (talk(Ending.CLOSED, signal.SIGXCPU, 2.0), "cpu"),
        (talk(Ending.CLOSED, signal.SIGKILL, 3.01), "cpu"),
        (talk(Ending.CLOSED, signal.SIGKILL, 0.5), "memory"),
        (talk(Ending.CLOSED, signal.SIGKILL, 0.5, killed=True), "no_result"),
        (talk(Ending.CLOSED, signal.SIGSEGV), "crash"),
        (talk(Ending.CLOSED, signal.SIGSYS), "crash"),
        (talk(Ending.DEADLINE, signal.SIGKILL, 0.5, killed=True), "wall"),
        (talk(Ending.DEADLINE, signal.SIGKILL, 2.5, killed=True), "cpu"),
        (talk(Ending.DEADLINE, EXIT_0, killed=True), "no_result"),  # it had ended; a fork of the client held its socket
        (talk(Ending.DEADLINE, EXIT_0)._replace(late=True), "wall"),  # its frame came a moment too late
        (talk(Ending.STARVED, EXIT_0)._replace(late=True), "infra"),
        (talk(Ending.DEADLINE, signal.SIGSEGV, killed=True), "crash"),
        (talk(Ending.STARVED, signal.SIGKILL, 0.5, killed=True), "infra"),
        (talk(Ending.STARVED, signal.SIGXCPU, 2.0), "cpu"),
        (Talk(Ending.CLOSED, b"", Account(1, 0, False, True, 0, 0, 0), 1.0), "infra"),
    ],
)
def test_status(end: Talk, status: str) -> None:
    verdict = judge(end, Limits())
    assert verdict.status == status
    assert (verdict.error == "") == (status == "ok")


@pytest.mark.parametrize(
    "answer, status",
    [
        ({"r": [1, "x", None, True, 1.5, {"a": []}]}, "ok"),
        ({"r": "text"}, "ok"),
        ({"r": None}, "ok"),
        ({"r": {}}, "bad_result"),
        ({"r": {"a": 1}}, "bad_result"),
        ({"e": "line 1: ValueError"}, "error"),
        ({"e": 1}, "bad_result"),
        ({"e": "x", "r": 1}, "bad_result"),
        ({"bad": "nested"}, "bad_result"),
        ({}, "bad_result"),
        ([1], "bad_result"),
        ("ok", "bad_result"),
    ],
)
def test_answer(answer: object, status: str) -> None:
    verdict = judge_answer(json.dumps(answer).encode())
    assert verdict.status == status
    assert (verdict.error == "") == (status == "ok")


@pytest.mark.parametrize(
    "written, shown",
    [
        ("line 1: ValueError: x", "line 1: ValueError: x"),
        ("two\r\n\tlines", "two lines"),
        ("\x1b[31mred\x1b[0m \u202egnorw\u2069\u200b\0", "[31mred [0m gnorw"),
        ("漢字 🙂 naïve", "漢字 🙂 naïve"),
        ("x" * 5000, "x" * 300),
        (" \n" * 5000 + "x", "an error without a message"),
        ("", "an error without a message"),
    ],
)
def test_what_a_tool_says_is_one_harmless_line(written: str, shown: str) -> None:
    for key in ("e", "bad"):
        assert judge_answer(json.dumps({key: written}).encode()).error == shown


def test_an_account_survives_the_wire() -> None:
    sent = Account(7, 139, True, False, 1_500_000, 250_000, 30_000)
    assert account(sent.pack()) == sent
    assert sent.cpu_s == 1.75
