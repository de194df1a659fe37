"""What is asked of the judge, and what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

from scopeif.judge.settings import Kind


class Message(TypedDict):
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class JudgeRequest:
    """One call of the judge.

    `affinity` names what requests share as a prefix: those of one affinity go to one endpoint where load permits.
    `attempt` counts earlier unusable answers to the same question: it raises the temperature and makes the request
    another one for the cache.
    """

    kind: Kind
    messages: Sequence[Message]
    affinity: str = ""
    attempt: int = 0


@dataclass(frozen=True)
class JudgeAnswer:
    """The judge's answer.

    `text` is empty where the server answered null. `finish_reason` is "length" when the answer was cut off. `seconds`
    is the time of the call that brought it, without waiting; of a cached answer these and the tokens are those of then.
    """

    text: str
    reasoning: str = ""
    finish_reason: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    endpoint: str = ""
    model: str = ""
    from_cache: bool = False
