"""Metrics of the service for Prometheus.

Every replica counts for itself, in a registry of its own; whichever is asked for /metrics collects the figures of all
and marks them with the label `replica`. Sums over this label are those of the service, and no counter ever falls.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, SummaryMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scopeif.judge.breaker import State
from scopeif.verification.outcome import ResponseOutcome, Status
from scopeif.verification.service.backend import Backend

ROUTES = ("/v1/verify", "/v1/reward", "/healthz", "/readyz", "/metrics")
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)
_GONE = "499"
"""Counted as the status of requests whose client went away."""


class Metrics:
    """The figures of one replica."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "scopeif_requests", "Requests by route and status; 499: the client left.", ["route", "status"],
            registry=self.registry,
        )  # fmt: skip
        self.seconds = Histogram(
            "scopeif_request_seconds", "Time from the head of a request to the end of its answer.", ["route"],
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self.in_flight = Gauge("scopeif_requests_in_flight", "Requests under way.", registry=self.registry)
        self.outcomes = Counter("scopeif_outcomes", "Constraints by outcome.", ["status"], registry=self.registry)
        self.unverified = Counter(
            "scopeif_unverified", "Unverified constraints by reason.", ["reason"], registry=self.registry
        )
        self.format_faults = Counter(
            "scopeif_format_faults", "Responses of which nothing was measured, by fault.", ["fault"],
            registry=self.registry,
        )  # fmt: skip
        for status in Status:
            self.outcomes.labels(status.value)
        ProcessCollector(registry=self.registry)

    def watch(self, backend: Backend) -> None:
        """Also show what judge and sandbox count themselves."""
        self.registry.register(_OfBackend(backend))

    def verified(self, outcome: ResponseOutcome) -> None:
        """Count what became of a response."""
        if outcome.answer.reason is not None:
            self.format_faults.labels(outcome.answer.reason).inc()
        for one in outcome.outcomes:
            self.outcomes.labels(one.status.value).inc()
            if one.reason is not None:
                self.unverified.labels(one.reason.value).inc()

    def collect(self) -> list[Metric]:
        """The figures as they are now; they can be pickled."""
        return list(self.registry.collect())


class Counted:
    """Counts and times the requests to an app."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, begun = _GONE, time.perf_counter()

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, noted)
        except Exception:
            status = "500"
            raise
        finally:
            route = scope["path"] if scope["path"] in ROUTES else "other"
            self._metrics.in_flight.dec()
            self._metrics.requests.labels(route, status).inc()
            self._metrics.seconds.labels(route).observe(time.perf_counter() - begun)


class _OfBackend(Collector):
    """Reads the counters of judge and sandbox when it is asked."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def collect(self) -> Iterator[Metric]:
        runs = CounterMetricFamily("scopeif_sandbox_runs", "Runs of tools by how they ended.", labels=["status"])
        for status, count in self._backend.pool.ended.items():
            runs.add_metric([status], count)
        yield runs
        if self._backend.judge is not None:
            yield from _of_judge(self._backend.judge.usage())


_PER_KIND = {
    "asked": "Questions to the judge.",
    "shared": "Questions that were in flight already.",
    "cache_hits": "Questions answered from the cache.",
    "answers": "Answers of endpoints.",
    "retries": "Further tries after a failed one.",
    "unavailable": "Questions without an answer: no endpoint answered.",
    "refused": "Questions without an answer: refused.",
    "empty": "Answers without text.",
    "cut": "Answers cut off at the token limit.",
    "prompt_tokens": "Prompt tokens.",
    "cached_tokens": "Prompt tokens that the server had cached.",
    "completion_tokens": "Completion tokens.",
    "cost": "Cost by the configured prices.",
}


def _of_judge(usage: Mapping[str, Any]) -> Iterator[Metric]:
    for name, meaning in _PER_KIND.items():
        family = CounterMetricFamily(f"scopeif_judge_{name}", meaning, labels=["kind"])
        for kind, counts in usage["kinds"].items():
            family.add_metric([kind], counts[name])
        yield family
    failures = CounterMetricFamily("scopeif_judge_failures", "Failed tries by cause.", labels=["kind", "cause"])
    seconds = SummaryMetricFamily("scopeif_judge_seconds", "Time until the judge answered.", labels=["kind"])
    for kind, counts in usage["kinds"].items():
        for cause, count in counts["failures"].items():
            failures.add_metric([kind, cause], count)
        seconds.add_metric([kind], counts["seconds"]["count"], counts["seconds"]["sum"])
    yield failures
    yield seconds
    up = GaugeMetricFamily("scopeif_judge_endpoint_up", "0: its circuit breaker is open.", labels=["endpoint"])
    for url, endpoint in usage["endpoints"].items():
        up.add_metric([url], endpoint["state"] != State.OPEN.value)
    yield up
    yield GaugeMetricFamily("scopeif_judge_waiting", "Calls that wait for a place.", usage["waiting"])
    yield GaugeMetricFamily("scopeif_judge_outage_seconds", "Time since no endpoint answers.", usage["outage_s"])


class _Merged(Collector):
    """The figures of several replicas as one."""

    def __init__(self, replicas: Mapping[str, Sequence[Metric]]) -> None:
        self._replicas = replicas

    def collect(self) -> Iterator[Metric]:
        families: dict[str, Metric] = {}
        for replica, metrics in self._replicas.items():
            for metric in metrics:
                family = families.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
                family.samples += (
                    sample._replace(labels={**sample.labels, "replica": replica})
                    for sample in metric.samples
                    if not sample.name.endswith("_created")  # when counting began, as series of their own
                )
        yield from families.values()


def exposition(replicas: Mapping[str, Sequence[Metric]]) -> bytes:
    """The figures of all replicas in Prometheus's text format, each marked with its replica."""
    registry = CollectorRegistry()
    registry.register(_Merged(replicas))
    return generate_latest(registry)
