"""The shipped data, and what it was made from."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopeif.constraints.dataset import read_jsonl
from scopeif.constraints.models import Instruction
from scopeif.synthesis.offline import Generator, Made


@pytest.fixture(scope="session")
def folder() -> Path:
    """Where the shipped files lie."""
    return Path(__file__).parents[2] / "data" / "scope_mini"


@pytest.fixture(scope="session")
def shipped(folder: Path) -> dict[str, list[Instruction]]:
    """The instructions of each shipped file."""
    return {name: read_jsonl(folder / name) for name in ("train.jsonl", "test.jsonl", "chinese.jsonl")}


@pytest.fixture(scope="session")
def made() -> list[Made]:
    """The same instructions, drawn anew with their witnesses."""
    generator = Generator(7)
    return [
        *generator.make(256, "en", "train"),
        *generator.make(256, "en", "test"),
        *generator.make(48, "zh", "test"),
    ]
