"""One run, in the process that the zygote forked for it. The tool is read only behind the filter.

The tool shares this process, so it can patch anything in it, also what comes after its return. That is no
danger to anyone but its own result. Still, an honest tool with odd habits should be heard, so what is needed
after it is bound before it, its tracing hooks are taken away, and this module has builtins of its own.
"""

from __future__ import annotations

import builtins
import gc
import json
import math
import os
import random
import resource
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from tools_sandbox import kernel
from tools_sandbox.frame import HEADER, MAX_DEPTH, MAX_DIGITS, MAX_ERROR_LENGTH
from tools_sandbox.limits import Limits
from tools_sandbox.seccomp import MAX_EXIT_CODE, RESULT_DESCRIPTOR, Filter

LOCK_FAILED = MAX_EXIT_CODE + 2
TOOL_FILE = "<tool>"
_RESERVE_BYTES = 4 << 20  # set aside (`bytes` does not touch them) to say in words that a tool has used up its memory
_HUGE = 10**MAX_DIGITS

# The functions below take their builtins from here, whatever the tool did to the common ones. The copy is made
# before the fork; to put the builtins back after the tool would write to a hundred pages that all runs share.
globals()["__builtins__"] = dict(vars(builtins))


def _refuse(value: Any) -> NoReturn:
    raise TypeError(f"the tool returned a {type(value).__name__}, which JSON cannot say")


# What json.JSONEncoder uses inside. Alone it needs no builtins and nothing of the module json, which tools patch.
_CHUNKS = json.encoder.c_make_encoder(  # type: ignore[attr-defined]
    None, _refuse, json.encoder.encode_basestring_ascii, None, ": ", ", ", False, False, False
)


class Confinement(NamedTuple):
    """What a run is held by."""

    filter: Filter
    limits: Limits
    kernel_limits: Sequence[tuple[int, tuple[int, int]]]  # for setrlimit
    max_descriptors: int


def run_tool(run_descriptor: int, zygote: int, hold: Confinement, helpers: Mapping[str, Any]) -> NoReturn:
    """Lock this process down, read one request, run it, send one frame, leave."""
    try:
        _lock_down(run_descriptor, zygote, hold)
    except BaseException:  # noqa: BLE001 - whatever it is, the tool must not be read
        os._exit(LOCK_FAILED)  # the filter keeps tools from leaving with this code
    leave = os._exit
    try:
        _send_answer(_read_request(), hold.limits.output_bytes, helpers)
    except BaseException:  # noqa: BLE001 - the tool's signal handler or patch; silence is an answer too
        leave(1)
    leave(0)


def _lock_down(run_descriptor: int, zygote: int, hold: Confinement) -> None:
    kernel.prctl(kernel.PR_SET_PDEATHSIG, 9)
    if os.getppid() != zygote:
        os._exit(0)  # it died before it could take us along
    if run_descriptor != RESULT_DESCRIPTOR:
        os.dup2(run_descriptor, RESULT_DESCRIPTOR)
    os.closerange(RESULT_DESCRIPTOR + 1, hold.max_descriptors)
    for what, values in hold.kernel_limits:
        resource.setrlimit(what, values)
    hold.filter.install()


def _read_request() -> dict[str, Any]:
    (size,) = HEADER.unpack(_read_exactly(HEADER.size))
    request: dict[str, Any] = json.loads(_read_exactly(size).decode("utf-8", "surrogatepass"))
    return request


def _read_exactly(size: int) -> bytes:
    parts = []
    while size:
        part = os.read(RESULT_DESCRIPTOR, min(size, 1 << 20))
        if not part:
            os._exit(0)  # the pool gave up on this run
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send_answer(request: dict[str, Any], limit: int, helpers: Mapping[str, Any]) -> None:
    write, pack, size = os.write, HEADER.pack, len
    body = _answer(request, helpers)
    if size(body) > limit:
        write(RESULT_DESCRIPTOR, pack(limit + 1))  # the length says it all
        return
    out = pack(size(body)) + body
    while out:
        out = out[write(RESULT_DESCRIPTOR, out) :]


def _answer(request: dict[str, Any], helpers: Mapping[str, Any]) -> bytes:
    """JSON of `{"r": value}`, `{"e": what went wrong}` or `{"bad": why the value is refused}`."""
    untrace, unprofile = sys.settrace, sys.setprofile
    random.seed(request["seed"])
    scope: dict[str, Any] = {"__name__": "tool", "__builtins__": builtins, **helpers}
    failure: BaseException | None = None
    value = None
    reserve = bytes(_RESERVE_BYTES)
    gc.enable()
    try:
        exec(compile(request["source"], TOOL_FILE, "exec", dont_inherit=True), scope)
        entry = scope.get(request["entry"])
        if entry is None:
            return _encode({"e": f"the tool defines no function {request['entry']!r}"})
        value = entry(*request["args"])
    except BaseException as error:  # noqa: BLE001 - KeyboardInterrupt and SystemExit are the tool's too
        failure = error
    del reserve
    for _ in (1, 2, 3):
        try:
            unprofile(None)
            untrace(None)
            break
        except BaseException:  # noqa: BLE001 - a tracing hook that raises is gone once it did
            continue
    try:
        return _encode(_answer_for(value) if failure is None else _explain(failure))
    except BaseException as error:  # noqa: BLE001 - the returned value runs code of the tool's, or does not fit
        return _encode(_explain(error))


def _encode(answer: dict[str, Any]) -> bytes:
    return "".join(_CHUNKS(answer, 0)).encode()


def _answer_for(value: Any) -> dict[str, Any]:
    """The answer that carries `value`, or why it cannot be one. Looks at no more than can be sent anyway."""
    waiting = [(value, 1)]
    seen = 0
    while waiting and seen < 1 << 20:
        item, depth = waiting.pop()
        seen += 1
        if item is None or isinstance(item, (str, bool)):
            continue
        if isinstance(item, int):
            if not -_HUGE < item < _HUGE:
                return {"bad": f"an integer of more than {MAX_DIGITS} digits"}
        elif isinstance(item, float):
            if not math.isfinite(item):
                return {"e": f"ValueError: the tool returned {item!r}, which JSON cannot say"}
        elif not isinstance(item, (list, tuple, dict)):
            return {"e": f"TypeError: the tool returned a {type(item).__name__}, which JSON cannot say"}
        elif depth > MAX_DEPTH:
            return {"bad": f"nested more than {MAX_DEPTH} deep"}
        else:
            if isinstance(item, dict):
                if not all(isinstance(key, str) for key in item):
                    return {"e": "TypeError: the tool returned a dict with keys that are not strings"}
                item = item.values()
            waiting.extend((inner, depth + 1) for inner in item)
    return {"r": value}


def _explain(error: BaseException) -> dict[str, Any]:
    """The answer that says in one line: where in the tool's source, which error, its message."""
    try:
        kind = type(error).__name__
        message = " ".join(str(error).split())
        text = f"{_place(error)}{kind}: {message}" if message else f"{_place(error)}{kind}"
        return {"e": text[:MAX_ERROR_LENGTH].encode("utf-8", "replace").decode()}
    except BaseException:  # noqa: BLE001 - the message of an error is code of the tool's
        return {"e": "an error that cannot be shown"}


def _place(error: BaseException) -> str:
    """`line 3: ` for the innermost line of the tool's own source; empty when there is none."""
    line = None
    if isinstance(error, SyntaxError) and error.filename == TOOL_FILE:
        line = error.lineno
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == TOOL_FILE:
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f"line {line}: "
