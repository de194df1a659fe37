"""What a step's or a validation's outcomes say, as flat metrics. Pure: dictionaries in, dictionary out."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scopeif.judge.settings import PriceSettings
from scopeif.reward import SCHEMES, Answer, identical_pair_fraction, zero_std
from scopeif.training.tool_status import tool_status


@dataclass(frozen=True)
class Sample:
    """One response as its reward manager returned it."""

    group: str
    info: Mapping[str, Any]
    outcome: Mapping[str, Any]
    scopes: Sequence[str]

    @classmethod
    def read(cls, group: str, info: Mapping[str, Any]) -> Sample:
        """Unpack the JSON parts of ``reward_extra_info``."""
        return cls(group, info, json.loads(info["outcome"]), json.loads(info["scopes"]))

    @classmethod
    def from_log(cls, row: Mapping[str, Any], rewards: Mapping[str, float | None]) -> Sample:
        """The sample of a row of the rollout log, with these rewards by scheme."""
        known = {f"reward_{scheme}": math.nan if reward is None else reward for scheme, reward in rewards.items()}
        return cls(row["group"], {**row, **known}, row, row["scopes"])

    @property
    def answer(self) -> Answer:
        return Answer(self.outcome["answer"], self.outcome["format_reward"], self.outcome["format_fault"])

    @property
    def measured(self) -> bool:
        """Whether constraints are what its reward comes from, and not a reward function of the user's."""
        return bool(self.scopes)

    @property
    def verified(self) -> bool:
        return bool(self.info["verified"])

    @property
    def statuses(self) -> list[str]:
        """One status per constraint; a response of format reward 0 satisfies none."""
        if not self.info["format_reward"]:
            return ["violated"] * len(self.scopes)
        return [str(constraint["status"]) for constraint in self.outcome["constraints"]]

    @property
    def reasons(self) -> list[str]:
        """Why constraints stayed unverified, or the sample, where a reward function of the user's failed."""
        own = ["own_reward"] if self.outcome.get("fault") else []
        return own + [str(c["reason"]) for c in self.outcome["constraints"] if c["reason"] is not None]


def outcome_metrics(samples: Sequence[Sample], prefix: str) -> dict[str, float]:
    """CSR, ISR (paper, Eqs. 11 and 12), their intervals, and what stayed unverified.

    CSR of a sample is over its verified constraints; a sample without any has none. ``*_low`` and ``*_high`` read
    every unverified constraint as violated and as satisfied. ISR of a sample is 0 when a constraint is violated,
    otherwise unverified when one is.
    """
    metrics = _measured_metrics([sample for sample in samples if sample.measured])
    metrics |= _source_metrics([sample for sample in samples if not sample.measured])
    return {f"{prefix}/{name}": value for name, value in metrics.items() if not math.isnan(value)}


def _measured_metrics(samples: Sequence[Sample]) -> dict[str, float]:
    if not samples:
        return {}
    rows = [sample.statuses for sample in samples]
    metrics = {
        "csr": _mean(_share(row, "satisfied", of=("satisfied", "violated")) for row in rows),
        "csr_low": _mean(_share(row, "satisfied") for row in rows),
        "csr_high": _mean(1 - (_share(row, "violated") or 0) for row in rows),
        "isr": _mean(_instruction_satisfied(row) for row in rows),
        "isr_low": _mean(float(all(status == "satisfied" for status in row)) for row in rows),
        "isr_high": _mean(float("violated" not in row) for row in rows),
        "unverified_frac": _mean(float(not sample.verified) for sample in samples),
        "format_reward": _mean(float(sample.info["format_reward"]) for sample in samples),
        "response_tokens": _mean(float(sample.info["response_tokens"]) for sample in samples),
        "response_tokens_max": float(max(sample.info["response_tokens"] for sample in samples)),
        "judge/tail_s": tail_s(samples),
    }
    metrics |= {f"fault/{fault}_frac": count / len(samples) for fault, count in _faults(samples).items()}
    metrics |= {f"reward/{scheme}": _mean(sample.info[f"reward_{scheme}"] for sample in samples) for scheme in SCHEMES}
    metrics |= {f"csr_scope/{scope}": value for scope, value in _csr_by_scope(samples).items()}
    return metrics | _constraint_metrics(samples)


def _source_metrics(samples: Sequence[Sample]) -> dict[str, float]:
    """Of samples that the user's reward functions scored, by data source."""
    by_source: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        by_source[sample.info["source"]].append(sample)
    metrics = {}
    for source, own in sorted(by_source.items()):
        metrics[f"source/{source}/samples"] = float(len(own))
        metrics[f"source/{source}/unverified_frac"] = _mean(float(not sample.verified) for sample in own)
        metrics[f"source/{source}/reward"] = _mean(sample.info[f"reward_{SCHEMES[0]}"] for sample in own)
        metrics[f"source/{source}/format_reward"] = _mean(float(sample.info["format_reward"]) for sample in own)
        metrics[f"source/{source}/response_tokens"] = _mean(float(sample.info["response_tokens"]) for sample in own)
    return metrics


def tail_s(samples: Sequence[Sample]) -> float:
    """Seconds from the end of the last rollout to the last reward; NaN where the times are unknown."""
    if not all(sample.info.get("rewarded") for sample in samples):
        return math.nan
    return float(
        max(sample.info["rewarded"] for sample in samples) - max(sample.info["rollout_ended"] for sample in samples)
    )


