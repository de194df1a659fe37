"""The judge client: one question in, one answer out, whatever its servers do meanwhile.

    async with JudgeClient(JudgeSettings(model="openai/gpt-oss-120b", endpoints=("http://node7:8000/v1",))) as client:
        request = JudgeRequest("judgment", [{"role": "user", "content": "..."}], affinity="instruction 17")
        answer = await client.ask(request)
        judgment = parse_judgment(answer.text)  # raises: ask again with attempt=1
        client.keep(request, answer)

Failures of transport are retried and, during an outage, waited for; what remains is `JudgeUnavailable` or
`JudgeRefused`, never an answer. Whether an answer can be used is the caller's to say.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from typing import Any, Self

from scopeif.errors import JudgeError, JudgeRefused, JudgeUnavailable
from scopeif.judge.answers import AnswerCache
from scopeif.judge.backoff import backoff
from scopeif.judge.breaker import State
from scopeif.judge.check import JudgeReport, ProbeReport, check_endpoints
from scopeif.judge.completions import read_completion, request_body, request_key
from scopeif.judge.endpoint import Endpoint, Lost
from scopeif.judge.endpoints import Endpoints
from scopeif.judge.failures import TRANSPORT, Cause, Failure, classify
from scopeif.judge.messages import JudgeAnswer, JudgeRequest
from scopeif.judge.notices import Notices
from scopeif.judge.secret import secret
from scopeif.judge.settings import JudgeSettings
from scopeif.judge.usage import Usage

_NO_KEY = "none"  # the openai client wants one; servers without keys ignore it


@dataclass
class _Shared:
    """A request in flight and the number of those who wait for it."""

    task: asyncio.Task[JudgeAnswer]
    waiting: int = 0


@dataclass
class _Troubles:
    """What went wrong with one request so far."""

    since: float | None = None
    failures: int = 0
    counted: int = 0
    avoid: Endpoint | None = None
    refusals: dict[str, Failure] = field(default_factory=dict)


class JudgeClient:
    """Asks the judge; an async context manager, bound to the event loop that entered it.

    Raises:
        ConfigError: `api_key_env` names a variable that is not set.
    """

    def __init__(self, settings: JudgeSettings) -> None:
        self.settings = settings
        self._notices = Notices()
        key = secret(settings.api_key_env, "judge.api_key_env") or _NO_KEY
        self._endpoints = Endpoints(settings, key, self._notices)
        self._cache: AnswerCache | None = None
        self._usage = Usage(settings.price)
        self._in_flight: dict[bytes, _Shared] = {}
        self._report: JudgeReport | None = None
        self._open = False

    async def __aenter__(self) -> Self:
        if self.settings.cache_path is not None:
            self._cache = AnswerCache(self.settings.cache_path, self.settings.cache_max_mb, self._notices)
        await self._endpoints.start()
        self._open = True
        return self

    async def __aexit__(self, *_: object) -> None:
        """End what is in flight; those who still wait for it get `JudgeUnavailable`."""
        self._open = False
        tasks = [shared.task for shared in self._in_flight.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._endpoints.close()
        if self._cache is not None:
            await self._cache.close()

    async def ask(self, request: JudgeRequest) -> JudgeAnswer:
        """The judge's answer, from the cache or from an endpoint. Identical requests in flight are sent once.

        Raises:
            JudgeUnavailable: no endpoint answered within the patience, or the client was closed.
            JudgeRefused: the request is refused by every endpoint, or would be.
        """
        if not self._open:
            raise JudgeUnavailable("the judge client is not open", fix="use it inside `async with JudgeClient(...)`")
        body = request_body(self.settings, request)
        key = request_key(body, request.attempt)
        usage = self._usage.of(request.kind)
        usage.asked += 1
        shared = self._in_flight.get(key)
        if shared is None:
            shared = _Shared(asyncio.create_task(self._answer(request, body, key)))
            self._in_flight[key] = shared
            shared.task.add_done_callback(lambda _: self._forget(key, shared))
        else:
            usage.shared += 1
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if shared.task.cancelled() and not self._open and not (task and task.cancelling()):
                raise JudgeUnavailable("the judge client was closed before the answer came") from None
            raise
        finally:
            shared.waiting -= 1
            if shared.waiting == 0 and not shared.task.done():
                shared.task.cancel()
                self._forget(key, shared)

    def keep(self, request: JudgeRequest, answer: JudgeAnswer) -> None:
        """Store an answer that could be used in the cache, if there is one."""
        if self._cache is not None and not answer.from_cache and self._open:
            self._cache.keep(request_key(request_body(self.settings, request), request.attempt), answer)

    async def check(self) -> JudgeReport:
        """Ask every endpoint for its health and its models."""
        self._report = await check_endpoints(self._endpoints.listed, self.settings.model)
        return self._report

    async def probe(self, calls: int = 8) -> ProbeReport:
        """Ask a few short questions at once, and say how it went."""
        nonce = secrets.token_hex(4)
        asked = [f"Reply with the word OK and nothing else. ({nonce}/{number})" for number in range(calls)]
        requests = [JudgeRequest("judgment", [{"role": "user", "content": text}], affinity=text) for text in asked]
        begun = time.monotonic()
        results = await asyncio.gather(*(self._probe(request) for request in requests))
        return ProbeReport(
            seconds=time.monotonic() - begun,
            answers=tuple(one for one in results if isinstance(one, JudgeAnswer)),
            faults=tuple(str(one) for one in results if isinstance(one, JudgeError)),
        )

    async def _probe(self, request: JudgeRequest) -> JudgeAnswer | JudgeError:
        try:
            return await self.ask(request)
        except JudgeError as error:
            return error

    def usage(self) -> dict[str, Any]:
        """Counters, tokens, cost, latencies and states as plain values, for metrics."""
        return {
            "kinds": self._usage.snapshot(),
            **self._endpoints.snapshot(),
            "cache": self._cache.state if self._cache else "none",
            "judge": self._report.identity if self._report else None,
        }

    def _forget(self, key: bytes, shared: _Shared) -> None:
        if self._in_flight.get(key) is shared:
            del self._in_flight[key]

    async def _answer(self, request: JudgeRequest, body: bytes, key: bytes) -> JudgeAnswer:
        if self._cache is not None and (cached := await self._cache.get(key)) is not None:
            self._usage.of(request.kind).cache_hits += 1
            return cached
        troubles = _Troubles()
        while True:
            endpoint = await self._place(request, troubles)
            tried = await self._try(endpoint, request.kind, body)
            if isinstance(tried, JudgeAnswer):
                return tried
            await self._wait_or_give_up(request.kind, endpoint, tried, troubles)

    async def _place(self, request: JudgeRequest, troubles: _Troubles) -> Endpoint:
        try:
            return await self._endpoints.acquire(request.affinity, troubles.avoid, troubles.refusals.keys())
        except JudgeUnavailable:
            self._usage.of(request.kind).unavailable += 1
            raise

    async def _try(self, endpoint: Endpoint, kind: str, body: bytes) -> JudgeAnswer | Failure:
        """Send the request once, with the place at the endpoint that it was given."""
        begun, sent_in_round = time.monotonic(), endpoint.limit.round
        try:
            tried = await self._send(endpoint, body, begun)
            if isinstance(tried, JudgeAnswer):
                self._endpoints.answered(endpoint, tried.seconds, sent_in_round)
                self._usage.answered(kind, tried)
            else:
                self._endpoints.failed(endpoint, tried, sent_in_round)
                self._usage.failed(kind, tried)
            return tried
        finally:
            self._endpoints.release(endpoint)

    async def _send(self, endpoint: Endpoint, body: bytes, begun: float) -> JudgeAnswer | Failure:
        try:
            raw = await endpoint.complete(body)
            return read_completion(raw, endpoint.url, time.monotonic() - begun)
        except Lost:
            return Failure(Cause.LOST, "the endpoint is gone")
        except TRANSPORT as error:
            return classify(error)
        except ValueError as error:
            return Failure(Cause.MALFORMED, str(error))

    async def _wait_or_give_up(self, kind: str, endpoint: Endpoint, failure: Failure, troubles: _Troubles) -> None:
        usage = self._usage.of(kind)
        if failure.final:
            troubles.refusals[endpoint.url] = failure
            if failure.cause is Cause.REJECTED or all(o.url in troubles.refusals for o in self._endpoints.listed):
                usage.refused += 1
                raise _refusal(endpoint, failure)
        now = time.monotonic()
        troubles.since = now if troubles.since is None else troubles.since
        troubles.failures += 1
        # What a request suffers at an endpoint that is down for all of them is no fault of the request.
        troubles.counted += failure.counts and endpoint.breaker.state is State.CLOSED
        patience = self.settings.outage_patience_s
        if troubles.counted > self.settings.retries or now - troubles.since > patience:
            usage.unavailable += 1
            raise self._endpoints.unavailable(
                f"given up after {troubles.failures} tries in {now - troubles.since:.0f} s"
            )
        troubles.avoid = endpoint
        usage.retries += 1
        await asyncio.sleep(self._backoff(failure, troubles.failures))

    def _backoff(self, failure: Failure, failures: int) -> float:
        """Seconds before the next try; none where another endpoint may do."""
        if failure.final or failure.cause is Cause.LOST:
            return 0.0
        return backoff(failures, self.settings.backoff_base_s, self.settings.backoff_cap_s)


def _refusal(endpoint: Endpoint, failure: Failure) -> JudgeRefused:
    fixes = {
        401: "check the key in judge.api_key_env",
        403: "check the key in judge.api_key_env",
        404: "check judge.model, and that the endpoint's URL ends as the server wants it, mostly in /v1",
    }
    fix = fixes.get(failure.status or 0, "the server does not take this request: check its length and judge.extra_body")
    error = JudgeRefused(failure.detail, place=endpoint.url, fix=fix)
    error.status = failure.status
    return error
