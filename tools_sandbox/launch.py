"""How a zygote is started: a clean exec of this interpreter, never a fork of the client."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from tools_sandbox.errors import SandboxUnavailable
from tools_sandbox.limits import Limits
from tools_sandbox.report import REMEDIES, Layer

START_PATIENCE_S = 60.0

# Run by `python -c`: the paths come first, since the interpreter is told to find nothing by itself. They are
# appended, so that no file beside the package can stand in for a module of the standard library. Modules such as
# `random` and `threading` ask to be called in every fork, which would cost each run half a millisecond; a run seeds
# `random` itself, and no fork of a single thread needs the rest.
BOOTSTRAP = (
    "import sys, json, os; sys.path += json.loads(sys.argv[1])['path']; os.register_at_fork = lambda **_: None; "
    "from tools_sandbox.zygote import main; main()"
)

# -I would also ignore PYTHONHASHSEED, and then the order of a set, hence the verdict of a tool, would depend
# on the zygote. With an environment of our own, -s -P -S shut out the same things.
_FLAGS = ("-s", "-P", "-S", "-B")
# LD_BIND_NOW: what is resolved at the start need not be resolved by each run.
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1", "TZ": "UTC", "LD_BIND_NOW": "1"}
_NEEDED_TO_LOAD = ("LD_LIBRARY_PATH",)  # some clusters' interpreters do not start without it

_TEXT_DEPENDENCIES = ("markdown_it", "mdurl", "yaml")


@dataclasses.dataclass(frozen=True, slots=True)
class Blueprint:
    """What all zygotes of a pool have in common."""

    limits: Limits
    preload: Sequence[str]
    text_module: str = "tools_sandbox.text"


@dataclasses.dataclass(frozen=True, slots=True)
class Started:
    """A zygote that said that it is ready."""

    process: subprocess.Popen[bytes]
    control: socket.socket
    layers: tuple[Layer, ...]
    helpers: tuple[str, ...]


def start(blueprint: Blueprint) -> Started:
    """Start a zygote and wait until it is ready; raises `SandboxUnavailable`."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        with theirs:
            process = _spawn(blueprint, theirs.fileno())
        hello = _hello(process, ours)
    except BaseException:
        ours.close()
        raise
    layers = tuple(Layer(*row) for row in hello["layers"])
    return Started(process, ours, layers, tuple(hello["helpers"]))


def _spawn(blueprint: Blueprint, control: int) -> subprocess.Popen[bytes]:
    config = {
        "control": control,
        "client": os.getpid(),
        "path": _search_path(),
        "preload": list(blueprint.preload),
        "text": blueprint.text_module,
        "limits": dataclasses.asdict(blueprint.limits),
    }
    environment = {**_ENVIRONMENT, **{k: os.environ[k] for k in _NEEDED_TO_LOAD if k in os.environ}}
    try:
        return subprocess.Popen(
            [sys.executable, *_FLAGS, "-c", BOOTSTRAP, json.dumps(config)],
            env=environment,
            cwd="/",
            pass_fds=[control],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,  # a Ctrl-C at the terminal is the client's to handle
        )
    except OSError as error:
        reason = f"{sys.executable} does not start: {error}"
        raise SandboxUnavailable("zygote", reason, REMEDIES["zygote"]) from None


def _search_path() -> list[str]:
    """Where this package lies, and where the packages lie that `tools_sandbox.text` imports."""
    places = [str(pathlib.Path(__file__).resolve().parent.parent)]
    for name in _TEXT_DEPENDENCIES:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            places.append(str(pathlib.Path(spec.origin).resolve().parent.parent))
    return list(dict.fromkeys(places))


def _hello(process: subprocess.Popen[bytes], control: socket.socket) -> dict[str, Any]:
    """The zygote's first message. Whatever else comes, the process is gone afterwards."""
    assert process.stderr is not None
    control.settimeout(START_PATIENCE_S)
    try:
        message = control.recv(1 << 16)
    except OSError as error:
        message, silence = b"", f"it said nothing in {START_PATIENCE_S:g} s ({error})"
    else:
        silence = "it ended"
    hello: dict[str, Any] = json.loads(message) if message else {}
    if "layers" in hello:
        process.stderr.close()
        return hello
    process.kill()
    printed = process.stderr.read().decode("utf-8", "replace").strip()
    process.stderr.close()
    process.wait()
    layer = hello.get("failed", "zygote")
    last_line = printed.splitlines()[-1] if printed else silence
    raise SandboxUnavailable(layer, hello.get("reason", last_line), REMEDIES[layer])
