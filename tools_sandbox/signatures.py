"""What a tool may use without an import, in words that a prompt for its author can quote.

>>> [line for line in tool_globals() if line.startswith("count_word")]
['count_word(text: str) -> int: How many words a text holds; each Chinese character is one.']
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tools_sandbox import text


def tool_globals() -> list[str]:
    """One line for each function and class of `tools_sandbox.text`: its signature and what it does."""
    return [_line(name, getattr(text, name)) for name in text.__all__]


def _line(name: str, what: Any) -> str:
    summary = (inspect.getdoc(what) or "").partition("\n")[0]
    return f"{name}{_signature(what)}: {summary}"


def _signature(what: Callable[..., Any]) -> str:
    if isinstance(what, type) and issubclass(what, Exception):
        return " (exception)"
    signature = inspect.signature(what)
    parameters = ", ".join(map(_parameter, signature.parameters.values()))
    return f"({parameters})" if isinstance(what, type) else f"({parameters}) -> {signature.return_annotation}"


def _parameter(parameter: inspect.Parameter) -> str:
    """As `str` gives it, but for the quotes around an annotation that is a string."""
    bare = parameter.replace(annotation=parameter.empty, default=parameter.empty)
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{bare}: {parameter.annotation}{default}"
