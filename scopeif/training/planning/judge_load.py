"""How many calls and tokens a step asks of the judge, and how many of its GPUs answer them in time.

The tokens of a call and the rates of a GPU are estimates for GPT-OSS-120B with medium effort on H100-class GPUs, two to
a server; they were fitted to published runs of vLLM, not measured here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scopeif.training.planning.workload import Workload
from scopeif.verification.settings import VerificationSettings

PROMPT_TOKENS, ANSWER_TOKENS = 2000, 1200
"""Of one call; the answer holds the reasoning."""
PREFILL_PER_S, DECODE_PER_S = 19_100, 4_900
"""Tokens that one GPU reads and writes in a second, if it did nothing else."""
STREAMED = 0.6
"""Share of a step in which rollouts end, so that their verification costs no time of its own."""
GPUS_PER_SERVER = 2


@dataclass(frozen=True)
class JudgeLoad:
    """Of one training step."""

    verifications: float
    """Constraints that are judged."""
    calls: float

    @property
    def prompt_tokens(self) -> float:
        return self.calls * PROMPT_TOKENS

    @property
    def answer_tokens(self) -> float:
        return self.calls * ANSWER_TOKENS

    @property
    def gpu_seconds(self) -> float:
        return self.prompt_tokens / PREFILL_PER_S + self.answer_tokens / DECODE_PER_S

    def gpus(self, step_s: float) -> int:
        """GPUs that answer while rollouts of a step of `step_s` seconds end, in whole servers."""
        servers = math.ceil(self.gpu_seconds / (STREAMED * step_s) / GPUS_PER_SERVER)
        return servers * GPUS_PER_SERVER

    def per_gpu_step_s(self, gpus: int) -> float:
        """The shortest step, in seconds, that so many GPUs keep up with."""
        return self.gpu_seconds / gpus / STREAMED


def judge_load(work: Workload, verification: VerificationSettings, has_judge: bool) -> JudgeLoad:
    """The judge's load when every response is well-formed and no answer of the judge has to be asked for again."""
    constraints = work.responses * work.constraints
    if not has_judge or verification.kind == "compiled":
        return JudgeLoad(0, 0)
    if verification.kind == "auto":
        judged = constraints * (1 - work.with_spec * (1 - verification.audit_frac))
        return JudgeLoad(judged, 2 * judged)
    if verification.kind == "per_response":
        return JudgeLoad(constraints, 2 * work.responses)
    if verification.kind == "rule":  # one call writes a checker for all responses
        return JudgeLoad(constraints, work.prompts * work.constraints)
    if verification.kind == "static_tool":  # and here a judgment follows for each
        return JudgeLoad(constraints, work.prompts * work.constraints + constraints)
    return JudgeLoad(constraints, (1 if verification.kind == "llm" else 2) * constraints)
