"""The data contract of ReFormBench: questions, instruction variants, responses, annotations and judgments.

All of them are JSON Lines rows that point at each other by id, and to texts by their hash. Sections and equations
named in this package are those of the ReFormBench paper (arXiv 2610.19693).
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, StrictInt, model_validator

from scopeif.constraints.spec import Spec

Mode = Literal["require", "forbid"]
Language = Literal["en", "zh"]
CONSTRAINTS_PER_VARIANT = 3


def text_hash(text: str) -> str:
    """SHA-256 of a text as hexadecimal digits; what links a record to the exact text that it speaks of."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _whole(value: object) -> object:
    if value is not None and type(value) is not int:
        raise ValueError(f"{value!r} is no whole number")
    return value


Label = Annotated[Literal[0, 1] | None, BeforeValidator(_whole)]
"""1 is satisfied, 0 violated, None unverified; neither true nor 1.0 is a label."""


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Target(_Row):
    """What is asked of a response, whatever the parameters: a feature of the catalog and a mode (section 3.3)."""

    feature: str = Field(min_length=1)
    mode: Mode


class Requirement(Target):
    """One constraint of a variant: a target with its parameters, its words and its acceptance criterion."""

    category: str = Field(min_length=1)
    parameters: dict[str, StrictInt | str | tuple[str, ...]] = Field(default_factory=dict)
    text: str = Field(min_length=1)
    acceptance: str = Field(min_length=1)
    spec: Spec | None = None
    """The formal spec, where the requirement has one: it can be verified without a judge."""

    @property
    def target(self) -> Target:
        """Its identity; requirements with the same target are linked across the variants of a question."""
        return Target(feature=self.feature, mode=self.mode)


class Question(_Row):
    """A question without formatting requirements."""

    id: str = Field(min_length=1)
    text: str = Field(min_length=1)
    language: Language
    domain: str = Field(min_length=1)
    task: str = Field(min_length=1)
    source: str = Field(min_length=1)
    licence: str = Field(min_length=1)
    original: str | None = None
    """The text before its formatting requirements were removed, where it had any."""
    provenance: dict[str, Any] = Field(default_factory=dict)


class Variant(_Row):
    """A question with three requirements of three categories, as one instruction (section 3.3)."""

    id: str = Field(min_length=1)
    question: str = Field(min_length=1)
    instruction: str = Field(min_length=1)
    requirements: tuple[Requirement, ...] = Field(
        min_length=CONSTRAINTS_PER_VARIANT, max_length=CONSTRAINTS_PER_VARIANT
    )
    witness: str | None = None
    """An answer that satisfies all three requirements."""
    provenance: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _three_categories(self) -> Self:
        categories = [requirement.category for requirement in self.requirements]
        if len(set(categories)) != len(categories):
            raise ValueError(f"the requirements must come from distinct categories, not {', '.join(categories)}")
        return self


ResponseKind = Literal["unconstrained", "variant", "single"]
"""`unconstrained` answers a question, `variant` an instruction, `single` one requirement of a variant (section 4.3)."""


class Response(_Row):
    """What a model answered; one is retained for each item."""

    id: str = Field(min_length=1)
    model: str = Field(min_length=1)
    kind: ResponseKind
    item: str = Field(min_length=1)
    """Id of the question or the variant."""
    position: StrictInt | None = Field(default=None, ge=0, lt=CONSTRAINTS_PER_VARIANT)
    """Which requirement of the variant, for `single`."""
    prompt_hash: str
    text: str
    truncated: StrictBool = False
    settings: dict[str, Any] = Field(default_factory=dict)
    """Sampling parameters, token limit, reasoning control, prompt condition."""

    @model_validator(mode="after")
    def _position_of_single(self) -> Self:
        if (self.kind == "single") != (self.position is not None):
            raise ValueError("a response of kind single, and no other, has a position")
        return self

    @property
    def hash(self) -> str:
        """Hash of the text, by which annotations and judgments refer to it."""
        return text_hash(self.text)


class Annotation(_Row):
    """A feature of the catalog that is present in an unconstrained response (appendix A.6)."""

    model: str = Field(min_length=1)
    question: str = Field(min_length=1)
    feature: str = Field(min_length=1)
    response: str = Field(min_length=1)
    response_hash: str
    origin: Literal["core", "open", "compiled"]
    """From a core label, from open extraction, or measured."""
    evidence: str = ""


class Judgment(_Row):
    """One judge's answer about one requirement of one response; a label of None is unverified, with the reason."""

    judge: str = Field(min_length=1)
    model: str = Field(min_length=1)
    """The evaluated model; no judge is told it."""
    variant: str = Field(min_length=1)
    position: StrictInt = Field(ge=0, lt=CONSTRAINTS_PER_VARIANT)
    response: str = Field(min_length=1)
    response_hash: str
    label: Label
    evidence: str = ""
    reason: str = ""

    @model_validator(mode="after")
    def _unverified_says_why(self) -> Self:
        if (self.label is None) == (not self.reason):
            raise ValueError("a judgment without a label, and no other, has a reason")
        return self
