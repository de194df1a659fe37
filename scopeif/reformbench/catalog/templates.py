"""From a target with parameters to a requirement: words, acceptance criterion and, where there is one, formal spec.

>>> requirement = instantiate("bullet_list", "require", {"items": 3}, "en")
>>> requirement.text
'Give exactly 3 bullet points, each on a line of its own that begins with "- ".'
>>> requirement.spec is not None
True
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import get_args

from scopeif.constraints.faults import did_you_mean
from scopeif.errors import DataError
from scopeif.reformbench.catalog.features import Template, catalog
from scopeif.reformbench.catalog.parameters import Parameter, Value
from scopeif.reformbench.catalog.spec_template import filled
from scopeif.reformbench.models import Language, Mode, Requirement

_PLACE = re.compile(
    r"\{(?P<name>[a-z][a-z_]*)(?P<first>\[0\])?(?P<count>\.count)?(?::(?P<one>[^{}|]*)\|(?P<many>[^{}|]*))?\}"
)


def instantiate(
    feature_id: str, mode: Mode, parameters: Mapping[str, object], language: Language, wording: int = 0
) -> Requirement:
    """The requirement of a target with these parameters; those left out take their defaults.

    Args:
        feature_id: id of a feature of the catalog.
        mode: ``require`` or ``forbid``.
        parameters: values by name, as `parameters_of` describes them.
        language: of text and acceptance criterion.
        wording: number of the wording, from 0.

    Raises:
        DataError: an unknown feature, mode, language, wording or parameter, or a value out of its bounds.
    """
    template = _template(feature_id, mode)
    if language not in get_args(Language):
        raise DataError(f"there are no templates in {language!r}", fix=f"use {' or '.join(get_args(Language))}")
    wordings = template.text[language]
    if not 0 <= wording < len(wordings):
        raise DataError(f"wording {wording!r} of {feature_id}/{mode}", fix=f"give 0 to {len(wordings) - 1}")
    values = _checked(template, parameters, f"{feature_id}/{mode}", language)
    return Requirement(
        feature=feature_id,
        mode=mode,
        category=catalog().feature(feature_id).category,
        parameters=values,
        text=_filled(wordings[wording], template, values, language),
        acceptance=_filled(template.acceptance[language], template, values, language),
        spec=None if template.spec is None else filled(template.spec, values, language),
    )


def parameters_of(feature_id: str, mode: Mode) -> tuple[Parameter, ...]:
    """The parameters of a target, in the order of its template.

    Raises:
        DataError: an unknown feature or mode.
    """
    return _template(feature_id, mode).parameters


def draw_parameters(feature_id: str, mode: Mode, rng: random.Random, language: Language) -> dict[str, Value]:
    """A value for each parameter of a target, as the generator has it.

    Raises:
        DataError: an unknown feature or mode.
    """
    return {parameter.name: parameter.draw(rng, language) for parameter in parameters_of(feature_id, mode)}


def measurable(feature_id: str, mode: Mode) -> bool:
    """Whether requirements of a target can be measured without a judge, with some choices of parameters at least.

    Raises:
        DataError: an unknown feature or mode.
    """
    return _template(feature_id, mode).spec is not None


def _template(feature_id: str, mode: Mode) -> Template:
    feature = catalog().feature(feature_id)
    if mode not in get_args(Mode):
        raise DataError(f"mode {mode!r} is none", place=feature_id, fix=f"use {' or '.join(get_args(Mode))}")
    return feature.template(mode)


def _checked(template: Template, given: Mapping[str, object], place: str, language: Language) -> dict[str, Value]:
    known = {parameter.name: parameter for parameter in template.parameters}
    for name in given:
        if name not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise DataError(f"parameter {name!r} is unknown{did_you_mean(name, known)}", place=place, fix=has)
    return {
        name: parameter.checked(given[name], place) if name in given else parameter.value(language)
        for name, parameter in known.items()
    }


def _filled(text: str, template: Template, values: Mapping[str, Value], language: Language) -> str:
    """The text with all places filled in one pass, so that what was put in is not read again."""
    known = {parameter.name: parameter for parameter in template.parameters}

    def word(match: re.Match[str]) -> str:
        parameter, value = known[match["name"]], values[match["name"]]
        if match["first"]:
            return value[0] if isinstance(value, tuple) else str(value)
        if match["count"]:
            number = len(value) if isinstance(value, tuple) else 1
            return _counted(str(number), number, match)
        return _counted(parameter.worded(value, language), value, match)

    return _PLACE.sub(word, text)


def _counted(words: str, value: Value, match: re.Match[str]) -> str:
    """With the noun that goes with the number, where the place has one."""
    return words if match["one"] is None else f"{words} {match['one'] if value == 1 else match['many']}"
