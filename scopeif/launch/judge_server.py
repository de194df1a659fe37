"""One server of a judge job: a process, its port, and whether it is well."""

from __future__ import annotations

import contextlib
import http.client
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ASK_S = 5.0
MISSES = 3
"""So many questions about its health in a row without an answer make a server unwell."""
_WORK = ("vllm:num_requests_running", "vllm:num_requests_waiting")
"""Metrics of vLLM that together say how many requests a server holds."""

_HERE = urllib.request.build_opener(urllib.request.ProxyHandler({}))
"""Opens addresses of this node, whatever proxies the environment names."""


@dataclass(eq=False)
class JudgeServer:
    """Started with `start`, looked after with `look`, ended with `send` and `wait`."""

    command: Sequence[str]
    """With {port} where the port goes."""
    variables: Mapping[str, str]
    host: str
    log: Path
    starts: int = field(default=0, init=False)
    port: int = field(default=0, init=False)
    well: bool = field(default=False, init=False)
    """Whether it may be asked: it answered, and not `MISSES` times in a row it did not."""
    _misses: int = field(default=0, init=False)
    _since: float = field(default=0.0, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    @property
    def url(self) -> str:
        """Base URL of its OpenAI protocol."""
        return f"http://{self.host}:{self.port}/v1"

    @property
    def status(self) -> int | None:
        """Exit status, None while it runs."""
        return self._process.poll() if self._process is not None else None

    def start(self) -> None:
        """Start it, or start it again, on a port that is free now."""
        self.wait(0.0)  # what is left of an earlier start
        self.starts += 1
        self.well, self._misses, self._since = False, 0, time.monotonic()
        with socket.socket() as probe:
            probe.bind(("", 0))
            self.port = probe.getsockname()[1]
        command = [word.replace("{port}", str(self.port)) for word in self.command]
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.variables},
                start_new_session=True,
            )

    def look(self, patience_s: float) -> bool:
        """Ask for its health; returns whether it runs. One that has not been well for `patience_s` is killed."""
        if self.status is not None:
            self.well = False
            return False
        if self._get("/health") is not None:
            self.well, self._misses, self._since = True, 0, time.monotonic()
            return True
        self._misses += 1
        self.well = self.well and self._misses < MISSES
        if not self.well and time.monotonic() - self._since > patience_s:
            self.send(signal.SIGKILL)
        return True

    def requests(self) -> int | None:
        """How many requests it holds; None when it does not say."""
        text = self._get("/metrics")
        found = [line.rpartition(" ")[2] for line in (text or "").splitlines() if line.startswith(_WORK)]
        return int(sum(map(float, found))) if found else None

    def send(self, number: signal.Signals) -> None:
        """Send a signal to all its processes."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)

    def wait(self, timeout_s: float) -> None:
        """Wait for the end of its first process, and kill all the others."""
        if self._process is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout_s)
        self.send(signal.SIGKILL)
        self._process.wait()

    def _get(self, path: str) -> str | None:
        try:
            with _HERE.open(f"http://127.0.0.1:{self.port}{path}", timeout=ASK_S) as answer:
                return str(answer.read().decode(errors="replace"))
        except (OSError, http.client.HTTPException):
            return None
