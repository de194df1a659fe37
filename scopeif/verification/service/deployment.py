"""The service on Ray Serve: replicas of the app, found and balanced by Serve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from prometheus_client.metrics_core import Metric
from ray import serve

from scopeif.verification.service.app import build_app
from scopeif.verification.service.backend import check_backend
from scopeif.verification.service.settings import ServiceSettings

APPLICATION, DEPLOYMENT = "scopeif", "verification"
_GATHER_S = 5.0
_BESIDE = 64
"""Requests that a replica takes beyond its limits, so that it is the replica that refuses, with our answer."""


class Verification:
    """One replica. Serve calls its app for HTTP requests, and the launcher and other replicas call its methods."""

    def __init__(self, settings: ServiceSettings) -> None:
        check_backend(settings)
        self._app = build_app(settings, gather=self._gather)
        self._name = serve.get_replica_context().replica_id.unique_id
        self._all: Any = None

    def __serve_build_asgi_app__(self) -> FastAPI:
        return self._app

    async def drain(self) -> int:
        """Take no further requests; how many still ran when the time was over."""
        left: int = await self._app.state.replica.drain()
        return left

    async def metrics(self) -> tuple[str, list[Metric]]:
        """The name of this replica and its figures."""
        return self._name, self._app.state.replica.metrics.collect()

    async def _gather(self) -> Mapping[str, Sequence[Metric]]:
        """The figures of all replicas; of this one alone while others do not answer."""
        if self._all is None:
            self._all = serve.get_deployment_handle(DEPLOYMENT, APPLICATION)
        try:
            found = await self._all.broadcast("metrics").results_async(timeout_s=_GATHER_S, return_exceptions=True)
        except TimeoutError:
            found = []
        return dict([await self.metrics(), *(one for one in found if not isinstance(one, BaseException))])


def application(settings: ServiceSettings) -> serve.Application:
    """What `serve.run` runs."""
    limits, scaling = settings.limits, settings.scaling
    replicas: dict[str, Any] = {"num_replicas": scaling.replicas}
    if scaling.max_replicas is not None:
        replicas = {
            "autoscaling_config": {
                "min_replicas": scaling.replicas,
                "max_replicas": scaling.max_replicas,
                "target_ongoing_requests": max(1, limits.concurrency // 2),
            }
        }
    deployment = serve.deployment(
        serve.ingress()(Verification),
        name=DEPLOYMENT,
        max_ongoing_requests=limits.concurrency + limits.queue + _BESIDE,
        max_queued_requests=limits.concurrency + limits.queue,
        ray_actor_options={"num_cpus": scaling.replica_cpus},
        graceful_shutdown_timeout_s=settings.drain_s,
        max_constructor_retry_count=1,
        logging_config={"enable_access_log": False, "log_level": "WARNING"},
        **replicas,
    )
    return deployment.bind(settings)
