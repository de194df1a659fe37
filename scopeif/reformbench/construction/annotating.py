"""Which features one response has: core labels, open extraction, normalisation to the catalog (section 3.3, A.6, A.4).

    marker = Annotator(caller, catalog())
    annotated = await marker.annotate(response)
    annotated.annotations        # each feature at most once
    annotated.extractions        # what open extraction found, with the class of its mapping

A label or feature that does not exist is asked for again; where no answer can be used the response is unverified, and
has no annotation at all: a feature that nobody looked for is not absent.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field, model_validator

from scopeif.constraints.faults import did_you_mean
from scopeif.errors import ConfigError, JudgeFormatError
from scopeif.reformbench.baseline import Extraction, MappingClass
from scopeif.reformbench.catalog.features import Catalog
from scopeif.reformbench.catalog.presence import present
from scopeif.reformbench.construction.calls import Caller
from scopeif.reformbench.construction.core_labels import core_labels, labels_hash
from scopeif.reformbench.models import Annotation, Response, text_hash
from scopeif.reformbench.prompt_file import hashes, prompt

PROMPTS = ("annotate", "extract", "normalise")
EMPTY = "empty response"


@dataclass(frozen=True)
class Annotated:
    """What came of one response; `unverified` says why nothing did."""

    annotations: tuple[Annotation, ...] = ()
    extractions: tuple[Extraction, ...] = ()
    unmeasured: tuple[str, ...] = ()
    """Features that nothing looked for: those that measuring alone cannot see."""
    unverified: str = ""


class Labelled(BaseModel):
    """A core label that is present."""

    label: str
    evidence: str = ""


class CoreAnswer(BaseModel):
    """The annotator's answer about core labels."""

    present: list[Labelled]


class Found(BaseModel):
    """One feature in words of the annotator."""

    name: str = Field(min_length=1)
    description: str = ""
    evidence: str = ""


class OpenAnswer(BaseModel):
    """The answer of open extraction."""

    features: list[Found]


class Mapped(BaseModel):
    """The mapping of one extracted feature, by its number from 1."""

    number: int
    mapping: MappingClass
    features: list[str] = []

    @model_validator(mode="after")
    def _as_many_as_it_says(self) -> Mapped:
        count = len(set(self.features))
        if not {"exact": count == 1, "subtype": count == 1, "composite": count > 1}.get(self.mapping, count == 0):
            raise ValueError(f"number {self.number}: {self.mapping} does not go with {count} features")
        return self


class MapAnswer(BaseModel):
    """The answer of normalisation."""

    mappings: list[Mapped]


