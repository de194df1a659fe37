"""Task seeds of the offline generator: tasks without constraints, written for this project.

They stand in ``seeds_en.jsonl`` and ``seeds_zh.jsonl``, one a line; `data/README.md` says where they come from.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

from scopeif.synthesis.document import Form


class Seed(BaseModel):
    """One task.

    Attributes:
        genre: the kind of text that is asked for (email, how-to, poem, ...).
        kind: what it is about (work, food, science, ...).
        words: topic words that fit the answer; none stands in the task or is a part of another.
        forms: the forms that the answer can take.
        traits: what may be asked for besides: ``code`` blocks, or ``slots`` to be filled in, such as ``[name]``;
            ``latin`` marks Chinese tasks whose items begin with Latin letters, which alone have one alphabetical order.
        mini: whether a very small model can answer it in a few sentences; `data/scope_mini` is made of these.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    genre: str
    kind: str
    task: str
    words: tuple[str, ...] = Field(min_length=3)
    forms: tuple[Form, ...] = Field(min_length=1)
    traits: frozenset[str] = frozenset()
    mini: bool = False


@cache
def seeds(language: str) -> tuple[Seed, ...]:
    """All seeds of a language (`en` or `zh`), in the order of their ids."""
    text = (resources.files("scopeif.synthesis") / f"seeds_{language}.jsonl").read_text(encoding="utf-8")
    return tuple(Seed.model_validate(json.loads(line)) for line in text.splitlines())
