"""How long to wait before a request is sent again."""

from __future__ import annotations

import email.utils
import random
import time


def backoff(failures: int, base_s: float, cap_s: float) -> float:
    """Seconds before the next try: random, up to a limit that doubles with every failure."""
    return random.uniform(0.0, min(base_s * 2 ** min(failures - 1, 30), cap_s))


def retry_after(value: str | None) -> float | None:
    """Seconds of a Retry-After header, which holds seconds or a date; None where it holds neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return max(0.0, seconds) if seconds < float("inf") else None
