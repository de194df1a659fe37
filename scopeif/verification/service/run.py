"""The life of the service: Ray, the deployment, and the drain when it is told to stop."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import signal
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray import serve

from scopeif.errors import ConfigError, ResourceError, ServiceFailed
from scopeif.verification.sandbox import require_sandbox
from scopeif.verification.service.backend import check_backend
from scopeif.verification.service.deployment import APPLICATION, DEPLOYMENT, application
from scopeif.verification.service.settings import ServiceSettings
from scopeif.watchdog import Watchdog

_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # Ray's 15 leaves the service what every other process does not want
    "MALLOC_ARENA_MAX": "2",  # threads with an arena each hold freed memory
}


@dataclass(frozen=True)
class Place:
    """Where the service listens, and on which Ray."""

    host: str
    port: int
    ray_address: str | None = None
    """Of a running cluster; None starts a Ray for the service alone."""


def run_service(settings: ServiceSettings, place: Place, say: Callable[[str], None]) -> int:
    """Serve until SIGTERM or SIGINT, then drain; returns how many requests still ran after the drain.

    Raises:
        ScopeIFError: it cannot start, with the reason.
        KeyboardInterrupt: a second Ctrl-C, which waits for nothing.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with _ray(settings, place):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # Ray has set a handler of its own
        with _deployed(settings, place, say) as handle:
            stopping = _stop_by_signal()
            say(f"ready at http://{place.host}:{place.port}")
            stopping.wait()
            say(f"draining: running requests have {settings.drain_s:g} s to end")
            drained = handle.broadcast("drain").results(return_exceptions=True)
    return sum(1 if isinstance(one, Exception) else one for one in drained)


def _stop_by_signal() -> threading.Event:
    """Set by the first SIGTERM or SIGINT. Several SIGTERM are one: process managers send it twice."""
    stopping = threading.Event()

    def interrupt(*_: object) -> None:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        stopping.set()

    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    signal.signal(signal.SIGINT, interrupt)
    return stopping


def _ray(settings: ServiceSettings, place: Place) -> contextlib.AbstractContextManager[None]:
    """Ray while the block runs."""
    if place.ray_address is not None:
        return _ray_at(place.ray_address)
    _check_machine(settings, place)
    scaling = settings.scaling
    return _own_ray(math.ceil((scaling.max_replicas or scaling.replicas) * scaling.replica_cpus))


_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}


@contextlib.contextmanager
def _ray_at(address: str) -> Iterator[None]:
    """The running cluster at the address."""
    try:
        ray.init(address, **_QUIET)
    except (ConnectionError, ValueError, RuntimeError) as error:
        fix = "check the address; a cluster that asks for a token wants RAY_AUTH_MODE=token, and the token, here too"
        raise ConfigError(f"no Ray there: {error}", place=f"--ray-address {address}", fix=fix) from None
    try:
        yield
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _own_ray(cpus: int) -> Iterator[None]:
    """A Ray of the service's own; all its processes and files are gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="sif-", dir="/tmp"))  # short: socket paths below it are bounded
    watchdog = Watchdog(folder)
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        try:
            ray.init("local", _temp_dir=str(folder), num_cpus=max(cpus, 1), include_dashboard=False, **_QUIET)
        except Exception as error:  # Ray raises nothing more precise
            raise ServiceFailed(f"Ray does not start: {error}") from error
        yield
    finally:
        ray.shutdown()
        watchdog.finish()


def _check_machine(settings: ServiceSettings, place: Place) -> None:
    """Whatever a replica here would fail on, told before anything starts."""
    with socket.socket() as probe:
        try:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((place.host, place.port))
        except OSError as error:
            raise ResourceError(
                f"cannot listen on {place.host}:{place.port}: {error}", place="--host, --port", fix="take another"
            ) from None
    require_sandbox(settings.verification)
    check_backend(settings)


@contextlib.contextmanager
def _deployed(settings: ServiceSettings, place: Place, say: Callable[[str], None]) -> Iterator[Any]:
    """The handle to all replicas, while the block runs."""
    logging.getLogger("ray.serve").setLevel(logging.ERROR)
    serve.start(http_options={"host": place.host, "port": place.port}, logging_config={"log_level": "WARNING"})
    there = serve.context._get_global_client().http_config  # Serve has no public way to ask
    if (there.host, there.port) != (place.host, place.port):
        raise ServiceFailed(
            f"Serve runs on this cluster already, on {there.host}:{there.port}",
            place="--host, --port",
            fix="give these, or shut Serve down on the cluster",
        )
    if APPLICATION in serve.status().applications:
        raise ServiceFailed("this cluster has a verification service already", fix="use it, or stop it first")
    say(f"starting replicas: {settings.scaling.replicas}, {settings.scaling.replica_cpus:g} processors each")
    try:
        try:
            handle = serve.run(application(settings), name=APPLICATION)
        except RuntimeError as error:
            raise ServiceFailed(f"the replicas do not start: {_reason() or error}") from None
        yield handle
    finally:
        with contextlib.suppress(TimeoutError):  # Serve ends the replicas all the same
            serve.delete(APPLICATION)


def _reason() -> str:
    """The error that a replica ended with, without its traceback."""
    lines: list[str] = serve.status().applications[APPLICATION].deployments[DEPLOYMENT].message.rstrip().splitlines()
    last = max((number for number, line in enumerate(lines) if not line.startswith(" ")), default=0)
    return "\n".join(lines[last:])
