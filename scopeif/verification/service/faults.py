"""From an exception to the answer that tells of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from scopeif.errors import ScopeIFError, SpecError
from scopeif.verification.service.answers import Refused, json_answer
from scopeif.verification.service.api import ErrorBody, ErrorKind
from tools_sandbox import SandboxError

Handler = Callable[[Request, Any], Awaitable[Response]]


async def _refused(_: Request, error: Refused) -> Response:
    return error.response()


async def _invalid(_: Request, error: RequestValidationError) -> Response:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return Refused("invalid", f"the body is no JSON: {first['ctx']['error']}", place="body").response()
    place = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
    return Refused("invalid", first["msg"].removeprefix("Value error, "), place=place).response()


async def _http(_: Request, error: HTTPException) -> Response:
    kinds: dict[int, ErrorKind] = {404: "not_found", 405: "method_not_allowed"}
    kind = kinds.get(error.status_code, "invalid" if error.status_code < 500 else "internal")
    body = ErrorBody(error=kind, message=error.detail, fix="GET /openapi.json lists what there is")
    return json_answer(body.model_dump(), error.status_code, error.headers)


async def _spec(_: Request, error: SpecError) -> Response:
    return Refused("invalid", error.message, place=error.place, fix=error.fix).response()


def _later(request: Request) -> dict[str, str]:
    return {"Retry-After": str(request.app.state.replica.settings.limits.retry_after_s)}


async def _unavailable(request: Request, error: ScopeIFError) -> Response:
    """The judge refuses every request, say: nothing can be verified until the configuration is mended."""
    later = _later(request)
    return Refused("unavailable", error.message, place=error.place, fix=error.fix, headers=later).response()


async def _broken(request: Request, error: SandboxError) -> Response:
    return Refused("unavailable", f"the sandbox fails: {error}", headers=_later(request)).response()


async def _internal(_: Request, error: Exception) -> Response:
    return Refused("internal", f"{type(error).__name__}; the log of the service has more").response()


HANDLERS: dict[type[Exception], Handler] = {
    Refused: _refused,
    RequestValidationError: _invalid,
    HTTPException: _http,
    SpecError: _spec,
    ScopeIFError: _unavailable,
    SandboxError: _broken,
    Exception: _internal,
}
