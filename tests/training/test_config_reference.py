"""docs/configuration.md has the keys, defaults and bounds that the settings have."""

from pathlib import Path

import pytest

from scopeif.training.config_reference import BEGIN, END, with_keys
from scopeif.training.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
UPDATE = "python -m scopeif.training.config_reference docs/configuration.md"


def test_the_page_is_in_step():
    assert PAGE.read_text() == with_keys(PAGE.read_text()), f"run: {UPDATE}"


def test_defaults_and_bounds_are_the_keys_own():
    keys = with_keys(f"{BEGIN}{END}")
    assert "| `reward.alpha` | 3 | number, > 0 |" in keys
    assert "| `judge.sampling.batch.max_tokens` | 16384 |" in keys
    assert "| `judge.sampling.judgment.max_tokens` | 8192 |" in keys
    assert "| `verification.kind` | auto | compiled, tgv, per_response, auto," in keys


def test_every_key_says_what_it_means():
    rows = [line for line in with_keys(f"{BEGIN}{END}").splitlines() if line.startswith("| `")]
    assert len(rows) > len(Settings.model_fields)
    assert [row for row in rows if row.endswith("|  |")] == []


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="lacks"):
        with_keys("# Configuration")
