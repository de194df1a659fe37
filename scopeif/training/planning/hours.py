"""How long a run takes at least: the arithmetic of the passes and the longest response, with nothing waiting.

On GPUs this is a bound from below, and the paper's pace stands beside it; on a CPU it is fitted to measured runs.
"""

from __future__ import annotations

from dataclasses import dataclass

from scopeif.training.planning.shape import ModelShape
from scopeif.training.planning.workload import Workload

PAPER_STEP_S = 50 * 3600 / 530
"""About 50 hours for one epoch of 530 steps on 8 H800 and 24 GPUs of the judge (paper, appendix E.2)."""
GPU_FLOPS = 0.35 * 989e12
"""Of an H100-class GPU in bf16, at 35 % of its peak."""
GPU_BANDWIDTH = 0.6 * 3.35e12
"""Bytes that it reads in a second, at 60 % of its peak."""
CPU_FLOPS = 0.155e12
"""Of two cores with bf16 instructions, measured on the recipe smoke."""
CPU_STEP_S = 1.5
"""What a step on a CPU takes beside the arithmetic, measured on the recipe tiny."""
FILL = 0.4
"""Mean length of a sequence as a share of the longest; not measured."""


@dataclass(frozen=True)
class Hours:
    """Seconds of one step, by part, and the run's hours."""

    rollout_s: float
    passes_s: float
    """Old and reference log-probabilities, and the update."""
    overhead_s: float
    steps: int
    bound: bool
    """Whether this is a bound from below rather than an estimate."""

    @property
    def step_s(self) -> float:
        return self.rollout_s + self.passes_s + self.overhead_s

    @property
    def total(self) -> float:
        """Hours, without validation and set-up."""
        return self.steps * self.step_s / 3600


def hours(shape: ModelShape, work: Workload, gpus: int, on_cpu: bool) -> Hours:
    """Hours of a run.

    A pass costs 2 operations a parameter and token forward, 4 backward and 2 more for recomputing: 12 with the two
    passes for log-probabilities. Decoding reads the weights and the cache once a token of the longest response.
    """
    tokens = FILL * work.sequence_tokens * work.responses
    operations = 12 * shape.parameters * tokens
    if on_cpu:
        rollout = 2 * shape.parameters * tokens / CPU_FLOPS
        return Hours(rollout, operations / CPU_FLOPS, CPU_STEP_S, work.steps, bound=False)
    cache = FILL * work.sequence_tokens * work.responses / gpus * shape.kv_bytes_per_token
    rollout = work.response_tokens * (2 * shape.parameters + cache) / GPU_BANDWIDTH
    return Hours(rollout, operations / (gpus * GPU_FLOPS), 0.0, work.steps, bound=True)
