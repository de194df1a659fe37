"""The documentation of the spec language keeps in step with the models."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import TypeAdapter

from scopeif.constraints import spec as language
from scopeif.constraints.categories import RESPONSE_UNITS
from scopeif.constraints.reference import reference, renewed
from scopeif.constraints.taxonomy import RangeCategory, ResponseUnit, Scope, SecondaryTarget, Selector
from scopeif.errors import DataError

PAGE = Path(__file__).resolve().parents[2] / "docs" / "constraints.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_the_page_holds_the_reference_of_the_models() -> None:
    assert renewed(TEXT) == TEXT, f"python -m scopeif.constraints.reference {PAGE}"


def test_the_reference_names_every_form() -> None:
    text = reference()
    for union in (language.Selection, language.Predicate, language.Measure, language.Range):
        for model in get_args(get_args(union)[0]):
            name = next(iter(model.model_fields.values())).default
            assert f"| `{name}` |" in text
    for unit in get_args(language.Unit):
        assert f"`{unit}`" in text


def test_a_page_without_marks_is_refused() -> None:
    with pytest.raises(DataError, match="marks of the spec reference are missing"):
        renewed("# A page")


FORMS = {
    "select": TypeAdapter(language.Selection),
    "test": TypeAdapter(language.Predicate),
    "relation": TypeAdapter(language.Range),
    "kind": TypeAdapter(language.Measure | language.Range),
}


def test_the_examples_are_forms_of_the_language() -> None:
    examples = re.findall(r"`(\{\"[^`]*\})`", TEXT)
    assert len(examples) >= 25
    for example in examples:
        value = json.loads(example)
        FORMS[next(key for key in FORMS if key in value)].validate_python(value)


def test_the_scopes_of_the_page_parse() -> None:
    scopes = re.findall(r"`([A-Z][a-z]+\([A-Z][^`]*\))`", TEXT)
    assert {str(Scope.parse(text)) for text in scopes} == set(scopes)
    assert {step.selector for text in scopes for step in Scope.parse(text).steps} == set(Selector)


def test_the_page_names_every_category() -> None:
    for name in (*RangeCategory, *SecondaryTarget, *ResponseUnit):
        assert name.value.removesuffix(" Relations") in TEXT
    for unit, group in RESPONSE_UNITS.items():
        if group in (ResponseUnit.STRUCTURAL_BLOCK, ResponseUnit.STRUCTURAL_ELEMENT):
            (row,) = [line for line in TEXT.splitlines() if line.startswith(f"| {group.value} |")]
            assert f"`{unit}`" in row
