"""The answer within a response, and its format reward (paper, appendix D)."""

from __future__ import annotations

import re
from dataclasses import dataclass

CLOSE_TAG = "</think>"
_THINK_TAG = re.compile(r"</?think>")


@dataclass(frozen=True)
class Answer:
    """The text that constraints are verified on, and the binary factor of the reward (Eq. 10).

    `reason` names why `format_reward` is 0: truncated, unclosed_think, extra_think_tag, empty; None when it is 1.
    """

    text: str
    format_reward: int
    reason: str | None = None


def split_answer(text: str, truncated: bool, thinking: bool = True) -> Answer:
    """Separate the answer from the thinking text before it, and judge the format.

    The answer is what follows the first ``</think>``; an opening tag is not required, since chat templates write
    it into the prompt. The format reward is 0 for a truncated response, an unclosed ``<think>`` (the paper), and for
    any think tag after the first close or an empty answer (ours: they hide text or win by silence).

    Args:
        text: the decoded response, without the stop token.
        truncated: whether the last generated token is none of the model's stop tokens.
        thinking: whether the recipe lets the model think; if not, any think tag makes the format reward 0.
    """
    head, closed, tail = text.partition(CLOSE_TAG)
    answer = (tail if closed else head).strip()
    reason = _fault(text, closed=bool(closed), answer=answer, truncated=truncated, thinking=thinking)
    return Answer(answer, int(reason is None), reason)


def _fault(text: str, *, closed: bool, answer: str, truncated: bool, thinking: bool) -> str | None:
    if truncated:
        return "truncated"
    if not closed and "<think>" in text:
        return "unclosed_think"
    if _THINK_TAG.search(answer) or (closed and not thinking):
        return "extra_think_tag"
    return None if answer else "empty"
