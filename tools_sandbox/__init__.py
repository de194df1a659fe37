"""Runs untrusted verification tools, and gives the text functions that those tools are built from.

    from tools_sandbox import Run, ToolPool

    with ToolPool(workers=2) as pool:
        results = pool.run_many([Run("def f(text):\\n    return count_word(text)", "f", ["two words"])])

The names are loaded on first use, so that the process that runs tools never loads the pool.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools_sandbox.errors import InvalidInput, PoolClosed, SandboxError, SandboxUnavailable
    from tools_sandbox.limits import Limits
    from tools_sandbox.linter import Finding, lint
    from tools_sandbox.pool import ToolPool
    from tools_sandbox.preload import DEFAULT_PRELOAD
    from tools_sandbox.report import Layer, Report
    from tools_sandbox.run import STATUSES, Result, Run
    from tools_sandbox.signatures import tool_globals
    from tools_sandbox.text import count_word, split_sentences

# No module has the name of something exported: importing it would put the module in that place.
_HOMES = {
    "DEFAULT_PRELOAD": "preload",
    "Finding": "linter",
    "InvalidInput": "errors",
    "Layer": "report",
    "Limits": "limits",
    "PoolClosed": "errors",
    "Report": "report",
    "Result": "run",
    "Run": "run",
    "STATUSES": "run",
    "SandboxError": "errors",
    "SandboxUnavailable": "errors",
    "ToolPool": "pool",
    "count_word": "text",
    "lint": "linter",
    "split_sentences": "text",
    "tool_globals": "signatures",
}

__all__ = [
    "DEFAULT_PRELOAD",
    "STATUSES",
    "Finding",
    "InvalidInput",
    "Layer",
    "Limits",
    "PoolClosed",
    "Report",
    "Result",
    "Run",
    "SandboxError",
    "SandboxUnavailable",
    "ToolPool",
    "count_word",
    "lint",
    "split_sentences",
    "tool_globals",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
