"""Instructions without a model: the question, and behind it what is required of the format."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scopeif.reformbench.models import Language, Question, Requirement

_LEADS: dict[Language, tuple[str, ...]] = {
    "en": (
        "Keep to the following when you write your answer:",
        "Your answer must meet these requirements:",
        "Please observe these points of format:",
    ),
    "zh": ("请在作答时遵守以下要求：", "你的回答必须满足下列要求：", "请注意以下格式要求："),
}


def instruction(question: Question, requirements: Sequence[Requirement], seed: str = "") -> str:
    """A question with its requirements, one a line or in a row; the seed decides which, and with what lead."""
    if len(requirements) == 1:
        return single_instruction(question, requirements[0])
    chance = random.Random(f"wording {seed}")
    texts = [one.text.strip() for one in requirements]
    lead = chance.choice(_LEADS[question.language])
    if chance.random() < 0.5:
        lines = "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))
        return f"{question.text}\n\n{lead}\n{lines}"
    space = "" if question.language == "zh" else " "
    return f"{question.text}\n\n{lead}{space}{space.join(texts)}"


def single_instruction(question: Question, requirement: Requirement) -> str:
    """A question with one of its requirements (section 4.3)."""
    return f"{question.text}\n\n{requirement.text.strip()}"
