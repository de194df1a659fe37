"""What goes in (`Run`) and what comes out (`Result`)."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

from tools_sandbox.errors import InvalidInput
from tools_sandbox.frame import MAX_DIGITS

Status = Literal[
    "ok",  # the tool returned a JSON value: `value`
    "error",  # the tool raised, or returned something that is not JSON: `error` says what, and in which line
    "cpu",  # it used up its CPU seconds
    "wall",  # it was still not done at the wall-clock limit, though the machine had CPU time for it
    "memory",  # the kernel killed it for memory (a MemoryError that Python raises is an `error`)
    "crash",  # another signal ended it
    "too_large",  # the source, the arguments or the result are larger than the limit
    "bad_result",  # it sent something that is not a result: nested too deeply, a huge integer, a dict, ...
    "no_result",  # it ended without sending anything
    "infra",  # the sandbox or the machine failed, twice: nothing is known about the tool
]
STATUSES: tuple[str, ...] = get_args(Status)

MAX_ARGUMENT_DEPTH = 32


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """One call `entry(*args)` of the function `entry` that `source` defines; `seed` seeds `random`."""

    source: str
    entry: str
    args: Sequence[Any] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.source, str):
            raise InvalidInput(f"Run.source must be a str, not {type(self.source).__name__}")
        if not isinstance(self.entry, str) or not self.entry.isidentifier():
            raise InvalidInput(f"Run.entry must be the name of a function, not {self.entry!r}")
        if not isinstance(self.args, (list, tuple)):
            raise InvalidInput(f"Run.args must be a list or a tuple, not {type(self.args).__name__}")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or abs(self.seed) >= 1 << 63:
            raise InvalidInput(f"Run.seed must be a 64-bit int, not {self.seed!r}")
        for index, value in enumerate(self.args):
            _check_json(value, f"Run.args[{index}]", MAX_ARGUMENT_DEPTH)


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one run. CPU time is the kernel's account of the run, never the tool's word."""

    status: Status
    value: Any = None  # the returned JSON value when the status is "ok"
    cpu_ms: float = 0.0
    wall_ms: float = 0.0
    error: str = ""  # one readable line when the status is not "ok"; it can hold the tool's own words
    quarantined: bool = False  # not run at all: this source met its limits before, with `status` the last time

    @property
    def ok(self) -> bool:
        return self.status == "ok"


def encode_arguments(run: Run) -> bytes:
    """The arguments as JSON; lone surrogates, which a model can produce, pass unchanged."""
    return json.dumps(list(run.args), ensure_ascii=False).encode("utf-8", "surrogatepass")


def encode_request(run: Run, arguments: bytes) -> bytes:
    """The JSON object that the child reads, around arguments that are already encoded."""
    head = json.dumps({"source": run.source, "entry": run.entry, "seed": run.seed}, ensure_ascii=False)
    return head[:-1].encode("utf-8", "surrogatepass") + b', "args": ' + arguments + b"}"


def _check_json(value: Any, place: str, depth: int) -> None:
    if depth < 0:
        raise InvalidInput(f"{place} is nested more than {MAX_ARGUMENT_DEPTH} deep")
    if value is None or isinstance(value, (str, bool)):
        return
    if isinstance(value, int):
        if abs(value) >= 10**MAX_DIGITS:
            raise InvalidInput(f"{place} is an integer of more than {MAX_DIGITS} digits")
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{place} is {value!r}, which JSON cannot say")
        return
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            _check_json(item, f"{place}[{index}]", depth - 1)
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidInput(f"{place} has the key {key!r}; JSON keys are strings")
            _check_json(item, f"{place}[{key!r}]", depth - 1)
        return
    raise InvalidInput(f"{place} is a {type(value).__name__}, which JSON cannot say")
