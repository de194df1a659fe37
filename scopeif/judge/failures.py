"""Failures of judge calls: what happened, and what follows for the request and for the endpoint."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import aiohttp
import httpx2
import openai

from scopeif.judge.backoff import retry_after

TRANSPORT = (
    openai.OpenAIError,
    httpx2.HTTPError,
    httpx2.InvalidURL,
    aiohttp.ClientError,
    TimeoutError,
    OSError,
    UnicodeError,  # a host name that cannot be one
)
"""What a call can raise when the network or the server fails."""


_NO_CONNECTION = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    httpx2.ConnectError,
    httpx2.UnsupportedProtocol,
    httpx2.InvalidURL,
    UnicodeError,
)


class Cause(str, Enum):
    """What went wrong with one try."""

    CONNECT = "connect"
    """No connection; the server never saw the request."""
    LOST = "lost"
    """The endpoint died while it had the request."""
    DISCONNECTED = "disconnected"
    """The connection ended before the answer did."""
    TIMEOUT = "timeout"
    """No answer by the deadline."""
    MALFORMED = "malformed"
    """An answer that is no chat completion."""
    SERVER = "server"
    """5xx, 408 or 409."""
    RATE_LIMIT = "rate_limit"
    """429."""
    REFUSED = "refused"
    """401, 403, 404 or 405: this endpoint will not do it, another may."""
    REJECTED = "rejected"
    """Any other 4xx: the request itself is at fault, everywhere."""


_NEVER_TAKEN = {Cause.CONNECT, Cause.LOST, Cause.RATE_LIMIT}
_ALIVE = {Cause.RATE_LIMIT, Cause.REFUSED, Cause.REJECTED}


@dataclass(frozen=True)
class Failure:
    """One failed try."""

    cause: Cause
    detail: str
    status: int | None = None
    retry_after_s: float | None = None

    @property
    def final(self) -> bool:
        """Whether the same endpoint would say the same again."""
        return self.cause in {Cause.REFUSED, Cause.REJECTED}

    @property
    def counts(self) -> bool:
        """Whether it uses up a retry: the endpoint had the request and failed on it."""
        return self.cause not in _NEVER_TAKEN

    @property
    def alive(self) -> bool:
        """Whether it shows that the endpoint works, or asked for patience and says until when."""
        return self.cause in _ALIVE or (self.status == 503 and self.retry_after_s is not None)

    @property
    def overload(self) -> bool:
        """Whether it asks for fewer calls at a time."""
        return self.cause in {Cause.RATE_LIMIT, Cause.TIMEOUT} or (self.status == 503 and self.alive)


def classify(error: Exception) -> Failure:
    """The failure behind an exception of a call."""
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    causes = list(_chain(error))
    detail = next((text for cause in reversed(causes) if (text := str(cause).strip())), type(error).__name__)
    if any(isinstance(cause, _NO_CONNECTION) for cause in causes):
        return Failure(Cause.CONNECT, detail)
    if any(isinstance(cause, TimeoutError) for cause in causes):
        return Failure(Cause.TIMEOUT, detail)
    return Failure(Cause.DISCONNECTED, detail)


def _of_status(error: openai.APIStatusError) -> Failure:
    status = error.status_code
    detail = f"HTTP {status}: {error.response.text[:300].strip()}"
    wait = retry_after(error.response.headers.get("retry-after"))
    if status == 429:
        return Failure(Cause.RATE_LIMIT, detail, status, wait)
    if status in {408, 409} or status >= 500:
        return Failure(Cause.SERVER, detail, status, wait)
    return Failure(Cause.REFUSED if status in {401, 403, 404, 405} else Cause.REJECTED, detail, status)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__
