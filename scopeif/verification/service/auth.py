"""The bearer token of the service."""

from __future__ import annotations

import hashlib
import hmac

from starlette.datastructures import Headers

from scopeif.judge.secret import secret
from scopeif.verification.service.answers import Refused


def token_sha256(variable: str | None) -> str | None:
    """The SHA-256 of the token in an environment variable; replicas are given this, never the token.

    Raises:
        ConfigError: the variable is not set.
    """
    token = secret(variable, "--token-env")
    return None if token is None else _sha256(token)


def check_token(headers: Headers, wanted_sha256: str) -> None:
    """Let a request pass that has the token.

    Raises:
        Refused: it has none, or another one.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and hmac.compare_digest(_sha256(token.strip()), wanted_sha256):
        return
    raise Refused(
        "unauthorized",
        "the bearer token is missing or wrong",
        fix="send the header Authorization: Bearer TOKEN",
        headers={"WWW-Authenticate": "Bearer"},
    )


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
