"""The frames between the pool and a run: a 4-byte little-endian length, then that many bytes of JSON.

A tool shares its process with the code that writes its result, so every byte that comes back is the
tool's to choose. The reader takes one frame, never more than the limit, and parses it strictly.
"""

from __future__ import annotations

import json
import math
import re
import struct
from typing import Any

from tools_sandbox.errors import BadFrame, FrameTooLarge

HEADER = struct.Struct("<I")
MAX_DEPTH = 32  # of the returned value
MAX_ERROR_LENGTH = 300  # characters of an error that are kept
MAX_DIGITS = 308  # an integer must fit a double: bounds and actual values of records are compared as such

# Strings, also one that never ends; written so that a run of escaped quotes is passed over only once.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


def pack(body: bytes) -> bytes:
    """The frame that carries `body`."""
    return HEADER.pack(len(body)) + body


class FrameReader:
    """Collects the first frame of a byte stream; whatever follows it is ignored.

    >>> reader = FrameReader(limit=100)
    >>> reader.feed(b"\\x02\\x00\\x00\\x00[")
    False
    >>> reader.feed(b"]and more")
    True
    >>> reader.body
    b'[]'
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._size: int | None = None

    def feed(self, data: bytes) -> bool:
        """Take the next bytes; True once the frame is complete. Raises `FrameTooLarge`."""
        self._buffer += data
        if self._size is None and len(self._buffer) >= HEADER.size:
            (self._size,) = HEADER.unpack_from(self._buffer)
            if self._size > self._limit:
                raise FrameTooLarge(f"a result of {self._size} bytes; the limit is {self._limit}")
        return self._size is not None and len(self._buffer) >= HEADER.size + self._size

    @property
    def body(self) -> bytes:
        """The bytes of the complete frame."""
        if self._size is None or len(self._buffer) < HEADER.size + self._size:
            raise BadFrame("the frame is not complete")
        return bytes(self._buffer[HEADER.size : HEADER.size + self._size])


def parse(body: bytes, max_depth: int = MAX_DEPTH) -> Any:
    """The one JSON value in `body`; raises `BadFrame` with the reason.

    Refused: invalid UTF-8, lone surrogates, NaN and infinities (also 1e999), integers that do not fit
    a double, repeated keys, deeper nesting than `max_depth`.
    """
    # The depth is bounded before the recursive parser sees the bytes: a host that raised its recursion
    # limit would lose its stack to a body of brackets.
    if _depth(body) > max_depth:
        raise BadFrame(f"nested more than {max_depth} deep")
    try:
        value = json.loads(
            body.decode("utf-8"),
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except BadFrame:
        raise
    except UnicodeEncodeError:
        raise BadFrame("a string with a lone surrogate") from None
    except ValueError as error:
        raise BadFrame(f"not JSON: {str(error)[:100]}") from None
    return value


def _depth(body: bytes) -> int:
    if body.count(b"[") + body.count(b"{") <= 1:
        return 1
    depth = deepest = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", body)):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


def _integer(digits: str) -> int:
    length = len(digits) - digits.startswith("-")
    if length > MAX_DIGITS:
        raise BadFrame(f"an integer of {length} digits; the limit is {MAX_DIGITS}")
    return int(digits)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise BadFrame("a number that is not finite")
    return value


def _refuse_constant(name: str) -> Any:
    raise BadFrame(f"{name} is not JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise BadFrame("an object that repeats a key")
    return value
