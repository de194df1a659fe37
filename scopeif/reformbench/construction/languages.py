"""The language of a text by its letters."""

from __future__ import annotations

from scopeif.reformbench.models import Language

_MIN_CHINESE = 0.2
"""Share of Chinese characters among letters: a text in Chinese has more, one in English fewer."""


def language_of(text: str) -> Language:
    """Chinese where enough of its letters are, English otherwise; a text without letters is taken for English."""
    letters = [one for one in text if one.isalpha()]
    chinese = sum("\u4e00" <= one <= "\u9fff" for one in letters)
    return "zh" if letters and chinese / len(letters) >= _MIN_CHINESE else "en"
