"""What one run may use."""

from __future__ import annotations

import dataclasses
from typing import Any

from tools_sandbox.errors import InvalidInput

_BOUNDS: dict[str, tuple[float, float]] = {
    "cpu_s": (1, 600),
    "wall_s": (0.05, 3600),
    "memory_mb": (16, 65536),
    "output_bytes": (64, 16 << 20),
    "source_bytes": (64, 16 << 20),
    "argument_bytes": (64, 256 << 20),
}


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run; a value outside its bounds raises `InvalidInput` that names it."""

    cpu_s: int = 2  # CPU seconds (whole: the kernel's RLIMIT_CPU counts seconds)
    wall_s: float = 10  # seconds from the start of the run to its result
    memory_mb: int = 256  # address space on top of what the interpreter itself needs
    output_bytes: int = 65536  # the result as JSON
    source_bytes: int = 65536  # the tool's source in UTF-8
    argument_bytes: int = 1 << 20  # the arguments as JSON in UTF-8

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            check_number(name, getattr(self, name), low, high, whole=name != "wall_s")


def check_number(name: str, value: Any, low: float, high: float, *, whole: bool) -> None:
    """Raise `InvalidInput` unless `value` is a number in [low, high] (a whole one if asked for)."""
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise InvalidInput(f"{name} must be {'a whole number' if whole else 'a number'}, not {value!r}")
    if not low <= value <= high:
        raise InvalidInput(f"{name} must be between {low:g} and {high:g}, not {value!r}")
