"""Tool-grounded verification against a straightforward design of the same job, and its memory over a long stream.

    python benchmarks/verification.py                 # constraints a second with a judge of 0 ms and of 200 ms
    python benchmarks/verification.py --stream 200000 # memory while so many 2 kB responses go through

The judge is a stub in a process of its own that answers at once or after a fixed delay; every response is distinct,
the cache is off. The peer: 16 threads, a blocking HTTP client, `subprocess python` for every tool. Exit code 1: a bar
is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from stub_judge import stub

from scopeif.constraints.dataset import read_instructions
from scopeif.constraints.models import Instruction
from scopeif.judge.client import JudgeClient
from scopeif.judge.parsing import ToolDesign, parse_judgment, parse_tool_design
from scopeif.judge.rendering import render
from scopeif.judge.settings import ConcurrencySettings, JudgeSettings
from scopeif.reward import Answer
from scopeif.verification.asking import Asker
from scopeif.verification.engine import Item, verify_many
from scopeif.verification.tool_grounded import ToolGroundedVerifier
from tools_sandbox import ToolPool

ROOT = Path(__file__).resolve().parents[1]
PEER_THREADS, CONCURRENCY = 16, 88
SENTENCE = "The boats rest in the harbour while the tide runs out, and nobody on the quay is in a hurry today. "


def items(instruction: Instruction, count: int) -> Iterator[Item[int]]:
    """Distinct responses of 2 kB."""
    text = SENTENCE * (2_000 // len(SENTENCE))
    return (Item(number, instruction, Answer(f"Day {number}. {text}", 1)) for number in range(count))


def cpu_s() -> float:
    """CPU seconds of this process and its ended children."""
    return sum(
        resource.getrusage(who).ru_utime + resource.getrusage(who).ru_stime
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


async def ours(url: str, instruction: Instruction, count: int, every: int = 0) -> tuple[float, float]:
    """Constraints a second and CPU milliseconds a constraint of this process, all its threads together."""
    settings = JudgeSettings(
        model="judge",
        endpoints=(url,),
        concurrency=ConcurrencySettings(start=CONCURRENCY, min=CONCURRENCY, max=CONCURRENCY),
    )
    process = psutil.Process()
    with ToolPool(workers=2) as pool:
        async with JudgeClient(settings) as client:
            verifier = ToolGroundedVerifier(Asker(client), pool)
            async for _, outcome in verify_many(verifier, items(instruction, 200), CONCURRENCY):
                assert outcome.verified, outcome
            begun, cpu, done = time.perf_counter(), time.process_time(), 0
            memory = process.memory_info().rss
            async for _, outcome in verify_many(verifier, items(instruction, count), CONCURRENCY):
                assert outcome.verified, outcome
                done += 1
                if every and done % every == 0:
                    grown = (process.memory_info().rss - memory) / 2**20
                    print(f"  {done:7d} verified, memory {grown:+.1f} MiB", flush=True)
            seconds = time.perf_counter() - begun
    return count / seconds, 1000 * (time.process_time() - cpu) / count


PEER_TOOL = """
import json, sys
{source}
def count_word(text): return len(text.split())
print(json.dumps({entry}(*json.load(sys.stdin))))
"""


def peer(url: str, instruction: Instruction, count: int) -> tuple[float, float]:
    """The same with threads that block and a process for each tool."""
    address = urlsplit(url)
    connections: dict[int, http.client.HTTPConnection] = {}

    def ask(prompt: str) -> str:
        thread = threading.get_ident()
        if thread not in connections:
            connections[thread] = http.client.HTTPConnection(address.hostname or "", address.port)
        body = json.dumps({"model": "judge", "messages": [{"role": "user", "content": prompt}]})
        connections[thread].request(
            "POST", f"{address.path}/chat/completions", body, {"Content-Type": "application/json"}
        )
        return str(json.loads(connections[thread].getresponse().read())["choices"][0]["message"]["content"])

    def verify(item: Item[int]) -> None:
        (constraint,) = instruction.constraints
        text = item.answer.text
        design = parse_tool_design(ask(render("tool_design", "paper", instruction, constraint, text)), text)
        assert isinstance(design, ToolDesign)
        source = PEER_TOOL.format(source=design.source, entry=design.entry)
        ran = subprocess.run(
            [sys.executable, "-I", "-c", source], input=json.dumps([text]), capture_output=True, text=True, check=True
        )
        assert parse_judgment(ask(render("judgment", "paper", instruction, constraint, text, ran.stdout))).records

    begun, cpu = time.perf_counter(), cpu_s()
    with ThreadPoolExecutor(PEER_THREADS) as pool:
        list(pool.map(verify, items(instruction, count)))
    return count / (time.perf_counter() - begun), 1000 * (cpu_s() - cpu) / count


def compare(instruction: Instruction) -> bool:
    """Both in turn, twice; prints the better of each. Returns whether the bars hold."""
    held = True
    print(f"{'judge':>8} {'ours /s':>9} {'peer /s':>9} {'ratio':>6} {'CPU ms, ours':>13}  bars")
    for delay_s, bar in ((0.0, 2.5), (0.2, 5.0)):
        with stub(delay_s) as (url,):
            rates, costs, peers = [], [], []
            for _ in range(2):
                rate, cost = asyncio.run(ours(url, instruction, 2_000))
                rates.append(rate)
                costs.append(cost)
                peers.append(peer(url, instruction, 300)[0])
        rate, other = max(rates), max(peers)
        ratio = rate / other
        most = CONCURRENCY / (2 * delay_s) if delay_s else None  # two calls a constraint
        bars = f"ratio >= {bar}" + (f"; {rate / most:.0%} of concurrency/latency, >= 75%" if most else "")
        held &= ratio >= bar and (most is None or rate >= 0.75 * most)
        print(f"{delay_s * 1000:5.0f} ms {rate:9.1f} {other:9.1f} {ratio:6.1f} {min(costs):13.2f}  {bars}", flush=True)
    return held


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--stream", type=int, default=0, help="responses for the memory figure")
    options = arguments.parse_args()
    instructions = read_instructions(ROOT / "data" / "scope_mini" / "test.jsonl")
    instruction = next(one for one in instructions if len(one.constraints) == 1)
    if not options.stream:
        return int(not compare(instruction))
    with stub(0.0) as (url,):
        process = psutil.Process()
        print(f"{options.stream} responses, process {os.getpid()}")
        rate, cost = asyncio.run(ours(url, instruction, options.stream, every=max(1, options.stream // 10)))
    print(f"{rate:.0f} constraints/s, {cost:.2f} CPU ms each, {process.memory_info().rss / 2**20:.0f} MiB in the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
