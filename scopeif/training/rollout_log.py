"""The rollout log: one zstd-compressed JSON Lines file a step, one line a response, nothing left out.

Read it with `zstd -dc rollouts/000007.jsonl.zst | head -1`, or `read(path)`.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import zstandard


def write(folder: Path, step: int, rows: Iterable[Mapping[str, Any]], kind: str = "train") -> Path:
    """Write the rows of one step whole, or not at all.

    Args:
        folder: the run's rollout folder.
        step: training step, from 1; a validation before training is step 0.
        rows: JSON values; NaN is not one of them.
        kind: ``train`` or ``val``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{step:06d}.jsonl.zst" if kind == "train" else f"{kind}_{step:06d}.jsonl.zst"
    path, partial = folder / name, folder / f".{name}.partial"
    with partial.open("wb") as raw, zstandard.ZstdCompressor(level=3).stream_writer(raw) as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    partial.replace(path)
    return path


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of one file, in order."""
    with path.open("rb") as raw, zstandard.ZstdDecompressor().stream_reader(raw) as file:
        for line in io.TextIOWrapper(file, encoding="utf-8"):
            yield json.loads(line)


def without_nan(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """JSON has no NaN: an unverified reward is null; the packed JSON strings are dropped, their content is beside."""
    return [
        {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in row.items()
            if name not in ("outcome", "scopes")
        }
        for row in rows
    ]
