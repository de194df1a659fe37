"""verl's reward manager: from the tokens of one finished rollout to its reward and its outcomes.

It never raises for a response: verl drops a raised trajectory from every log and gives a lone survivor of its group
its raw reward as advantage. An unverified sample comes back with ``verified=0`` and a NaN reward, which poisons
anything that would use it by mistake; the trainer masks it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from verl.experimental.reward_loop.reward_manager.base import RewardManagerBase

from scopeif.constraints.models import Instruction
from scopeif.evaluation import ifeval
from scopeif.evaluation.ifeval_data import NLTK_FOLDER
from scopeif.judge.client import JudgeClient
from scopeif.reformbench import in_training as reformbench
from scopeif.reward import SCHEMES, Answer, overlong_penalty, split_answer
from scopeif.training import guard
from scopeif.training.policies import stop_token_ids
from scopeif.training.reward_sources import RewardSources, SourceFailed
from scopeif.training.settings import Settings
from scopeif.verification.build import open_verifier
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
        self.workers = max(1, int(config.reward.num_workers))
        self.response_limit = int(config.data.max_response_length)
        self.sources = RewardSources(self.settings.reward.sources)
        self._open_parts = contextlib.AsyncExitStack()  # for the life of this process
        self._opening: asyncio.Task[Verifier] | None = None
        self.nltk_data = Path(config.trainer.default_local_dir).parent / "data" / NLTK_FOLDER
        self._ifeval: ifeval.IFEvalChecker | None = None

    async def _verifier(self) -> Verifier:
        """The verifier; it is opened once, on the event loop that uses it."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
        return await self._opening

    async def _open(self) -> Verifier:
        judge = None
        if self.settings.judge is not None:
            share = self.settings.judge.concurrency.shared_by(self.workers)
            settings = self.settings.judge.model_copy(update={"concurrency": share})
            judge = await self._open_parts.enter_async_context(JudgeClient(settings))
        return await self._open_parts.enter_async_context(open_verifier(self.settings.verification, judge))

    async def run_single(self, data: Any) -> dict[str, Any]:
        """Score one rollout.

        Args:
            data: verl's batch of one sample; tokens of shape (1, response length).

        Returns:
            ``reward_score`` (NaN when unverified) and ``reward_extra_info`` with the same keys for every sample.
        """
        ended = time.time()
        item = data[-1]
        fields = item.non_tensor_batch
        tokens = item.batch["responses"][: int(fields["response_len"])].tolist()
        text, truncated = self._decode(tokens)
        answer = split_answer(text, truncated, self.settings.thinking)
        extra, source = fields["extra_info"], str(fields["data_source"])
        if source == guard.SOURCE:
            scored = _Scored(extra["id"], ResponseOutcome(answer), (), dict.fromkeys(SCHEMES))
        elif source == ifeval.SOURCE:
            checked = ifeval.response_text(text, truncated, self.settings.thinking)
            scored = self._from_ifeval(extra, answer, checked)
        elif source == reformbench.SOURCE:
            checked = ifeval.response_text(text, truncated, self.settings.thinking)
            scored = self._from_reformbench(extra, answer, checked)
        elif extra.get("instruction") is not None:
            instruction = Instruction.model_validate_json(extra["instruction"])
            outcome = await self._verify(instruction, answer, tokens)
            scored = self._from_constraints(instruction, outcome)
        else:
            scored = await self._from_source(source, answer, fields)
        return self._result(scored, {"source": source, "response_tokens": len(tokens), "rollout_ended": ended})

    def _decode(self, tokens: list[int]) -> tuple[str, bool]:
        """The text without its stop token, and whether it lacks one."""
        stopped = bool(tokens) and tokens[-1] in self.stop_ids
        return self.tokenizer.decode(tokens[:-1] if stopped else tokens, skip_special_tokens=False), not stopped

    async def _verify(self, instruction: Instruction, answer: Answer, tokens: list[int]) -> ResponseOutcome:
        share = self.settings.unverified.drill_frac
        if share and answer.format_reward and drawn(f"{instruction.id} {tokens}", share):
            drill = Outcome(reason=Reason.DRILL, detail="unverified.drill_frac", verifier="drill")
            return ResponseOutcome(answer, (drill,) * len(instruction.constraints))
        return await verify_response(await self._verifier(), instruction, answer)

    def _from_constraints(self, instruction: Instruction, outcome: ResponseOutcome) -> _Scored:
        reward = self.settings.reward
        scopes = tuple(constraint.scope_category for constraint in instruction.constraints)
        return _Scored(instruction.id, outcome, scopes, outcome.rewards(reward.alpha, reward.object_floor))

    async def _from_source(self, source: str, answer: Answer, fields: Mapping[str, Any]) -> _Scored:
        """The reward that the user's function gives, the same under every scheme; the format gate is ours."""
        extra = fields["extra_info"]
        reward: float | None = 0.0
        details: dict[str, Any] = {}
        if answer.format_reward:
            truth = (fields.get("reward_model") or {}).get("ground_truth")
            try:
                reward = await self.sources.score(source, answer.text, truth, extra)
            except SourceFailed as error:
                reward, details = None, {"verified": False, "fault": str(error)}
        name = f"{source}/{extra.get('id') or extra.get('index')}"
        return _Scored(name, ResponseOutcome(answer), (), dict.fromkeys(SCHEMES, reward), details)

    def _from_ifeval(self, extra: Mapping[str, Any], answer: Answer, checked: str) -> _Scored:
        """IFEval's results go beside the outcome; the reward, which nothing is trained on, is its strict one."""
        if self._ifeval is None:
            self._ifeval = ifeval.IFEvalChecker(self.nltk_data)
        prompt = ifeval.IFEvalPrompt.from_json(json.loads(extra["instruction"]))
        results = self._ifeval.check(prompt, checked)
        verified = all(one.strict is not None and one.loose is not None for one in results)
        reward = float(all(one.strict for one in results)) if verified else None
        details = {"verified": verified, "ifeval": [asdict(one) for one in results]}
        return _Scored(prompt.id, ResponseOutcome(answer), (), dict.fromkeys(SCHEMES, reward), details)

    def _from_reformbench(self, extra: Mapping[str, Any], answer: Answer, checked: str) -> _Scored:
        """The labels go beside the outcome; the reward, which nothing is trained on, is that all are satisfied."""
        found = reformbench.scored_row(extra["instruction"], checked)
        verified = reformbench.verified(found)
        reward = float(all(found["labels"])) if verified and "labels" in found else None
        details = {"verified": verified, reformbench.SOURCE: found}
        return _Scored(extra["id"], ResponseOutcome(answer), (), dict.fromkeys(SCHEMES, reward), details)

    def _result(self, scored: _Scored, about: Mapping[str, Any]) -> dict[str, Any]:
        reward = self.settings.reward
        outcome = scored.outcome
        logged = {**outcome.to_json(reward.alpha, reward.object_floor), **scored.details}
        penalty = overlong_penalty(
            about["response_tokens"], self.response_limit, reward.overlong_tokens, reward.overlong_penalty
        )
        rewards = {scheme: math.nan if known is None else known - penalty for scheme, known in scored.rewards.items()}
        info: dict[str, Any] = {
            **about,
            "verified": int(logged["verified"]),
            "format_reward": outcome.answer.format_reward,
            "length_penalty": penalty,
            "instruction_id": scored.name,
            "outcome": json.dumps(logged, ensure_ascii=False),
            "scopes": json.dumps(scored.scopes),
            "rewarded": time.time(),
        }
        info.update({f"reward_{scheme}": rewards[scheme] for scheme in SCHEMES})
        return {"reward_score": rewards[reward.scheme], "reward_extra_info": info}


@dataclass(frozen=True)
class _Scored:
    """What a response is worth: its instruction, its outcomes by Scope, and a reward for each scheme or None.

    details: fields of the logged outcome that replace or join its own.
    """

    name: str
    outcome: ResponseOutcome
    scopes: tuple[str, ...]
    rewards: Mapping[str, float | None]
    details: Mapping[str, Any] = field(default_factory=dict)
