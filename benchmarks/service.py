"""The verification service under load: many clients at once, for a while, with a judge of constant latency.

    python benchmarks/service.py [--clients 200] [--seconds 300] [--judge-s 1.0] [--replicas 1]

Starts `scopeif serve` with tool-grounded verification (two judge calls and a sandbox run each) and asks it for rewards
of distinct 2 kB responses; every client asks again as soon as it has its answer. The first fifth of the time is
warm-up. Exit code 1: an answer is wrong or missing, p99 is above 3 x p50, or the memory of a process of the service
grows by more than 16 MiB after the warm-up.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import psutil
from stub_judge import stub

from scopeif.constraints.dataset import read_instructions

ROOT = Path(__file__).resolve().parents[1]
SENTENCE = "The boats rest in the harbour while the tide runs out, and nobody on the quay is in a hurry today. "
SPREAD, LEAK_MIB, WARM_UP = 3.0, 16.0, 0.2
PARTS = {"ray::ServeReplica": "replica", "ray::ProxyActor": "proxy", "ray::ServeController": "controller"}


@dataclass
class Load:
    """What the clients saw."""

    latencies_s: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    memory: dict[str, list[float]] = field(default_factory=dict)
    """Resident MiB of each process of the service, every second after the warm-up."""


@contextmanager
def service(judge_url: str, replicas: int, folder: Path) -> Iterator[tuple[str, psutil.Process]]:
    """The URL of a service that is ready, and the process of its launcher."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    judge = {"model": "judge", "endpoints": [judge_url], "concurrency": {"start": 256}}
    (folder / "judge.yaml").write_text(json.dumps(judge))  # JSON is YAML
    command = [sys.executable, "-m", "scopeif.serve", "--port", str(port), "--verifier", "tgv"]
    command += ["--judge", str(folder / "judge.yaml"), "--replicas", str(replicas), "--replica-cpus", "0.5"]
    begun = time.monotonic()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stderr is not None
        said = []
        while not said or not said[-1].startswith("ready at"):
            if not (line := process.stderr.readline()):
                raise SystemExit("".join(said))
            said.append(line)
        print(f"ready after {time.monotonic() - begun:.0f} s", flush=True)
        try:
            yield f"http://127.0.0.1:{port}", psutil.Process(process.pid)
        finally:
            process.send_signal(signal.SIGTERM)


def parts(launcher: psutil.Process) -> Iterator[tuple[str, psutil.Process]]:
    """The processes of the service that requests go through, with their names."""
    for process in launcher.children(recursive=True):
        with suppress(psutil.Error):  # zombies among them
            title = " ".join(process.cmdline())
            for start, part in PARTS.items():
                if title.startswith(start):
                    yield f"{part} {process.pid}", process


async def put_load(url: str, launcher: psutil.Process, clients: int, seconds: float) -> Load:
    """All clients at once; latencies and memory count after the warm-up."""
    instruction = next(
        one for one in read_instructions(ROOT / "data" / "scope_mini" / "test.jsonl") if len(one.constraints) == 1
    )
    text, asked = instruction.model_dump(mode="json"), itertools.count()
    watched = dict(parts(launcher))
    load, begun = Load(), time.monotonic()
    warm, end = begun + WARM_UP * seconds, begun + seconds

    async def client(session: aiohttp.ClientSession) -> None:
        while (sent := time.monotonic()) < end:
            body = {"instruction": text, "response": f"Day {next(asked)}. {SENTENCE * 20}"}
            async with session.post(f"{url}/v1/reward", json=body) as response:
                answer = await response.json()
            if response.status != 200 or answer["reward"] != 1.0:
                load.faults.append(f"{response.status} {answer}")
            elif sent >= warm:
                load.latencies_s.append(time.monotonic() - sent)

    async def watch() -> None:
        await asyncio.sleep(warm - begun)
        while time.monotonic() < end:
            for name, process in watched.items():
                load.memory.setdefault(name, []).append(process.memory_info().rss / 2**20)
            await asyncio.sleep(1)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await asyncio.gather(watch(), *(client(session) for _ in range(clients)))
    return load


def report(load: Load, seconds: float) -> bool:
    """Print the figures; whether the bars hold."""
    if load.faults:
        print(f"{len(load.faults)} wrong answers, the first: {load.faults[0]}")
    cuts = statistics.quantiles(load.latencies_s, n=100)
    p50, p99 = cuts[49], cuts[98]
    rate = len(load.latencies_s) / (seconds * (1 - WARM_UP))
    print(f"{rate:.1f} verifications/s, p50 {p50:.2f} s, p99 {p99:.2f} s ({p99 / p50:.2f} x p50, <= {SPREAD:g})")
    leaks = False
    for name, sizes in sorted(load.memory.items()):
        tenth = max(1, len(sizes) // 10)
        before, after = statistics.mean(sizes[:tenth]), statistics.mean(sizes[-tenth:])
        leaks |= after - before > LEAK_MIB
        print(f"{name:18} {before:6.0f} MiB -> {after:6.0f} MiB  {after - before:+.1f} (<= {LEAK_MIB:g})")
    return not load.faults and p99 <= SPREAD * p50 and bool(load.memory) and not leaks


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--clients", type=int, default=200)
    arguments.add_argument("--seconds", type=float, default=300)
    arguments.add_argument("--judge-s", type=float, default=1.0, help="seconds that the judge takes for an answer")
    arguments.add_argument("--replicas", type=int, default=1)
    options = arguments.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        stub(options.judge_s) as (judge_url,),
        service(judge_url, options.replicas, Path(folder)) as (url, launcher),
    ):
        load = asyncio.run(put_load(url, launcher, options.clients, options.seconds))
        return int(not report(load, options.seconds))


if __name__ == "__main__":
    sys.exit(main())
