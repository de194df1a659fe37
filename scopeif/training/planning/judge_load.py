"""How many calls and tokens a step asks of the judge, and how many of its GPUs answer them in time.

The tokens of a call and the rates of a GPU are estimates for medium effort on H100-class GPUs; they were fitted to
published runs of vLLM with GPT-OSS-120B, two GPUs to a server, not measured here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scopeif.training.planning.workload import Workload
from scopeif.verification.settings import VerificationSettings

PROMPT_TOKENS, ANSWER_TOKENS = 2000, 1200
"""Of one call; the answer holds the reasoning."""
STREAMED = 0.6
"""Share of a step in which rollouts end, so that their verification costs no time of its own."""


@dataclass(frozen=True)
class JudgeRate:
    """What a judge's GPU does in a second, if it does nothing else."""

    prefill: int
    """Tokens read."""
    decode: int
    """Tokens written."""
    gpus_per_server: int
    scaled: bool = False
    """Whether the rates are those of GPT-OSS-120B scaled by the active parameters."""


RATES = {
    "gpt-oss-120b": JudgeRate(19_100, 4_900, 2),
    "gpt-oss-20b": JudgeRate(27_000, 6_900, 1, scaled=True),  # 3.6 B active parameters, 5.1 B in GPT-OSS-120B
}


def judge_rate(model: str | None) -> JudgeRate | None:
    """The rate of a judge by its name, such as `openai/gpt-oss-120b`; None where none is known."""
    return RATES.get((model or "").rpartition("/")[2].lower())


@dataclass(frozen=True)
class JudgeLoad:
    """Of one training step, or of one validation."""

    verifications: float
    """Constraints that are judged."""
    calls: float

    @property
    def prompt_tokens(self) -> float:
        return self.calls * PROMPT_TOKENS

    @property
    def answer_tokens(self) -> float:
        return self.calls * ANSWER_TOKENS

    def gpu_seconds(self, rate: JudgeRate) -> float:
        return self.prompt_tokens / rate.prefill + self.answer_tokens / rate.decode

    def gpus(self, step_s: float, rate: JudgeRate) -> int:
        """GPUs that answer while rollouts of a step of `step_s` seconds end, in whole servers."""
        servers = math.ceil(self.gpu_seconds(rate) / (STREAMED * step_s) / rate.gpus_per_server)
        return servers * rate.gpus_per_server

    def per_gpu_step_s(self, gpus: int, rate: JudgeRate) -> float:
        """The shortest step, in seconds, that so many GPUs keep up with."""
        return self.gpu_seconds(rate) / gpus / STREAMED


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
