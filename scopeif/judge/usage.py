"""What judge calls cost: counters, tokens, money and latency per kind of call, in constant memory."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from scopeif.judge.failures import Failure
from scopeif.judge.messages import JudgeAnswer
from scopeif.judge.settings import PriceSettings

_SMALLEST_S, _PER_DOUBLING, _BUCKETS = 0.001, 4, 90


class Latencies:
    """A histogram with four buckets per doubling, from a millisecond to an hour: quantiles within 10 %."""

    def __init__(self) -> None:
        self.count, self.total_s, self.max_s = 0, 0.0, 0.0
        self._counts = [0] * _BUCKETS

    def add(self, seconds: float) -> None:
        """Count one latency."""
        place = math.ceil(math.log2(max(seconds, _SMALLEST_S) / _SMALLEST_S) * _PER_DOUBLING)
        self._counts[min(place, _BUCKETS - 1)] += 1
        self.count += 1
        self.total_s += seconds
        self.max_s = max(self.max_s, seconds)

    def quantile(self, share: float) -> float:
        """The latency that this share of all stays under, in seconds; 0 when there are none."""
        left = share * self.count
        for place, count in enumerate(self._counts):
            left -= count
            if count and left <= 0:
                return min(_SMALLEST_S * 2 ** ((place - 0.5) / _PER_DOUBLING), self.max_s)
        return self.max_s

    def snapshot(self) -> dict[str, float]:
        """Count, sum, quantiles and the largest, in seconds."""
        shares = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
        quantiles = {name: self.quantile(share) for name, share in shares.items()}
        return {"count": self.count, "sum": self.total_s, **quantiles, "max": self.max_s}


@dataclass
class KindUsage:
    """Counts of one kind of call."""

    asked: int = 0
    """Requests of callers."""
    shared: int = 0
    """Of these, identical to one in flight."""
    cache_hits: int = 0
    """Of these, answered from the cache."""
    answers: int = 0
    """Answers of endpoints."""
    retries: int = 0
    """Further tries after a failed one."""
    unavailable: int = 0
    """Requests that ended without an answer: no endpoint answered."""
    refused: int = 0
    """Requests that ended without an answer: refused."""
    empty: int = 0
    """Answers without text."""
    cut: int = 0
    """Answers that the token limit cut off."""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    latencies: Latencies = field(default_factory=Latencies)

    def snapshot(self) -> dict[str, Any]:
        """Plain numbers."""
        plain = {name: value for name, value in vars(self).items() if name not in {"failures", "latencies"}}
        return {**plain, "failures": dict(self.failures), "seconds": self.latencies.snapshot()}


class Usage:
    """The counts of all kinds."""

    def __init__(self, price: PriceSettings) -> None:
        self._price = price
        self._kinds: dict[str, KindUsage] = {}

    def of(self, kind: str) -> KindUsage:
        """The counts of one kind."""
        return self._kinds.setdefault(kind, KindUsage())

    def answered(self, kind: str, answer: JudgeAnswer) -> None:
        """An endpoint answered; its tokens are paid for."""
        usage, price = self.of(kind), self._price
        usage.answers += 1
        usage.empty += not answer.text.strip()
        usage.cut += answer.finish_reason == "length"
        usage.prompt_tokens += answer.prompt_tokens
        usage.cached_tokens += answer.cached_tokens
        usage.completion_tokens += answer.completion_tokens
        usage.cost += (
            max(answer.prompt_tokens - answer.cached_tokens, 0) * price.prompt
            + answer.cached_tokens * price.cached
            + answer.completion_tokens * price.completion
        ) / 1e6
        usage.latencies.add(answer.seconds)

    def failed(self, kind: str, failure: Failure) -> None:
        """A try failed."""
        self.of(kind).failures[failure.cause.value] += 1

    def snapshot(self) -> dict[str, dict[str, Any]]:
        """The counts of every kind that was asked."""
        return {kind: usage.snapshot() for kind, usage in self._kinds.items()}
