"""One sandbox and a few instructions for all verifiers."""

import sys
from pathlib import Path

import pytest

from scopeif.constraints.dataset import read_instructions
from tools_sandbox import ToolPool

sys.path.insert(0, str(Path(__file__).parent))  # the tests import `scripted`
DATA = Path(__file__).parents[2] / "data" / "scope_mini" / "test.jsonl"


@pytest.fixture(scope="session")
def pool():
    with ToolPool(workers=1) as pool:
        yield pool


@pytest.fixture(scope="session")
def instructions():
    return read_instructions(DATA)[:40]
