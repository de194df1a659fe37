"""Log lines about changes of state, never one a request."""

from __future__ import annotations

import logging
import time

_COOL_DOWN_S = 30.0


class Notices:
    """Says each thing at most once in a while, with the number of times that it was left unsaid."""

    def __init__(self, logger: str = "scopeif.judge") -> None:
        self._logger = logging.getLogger(logger)
        self._said: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def say(self, key: str, level: int, message: str) -> None:
        """Log a message, unless one of the same key was logged a short time ago."""
        now = time.monotonic()
        if now - self._said.get(key, -_COOL_DOWN_S) < _COOL_DOWN_S:
            self._unsaid[key] = self._unsaid.get(key, 0) + 1
            return
        self._said[key] = now
        unsaid = self._unsaid.pop(key, 0)
        self._logger.log(level, "%s", f"{message} (and {unsaid} times before)" if unsaid else message)
