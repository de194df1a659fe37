"""verl's reward manager: from the tokens of one finished rollout to its reward and its outcomes.

It never raises for a response: verl drops a raised trajectory from every log and gives a lone survivor of its group
its raw reward as advantage. An unverified sample comes back with ``verified=0`` and a NaN reward, which poisons
anything that would use it by mistake; the trainer masks it.
"""

from __future__ import annotations

import asyncio
import json
import math
from pathlib import Path
from typing import Any

from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase

from scopeif.constraints.models import Instruction
from scopeif.judge.client import JudgeClient
from scopeif.reward import SCHEMES, split_answer
from scopeif.training.policies import stop_token_ids
from scopeif.training.settings import Settings
from scopeif.verification.build import build_pool, build_verifier
from scopeif.verification.drawing import drawn
from scopeif.verification.outcome import Outcome, Reason, ResponseOutcome
from scopeif.verification.verifier import Verifier, verify_response


class ScopeIFRewardManager(RewardManagerBase):  # type: ignore[misc]
    """Called once for each finished rollout, in a reward worker, while other rollouts still generate."""

    def __init__(self, config: Any, tokenizer: Any, compute_score: Any, **_: Any) -> None:
        super().__init__(config, tokenizer, compute_score)
        self.settings = Settings.from_config(config)
        model = config.actor_rollout_ref.model
        self.stop_ids = stop_token_ids(Path(model.path)) | {tokenizer.eos_token_id}
        self.pool = build_pool(self.settings.verification)
        self._opening: asyncio.Task[Verifier] | None = None

    async def _verifier(self) -> Verifier:
        """The verifier; its judge is opened once, on the event loop that uses it."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await self._opening

    async def _open(self) -> Verifier:
        judge = JudgeClient(self.settings.judge) if self.settings.judge else None
        if judge is not None:
            await judge.__aenter__()  # for the life of this process
        return build_verifier(self.settings.verification, self.pool, judge)

    async def run_single(self, data: Any) -> dict[str, Any]:
        """Score one rollout.

        Args:
            data: verl's batch of one sample; tokens of shape (1, response length).

        Returns:
            ``reward_score`` (NaN when unverified) and ``reward_extra_info`` with the same keys for every sample.
        """
        item = data[-1]
        extra = item.non_tensor_batch["extra_info"]
        instruction = Instruction.model_validate_json(extra["instruction"])
        tokens = item.batch["responses"][: int(item.non_tensor_batch["response_len"])].tolist()
        outcome = await self._verify(instruction, tokens)
        return self._result(instruction, tokens, outcome)

    async def _verify(self, instruction: Instruction, tokens: list[int]) -> ResponseOutcome:
        stopped = bool(tokens) and tokens[-1] in self.stop_ids
        text = self.tokenizer.decode(tokens[:-1] if stopped else tokens, skip_special_tokens=False)
        answer = split_answer(text, truncated=not stopped, thinking=self.settings.thinking)
        if answer.format_reward and drawn(f"{instruction.id} {tokens}", self.settings.unverified.drill_frac):
            drill = Outcome(reason=Reason.DRILL, detail="unverified.drill_frac", verifier="drill")
            return ResponseOutcome(answer, (drill,) * len(instruction.constraints))
        return await verify_response(await self._verifier(), instruction, answer)

    def _result(self, instruction: Instruction, tokens: list[int], outcome: ResponseOutcome) -> dict[str, Any]:
        reward = self.settings.reward
        rewards = outcome.rewards(reward.alpha, reward.object_floor)
        info: dict[str, Any] = {
            "verified": int(outcome.verified),
            "format_reward": outcome.answer.format_reward,
            "instruction_id": instruction.id,
            "response_tokens": len(tokens),
            "outcome": json.dumps(outcome.to_json(reward.alpha, reward.object_floor), ensure_ascii=False),
            "scopes": json.dumps([constraint.scope_category for constraint in instruction.constraints]),
        }
        info.update({f"reward_{scheme}": _or_nan(rewards[scheme]) for scheme in SCHEMES})
        return {"reward_score": _or_nan(rewards[reward.scheme]), "reward_extra_info": info}


def _or_nan(reward: float | None) -> float:
    return math.nan if reward is None else reward
