from __future__ import annotations

import json
import pathlib
import re

import pytest

from tools_sandbox import text, tool_globals
from tools_sandbox.__main__ import main


def test_check_reports_the_layers_and_the_speed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--workers", "1", "--runs", "20"]) == 0
    out = capsys.readouterr().out
    for word in ("seccomp", "landlock", "namespaces", "nobody", "cpu_s=2", "read a file", "blocked", "runs/s"):
        assert word in out


def test_run_prints_the_result(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("def f(text):\n    return [text.upper(), count_word(text)]\n")
    assert main(["run", str(tool), "--entry", "f", "--args", '["two words"]']) == 0
    assert json.loads(capsys.readouterr().out)["value"] == ["TWO WORDS", 2]


def test_run_does_not_let_a_tool_speak_to_the_terminal(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("def f():\n    return '\\x9b31m\\u202e'\n")
    assert main(["run", str(tool), "--entry", "f"]) == 0
    out = capsys.readouterr().out
    assert out.strip().isprintable()
    assert json.loads(out)["value"] == "\x9b31m\u202e"


def test_run_shows_findings_and_fails_with_the_tool(tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("def f(text):\n    return eval(text)\n")
    assert main(["run", str(tool), "--entry", "f", "--args", '["1/0"]']) == 1
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"] == "line 2: ZeroDivisionError: division by zero"
    assert "line 2: forbidden-name: eval" in captured.err


def test_what_tools_are_given_fits_in_a_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["offer"]) == 0
    *functions, modules = capsys.readouterr().out.splitlines()
    assert functions == tool_globals()
    assert [re.match(r"\w+", line)[0] for line in functions] == text.__all__  # type: ignore[index]
    assert all(re.fullmatch(r"\w+(\(.*\)( -> [^:]+)?| \(exception\)): \S.*", line) for line in functions)
    assert sum(map(len, functions)) < 4000
    assert "'str'" not in "".join(functions)
    assert modules.startswith("modules: __future__, abc, ")


@pytest.mark.parametrize("arguments", [["--args", "nonsense"], ["--args", '{"a": 1}'], ["--entry", "1"]], ids=str)
def test_bad_arguments_are_said_in_one_line(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    tool = tmp_path / "tool.py"
    tool.write_text("def f(text):\n    return 1\n")
    assert main(["run", str(tool), "--entry", "f", *arguments]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1
