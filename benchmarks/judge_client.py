"""CPU time of a judge call in the client process: ours, and the ways to call the openai client.

    python benchmarks/judge_client.py       # requests of 8 kB, answers of 8 kB with their reasoning, 32 at a time

The stub judge runs in a process of its own. Every row is the best of five rounds; all requests are distinct.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import openai

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from scopeif.judge.client import JudgeClient
from scopeif.judge.messages import JudgeRequest
from scopeif.judge.settings import JudgeSettings

ROUNDS = 5
Call = Callable[[str], Awaitable[Any]]


async def cpu_ms(call: Call, calls: int, at_a_time: int) -> float:
    """Milliseconds of CPU time per call of this process, all its threads together."""
    numbers = itertools.count()
    filler = "word " * 1600
    places = asyncio.Semaphore(at_a_time)

    async def one() -> None:
        async with places:
            await call(f"{next(numbers)} {filler}")

    await asyncio.gather(*(one() for _ in range(100)))
    best = float("inf")
    for _ in range(ROUNDS):
        begun = time.process_time()
        await asyncio.gather(*(one() for _ in range(calls)))
        best = min(best, (time.process_time() - begun) / calls)
    return best * 1000


def body(text: str) -> dict[str, Any]:
    """The request that all ways of calling send."""
    messages = [{"role": "user", "content": text}]
    return {
        "model": "judge",
        "messages": messages,
        "temperature": 0.0,
        "max_tokens": 8192,
        "reasoning_effort": "medium",
    }


async def measure(url: str, calls: int, at_a_time: int) -> dict[str, float]:
    """CPU milliseconds per call, by way of calling."""
    rows: dict[str, float] = {}
    limits = httpx2.Limits(max_connections=0)
    async with (
        openai.AsyncOpenAI(base_url=url, api_key="x", max_retries=0) as plain,
        openai.AsyncOpenAI(
            base_url=url, api_key="x", max_retries=0, http_client=openai.DefaultAioHttpClient(limits=limits)
        ) as quick,
        aiohttp.ClientSession() as bare,
    ):

        async def with_aiohttp(text: str) -> Any:
            async with bare.post(f"{url}/chat/completions", json=body(text)) as response:
                return json.loads(await response.read())

        ways: dict[str, Call] = {
            "openai create(), its usual transport": lambda text: plain.chat.completions.create(**body(text)),
            "openai create(), aiohttp transport": lambda text: quick.chat.completions.create(**body(text)),
            "openai post(cast_to=object), aiohttp transport": lambda text: quick.post(
                "/chat/completions", cast_to=object, body=body(text)
            ),
            "aiohttp alone": with_aiohttp,
        }
        for name, way in ways.items():
            rows[name] = await cpu_ms(way, calls, at_a_time)
    limits_of_ours = {"start": at_a_time, "max": at_a_time}
    settings = {"model": "judge", "endpoints": [url], "concurrency": limits_of_ours}

    def ask(client: JudgeClient, keep: bool) -> Call:
        async def call(text: str) -> None:
            request = JudgeRequest("judgment", [{"role": "user", "content": text}], text[:8])
            answer = await client.ask(request)
            if keep:
                client.keep(request, answer)

        return call

    async with JudgeClient(JudgeSettings.model_validate(settings)) as client:
        rows["JudgeClient"] = await cpu_ms(ask(client, keep=False), calls, at_a_time)
    with tempfile.TemporaryDirectory() as folder:
        cached = {**settings, "cache_path": f"{folder}/cache.sqlite"}
        async with JudgeClient(JudgeSettings.model_validate(cached)) as client:
            rows["JudgeClient, every answer kept in the cache"] = await cpu_ms(ask(client, keep=True), calls, at_a_time)
        async with JudgeClient(JudgeSettings.model_validate(cached)) as client:
            rows["JudgeClient, every answer from the cache"] = await cpu_ms(ask(client, keep=True), calls, at_a_time)
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--calls", type=int, default=600, help="calls a round")
    options.add_argument("--at-a-time", type=int, default=32)
    chosen = options.parse_args()
    root = Path(__file__).resolve().parents[1]
    command = [sys.executable, str(root / "tests/judge/server.py"), "--characters", "4000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            rows = asyncio.run(measure(server.stdout.readline().strip(), chosen.calls, chosen.at_a_time))
        finally:
            server.terminate()
    print(f"{'CPU per call':52} {'ms':>7}")
    for name, milliseconds in rows.items():
        print(f"{name:52} {milliseconds:7.3f}")


if __name__ == "__main__":
    main()
