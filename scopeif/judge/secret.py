"""Keys and tokens come from the environment, never from a config."""

from __future__ import annotations

import os

from scopeif.errors import ConfigError


def secret(variable: str | None, place: str) -> str | None:
    """The value of an environment variable; None where no variable is named.

    Args:
        place: the config key that names the variable.

    Raises:
        ConfigError: the variable is not set, empty, or no text that an HTTP header can carry.
    """
    if variable is None:
        return None
    if not (value := os.environ.get(variable, "").strip()):  # a mounted secret often ends in a line break
        raise ConfigError(f"the environment variable {variable} is not set", place=place, fix="export it")
    if not value.isascii() or not value.isprintable():
        raise ConfigError(f"the environment variable {variable} holds what no header can carry", place=place)
    return value
