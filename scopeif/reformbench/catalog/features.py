"""The shared constraint space: 66 formatting features in eight categories (section 3.3, Table A12).

    >>> catalog().feature("bullet_list").name["en"]
    'Bullet list'
    >>> len(catalog().features), len(catalog().categories)
    (66, 8)

Names, English definitions and the numbers of occurrences in the paper's retained benchmark are those of Table A12. The
paper's text does not hold the names of the categories, nor all words of what `Feature.reconstructed` lists: these are
reconstructions. Templates, parameters, acceptance criteria, specs and everything Chinese are ours.
"""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from scopeif.constraints.faults import did_you_mean
from scopeif.errors import DataError
from scopeif.reformbench.catalog.parameters import ByLanguage, Parameter
from scopeif.reformbench.catalog.spec_template import absent
from scopeif.reformbench.models import Language, Mode

DATA = files("scopeif.reformbench.catalog") / "data"
CATEGORY_FILES = (
    "text_layout.json",
    "document_structure.json",
    "lists.json",
    "tables_and_fields.json",
    "framing_and_genre.json",
    "content_organization.json",
    "markers_and_voice.json",
    "blocks_and_references.json",
)
"""One file a category, in the order of Table A12."""
ABSENCE = "absence"
WORDINGS = 2
"""Wordings of each template in each language."""


def _in_both(value: dict[Language, Any]) -> dict[Language, Any]:
    if set(value) != {"en", "zh"}:
        raise ValueError("words are given in en and zh")
    return value


_Words = Annotated[ByLanguage, AfterValidator(_in_both)]
_Wordings = Annotated[dict[Language, tuple[str, ...]], AfterValidator(_in_both)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Template(_Model):
    """One mode of a feature: what is asked, with places for parameters, and when it counts as met."""

    parameters: tuple[Parameter, ...] = ()
    text: _Wordings
    acceptance: _Words
    spec: Any = None
    """The clauses of the formal spec with places for parameters (`spec_template`); None where a judge is needed. In the
    data, `absence` stands for the opposite of the feature's presence."""


class Counts(_Model):
    """Occurrences in the 15,000 constraint slots of the paper's retained benchmark (Table A12)."""

    require: int = Field(ge=0)
    forbid: int = Field(ge=0)


class Feature(_Model):
    """A formatting feature with its generic presence definition and its two templates."""

    id: str
    category: str
    name: _Words
    definition: _Words
    reconstructed: tuple[Literal["name", "definition"], ...] = ()
    """What of the English words the paper's text leaves blank in part, so that the word missing is a guess."""
    counts: Counts
    presence: Any = None
    """Clauses that all hold where the feature is present whatever the parameters, or, under the key ``any``, of which
    one does; None where measuring cannot tell."""
    require: Template
    forbid: Template

    def template(self, mode: Mode) -> Template:
        """The template of a mode."""
        return self.require if mode == "require" else self.forbid


class Category(_Model):
    """A group of features; a variant takes its three requirements from three of them."""

    id: str
    index: int = Field(ge=1)
    name: _Words
    reconstructed: bool = True
    """The paper's text has no names of categories."""


class Catalog(_Model):
    """The features in the order of Table A12, and their categories."""

    categories: tuple[Category, ...]
    features: tuple[Feature, ...]

    @cached_property
    def _by_id(self) -> dict[str, Feature]:
        return {feature.id: feature for feature in self.features}

    def feature(self, id: str) -> Feature:
        """The feature of an id.

        Raises:
            DataError: there is none; the message names the nearest.
        """
        found = self._by_id.get(id)
        if found is None:
            hint = did_you_mean(id, self._by_id) if isinstance(id, str) else ""
            raise DataError(
                f"feature {id!r} is not in the catalog{hint}", fix="use an id of docs/reformbench_catalog.md"
            )
        return found

    def category(self, id: str) -> Category:
        """The category of an id.

        Raises:
            DataError: there is none; the message names the nearest.
        """
        for category in self.categories:
            if category.id == id:
                return category
        known = [category.id for category in self.categories]
        raise DataError(
            f"category {id!r} is not in the catalog{did_you_mean(id, known)}", fix=f"use {', '.join(known)}"
        )

    def members(self, category: str) -> tuple[Feature, ...]:
        """The features of a category."""
        return tuple(feature for feature in self.features if feature.category == category)


@lru_cache(maxsize=1)
def catalog() -> Catalog:
    """The catalog, read once."""
    categories: list[Category] = []
    features: list[Feature] = []
    for name in CATEGORY_FILES:
        data = json.loads((DATA / name).read_text(encoding="utf-8"))
        category = Category.model_validate(data["category"])
        categories.append(category)
        features += [_feature(feature, category.id) for feature in data["features"]]
    return Catalog(categories=tuple(categories), features=tuple(features))


def _feature(data: dict[str, Any], category: str) -> Feature:
    forbid = data["forbid"]
    if forbid.get("spec") == ABSENCE:
        forbid = {**forbid, "spec": absent(data["presence"])}
    return Feature.model_validate({**data, "category": category, "forbid": forbid})