class Annotator:
    """Annotates responses.

    Args:
        caller: the model; None measures only.
        measured: also annotate what can be measured.
    """

    def __init__(self, caller: Caller | None, catalog: Catalog, measured: bool = False) -> None:
        self._caller, self._catalog = caller, catalog
        self._measured = measured or caller is None
        self._ids = [feature.id for feature in catalog.features]

    @staticmethod
    def prompts() -> dict[str, str]:
        """The hashes of what is asked: prompts and core labels."""
        return hashes(*PROMPTS) | {"core_labels": labels_hash()}

    async def annotate(self, response: Response) -> Annotated:
        """The features of a response."""
        if not response.text.strip():
            return Annotated(unverified=EMPTY)
        found: dict[str, Annotation] = {}
        extractions: tuple[Extraction, ...] = ()
        if self._caller is not None:
            core = await self._core(self._caller, response)
            if isinstance(core, str):
                return Annotated(unverified=core)
            opened = await self._open(self._caller, response)
            if isinstance(opened, str):
                return Annotated(unverified=opened)
            found, extractions = core, opened
            for one in opened:
                for feature in one.features:
                    found.setdefault(feature, _annotation(response, feature, "open", one.evidence))
        unmeasured: list[str] = []
        if self._measured:
            for feature in self._ids:
                state = present(feature, response.text)
                if state:
                    found.setdefault(feature, _annotation(response, feature, "compiled", ""))
                elif state is None and self._caller is None:
                    unmeasured.append(feature)
        ordered = tuple(found[feature] for feature in self._ids if feature in found)
        return Annotated(ordered, extractions, tuple(unmeasured))

    async def _core(self, caller: Caller, response: Response) -> dict[str, Annotation] | str:
        labels = {label.id: label for label in core_labels()}

        def check(answer: CoreAnswer) -> None:
            _known((one.label for one in answer.present), labels, "label")

        text = prompt("annotate").filled(labels=_labels_text(), response=response.text)
        asked = await caller.json(text, CoreAnswer, response.id, check)
        if asked.usable is None:
            return f"core labels: {asked.fault}"
        found: dict[str, Annotation] = {}
        for one in asked.usable.present:
            for feature in labels[one.label].features:
                found.setdefault(feature, _annotation(response, feature, "core", one.evidence))
        return found

    async def _open(self, caller: Caller, response: Response) -> tuple[Extraction, ...] | str:
        asked = await caller.json(prompt("extract").filled(response=response.text), OpenAnswer, response.id)
        if asked.usable is None:
            return f"open extraction: {asked.fault}"
        features = asked.usable.features
        if not features:
            return ()

        def check(answer: MapAnswer) -> None:
            if sorted(one.number for one in answer.mappings) != list(range(1, len(features) + 1)):
                raise JudgeFormatError(f"give exactly one mapping for each number from 1 to {len(features)}")
            _known((feature for one in answer.mappings for feature in one.features), self._ids, "feature")

        text = prompt("normalise").filled(catalog=catalog_text(self._catalog), features=_features_text(features))
        mapped = await caller.json(text, MapAnswer, response.id, check)
        if mapped.usable is None:
            return f"normalisation: {mapped.fault}"
        of_number = {one.number: one for one in mapped.usable.mappings}
        return tuple(
            Extraction(
                model=response.model,
                question=response.item,
                response=response.id,
                response_hash=response.hash,
                index=number - 1,
                name=feature.name,
                description=feature.description,
                evidence=feature.evidence,
                mapping=of_number[number].mapping,
                features=tuple(dict.fromkeys(of_number[number].features)),
            )
            for number, feature in enumerate(features, start=1)
        )


def catalog_text(catalog: Catalog) -> str:
    """The catalog as a model reads it: one feature a line, in English."""
    return "\n".join(f"- {one.id}: {one.name['en']}. {one.definition['en']}" for one in catalog.features)


def catalog_hash(catalog: Catalog) -> str:
    """Of the features and what they are, as a model reads them."""
    return text_hash(catalog_text(catalog))


def known_features(names: Iterable[str], catalog: Catalog, place: str | None = None) -> None:
    """Refuse a feature that the catalog does not have.

    Raises:
        JudgeFormatError: it names the feature; without `place`, where a model named it.
        ConfigError: the same, of a config key.
    """
    try:
        _known(names, [feature.id for feature in catalog.features], "feature")
    except JudgeFormatError as error:
        if place is None:
            raise
        raise ConfigError(error.message, place=place, fix="see the catalog for its features") from None


def _labels_text() -> str:
    return "\n".join(f"- {one.id}: {one.definition}" for one in core_labels())


def _features_text(features: Iterable[Found]) -> str:
    return "\n".join(
        f"{number}. {one.name}: {one.description} Evidence: {one.evidence!r}"
        for number, one in enumerate(features, start=1)
    )


def _known(names: Iterable[str], known: Iterable[str], what: str) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise JudgeFormatError(f"{name!r} is no {what} of the list{did_you_mean(name, known)}")


def _annotation(
    response: Response, feature: str, origin: Literal["core", "open", "compiled"], evidence: str
) -> Annotation:
    return Annotation(
        model=response.model,
        question=response.item,
        feature=feature,
        response=response.id,
        response_hash=response.hash,
        origin=origin,
        evidence=evidence,
    )
