"""What a request passes before it is verified: drain, token, body, place; and its end when the client goes away."""

from __future__ import annotations

import asyncio

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from scopeif.verification.service.answers import Refused
from scopeif.verification.service.auth import check_token
from scopeif.verification.service.limits import read_body
from scopeif.verification.service.replica import Replica

GUARDED = "/v1/"


class Gate:
    """Refuses early: the app behind it reads no body that is too long or that comes without the token."""

    def __init__(self, app: ASGIApp, replica: Replica) -> None:
        self._app, self._replica = app, replica

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(GUARDED):
            await self._app(scope, receive, send)
            return
        try:
            await self._pass(scope, receive, send)
        except Refused as refused:
            await refused.response()(scope, receive, send)
        except ClientDisconnect:
            pass

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers, settings = Headers(scope=scope), self._replica.settings
        if settings.token_sha256 is not None:
            check_token(headers, settings.token_sha256)
        with self._replica.request():
            body = await read_body(headers, receive, settings.limits.body_kb)
            async with self._replica.slots.place():
                await _while_connected(self._app, scope, body, receive, send)


async def _while_connected(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Run the app on a request whose body has been read; cancel it when the client goes away."""
    messages: asyncio.Queue[Message] = asyncio.Queue()
    messages.put_nowait({"type": "http.request", "body": body, "more_body": False})
    work = asyncio.ensure_future(app(scope, messages.get, send))
    left = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait((work, left), return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            work.result()
    finally:
        work.cancel()
        left.cancel()
        await asyncio.gather(work, left, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
