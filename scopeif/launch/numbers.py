"""Numbers from the environment of a job."""

from __future__ import annotations

from collections.abc import Mapping

from scopeif.errors import InvalidInputError


def read_number(variables: Mapping[str, str], name: str, default: float) -> float:
    """The number in a variable, or the default where it is not set or empty.

    Raises:
        InvalidInputError: it is no number of zero or more.
    """
    try:
        value = float(variables.get(name) or default)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise InvalidInputError(f"{name}={variables[name]!r} is no number of zero or more")
    return value
