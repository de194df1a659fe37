"""The shipped data, what it was made from, and a sample of the full profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from scopeif.constraints.dataset import read_instructions
from scopeif.constraints.models import Instruction
from scopeif.synthesis.offline import Generator, Made


@pytest.fixture(scope="session")
def folder() -> Path:
    """Where the shipped files lie."""
    return Path(__file__).parents[2] / "data" / "scope_mini"


@pytest.fixture(scope="session")
def shipped(folder: Path) -> dict[str, list[Instruction]]:
    """The instructions of each shipped file."""
    return {name: read_instructions(folder / name) for name in ("train.jsonl", "test.jsonl", "chinese.jsonl")}


@pytest.fixture(scope="session")
def mini() -> list[Made]:
    """The shipped instructions, drawn anew with their witnesses and mutants."""
    generator = Generator(7, "mini")
    return [
        *generator.make(256, "en", "train"),
        *generator.make(256, "en", "test"),
        *generator.make(48, "zh", "test"),
    ]


@pytest.fixture(scope="session")
def full() -> list[Made]:
    """Instructions of the full profile in both languages."""
    generator = Generator(3)
    return [*generator.make(160, "en", "train"), *generator.make(100, "zh", "train")]
