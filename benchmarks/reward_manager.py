"""What the reward manager adds to a sample, beside verification and waiting.

    python benchmarks/reward_manager.py [--samples 200]

Each sample is a real prompt of data/scope_mini with an answer of so many tokens of the policy's own tokenizer; its
verifier answers at once with a record for every counting object. What is left is the manager's own work: decoding,
the format gate, reading the instruction, the four rewards, the logged outcome. Exit code 1: more than 2 ms at the
median of answers of 4096 tokens, half of the paper's cap.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from scopeif.constraints.dataset import instruction_to_json, read_instructions
from scopeif.constraints.models import Constraint, Instruction
from scopeif.reward import Record
from scopeif.training.composing import compose_config
from scopeif.training.policies import ensure_policy
from scopeif.training.reward_manager import ScopeIFRewardManager
from scopeif.verification.outcome import Outcome

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MS, JUDGED = 2.0, 4096
LENGTHS = (512, 2048, JUDGED, 8192)
SENTENCE = "The boats rest in the harbour while the tide runs out, and nobody on the quay is in a hurry today. "


class Instant:
    """A verifier that costs nothing."""

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        return Outcome(tuple(Record(1, 3, n) for n in range(len(constraint.counting_objects) + 4)), verifier="instant")


class Manager(ScopeIFRewardManager):  # type: ignore[misc]
    """The product's manager without a verifier of its own."""

    async def _verifier(self) -> Instant:
        return Instant()


def sample(tokens: list[int], instruction: str) -> Any:
    """One rollout as verl hands it over."""
    fields = {"response_len": len(tokens), "data_source": "scope_mini", "extra_info": {"instruction": instruction}}
    return [SimpleNamespace(non_tensor_batch=fields, batch={"responses": np.array(tokens)})]


async def measure(manager: Manager, samples: list[Any]) -> list[float]:
    """Milliseconds of each sample, one after the other."""
    taken = []
    for one in samples:
        begun = time.perf_counter()
        result = await manager.run_single(one)
        taken.append((time.perf_counter() - begun) * 1000)
        assert result["reward_extra_info"]["verified"] == 1
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    options = parser.parse_args()
    from transformers import AutoTokenizer

    policy = ensure_policy(str(ROOT / "models" / "smollm2_135m"))
    tokenizer = AutoTokenizer.from_pretrained(policy)
    config = compose_config(
        [
            "recipe=smoke",
            f"actor_rollout_ref.model.path={policy}",
            f"data.max_response_length={max(LENGTHS)}",
            f"trainer.default_local_dir={ROOT / 'runs' / 'none' / 'checkpoints'}",
        ]
    )
    manager = Manager(config, tokenizer, None)
    prompts = read_instructions(ROOT / "data" / "scope_mini" / "test.jsonl")
    text = tokenizer.encode(SENTENCE * (max(LENGTHS) // 16))
    medians = {}
    for count in LENGTHS:
        tokens = [*text[: count - 1], tokenizer.eos_token_id]
        samples = [sample(tokens, instruction_to_json(prompts[n % len(prompts)])) for n in range(options.samples)]
        taken = asyncio.run(measure(manager, samples[:20] + samples))[20:]
        medians[count] = middle = statistics.median(taken)
        high = statistics.quantiles(taken, n=20)[-1]
        print(f"{len(tokens):6} tokens: median {middle:.2f} ms, 95th percentile {high:.2f} ms a sample")
    return int(medians[JUDGED] > LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
