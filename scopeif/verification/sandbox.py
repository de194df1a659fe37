"""The sandbox that verification needs: made from settings, or refused before anything starts."""

from __future__ import annotations

from scopeif.errors import SandboxIsolationError
from scopeif.verification.settings import VerificationSettings
from tools_sandbox import Limits, SandboxUnavailable, ToolPool


def build_pool(settings: VerificationSettings, kind: type[ToolPool] = ToolPool) -> ToolPool:
    """The sandbox; the caller closes it. Only tools that the judge wrote for many responses can get into quarantine.

    Raises:
        SandboxIsolationError: this machine lacks a layer that the settings require.
    """
    try:
        return kind(
            quarantine_after=3 if settings.kind in ("rule", "static_tool") else 0,
            workers=settings.sandbox_workers,
            limits=Limits(cpu_s=settings.tool_cpu_s, wall_s=settings.tool_wall_s, memory_mb=settings.tool_memory_mb),
            require=settings.sandbox_require,
        )
    except SandboxUnavailable as error:
        raise SandboxIsolationError(
            f"the tool sandbox cannot isolate on this machine: {error}",
            place="verification.sandbox_require",
            fix="python -m tools_sandbox check shows every layer and what it needs",
        ) from error


def require_sandbox(settings: VerificationSettings) -> None:
    """Refuse a machine on which the sandbox lacks a layer, with a `SandboxIsolationError`."""
    build_pool(settings).close()
