"""What a check found: one line that says ok, warning or fault, and how to mend it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scopeif.errors import ScopeIFError

State = Literal["ok", "warning", "fault"]


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    `detail` is longer text that belongs to it, such as a rendered prompt.
    """

    check: str
    state: State
    message: str
    fix: str | None = None
    detail: str | None = None


def ok(check: str, message: str, detail: str | None = None) -> Finding:
    """All is well."""
    return Finding(check, "ok", message, detail=detail)


def warning(check: str, message: str, fix: str | None = None) -> Finding:
    """The run works, and may not do what is wanted."""
    return Finding(check, "warning", message, fix)


def fault(check: str, message: str, fix: str | None = None) -> Finding:
    """The run would fail."""
    return Finding(check, "fault", message, fix)


def of_error(check: str, error: ScopeIFError) -> Finding:
    """An error of ours as a fault."""
    return fault(check, f"{error.place}: {error.message}" if error.place else error.message, error.fix)
