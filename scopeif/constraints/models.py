"""The data contract: an instruction and the constraints that its response must satisfy.

One instruction is one JSON Lines row; `scopeif.constraints.dataset` reads and writes files of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from scopeif.constraints.spec import Spec
from scopeif.constraints.taxonomy import PRIMARY_OF, PrimaryTarget, RangeCategory, Scope, SecondaryTarget

_parsed = lru_cache(maxsize=4096)(Scope.parse)


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Target(_Model):
    """What a constraint measures: a major category and one of its subcategories."""

    primary: PrimaryTarget
    secondary: SecondaryTarget

    @model_validator(mode="after")
    def _belong_together(self) -> Target:
        if PRIMARY_OF[self.secondary] is not self.primary:
            raise ValueError(f"{self.secondary.value} is a subcategory of {PRIMARY_OF[self.secondary].value}")
        return self


class CountingObject(_Model):
    """One measurable object; *universal* stands for one value per selected segment, *specific* for one value."""

    object: str = Field(min_length=1)
    type: Literal["universal", "specific"]


class Constraint(_Model):
    """⟨Scope, Target, Range⟩ with its words in the prompt and, where it has one, its formal spec."""

    text: str = Field(min_length=1)
    scope: str
    target: Target
    range: RangeCategory
    counting_objects: tuple[CountingObject, ...] = Field(min_length=1)
    spec: Spec | None = None

    @field_validator("scope")
    @classmethod
    def _scope_parses(cls, value: str) -> str:
        _parsed(value)
        return value

    @property
    def scope_category(self) -> str:
        """Global, Traversal, Position, Condition, or Nested."""
        return _parsed(self.scope).category


class Message(_Model):
    """One chat message of a multi-turn prompt."""

    role: Literal["system", "user", "assistant"]
    content: str


class Instruction(_Model):
    """A prompt with its constraints; either `prompt` or `messages` is given."""

    id: str = Field(min_length=1)
    prompt: str | None = None
    messages: tuple[Message, ...] | None = None
    language: str = "en"
    constraints: tuple[Constraint, ...] = Field(min_length=1)
    provenance: dict[str, Any] = Field(default_factory=dict)
    split: Literal["train", "test"] = "train"

    @model_validator(mode="after")
    def _one_prompt(self) -> Instruction:
        if (self.prompt is None) == (self.messages is None):
            raise ValueError("give either prompt or messages")
        if self.prompt is not None and not self.prompt.strip():
            raise ValueError("prompt is empty")
        if self.messages is not None and (not self.messages or self.messages[-1].role != "user"):
            raise ValueError("messages must end with the user's")
        return self

    def chat(self) -> list[dict[str, str]]:
        """The prompt as chat messages."""
        if self.messages is not None:
            return [message.model_dump() for message in self.messages]
        return [{"role": "user", "content": self.prompt or ""}]
