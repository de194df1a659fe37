"""Judge clients with short waits, for tests against `tests.judge.server`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from scopeif.judge.client import JudgeClient
from scopeif.judge.messages import JudgeRequest
from scopeif.judge.settings import JudgeSettings, Kind
from tests.judge.server import JudgeServer

FAST: dict[str, Any] = {
    "model": "judge",
    "deadline_s": 10.0,
    "connect_timeout_s": 1.0,
    "backoff_base_s": 0.01,
    "backoff_cap_s": 0.05,
    "outage_patience_s": 20.0,
    "endpoints_poll_s": 0.05,
    "breaker": {"failures": 5, "cool_down_s": 0.05, "cool_down_cap_s": 0.2},
}


def client_of(*servers: JudgeServer, **changes: Any) -> JudgeClient:
    """A client of these servers, unless `endpoints` or `endpoints_file` is among the changes."""
    own = {} if {"endpoints", "endpoints_file"} & set(changes) else {"endpoints": [one.url for one in servers]}
    return JudgeClient(JudgeSettings.model_validate({**FAST, **own, **changes}))


def request(text: str = "hello", affinity: str = "", attempt: int = 0, kind: Kind = "judgment") -> JudgeRequest:
    """A request of one user message."""
    return JudgeRequest(kind, [{"role": "user", "content": text}], affinity, attempt)


async def until(condition: Callable[[], object], seconds: float = 15.0) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition never came true"
        await asyncio.sleep(0.005)
