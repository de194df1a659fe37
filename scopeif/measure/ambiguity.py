"""The measuring functions' own errors, as errors of this package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scopeif.errors import AmbiguousResponse
from tools_sandbox.text import Ambiguous


@contextmanager
def ambiguity_raised() -> Iterator[None]:
    """Raise `AmbiguousResponse` where the measuring functions, which know nothing of this package, say ambiguous."""
    try:
        yield
    except Ambiguous as error:
        raise AmbiguousResponse(str(error), fix="let the judge decide, or leave it unverified") from None
