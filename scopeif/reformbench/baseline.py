"""What is known of the format of one unconstrained response (appendix A.6, A.4)."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

MappingClass = Literal["exact", "subtype", "composite", "uncovered", "not_format"]
"""How an extracted feature relates to the catalog (appendix A.4): the first three are covered; `not_format` is none."""


class Baseline(BaseModel):
    """The set P of features of one unconstrained response.

    A model and question without such a row have no baseline: nothing of it is opposed or aligned.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    question: str
    response: str
    response_hash: str
    features: tuple[str, ...]
    unmeasured: tuple[str, ...] = ()
    """Features that nothing looked for; they count as absent, as all that is not annotated does."""


class Extraction(BaseModel):
    """A feature that open extraction found in a response, and its mapping to the catalog."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    question: str
    response: str
    response_hash: str
    index: int
    """Its place among those of the response, from 0."""
    name: str
    description: str = ""
    evidence: str = ""
    mapping: MappingClass
    features: tuple[str, ...]
    """One for `exact` and `subtype`, several for `composite`, none otherwise."""
