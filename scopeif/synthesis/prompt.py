"""A task and its constraints joined to one prompt; each constraint's text stands in it verbatim."""

from __future__ import annotations

import random
from collections.abc import Sequence

_MANY = 7
"""From so many constraints on, a list is what a writer would mostly choose."""
_LEADS = {
    "en": ("", "", "Follow these rules: ", "Please note: ", "Keep to the following. "),
    "zh": ("", "", "请遵守以下要求：", "注意：", "要求如下。"),
}
_LIST_LEADS = {
    "en": ("", "Requirements:\n", "Your answer must follow these rules:\n", "Rules:\n"),
    "zh": ("", "要求：\n", "回答须遵守以下规则：\n"),
}


def join(task: str, texts: Sequence[str], language: str, rng: random.Random) -> str:
    """The prompt: constraints run on after the task, stand in a paragraph of their own, or in a list."""
    gap = "" if language == "zh" else " "
    if len(texts) > 1 and rng.random() < (0.4 if len(texts) < _MANY else 0.8):
        numbered = rng.random() < 0.4
        items = [f"{number}. {text}" if numbered else f"- {text}" for number, text in enumerate(texts, start=1)]
        return f"{task}\n\n{rng.choice(_LIST_LEADS[language])}" + "\n".join(items)
    between = rng.choice((gap, gap, "\n\n"))
    return f"{task}{between}{rng.choice(_LEADS[language])}" + gap.join(texts)
