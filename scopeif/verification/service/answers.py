"""Answers as bytes, and requests that are not served."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from scopeif.verification.service.api import ErrorBody, ErrorKind

STATUS: dict[ErrorKind, int] = {
    "invalid": 422,
    "unauthorized": 401,
    "not_found": 404,
    "method_not_allowed": 405,
    "too_large": 413,
    "busy": 429,
    "draining": 503,
    "unavailable": 503,
    "internal": 500,
}


def json_answer(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A JSON value as an answer. What tools and judges wrote may hold lone surrogates, which no UTF-8 can."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, headers, "application/json")


class Refused(Exception):
    """Ends a request; `response` is its answer."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        place: str | None = None,
        fix: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.body = ErrorBody(error=kind, message=message, place=place, fix=fix)
        self.headers = headers

    def response(self) -> Response:
        """The answer."""
        return json_answer(self.body.model_dump(), STATUS[self.body.error], self.headers)
