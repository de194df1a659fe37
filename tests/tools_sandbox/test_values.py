"""Limits, runs, results and errors as values."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import tools_sandbox
from tools_sandbox import Limits, Result, Run, SandboxUnavailable, errors
from tools_sandbox.errors import InvalidInput


@pytest.mark.parametrize(
    "field, value",
    [
        ("cpu_s", 0),
        ("cpu_s", 0.5),
        ("cpu_s", True),
        ("wall_s", 0),
        ("wall_s", float("nan")),
        ("wall_s", "10"),
        ("memory_mb", 1),
        ("output_bytes", 1 << 40),
        ("source_bytes", -1),
        ("argument_bytes", None),
    ],
)
def test_limits_name_the_bad_field(field: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=field):
        Limits(**{field: value})


@pytest.mark.parametrize(
    "fields, place",
    [
        ({"source": b"x"}, "Run.source"),
        ({"entry": "a.b"}, "Run.entry"),
        ({"entry": ""}, "Run.entry"),
        ({"args": "text"}, "Run.args"),
        ({"args": [{1}]}, r"Run.args\[0\] is a set"),
        ({"args": ["x", [float("inf")]]}, r"Run.args\[1\]\[0\]"),
        ({"args": [{1: 2}]}, "JSON keys are strings"),
        ({"args": ["x", [-(10**5000)]]}, r"Run.args\[1\]\[0\] is an integer"),
        ({"seed": 1.5}, "Run.seed"),
    ],
)
def test_runs_name_the_bad_field(fields: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidInput, match=place):
        Run(**{"source": "", "entry": "f", **fields})


def test_circular_arguments_are_refused() -> None:
    value: list[Any] = []
    value.append(value)
    with pytest.raises(InvalidInput, match="nested"):
        Run("", "f", [value])


@pytest.mark.parametrize("name", ["SandboxError", "ZygoteLost", "PoolClosed", "InvalidInput", "BadFrame"])
def test_errors_survive_pickling(name: str) -> None:
    error = getattr(errors, name)("why")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (type(error), "why")


def test_the_unavailable_error_says_what_and_how_and_survives_pickling() -> None:
    error = SandboxUnavailable("seccomp", "no such call", "Use a newer kernel.")
    assert str(error) == "the sandbox layer 'seccomp' is not available: no such call. Use a newer kernel."
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.layer, copy.remedy) == (str(error), "seccomp", "Use a newer kernel.")


def test_runs_and_results_survive_pickling() -> None:
    run, result = Run("def f(): pass", "f", ("x",), 3), Result("ok", [1], 2.0, 3.0)
    assert pickle.loads(pickle.dumps((run, result))) == (run, result)


def test_invalid_input_is_a_value_error() -> None:
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(InvalidInput, errors.SandboxError)


def test_the_exported_names_exist_and_unknown_ones_do_not() -> None:
    for name in tools_sandbox.__all__:
        assert getattr(tools_sandbox, name) is not None
    assert callable(tools_sandbox.lint)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = tools_sandbox.nonsense
