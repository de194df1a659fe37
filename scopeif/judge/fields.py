"""The fields of objects that a judge wrote: keys in any case, with spaces, underscores or hyphens."""

from __future__ import annotations

import re
from typing import Any

from scopeif.errors import JudgeFormatError


def key(name: object) -> str:
    """A key without case, spaces, underscores and hyphens."""
    return re.sub(r"[\s_\-*]+", "", str(name)).casefold()


def has(item: dict[str, Any], names: set[str]) -> bool:
    return any(key(name) in names for name in item)


_MISSING = object()


def get(item: dict[str, Any], names: set[str], default: Any = _MISSING) -> Any:
    found = [value for name, value in item.items() if key(name) in names]
    if len(found) > 1 and any(value != found[0] for value in found):
        raise JudgeFormatError(f"the counting result {item!r:.120} says the same twice, differently")
    if not found:
        if default is _MISSING:
            raise JudgeFormatError(f"the counting result {item!r:.120} has no {sorted(names, key=len)[-1]}")
        return default
    return found[0]