def group_metrics(samples: Sequence[Sample]) -> dict[str, float]:
    """How much the groups can teach under every reward scheme, on the same rollouts (paper, Fig. 4b)."""
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in samples:
        if sample.verified:
            groups[sample.group].append(sample)
    metrics = {}
    for scheme in SCHEMES:
        rewards = [[s.info[f"reward_{scheme}"] for s in members] for members in groups.values() if len(members) > 1]
        if rewards:
            metrics[f"group/identical_pair_frac/{scheme}"] = _mean(identical_pair_fraction(r) for r in rewards)
            metrics[f"group/zero_std_frac/{scheme}"] = _mean(float(zero_std(r)) for r in rewards)
    return metrics


def _instruction_satisfied(statuses: Sequence[str]) -> float | None:
    if "violated" in statuses:
        return 0.0
    return None if "unverified" in statuses else 1.0


def _share(statuses: Sequence[str], wanted: str, of: Sequence[str] = ()) -> float | None:
    counted = [status for status in statuses if not of or status in of]
    return sum(status == wanted for status in counted) / len(counted) if counted else None


def _csr_by_scope(samples: Sequence[Sample]) -> dict[str, float]:
    by_scope: dict[str, list[float]] = defaultdict(list)
    for sample in samples:
        for scope, status in zip(sample.scopes, sample.statuses, strict=True):
            if status != "unverified":
                by_scope[scope].append(float(status == "satisfied"))
    return {scope: _mean(values) for scope, values in sorted(by_scope.items())}


def _faults(samples: Sequence[Sample]) -> Counter[str]:
    return Counter(sample.outcome["format_fault"] for sample in samples if sample.outcome["format_fault"])


def _constraint_metrics(samples: Sequence[Sample]) -> dict[str, float]:
    constraints = [constraint for sample in samples for constraint in sample.outcome["constraints"]]
    records = [record for constraint in constraints for record in constraint["records"]]
    reasons = Counter(reason for sample in samples for reason in sample.reasons)
    metrics = {f"unverified/{reason}": float(count) for reason, count in reasons.items()}
    if records:
        metrics["vacuous_frac"] = _mean(float(record["vacuous"]) for record in records)
    if constraints:
        metrics["tool_cpu_ms"] = _mean(constraint["cpu_ms"] for constraint in constraints)
    tools = Counter(status for constraint in constraints if (status := tool_status(constraint)))
    metrics |= {f"tool/{status}": float(count) for status, count in tools.items()}
    metrics |= _escalation_metrics(constraints)
    return metrics | _judge_metrics([constraint for constraint in constraints if constraint["calls"]])


def _escalation_metrics(constraints: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """How often measuring left a response to the judge, and whether that pays: a policy could learn to be ambiguous."""
    if not (escalated := [constraint for constraint in constraints if constraint["escalated"]]):
        return {}
    measured = [constraint for constraint in constraints if constraint["verifier"] == "compiled"]
    return {
        "judge/escalated": float(len(escalated)),
        "judge/escalated_frac": len(escalated) / (len(escalated) + len(measured)),
        "judge/escalated_gap": _mean(one["g"] for one in escalated) - _mean(one["g"] for one in measured),
    }


def _judge_metrics(judged: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Of the constraints that the judge was asked about, audits included."""
    if not judged:
        return {}
    calls = [call for constraint in judged for call in constraint["calls"]]
    audits = [float(constraint["audit"]) for constraint in judged if constraint["audit"] is not None]
    metrics = {
        "judge/constraints": float(len(judged)),
        "judge/calls": float(len(calls)),
        "judge/unusable_frac": _mean(float(bool(call["fault"])) for call in calls),
        "judge/no_tool_frac": _mean(float(not constraint["tool_source"]) for constraint in judged),
        "judge/conflict_frac": _mean(float(constraint["conflict"]) for constraint in judged),
        "judge/audits": float(len(audits)),
        "judge/audit_agreement": _mean(audits),
        "judge/latency_p50_s": _quantile([call["seconds"] for call in calls], 0.5),
        "judge/latency_p99_s": _quantile([call["seconds"] for call in calls], 0.99),
    }
    for name in ("prompt_tokens", "cached_tokens", "completion_tokens", "seconds"):
        metrics[f"judge/{name}"] = math.fsum(call[name] for call in calls)
    if prompts := metrics["judge/prompt_tokens"]:
        metrics["judge/cached_frac"] = metrics["judge/cached_tokens"] / prompts
    return metrics


def judge_cost(metrics: Mapping[str, float], prefix: str, price: PriceSettings) -> dict[str, float]:
    """What the judge's tokens cost by the configured prices; empty where no price is configured or none was asked."""
    tokens = [metrics.get(f"{prefix}/judge/{name}_tokens") for name in ("prompt", "cached", "completion")]
    if None in tokens or not any((price.prompt, price.cached, price.completion)):
        return {}
    prompt, cached, completion = (float(count or 0) for count in tokens)
    paid = max(prompt - cached, 0) * price.prompt + cached * price.cached + completion * price.completion
    return {f"{prefix}/judge/cost": paid / 1e6}


def _quantile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least this share of all does not exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)] if values else math.nan


def _mean(values: Iterable[float | None]) -> float:
    known = [value for value in values if value is not None and not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


_CONSOLE = (
    "train/csr", "train/isr", "train/unverified_frac", "train/response_tokens", "actor/kl_loss", "actor/grad_norm",
    "training/rollout_actor_probs_pearson_corr", "timing_s/step", "timing_s/gen", "timing_s/old_log_prob",
    "timing_s/ref", "timing_s/update_actor", "timing_s/update_weights", "timing_s/save_checkpoint", "timing_s/testing",
)  # fmt: skip


def console_metrics(metrics: Mapping[str, Any], scheme: str) -> dict[str, float]:
    """The figures of a step that the console line shows, the reward under the run's scheme among them."""
    names = (*_CONSOLE, f"train/reward/{scheme}")
    return {name: float(metrics[name]) for name in names if name in metrics}
