"""A verification service for tests: it speaks the contract over real sockets, and obeys the worst orders.

async with Service() as service:
    service.then(refusal(429, Retry_After="1"), hang_up)  # what the next requests get
    service.reply = verified  # and all others
    await service.stop()
    await service.start()  # down and up again, at the same port
"""

from __future__ import annotations

import json
import math
from collections import deque

from aiohttp import web

from scopeif.reward import Answer, Record
from scopeif.verification.outcome import JudgeCall, Outcome, Reason, ResponseOutcome
from scopeif.verification.service.api import ErrorBody, VerifyAnswer, VerifyRequest

TOLD = (
    Outcome(
        (Record(1, math.inf, 0, "word", start=2, end=7), Record(0.5, 1, 0.75, vacuous=True)),
        verifier="tgv",
        tool_source="def tool(text): ...",
        tool_arguments=("one", ["two", "three"]),
        evidence="{'n': 3}",
        calls=(JudgeCall("tool_design", "text", 100, 40, 10, 0.5), JudgeCall("judgment", "x", fault="no records")),
        conflict=True,
        escalated=True,
        cpu_ms=1.5,
    ),
    Outcome(reason=Reason.PARSE, detail="no records", verifier="tgv"),
    Outcome((Record(-math.inf, 3, 3),), verifier="compiled", audit=False),
)
"""What the service tells of a response, in turn."""


def told(count):
    return [TOLD[number % len(TOLD)] for number in range(count)]


def answer(asked, **changes):
    """A right answer, with some fields changed."""
    outcomes = tuple(told(len(asked.instruction.constraints)))
    fields = ResponseOutcome(Answer(asked.response, 1), outcomes).to_json()
    return VerifyAnswer(instruction_id=asked.instruction.id, **fields).model_dump() | changes


async def verified(_, asked):
    return web.json_response(answer(asked))


def refusal(status, kind="busy", **headers):
    """An order: answer with an error of the contract."""

    async def refuse(_, asked):
        body = ErrorBody(error=kind, message=f"because of {status}", place="here", fix="mend it")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return web.json_response(body.model_dump(), status=status, headers=named)

    return refuse


def text(words, status=200):
    """An order: answer with this text, as a proxy would."""

    async def say(_, asked):
        return web.Response(text=words, status=status)

    return say


def changed(change):
    """An order: a right answer, but for what `change` does to it."""

    async def reply(_, asked):
        whole = answer(asked)
        change(whole)
        return web.json_response(whole)

    return reply


async def hang_up(request, asked):
    request.transport.abort()
    return web.Response()


async def half(request, asked):
    """Close the connection half way through a right answer."""
    whole = json.dumps(answer(asked)).encode()
    response = web.StreamResponse(headers={"Content-Length": str(len(whole))})
    await response.prepare(request)
    await response.write(whole[: len(whole) // 2])
    request.transport.close()
    return response


class Service:
    """A service on 127.0.0.1; `asked` are the requests that it took, `headers` theirs."""

    def __init__(self):
        self.asked, self.headers = [], []
        self.reply = verified
        self.in_flight = self.most_in_flight = 0
        self._next = deque()
        self._port = 0
        self._runner = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}"

    def then(self, *orders):
        self._next.extend(orders)

    async def __aenter__(self):
        await self.start()
        return self

    async def __aexit__(self, *_):
        await self.stop()

    async def start(self):
        app = web.Application()
        app.router.add_post("/v1/verify", self._verify)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True)
        await site.start()
        self._port = site._server.sockets[0].getsockname()[1]

    async def stop(self):
        await self._runner.cleanup()

    async def _verify(self, request):
        asked = VerifyRequest.model_validate_json(await request.read())
        self.asked.append(asked)
        self.headers.append(request.headers)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await (self._next.popleft() if self._next else self.reply)(request, asked)
        finally:
            self.in_flight -= 1
