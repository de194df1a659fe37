"""YAML by a safe loader, which builds plain values only.

>>> is_yaml("a: 1\\nb: [2]"), is_yaml("just text"), is_yaml("a: [")
(True, False, False)
"""

from __future__ import annotations

from typing import Any

import yaml

# The loader in C is the same language, forty times as fast, and bounds the depth of nesting itself.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# What the loader's readers of numbers, dates and other tagged values let through beside its own errors.
_UNREADABLE = (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError)


def is_yaml(text: str) -> bool:
    """Whether a text is one YAML mapping or list."""
    try:
        return isinstance(yaml.load(text, Loader=_LOADER), dict | list)
    except _UNREADABLE:
        return False
