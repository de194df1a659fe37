"""Routes whose bodies are JSON as RFC 8259 has it: no NaN, no duplicate keys, no lone surrogates."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from scopeif.constraints import strict_json


class _StrictRequest(Request):
    """Reads JSON as RFC 8259 has it."""

    async def json(self) -> Any:
        text = await self.body()
        try:
            return strict_json.loads(text.decode())
        except (ValueError, RecursionError) as error:
            raise json.JSONDecodeError(str(error) or "it is nested too deeply", "", 0) from None


class StrictRoute(APIRoute):
    """Hands its requests over as strict ones."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(_StrictRequest(request.scope, request.receive))

        return strictly
