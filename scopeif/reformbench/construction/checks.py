"""Stage 6: what can be checked of a variant without a model: parameters, ids, structure (appendix A.7.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from scopeif.errors import DataError
from scopeif.reformbench.build_settings import CheckSettings
from scopeif.reformbench.catalog.features import WORDINGS, Catalog, catalog
from scopeif.reformbench.catalog.parameters import Parameter, Value
from scopeif.reformbench.catalog.templates import instantiate, parameters_of
from scopeif.reformbench.construction.annotating import catalog_hash
from scopeif.reformbench.construction.build import CHECKS, COMPOSITION, REMOVAL, Build
from scopeif.reformbench.construction.composition import FILE
from scopeif.reformbench.construction.languages import language_of
from scopeif.reformbench.construction.questions import FILE as QUESTIONS_FILE
from scopeif.reformbench.construction.stage import LeftOut, Manifest
from scopeif.reformbench.models import Language, Question, Requirement, Variant, text_hash

UNKNOWN_FEATURE = "unknown feature"
WRONG_CATEGORY = "wrong category"
PARAMETER = "impossible parameter"
UNSAID = "parameter not said"
TEMPLATE = "not of its template"
LANGUAGE = "language"
LENGTH = "length"
DUPLICATE = "duplicate"
_ENGLISH = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_CHINESE = "零一二三四五六七八九十"


class Fault(NamedTuple):
    """What is wrong with a variant."""

    reason: str
    detail: str


def check(build: Build) -> Manifest:
    """Check the variants; one with a fault is left out with the first, and the others beside it."""
    given: dict[str, Any] = {
        "inputs": build.inputs((REMOVAL, QUESTIONS_FILE), (COMPOSITION, FILE)),
        "checks": build.settings.checks.model_dump(),
        "catalog": catalog_hash(catalog()),
    }
    folder = build.folder(CHECKS)
    if (manifest := folder.finished(given)) is not None:
        return manifest
    questions = {question.id: question for question in build.rows(REMOVAL, QUESTIONS_FILE, Question)}
    kept: list[Variant] = []
    left_out: list[LeftOut] = []
    same: dict[str, str] = {}
    for variant in build.rows(COMPOSITION, FILE, Variant):
        faults = list(faults_of(variant, questions[variant.question], catalog(), build.settings.checks))
        earlier = same.setdefault(text_hash(variant.instruction), variant.id)
        if earlier != variant.id:
            faults.append(Fault(DUPLICATE, f"the same instruction as {earlier!r}"))
        if faults:
            detail = "; ".join(f"{fault.reason}: {fault.detail}" for fault in faults)
            record = variant.model_dump(mode="json")
            left_out.append(LeftOut(id=variant.id, reason=faults[0].reason, detail=detail, record=record))
        else:
            kept.append(variant)
    return folder.finish(given, {FILE: kept}, left_out)


def faults_of(variant: Variant, question: Question, catalog: Catalog, bounds: CheckSettings) -> Iterator[Fault]:
    """All that is wrong with a variant by itself."""
    for number, requirement in enumerate(variant.requirements, start=1):
        where = f"requirement {number} ({requirement.mode} {requirement.feature})"
        try:
            category = catalog.feature(requirement.feature).category
        except DataError as error:
            yield Fault(UNKNOWN_FEATURE, f"{where}: {error.message}")
            continue
        if requirement.category != category:
            yield Fault(WRONG_CATEGORY, f"{where}: {requirement.category!r}, in the catalog {category!r}")
        yield from _requirement_faults(requirement, variant, question.language, where)
    length, added = len(variant.instruction), len(variant.instruction) - len(question.text)
    if length > bounds.max_characters or added > bounds.max_added_characters:
        yield Fault(LENGTH, f"{length} characters, {added} more than the question")
    # Of a question that quotes much of another language, the question's own mixture is the measure.
    if language_of(variant.instruction) not in (question.language, language_of(question.text)):
        yield Fault(LANGUAGE, f"the question is in {question.language}, the instruction seems not to be")


def _requirement_faults(requirement: Requirement, variant: Variant, language: Language, where: str) -> Iterator[Fault]:
    try:
        parameters = parameters_of(requirement.feature, requirement.mode)
        made = [
            instantiate(requirement.feature, requirement.mode, requirement.parameters, language, wording)
            for wording in range(WORDINGS)
        ]
    except DataError as error:
        yield Fault(PARAMETER, f"{where}: {error.message}")
        return
    if requirement not in made:
        yield Fault(TEMPLATE, f"{where}: {requirement.text!r} is none of its wordings with these parameters")
    words = f"{requirement.text}\n{requirement.acceptance}"
    for parameter in parameters:
        value = requirement.parameters.get(parameter.name)
        for name in _shown(parameter, value, language):
            if not said(name, words):
                yield Fault(UNSAID, f"{where}: {parameter.name} {name!r} is neither in its text nor in its criterion")
            elif parameter.kind in ("names", "text") and not said(name, variant.instruction):
                yield Fault(UNSAID, f"{where}: {parameter.name} {name!r} is not in the instruction")


def _shown(parameter: Parameter, value: Value | None, language: Language) -> tuple[int | str, ...]:
    """A value as a text says it: each of several names, the words of a choice."""
    if value is None:
        return ()
    if isinstance(value, tuple):
        return value
    return (value if isinstance(value, int) else parameter.worded(value, language),)


def said(value: int | str, text: str) -> bool:
    """Whether a text says a value: a number as digits or as a word, a name word for word, case aside."""
    if isinstance(value, str):
        return value.casefold() in text.casefold()
    if re.search(rf"(?<![\d.]){value}(?!\d|\.\d)", text):
        return True
    if 0 <= value < len(_ENGLISH) and re.search(rf"\b{_ENGLISH[value]}\b", text, re.IGNORECASE):
        return True
    return 0 <= value < len(_CHINESE) and (_CHINESE[value] in text or (value == 2 and "两" in text))
