"""How long the judge keeps a training step waiting after its last rollout, and how many judge GPUs that takes.

    python benchmarks/reward_tail.py [--endpoints 12 6 4 3] [--repeats 3]

A step of 340 s, simulated 20 times as fast with the real engine, client and sandbox: 256 rollouts end uniformly over
its last 60 %, each has 4 to 6 constraints (the paper's mean is 4.83), a judge call takes lognormal time with median 6 s
and 99th percentile 45 s, an endpoint (two GPUs) takes 32 calls at a time. The tail is the time from the last rollout to
the last reward. The limit is what it would be if no call ever waited for a slot: the longest chain of two calls, which
no scheduling can shorten. Exit code 1: with 12 endpoints the tail is more than 5 % of the step beyond that limit.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import math
import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from stub_judge import stub

from scopeif.constraints.dataset import read_instructions
from scopeif.constraints.models import Instruction
from scopeif.judge.client import JudgeClient
from scopeif.judge.settings import ConcurrencySettings, JudgeSettings
from scopeif.reward import Answer
from scopeif.verification.asking import Asker
from scopeif.verification.tool_grounded import ToolGroundedVerifier
from scopeif.verification.verifier import verify_response
from tools_sandbox import ToolPool

ROOT = Path(__file__).resolve().parents[1]
SCALE, STEP_S, ROLLOUTS, SLOTS, GPUS = 20, 340.0, 256, 32, 2
MEDIAN_S, P99_S = 6.0, 45.0
SIGMA = math.log(P99_S / MEDIAN_S) / 2.326
SENTENCE = "The boats rest in the harbour while the tide runs out, and nobody on the quay is in a hurry today. "


def instructions(generator: random.Random) -> list[Instruction]:
    """One a rollout; its constraints are one constraint in several wordings, so that no two requests are the same."""
    pattern = read_instructions(ROOT / "data" / "scope_mini" / "test.jsonl")[0]
    first = pattern.constraints[0]
    worded = [first.model_copy(update={"text": f"{first.text} ({n})"}) for n in range(6)]
    counts = generator.choices((4, 5, 6), weights=(0.38, 0.41, 0.21), k=ROLLOUTS)
    return [
        pattern.model_copy(update={"id": f"i{n // 8}", "constraints": tuple(worded[:count])})
        for n, count in enumerate(counts)
    ]


async def step(urls: Sequence[str], pool: ToolPool, seed: int) -> tuple[float, float, int]:
    """One step; returns the tail and its limit in seconds of the real step, and the number of calls."""
    generator = random.Random(seed)
    ends = sorted(generator.uniform(0.4, 1.0) * STEP_S / SCALE for _ in range(ROLLOUTS))
    concurrency = ConcurrencySettings(start=SLOTS, min=SLOTS, max=SLOTS)
    settings = JudgeSettings(model="judge", endpoints=tuple(urls), concurrency=concurrency)
    async with JudgeClient(settings) as client:
        verifier = ToolGroundedVerifier(Asker(client), pool)
        begun = time.perf_counter()

        async def rollout(number: int, instruction: Instruction, end: float) -> tuple[float, float, int]:
            await asyncio.sleep(begun + end - time.perf_counter())
            answer = Answer(f"Rollout {seed} {number}. {SENTENCE * 20}", 1)
            outcome = await verify_response(verifier, instruction, answer)
            assert outcome.verified
            chains = [sum(call.seconds for call in one.calls) for one in outcome.outcomes]
            calls = sum(len(one.calls) for one in outcome.outcomes)
            return time.perf_counter() - begun, end + max(chains), calls

        chosen = zip(instructions(generator), ends, strict=True)
        done = await asyncio.gather(*(rollout(n, one, end) for n, (one, end) in enumerate(chosen)))
    tail, limit = (SCALE * (max(column) - ends[-1]) for column in list(zip(*done, strict=True))[:2])
    return tail, limit, sum(calls for _, _, calls in done)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--endpoints", type=int, nargs="+", default=[12, 6, 4, 3])
    arguments.add_argument("--repeats", type=int, default=3)
    options = arguments.parse_args()
    over = {}
    print("endpoints  GPUs  calls   busy  tail s  of step  limit s  of step")
    mean_s = MEDIAN_S * math.exp(SIGMA**2 / 2)
    with ToolPool(workers=1) as pool:
        for count in options.endpoints:
            with contextlib.ExitStack() as stack:
                delay = f"lognormal:{MEDIAN_S / SCALE}:{SIGMA}"
                urls = stack.enter_context(stub(delay, ports=count))
                runs = [asyncio.run(step(urls, pool, seed)) for seed in range(options.repeats)]
            tail, limit = (statistics.median(run[column] for run in runs) for column in (0, 1))
            calls = round(statistics.mean(run[2] for run in runs))
            busy = calls * mean_s / (0.6 * STEP_S * count * SLOTS)
            over[count] = (tail - limit) / STEP_S
            print(f"{count:9} {count * GPUS:5} {calls:6} {busy:6.0%} {tail:7.1f} {tail / STEP_S:8.1%} {limit:8.1f} "
                  f"{limit / STEP_S:8.1%}", flush=True)  # fmt: skip
    print("busy: share of all slots while rollouts end; medians of the repeats")
    return int(over.get(12, 0.0) > 0.05)


if __name__ == "__main__":
    sys.exit(main())
