"""The verification service that `verification=remote` asks: up, and ready."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator

from scopeif.checks.finding import Finding, fault, ok
from scopeif.checks.subject import Subject

_TIMEOUT_S = 10


def check_service(subject: Subject) -> Iterator[Finding]:
    """Nothing where verification is not remote."""
    verification = subject.settings.verification
    if verification.kind != "remote":
        return
    for url in verification.remote.urls:
        trouble = not_ready(url)
        if trouble:
            yield fault("service", f"{url}: {trouble}", "start it: scopeif serve; docs/verification.md")
        else:
            yield ok("service", f"{url} is ready")


def not_ready(url: str) -> str | None:
    """Why the service takes no requests, if it does not."""
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=_TIMEOUT_S):
            return None
    except urllib.error.HTTPError as error:
        return f"it is not ready (HTTP {error.code})"
    except OSError as error:
        return f"it cannot be reached ({getattr(error, 'reason', error)})"
