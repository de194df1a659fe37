"""GRPO with TRL 1.16, rewarded by the verification service.

scopeif serve                                                            # in another terminal
python examples/trl_reward.py --model models/smollm2_135m --data data/scope_mini/train.jsonl --steps 2

A response that stayed unverified gets None. TRL leaves it out of its group's mean and deviation and sets its advantage
to 0, but only where no other reward function scores it: combine further rewards within this one.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from datasets import Dataset
from http_client import Unverified, reward
from trl import GRPOConfig, GRPOTrainer

MAX_UNVERIFIED = 0.5
"""With a larger share of a batch unverified, training stops: it would learn from next to nothing."""


def scope_reward(url: str, stop_ids: Collection[int], patience_s: float = 900.0) -> Callable[..., list[float | None]]:
    """A reward function that asks a service.

    Args:
        url: base URL of `scopeif serve`.
        stop_ids: the token ids that end a response; without one of them it was truncated.
        patience_s: how long a service that is busy or out of reach is waited for.
    """

    def scopeif(
        completions: Sequence[Any], completion_ids: Sequence[Sequence[int]], instruction: Sequence[str], **_: Any
    ) -> list[float | None]:
        """One reward a completion, None where it stayed unverified; `instruction` is a column of the data set."""

        def one(completion: Any, ids: Sequence[int], row: str) -> float | None:
            text = completion if isinstance(completion, str) else completion[-1]["content"]
            try:
                return reward(url, json.loads(row), text, not set(stop_ids) & set(ids), patience_s=patience_s)
            except Unverified as why:
                print(why)
                return None

        with ThreadPoolExecutor(64) as threads:
            rewards = list(threads.map(one, completions, completion_ids, instruction))
        missing = rewards.count(None)
        if missing > MAX_UNVERIFIED * len(rewards):
            raise RuntimeError(f"{missing} of {len(rewards)} responses stayed unverified; see their reasons above")
        return rewards

    return scopeif


def read_prompts(path: str) -> Dataset:
    """Instructions as TRL wants them: a chat as the prompt, and the whole row for the reward."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    chats = [row.get("messages") or [{"role": "user", "content": row["prompt"]}] for row in rows]
    return Dataset.from_dict({"prompt": chats, "instruction": [json.dumps(row) for row in rows]})


def main(arguments: Sequence[str] | None = None) -> GRPOTrainer:
    """Train for a few steps on a CPU."""
    options = argparse.ArgumentParser(description="GRPO with TRL, rewarded by `scopeif serve`.")
    options.add_argument("--url", default="http://127.0.0.1:8000", help="the service")
    options.add_argument("--model", default="models/smollm2_135m", help="a Hugging Face folder")
    options.add_argument("--data", default="data/scope_mini/train.jsonl", help="instructions, JSON Lines")
    options.add_argument("--steps", type=int, default=2)
    options.add_argument("--out", default="runs/trl", help="folder of the run")
    options.add_argument("--tokens", type=int, default=64, help="longest response")
    given = options.parse_args(arguments)

    stop_ids: list[int] = []
    config = GRPOConfig(
        output_dir=given.out,
        max_steps=given.steps,
        per_device_train_batch_size=8,
        num_generations=4,
        max_completion_length=given.tokens,
        learning_rate=1e-5,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        bf16=False,
        model_init_kwargs={"dtype": "float32"},
    )
    trainer = GRPOTrainer(
        model=given.model,
        reward_funcs=scope_reward(given.url, stop_ids),
        args=config,
        train_dataset=read_prompts(given.data),
    )
    stop_ids += trainer.eos_token_ids
    trainer.train()
    return trainer


if __name__ == "__main__":
    main()
