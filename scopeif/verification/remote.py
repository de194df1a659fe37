"""Verification by a service (`scopeif serve`): a response is sent once, and the outcomes of all its constraints return.

    async with RemoteVerifier(RemoteSettings(urls=("http://node7:8000",))) as verifier:
        outcomes = await verifier.verify_all(instruction, answer)

A service that is busy, draining or out of reach is waited for, and the other ones are asked meanwhile. What stays
without an answer is unverified, every constraint of it; a service that cannot be used as it is configured is an error.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import math
import random
import time
from dataclasses import dataclass, field
from enum import Enum
from typing import Self

import aiohttp

from scopeif.constraints.models import Constraint, Instruction
from scopeif.errors import ConfigError, InvalidInputError
from scopeif.judge.backoff import backoff, retry_after
from scopeif.judge.notices import Notices
from scopeif.judge.secret import secret
from scopeif.verification.outcome import Outcome, Reason, outcome_from_json
from scopeif.verification.service.api import VerifyAnswer, VerifyRequest
from scopeif.verification.settings import RemoteSettings

_TRIES = 3
"""How often a response is sent to services that fail on it while they work otherwise."""
_CONNECT_S = 5.0
_BACKOFF_BASE_S, _BACKOFF_CAP_S = 0.5, 30.0
_OTHER_VERSION = "let the service and this package be of one version"
_KEEP_ALIVE_S = 3.0  # servers of the uvicorn family drop idle connections after 5 s


class _Kind(Enum):
    BUSY = "busy"
    """Too many requests at a time: this one has to wait."""
    AWAY = "away"
    """Draining or out of reach: it never began."""
    LOST = "lost"
    """It began, and the connection or the time ended before its answer did."""
    UNUSABLE = "unusable"
    """It failed, or its answer cannot be used."""
    TOO_LARGE = "too large"
    """It takes no response or instruction of this size."""
    REFUSED = "refused"
    """A wrong token or address."""
    INVALID = "invalid"
    """It does not understand the request: another version."""


@dataclass(frozen=True)
class _Failure:
    """One try that brought no outcomes."""

    kind: _Kind
    detail: str
    wait_s: float | None = None
    fix: str | None = None


@dataclass
class _Service:
    """One service, and until when nobody asks it."""

    url: str
    rests_until: float = 0.0

    def weight(self, key: str) -> bytes:
        """Its place in the order that requests of one instruction prefer."""
        return hashlib.blake2b(f"{self.url} {key}".encode(errors="replace"), digest_size=8).digest()


@dataclass
class _Troubles:
    """What went wrong with one response so far."""

    begun: float
    since: float | None = None
    failures: int = 0
    counted: int = 0
    not_before: dict[str, float] = field(default_factory=dict)
    last: _Failure | None = None


class RemoteVerifier:
    """Sends responses to a verification service; an async context manager, bound to the event loop that entered it.

    Responses to one instruction go to the same service while it answers, so that they are measured alike.

    Raises:
        ConfigError: `token_env` names a variable that is not set.
    """

    name = "remote"

    def __init__(self, settings: RemoteSettings) -> None:
        self._settings = settings
        self._services = [_Service(url) for url in dict.fromkeys(settings.urls)]
        token = secret(settings.token_env, "verification.remote.token_env")
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
        self._room = asyncio.Semaphore(settings.concurrency)
        self._answered_at = 0.0
        self._notices = Notices("scopeif.verification")
        self._session: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_ALIVE_S),
            timeout=aiohttp.ClientTimeout(total=self._settings.deadline_s, sock_connect=_CONNECT_S),
            cookie_jar=aiohttp.DummyCookieJar(),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def verify(self, instruction: Instruction, constraint: Constraint, answer: str) -> Outcome:
        """One constraint by itself."""
        return (await self.verify_all(instruction.model_copy(update={"constraints": (constraint,)}), answer))[0]

    async def verify_all(self, instruction: Instruction, answer: str) -> list[Outcome]:
        """All constraints of an answer, in order; without an answer of a service, all unverified (transport).

        Raises:
            ConfigError: every service refuses the token or does not know the address, or one does not understand the
                request.
        """
        try:
            asked = VerifyRequest(instruction=instruction, response=answer, split=False, details=True)
            body = asked.model_dump_json().encode()
        except ValueError as error:  # half a surrogate pair cannot be sent
            got: list[Outcome] | str = f"the response cannot be sent: {error}"
        else:
            got = await self._ask(instruction, body)
        if isinstance(got, str):
            return [Outcome(reason=Reason.TRANSPORT, detail=got, verifier=self.name) for _ in instruction.constraints]
        return got

    async def _ask(self, instruction: Instruction, body: bytes) -> list[Outcome] | str:
        """The outcomes, or why there are none."""
        order = sorted(self._services, key=lambda service: service.weight(instruction.id))
        troubles = _Troubles(time.monotonic())
        while True:
            service = await self._free(order, troubles)
            if service is None:
                return self._given_up(troubles)
            async with self._room:
                tried = await self._send(service, body, instruction)
            if isinstance(tried, list):
                return tried
            if tried.kind is _Kind.TOO_LARGE:
                return tried.detail
            self._note(service, tried, troubles)
            if troubles.counted >= _TRIES:
                return self._given_up(troubles)

    async def _free(self, order: list[_Service], troubles: _Troubles) -> _Service | None:
        """The first service that can be asked, waited for if need be; None when the patience has ended."""
        while True:
            now = time.monotonic()
            ready = {one.url: max(one.rests_until, troubles.not_before.get(one.url, 0.0)) for one in order}
            free = next((one for one in order if ready[one.url] <= now), None)
            if free is not None:
                return free
            troubles.since = now if troubles.since is None else troubles.since
            left = troubles.since + self._settings.patience_s - now
            if left <= 0:
                return None
            wait = (min(ready.values()) - now) * random.uniform(1.0, 1.25)  # not all of those who wait at once
            await asyncio.sleep(min(wait, left))

    async def _send(self, service: _Service, body: bytes, instruction: Instruction) -> list[Outcome] | _Failure:
        if self._session is None:
            raise InvalidInputError("the verifier is not open", fix="use it inside `async with RemoteVerifier(...)`")
        try:
            async with self._session.post(
                f"{service.url}/v1/verify", data=body, headers=self._headers, allow_redirects=False
            ) as reply:
                raw = await reply.read()
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError, UnicodeError) as error:
            return _Failure(_Kind.AWAY, f"{service.url}: {_words(error)}")
        except (aiohttp.ClientError, OSError) as error:
            return _Failure(_Kind.LOST, f"{service.url}: {_words(error)}")
        if reply.status != 200:
            return _of_status(service.url, reply.status, raw, retry_after(reply.headers.get("Retry-After")))
        self._answered_at = time.monotonic()
        try:
            return _outcomes(raw, instruction)
        except ValueError as error:
            return _Failure(_Kind.UNUSABLE, f"{service.url}: the answer cannot be used: {_words(error)}")

    def _note(self, service: _Service, failure: _Failure, troubles: _Troubles) -> None:
        """What follows from a failure: when this service is asked again, by this response and by others.

        Raises:
            ConfigError: no service can be used.
        """
        now = time.monotonic()
        troubles.since = now if troubles.since is None else troubles.since
        troubles.failures += 1
        troubles.last = failure
        if failure.kind is _Kind.REFUSED:
            troubles.not_before[service.url] = math.inf
        refused = all(troubles.not_before.get(one.url) == math.inf for one in self._services)
        if failure.kind is _Kind.INVALID or refused:
            raise ConfigError(failure.detail, place="verification.remote.urls", fix=failure.fix)
        if failure.kind is _Kind.REFUSED:
            self._notices.say(service.url, logging.WARNING, failure.detail)
            return
        # What is lost while no one else is answered either is lost by an outage.
        troubles.counted += failure.kind is _Kind.UNUSABLE or (
            failure.kind is _Kind.LOST and self._answered_at > troubles.begun
        )
        wait = backoff(troubles.failures, _BACKOFF_BASE_S, _BACKOFF_CAP_S)
        until = now + max(wait, failure.wait_s or 0.0)
        troubles.not_before[service.url] = until
        if failure.kind in (_Kind.AWAY, _Kind.LOST):
            service.rests_until = until
            patience = f"responses wait up to {self._settings.patience_s:g} s"
            self._notices.say(service.url, logging.WARNING, f"{failure.detail}; {patience}")

    def _given_up(self, troubles: _Troubles) -> str:
        last = troubles.last.detail if troubles.last else "no service answers"
        waited = time.monotonic() - (troubles.since or troubles.begun)
        return f"given up after {troubles.failures} tries in {waited:.0f} s; the last: {last}"


def _outcomes(raw: bytes, instruction: Instruction) -> list[Outcome]:
    """What an answer holds; ValueError where it is none to this request."""
    answer = VerifyAnswer.model_validate_json(raw)
    if answer.instruction_id != instruction.id:
        raise ValueError(f"it is of instruction {answer.instruction_id!r}")
    outcomes = [outcome_from_json(row) for row in answer.constraints]
    if len(outcomes) != len(instruction.constraints):
        raise ValueError(f"{len(outcomes)} outcomes of {len(instruction.constraints)} constraints")
    return outcomes


def _of_status(url: str, status: int, raw: bytes, wait_s: float | None) -> _Failure:
    said = _error_body(raw)
    detail = f"{url}: HTTP {status}: " + ": ".join(said[name] for name in ("place", "message") if said.get(name))
    if status == 413:
        return _Failure(_Kind.TOO_LARGE, detail)
    if status == 429:
        return _Failure(_Kind.BUSY, detail, wait_s)
    if status in (502, 503, 504):
        return _Failure(_Kind.AWAY, detail, wait_s)
    if status == 408 or status >= 500:
        return _Failure(_Kind.UNUSABLE, detail, wait_s)
    if status in (400, 422):
        return _Failure(_Kind.INVALID, detail, fix=said.get("fix", _OTHER_VERSION))
    token = "name the variable that holds the service's token in verification.remote.token_env"
    address = "verification.remote.urls are addresses of `scopeif serve`, such as http://node7:8000"
    return _Failure(_Kind.REFUSED, detail, fix=token if status in (401, 403) else address)


def _error_body(raw: bytes) -> dict[str, str]:
    """The fields of an `ErrorBody`; of anything else, a proxy's page say, its beginning as the message."""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        body = None
    if isinstance(body, dict) and "message" in body:
        return {name: value for name, value in body.items() if isinstance(value, str)}
    return {"message": raw[:300].decode(errors="replace").strip()}


def _words(error: Exception) -> str:
    return str(error).strip()[:300] or type(error).__name__
