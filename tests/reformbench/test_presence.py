"""Generic presence as it is measured."""

from __future__ import annotations

import pytest

from scopeif.errors import DataError
from scopeif.measure import evaluate
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.catalog.presence import presence_specs, present
from scopeif.reformbench.catalog.templates import instantiate
from scopeif.reformbench.models import Language
from scopeif.reward.graded import satisfied
from tests.reformbench.catalog_texts import having, lacking, texts

LANGUAGES: tuple[Language, ...] = ("en", "zh")
MEASURED = [feature.id for feature in catalog().features if presence_specs(feature.id)]
OPPOSITES = [
    feature
    for feature in MEASURED
    if catalog().feature(feature).forbid.spec is not None
    and feature not in ("single_text_block", "arrows_and_separators", "quotes_and_parentheses")
]
"""Features whose prohibition measures exactly the opposite of their presence."""


def test_what_is_measured_is_pinned() -> None:
    assert MEASURED == [
        "line_breaks_and_spacing",
        "single_text_block",
        "document_title",
        "section_divider",
        "section_headings",
        "bullet_list",
        "checklist",
        "nested_list",
        "numbered_enumeration",
        "table_or_grid",
        "arrows_and_separators",
        "typographic_emphasis",
        "labels_and_tags",
        "quotes_and_parentheses",
        "visual_symbols",
        "callout_or_note_block",
        "code_annotations",
        "code_block",
        "textual_diagrams",
        "machine_readable_block",
        "mathematical_notation",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("feature", MEASURED)
def test_a_text_with_the_feature_has_it_and_one_without_does_not(feature: str, language: Language) -> None:
    assert present(feature, having(feature, language)) is True
    assert present(feature, lacking(feature, language)) is False


@pytest.mark.parametrize("feature", OPPOSITES)
def test_presence_is_what_forbid_refuses(feature: str) -> None:
    for language in LANGUAGES:
        spec = instantiate(feature, "forbid", {}, language).spec
        assert spec is not None
        for text in texts(language).values():
            assert present(feature, text) is not satisfied(evaluate(spec, text))


def test_where_measuring_cannot_tell_nothing_is_said() -> None:
    assert present("call_to_action", "Tell me more!") is None


def test_an_empty_text_has_no_feature() -> None:
    assert [feature for feature in MEASURED if present(feature, " \n")] == []


def test_an_unknown_feature_is_refused_with_the_nearest() -> None:
    with pytest.raises(DataError, match="did you mean 'bullet_list'"):
        present("bulet_list", "text")
