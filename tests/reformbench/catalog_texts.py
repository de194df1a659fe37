"""Texts of ours that have a feature with its default parameters, or lack it: `catalog_texts_en.txt` and its twin."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from scopeif.reformbench.models import Language

_FOLDER = Path(__file__).parent


@cache
def texts(language: Language) -> dict[str, str]:
    """The texts by name: `plain`, `FEATURE with`, `FEATURE without`."""
    parts = (_FOLDER / f"catalog_texts_{language}.txt").read_text(encoding="utf-8").split("=== ")[1:]
    named = (part.partition("\n") for part in parts)
    return {name: text.strip("\n") for name, _, text in named}


def having(feature: str, language: Language) -> str:
    """A text that has the feature and satisfies its requirement."""
    return texts(language)[f"{feature} with"]


def lacking(feature: str, language: Language) -> str:
    """A text that lacks the feature and violates its requirement."""
    return texts(language).get(f"{feature} without", texts(language)["plain"])
