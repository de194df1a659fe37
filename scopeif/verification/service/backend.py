"""What verifies behind the service: the sandbox, the judge and the verifier, opened for the life of a replica."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from scopeif.judge.breaker import State
from scopeif.judge.client import JudgeClient
from scopeif.verification.build import build_verifier
from scopeif.verification.sandbox import build_pool
from scopeif.verification.service.settings import ServiceSettings
from scopeif.verification.verifier import Verifier
from tools_sandbox import Result, Run, ToolPool

_PROBE = Run("def probe(text):\n    return count_word(text)", "probe", ("two words",))


class CountedPool(ToolPool):
    """A sandbox that counts how its runs ended, by status."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.ended: Counter[str] = Counter()
        self._broken = ""

    async def arun(self, run: Run) -> Result:
        result = await super().arun(run)
        self.ended[result.status] += 1
        self._broken = (result.error or "a run was lost") if result.status == "infra" else ""
        return result

    async def fault(self) -> str:
        """Why it cannot run tools now; empty when it can. After a failure of its own it is tried."""
        if self._broken:
            await self.arun(_PROBE)
        return self._broken


@dataclass(frozen=True)
class Backend:
    """What a replica verifies with."""

    verifier: Verifier
    pool: CountedPool
    judge: JudgeClient | None = None

    async def fault(self) -> str:
        """Why no response can be verified now; empty when they can."""
        if broken := await self.pool.fault():
            return f"the sandbox fails: {broken}"
        endpoints = self.judge.usage()["endpoints"] if self.judge else {}
        if endpoints and all(one["state"] == State.OPEN.value for one in endpoints.values()):
            said = "; ".join(f"{url}: {one['last_failure']}" for url, one in list(endpoints.items())[:5])
            return f"no judge endpoint answers: {said}"
        return ""


@asynccontextmanager
async def open_backend(settings: ServiceSettings) -> AsyncIterator[Backend]:
    """Open sandbox and judge.

    Raises:
        ConfigError: the verifier needs a judge and there is none, or the judge's key is not set.
        SandboxUnavailable: the sandbox cannot isolate on this machine.
    """
    async with AsyncExitStack() as stack:
        judge = await stack.enter_async_context(JudgeClient(settings.judge)) if settings.judge else None
        pool = await asyncio.to_thread(build_pool, settings.verification, CountedPool)
        assert isinstance(pool, CountedPool)
        stack.enter_context(pool)
        yield Backend(build_verifier(settings.verification, pool, judge), pool, judge)


def check_backend(settings: ServiceSettings) -> None:
    """Whatever `open_backend` would fail on, with the same errors; Ray Serve tells no reason for that."""
    if settings.judge is not None:
        JudgeClient(settings.judge)
    build_pool(settings.verification).close()
