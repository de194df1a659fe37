"""A share of all cases, drawn by what a case is and not by when it comes: a repeated run draws the same."""

from __future__ import annotations

import zlib


def drawn(key: str, share: float) -> bool:
    """Whether the case of this key is in the share, which is in [0, 1]."""
    return zlib.crc32(key.encode("utf-8", "surrogatepass")) < share * 2**32
