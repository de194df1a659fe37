"""The endpoints of a judge: places for calls, what becomes of each endpoint, and what happens while none answers."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Set
from typing import Any

import httpx2
import openai

from scopeif.errors import JudgeUnavailable
from scopeif.judge.breaker import State
from scopeif.judge.endpoint import Endpoint, Health
from scopeif.judge.endpoint_list import EndpointFile
from scopeif.judge.failures import Cause, Failure
from scopeif.judge.line import Line, Waiter
from scopeif.judge.notices import Notices
from scopeif.judge.settings import JudgeSettings

# Servers of the uvicorn family drop idle connections after 5 s; one that is reused at that moment fails.
_KEEP_ALIVE_S = 3.0


class Endpoints:
    """The endpoints of a judge; `start` before the first call and `close` after the last, in one event loop."""

    def __init__(self, settings: JudgeSettings, api_key: str, notices: Notices) -> None:
        self._settings, self._api_key, self._notices = settings, api_key, notices
        self._file = EndpointFile(settings.endpoints_file) if settings.endpoints_file else None
        self._line = Line()
        self._leaving: list[Endpoint] = []
        self._background: set[asyncio.Task[None]] = set()
        self._reviving: set[Endpoint] = set()
        self._asked_for_health: dict[Endpoint, int] = {}
        self._outage_since: float | None = None
        self._outage_timer: asyncio.TimerHandle | None = None
        self._http: httpx2.AsyncClient | None = None

    async def start(self) -> None:
        """Open the HTTP client and read the list."""
        # Our own limits bound the connections; 0 is no limit for aiohttp, None would be its default of 100.
        limits = httpx2.Limits(max_connections=0, keepalive_expiry=_KEEP_ALIVE_S)
        self._http = openai.DefaultAioHttpClient(limits=limits)
        if self._file is None:
            self._set(self._settings.endpoints)
        else:
            await self._read_file()
            self._note_outage()
        self._run(self._watch())

    async def close(self) -> None:
        """End the background work and close every connection."""
        if self._outage_timer is not None:
            self._outage_timer.cancel()
        background = list(self._background)
        for task in background:
            task.cancel()
        await asyncio.gather(*background, return_exceptions=True)
        if self._http is not None:
            await self._http.aclose()

    @property
    def listed(self) -> list[Endpoint]:
        """The endpoints of the list as it is now."""
        return list(self._line.endpoints)

    @property
    def outage_s(self) -> float:
        """Seconds since no endpoint answers; 0 when one does."""
        return 0.0 if self._outage_since is None else time.monotonic() - self._outage_since

    async def acquire(self, affinity: str, avoid: Endpoint | None = None, refused: Set[str] = frozenset()) -> Endpoint:
        """A place at an endpoint; `release` gives it back.

        Args:
            affinity: requests of one affinity prefer the same endpoint.
            avoid: not this one while there is another.
            refused: never these.

        Raises:
            JudgeUnavailable: no endpoint has answered for `outage_patience_s`.
        """
        granted = asyncio.get_running_loop().create_future()
        waiter = Waiter(granted, affinity.encode(errors="replace"), avoid, refused)
        if (endpoint := self._line.place(waiter)) is not None:
            return endpoint
        if refused:  # whether others are down or only these is not told apart by the outage
            asyncio.get_running_loop().call_later(self._settings.outage_patience_s, self._give_up, waiter)
        self._end_patience()
        try:
            return await waiter.granted
        except asyncio.CancelledError:
            if not self._line.leave(waiter) and not waiter.granted.cancelled() and waiter.granted.exception() is None:
                self.release(waiter.granted.result())
            raise

    def release(self, endpoint: Endpoint) -> None:
        """Give a place back."""
        endpoint.in_flight -= 1
        if endpoint in self._leaving and endpoint.in_flight == 0:
            self._leaving.remove(endpoint)
        self._line.serve()

    def answered(self, endpoint: Endpoint, seconds: float, sent_in_round: int) -> None:
        """An endpoint answered."""
        endpoint.answers += 1
        endpoint.limit.answered(seconds, endpoint.in_flight, sent_in_round)
        self._alive(endpoint)

    def failed(self, endpoint: Endpoint, failure: Failure, sent_in_round: int) -> None:
        """A call failed at an endpoint."""
        endpoint.failed(failure)
        if failure.overload:
            endpoint.limit.overloaded(sent_in_round)
        if failure.final:
            self._notices.say(f"refuses {endpoint.url}", logging.WARNING, f"{endpoint.url} refuses: {failure.detail}")
        if failure.retry_after_s is not None:
            self._pause(endpoint, min(failure.retry_after_s, self._settings.outage_patience_s))
        if failure.alive:
            self._alive(endpoint)
        elif failure.cause is not Cause.LOST and endpoint.breaker.failed():
            self._opened(endpoint, failure.detail)

    def unavailable(self, why: str) -> JudgeUnavailable:
        """The error of a request that is given up."""
        said = [
            f"{one.url}: {one.last_failure or 'no failure yet'} ({one.breaker.state.value})"
            for one in self._line.endpoints
        ]
        shown = "; ".join(said[:5]) + (f"; and {len(said) - 5} more" if len(said) > 5 else "")
        return JudgeUnavailable(
            f"{why}: {shown or 'the list of endpoints is empty'}",
            place=str(self._settings.endpoints_file) if self._file else None,
            fix="start the judge or correct its endpoints; outage_patience_s says how long calls wait for it",
        )

    # States

    def _alive(self, endpoint: Endpoint) -> None:
        endpoint.heard_at = time.monotonic()
        if endpoint.breaker.succeeded():
            self._notices.say(f"up {endpoint.url}", logging.INFO, f"{endpoint.url} answers again")
        if self._outage_since is not None:
            self._notices.say("over", logging.WARNING, f"the judge answers again after {self.outage_s:.1f} s")
            self._outage_since = None
            if self._outage_timer is not None:
                self._outage_timer.cancel()

    def _opened(self, endpoint: Endpoint, why: str) -> None:
        self._notices.say(f"down {endpoint.url}", logging.WARNING, f"{endpoint.url} gets no calls for a while: {why}")
        if endpoint not in self._reviving:
            self._reviving.add(endpoint)
            self._run(self._revive(endpoint))
        self._line.look_again()
        self._note_outage()
        self._end_patience()

    def _note_outage(self) -> None:
        if self._outage_since is not None or self._any_taking():
            return
        self._outage_since = time.monotonic()
        patience = self._settings.outage_patience_s
        where = "" if self._line.endpoints else ": their list is empty"
        self._notices.say(
            "outage", logging.WARNING, f"no judge endpoint answers{where}; calls wait up to {patience:g} s"
        )
        self._outage_timer = asyncio.get_running_loop().call_later(patience, self._end_patience)

    def _any_taking(self) -> bool:
        return any(one.breaker.state is not State.OPEN for one in self._line.endpoints)

    def _end_patience(self) -> None:
        """Fail all who wait, if no endpoint takes calls and none has answered for too long."""
        # The timer may come a clock tick early.
        if self._outage_since is None or self.outage_s + 0.001 < self._settings.outage_patience_s or self._any_taking():
            return
        for waiter in self._line.empty():
            self._give_up(waiter)

    def _give_up(self, waiter: Waiter) -> None:
        self._line.leave(waiter)
        if not waiter.granted.done():
            waiter.granted.set_exception(self.unavailable("no judge endpoint answered in time"))

    def _pause(self, endpoint: Endpoint, seconds: float) -> None:
        until = time.monotonic() + seconds
        if until > endpoint.paused_until:
            endpoint.paused_until = until
            self._notices.say(f"pause {endpoint.url}", logging.INFO, f"{endpoint.url} asks for {seconds:.1f} s of rest")
            asyncio.get_running_loop().call_later(seconds + 0.001, self._line.serve)

    # Background work

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._notices.say("background", logging.ERROR, f"background work of the judge client failed: {error!r}")

    async def _revive(self, endpoint: Endpoint) -> None:
        """Ask an endpoint for its health until it is well; when it is gone, its calls in flight go elsewhere."""
        gone = 0
        while endpoint in self._line.endpoints and endpoint.breaker.state is State.OPEN:
            await asyncio.sleep(endpoint.breaker.cool_down())
            health = await endpoint.health()
            if health is Health.GONE:
                gone += 1
            if gone == 2 or (gone and health is Health.WELL):  # what is back after it was gone knows no earlier calls
                endpoint.abandon()
            if health is Health.WELL and endpoint.breaker.allow_probes():
                endpoint.limit.restart()
        self._reviving.discard(endpoint)
        self._line.look_again()
        self._line.serve()

    async def _watch(self) -> None:
        """Look after the list and after endpoints that are busy and silent."""
        while True:
            await asyncio.sleep(min(self._settings.endpoints_poll_s, self._settings.silence_s / 4))
            await self._read_file()
            await asyncio.gather(*(self._ask_if_silent(one) for one in [*self._line.endpoints, *self._leaving]))

    async def _ask_if_silent(self, endpoint: Endpoint) -> None:
        if endpoint.in_flight == 0:
            endpoint.heard_at = time.monotonic()
        if time.monotonic() - endpoint.heard_at < self._settings.silence_s or endpoint.breaker.state is State.OPEN:
            return
        if await endpoint.health() is not Health.GONE:
            endpoint.heard_at = time.monotonic()
            self._asked_for_health.pop(endpoint, None)
            return
        times = self._asked_for_health.pop(endpoint, 0) + 1
        if times < 2:
            self._asked_for_health[endpoint] = times
            return
        abandoned = endpoint.abandon()
        if endpoint.breaker.trip():
            self._opened(endpoint, f"it is silent and takes no connection; {abandoned} calls go elsewhere")

    async def _read_file(self) -> None:
        if self._file is None:
            return
        try:
            found = await asyncio.to_thread(self._file.read_if_changed)
        except (OSError, UnicodeDecodeError) as error:
            self._notices.say("list", logging.WARNING, f"the list of judge endpoints is as it was: {error}")
            return
        if found is None:
            return
        for fault in found.faults:
            self._notices.say(f"list {fault}", logging.WARNING, f"{self._file.path}: {fault}")
        if found.urls:
            self._set(found.urls)
        else:
            self._notices.say("list", logging.WARNING, f"{self._file.path} is empty: the list is as it was")

    def _set(self, urls: tuple[str, ...]) -> None:
        known = {one.url: one for one in self._line.endpoints}
        if tuple(known) == urls:
            return
        if known:
            self._notices.say("listed", logging.INFO, f"judge endpoints are now {', '.join(urls)}")
        self._leaving += [one for url, one in known.items() if url not in urls and one.in_flight]
        self._line.endpoints = [known.get(url) or self._connect(url) for url in urls]
        self._line.look_again()
        self._note_outage()
        self._line.serve()

    def _connect(self, url: str) -> Endpoint:
        timeout = httpx2.Timeout(None, connect=self._settings.connect_timeout_s)
        api = openai.AsyncOpenAI(
            base_url=url, api_key=self._api_key, http_client=self._http, timeout=timeout, max_retries=0
        )
        return Endpoint(url, api, self._settings)

    def snapshot(self) -> dict[str, Any]:
        """Plain values for metrics."""
        return {
            "endpoints": {one.url: one.snapshot() for one in self._line.endpoints},
            "in_flight": sum(one.in_flight for one in [*self._line.endpoints, *self._leaving]),
            "waiting": len(self._line),
            "outage_s": self.outage_s,
        }
