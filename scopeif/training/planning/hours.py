"""How long the computing of a run takes: the arithmetic of the passes and the longest response, with nothing waiting.

On GPUs this follows from rates and lengths that are assumed; on a CPU it is fitted to measured runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scopeif.training.consistency import is_overlapped
from scopeif.training.planning.memory import adapter_parameters, has_reference
from scopeif.training.planning.shape import ModelShape
from scopeif.training.planning.workload import Workload

PAPER_STEP_S = 50 * 3600 / 530
"""About 50 hours for one epoch of 530 steps on 8 H800 and 24 GPUs of the judge (paper, appendix E.2)."""
GPU_FLOPS = 0.35 * 989e12
"""Of an H100-class GPU in bf16, at 35 % of its peak; not measured."""
GPU_BANDWIDTH = 0.6 * 3.35e12
"""Bytes that it reads in a second, at 60 % of its peak; not measured."""
CPU_FLOPS = 0.133e12
"""Of two cores with bf16 instructions, measured on the recipe smoke."""
CPU_STEP_S = 1.5
"""What a step on a CPU takes beside the arithmetic, measured on the recipe tiny."""


@dataclass(frozen=True)
class Hours:
    """Seconds of one step, by part, and the run's hours."""

    rollout_s: float
    passes_s: float
    """Old and reference log-probabilities, and the update."""
    overhead_s: float
    steps: int
    fitted: bool
    """Whether this is fitted to measured runs, and not computing alone."""

    @property
    def step_s(self) -> float:
        return self.rollout_s + self.passes_s + self.overhead_s

    @property
    def total(self) -> float:
        """Hours, without validation and set-up."""
        return self.steps * self.step_s / 3600


def hours(config: Any, shape: ModelShape, work: Workload, gpus: int) -> Hours:
    """Hours of a run.

    Decoding reads the weights once for each token of the longest response, and for each token of every response the
    cache of what is before it.
    """
    tokens = work.responses * (work.mean_prompt_tokens + work.mean_response_tokens)
    operations = operations_per_token(config, shape) * tokens
    if config.trainer.device == "cpu":
        rollout = 2 * shape.parameters * tokens / CPU_FLOPS
        return Hours(rollout, operations / CPU_FLOPS, CPU_STEP_S, work.steps, fitted=True)
    prompt, response = work.mean_prompt_tokens, work.mean_response_tokens
    cached = work.responses / gpus * (prompt * response + response**2 / 2) * shape.kv_bytes_per_token
    weights = work.longest_response_tokens * 2 * shape.parameters
    return Hours((weights + cached) / GPU_BANDWIDTH, operations / (gpus * GPU_FLOPS), 0.0, work.steps, fitted=False)


def operations_per_token(config: Any, shape: ModelShape) -> int:
    """Of all passes of a step over the linear layers.

    P parameters cost 2 P forward: for the old log-probabilities, the reference's, the update, and once more where
    activations are recomputed. Backward costs 2 P for the inputs and 2 for each weight that is trained.
    """
    policy, actor = config.actor_rollout_ref.model, config.actor_rollout_ref.actor
    adapter = adapter_parameters(config, shape)
    reference = has_reference(config) or bool(adapter and actor.use_kl_loss)
    forward = 2 + reference + bool(policy.enable_gradient_checkpointing)
    return 2 * (forward + 1) * shape.parameters + 2 * (adapter or shape.parameters)


def is_papers_setting(config: Any, work: Workload, kind: str, judge_model: str | None) -> bool:
    """Whether the paper's pace says something about this run: its GPUs, batch, lengths, training and verification."""
    gpus, adapter = config.trainer.nnodes * config.trainer.n_gpus_per_node, config.actor_rollout_ref.model.lora_rank
    same = (gpus, work.prompts, work.rollouts, work.prompt_tokens, work.response_tokens) == (8, 32, 8, 4096, 8192)
    same = same and not is_overlapped(config)
    return bool(same and not adapter and work.thinking and kind == "tgv" and "gpt-oss-120b" in (judge_model or ""))
