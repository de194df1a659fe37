"""The client's side of one zygote: one conversation at a time, each over a socket of its own."""

from __future__ import annotations

import contextlib
import itertools
import socket
import subprocess
import time

from tools_sandbox import frame, wire
from tools_sandbox.errors import FrameTooLarge, ZygoteLost
from tools_sandbox.launch import Blueprint, Started, start
from tools_sandbox.starvation import starved
from tools_sandbox.verdict import Ending, Talk

_ACCOUNT_PATIENCE_S = 30.0  # for the zygote to kill and reap; much longer than a loaded machine needs
_END_PATIENCE_S = 2.0


class Handle:
    """A running zygote. Not for two threads at once, but for `end`, which any thread may call."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._limits = blueprint.limits
        self.started: Started = start(blueprint)
        self.started.control.settimeout(_ACCOUNT_PATIENCE_S)
        self._serials = itertools.count()
        has_watcher = any(layer.name == "namespaces" and layer.present for layer in self.started.layers)
        self._run_depth = 2 if has_watcher else 1
        self.runs = 0

    def converse(self, request: bytes) -> Talk:
        """Run one request; raises `ZygoteLost` when nothing can be said about it."""
        serial = next(self._serials) & 0xFFFFFFFF
        self.runs += 1
        begin = time.monotonic()
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                self._send_run(serial, theirs.fileno())
            ending, body = self._exchange(ours, request, begin + self._limits.wall_s)
            wall_s = time.monotonic() - begin
            # Before our end closes: a tool that waits on the socket would hear of that, and end by itself.
            account = self._stop(serial, wire.STOP_ENDED if ending is Ending.CLOSED else wire.STOP)
            late = ending in (Ending.DEADLINE, Ending.STARVED) and _says_more(ours)
        return Talk(ending, body, account, wall_s, late)

    def end(self) -> None:
        """End the zygote and whatever it runs. A conversation under way raises `ZygoteLost`."""
        # shutdown, not close: another thread may wait on the socket, and its number must not be reused.
        with contextlib.suppress(OSError):
            self.started.control.shutdown(socket.SHUT_RDWR)
        try:
            self.started.process.wait(_END_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.started.process.kill()
            self.started.process.wait()

    def close(self) -> None:
        """End it and give the descriptors back."""
        self.end()
        self.started.control.close()

    def _send_run(self, serial: int, descriptor: int) -> None:
        try:
            socket.send_fds(self.started.control, [wire.Command(wire.RUN, serial).pack()], [descriptor])
        except OSError as error:
            raise ZygoteLost(f"it cannot be reached: {error}") from None

    def _stop(self, serial: int, kind: int) -> wire.Account:
        try:
            self.started.control.send(wire.Command(kind, serial).pack())
            message = self.started.control.recv(256)
        except OSError as error:
            raise ZygoteLost(f"it does not answer: {error}") from None
        if not message:
            raise ZygoteLost("it ended")
        account = wire.account(message)
        if account.serial != serial:
            raise ZygoteLost(f"it answered for run {account.serial} instead of {serial}")
        return account

    def _exchange(self, run: socket.socket, request: bytes, deadline: float) -> tuple[Ending, bytes]:
        """Send the request, take one frame, and look no further."""
        reader = frame.FrameReader(self._limits.output_bytes)
        try:
            _set_time_left(run, deadline)
            run.sendall(frame.pack(request))
            while True:
                _set_time_left(run, deadline)
                data = run.recv(1 << 16)
                if not data:
                    break
                if reader.feed(data):
                    return Ending.FRAME, reader.body
        except FrameTooLarge:
            return Ending.TOO_LARGE, b""
        except TimeoutError:
            return self._at_the_deadline(deadline), b""
        except (BrokenPipeError, ConnectionResetError):
            pass  # it ended before it had read everything
        if time.monotonic() > deadline:
            return self._at_the_deadline(deadline), b""
        return Ending.CLOSED, b""

    def _at_the_deadline(self, deadline: float) -> Ending:
        late_s = time.monotonic() - deadline
        is_starved = starved(self.started.process.pid, self._run_depth, self._limits.wall_s, late_s)
        return Ending.STARVED if is_starved else Ending.DEADLINE


def _says_more(run: socket.socket) -> bool:
    try:
        return bool(run.recv(1, socket.MSG_DONTWAIT))
    except OSError:
        return False


def _set_time_left(run: socket.socket, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    run.settimeout(left)
