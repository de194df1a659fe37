"""Which requirements exclude each other."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from scopeif.errors import DataError
from scopeif.reformbench.catalog.compatibility import conflict, exclusions, sides, targets_conflict
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.catalog.templates import instantiate
from scopeif.reformbench.models import Language, Mode, Target

MODES: tuple[Mode, ...] = ("require", "forbid")
TARGETS = [Target(feature=feature.id, mode=mode) for feature in catalog().features for mode in MODES]
CATEGORY = {feature.id: feature.category for feature in catalog().features}


def target(name: str) -> Target:
    mode, feature = name.split()
    return Target(feature=feature, mode="require" if mode == "require" else "forbid")


def test_the_relation_is_symmetric_and_no_target_excludes_itself() -> None:
    for a, b in combinations(TARGETS, 2):
        assert targets_conflict(a, b) == targets_conflict(b, a)
    assert [one for one in TARGETS if targets_conflict(one, one)] == []


def test_requirements_with_defaults_are_symmetric_too() -> None:
    made = [instantiate(one.feature, one.mode, {}, "en") for one in TARGETS[::3]]
    for a, b in combinations(made, 2):
        assert (conflict(a, b) is None) == (conflict(b, a) is None)


def test_a_feature_excludes_itself_in_the_other_mode() -> None:
    for feature in CATEGORY:
        a, b = (Target(feature=feature, mode=mode) for mode in MODES)
        assert targets_conflict(a, b) == f"{feature} is both required and forbidden"


def test_every_rule_has_a_reason_and_speaks_of_two_features() -> None:
    for pair, found in exclusions().items():
        assert len(pair) == 2
        assert len({feature for feature, _ in pair}) == 2
        assert all(len(one.reason.split()) > 4 for one in found)


@pytest.mark.parametrize(
    "first, second",
    [
        ("require single_text_block", "require bullet_list"),
        ("require single_text_block", "require section_headings"),
        ("require single_text_block", "require table_or_grid"),
        ("forbid line_breaks_and_spacing", "require dialogue_turns"),
        ("require machine_readable_block", "require letter_or_email"),
        ("require paragraph_or_sentence_count", "require repeated_section_pattern"),
        ("require document_title", "require letter_or_email"),
        ("forbid section_headings", "require formal_report"),
        ("forbid code_block", "require code_and_explanation"),
        ("forbid table_or_grid", "require column_alignment"),
        ("forbid quotes_and_parentheses", "require machine_readable_block"),
        ("forbid typographic_emphasis", "require glossary_entries"),
        ("require signature_and_sign_off", "require call_to_action"),
        ("require bilingual_parallel_layout", "require summary_and_closure"),
        ("require bilingual_parallel_layout", "require letter_or_email"),
        ("require bilingual_parallel_layout", "require signature_and_sign_off"),
        ("forbid front_matter", "require opening_lead"),
        ("forbid front_matter", "require framing_text"),
        ("forbid machine_readable_block", "require status_panel"),
        ("forbid numbered_enumeration", "require schedule_or_itinerary"),
        ("require poetry_lines_and_stanzas", "require section_divider"),
    ],
)
def test_targets_that_no_response_can_meet_together(first: str, second: str) -> None:
    assert targets_conflict(target(first), target(second))


@pytest.mark.parametrize(
    "first, second",
    [
        ("forbid bullet_list", "require section_headings"),
        ("forbid call_to_action", "require repeated_section_pattern"),
        ("forbid table_or_grid", "require repeated_section_pattern"),
        ("require table_or_grid", "require comparison_and_contrast"),
        ("require repeated_section_pattern", "require quotes_and_parentheses"),
        ("require section_headings", "require steps_and_processes"),
        ("require single_text_block", "forbid bullet_list"),
        ("require bilingual_parallel_layout", "require call_to_action"),
        ("forbid machine_readable_block", "require key_value_fields"),
    ],
)
def test_targets_that_the_paper_combines_are_compatible(first: str, second: str) -> None:
    assert targets_conflict(target(first), target(second)) is None


def test_a_rule_may_ask_for_a_parameter() -> None:
    arrows = instantiate("arrows_and_separators", "forbid", {}, "en")
    tree = instantiate("textual_diagrams", "require", {"kind": "tree"}, "en")
    flow = instantiate("textual_diagrams", "require", {"kind": "flow"}, "en")
    assert conflict(arrows, tree) is None
    assert conflict(tree, arrows) is None
    assert conflict(arrows, flow) == conflict(flow, arrows) == "it needs bars or arrows, which are forbidden"
    assert targets_conflict(arrows.target, flow.target) is None


COUNT, POEM, LEAD, CALLOUT = (
    "paragraph_or_sentence_count", "poetry_lines_and_stanzas", "opening_lead", "callout_or_note_block",
)  # fmt: skip


@pytest.mark.parametrize(
    "first, of_first, second, of_second, excluded",
    [
        (COUNT, {"count": 2, "unit": "sentence"}, LEAD, {"sentences": 4}, True),
        (COUNT, {"count": 3, "unit": "sentence"}, LEAD, {"sentences": 2}, True),
        (COUNT, {"count": 4, "unit": "sentence"}, LEAD, {"sentences": 2}, False),
        (COUNT, {"count": 5, "unit": "sentence"}, LEAD, {"sentences": 3}, True),
        (COUNT, {"count": 8, "unit": "sentence"}, LEAD, {"sentences": 4}, False),
        (COUNT, {"count": 2, "unit": "paragraph"}, LEAD, {"sentences": 4}, False),
        (COUNT, {"count": 2, "unit": "paragraph"}, CALLOUT, {"count": 3}, True),
        (COUNT, {"count": 2, "unit": "paragraph"}, CALLOUT, {"count": 2}, True),
        (COUNT, {"count": 2, "unit": "paragraph"}, CALLOUT, {"count": 1}, False),
        (COUNT, {"count": 4, "unit": "paragraph"}, CALLOUT, {"count": 2}, False),
        (COUNT, {"count": 5, "unit": "sentence"}, CALLOUT, {"count": 3}, True),
        (COUNT, {"count": 3, "unit": "paragraph"}, "framing_text", {}, True),
        (COUNT, {"count": 4, "unit": "paragraph"}, "framing_text", {}, False),
        (POEM, {"stanzas": 2, "lines": 2}, "conditional_branches", {"branches": 5}, True),
        (POEM, {"stanzas": 2, "lines": 2}, "rationale_and_evidence", {"reasons": 4}, True),
        (POEM, {"stanzas": 2, "lines": 2}, "roles_and_interaction", {"count": 4}, True),
        (POEM, {"stanzas": 2, "lines": 4}, "labels_and_tags", {}, True),
        (POEM, {"stanzas": 3, "lines": 3}, "ranking_and_priority", {}, True),
        (POEM, {"stanzas": 4, "lines": 2}, "timeline_and_stages", {}, True),
        (POEM, {"stanzas": 2, "lines": 5}, "conditional_branches", {"branches": 5}, False),
        (POEM, {"stanzas": 5, "lines": 2}, "conditional_branches", {"branches": 5}, False),
        ("bilingual_parallel_layout", {"unit": "sentence"}, LEAD, {"sentences": 3}, True),
        ("bilingual_parallel_layout", {"unit": "sentence"}, LEAD, {"sentences": 4}, False),
        ("bilingual_parallel_layout", {"unit": "paragraph"}, LEAD, {"sentences": 3}, False),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_rule_may_ask_for_a_count_on_one_side_of_a_number(
    first: str, of_first: dict[str, Any], second: str, of_second: dict[str, Any], excluded: bool, language: Language
) -> None:
    a = instantiate(first, "require", of_first, language)
    b = instantiate(second, "require", of_second, language)
    assert (conflict(a, b) is not None) is (conflict(b, a) is not None) is excluded
    assert targets_conflict(a.target, b.target) is None


def test_with_a_fixed_number_others_take_at_most_half_each() -> None:
    """So that three requirements of which each two are compatible have room beside each other."""
    for count, callouts, sentences in product(range(2, 9), range(1, 4), range(2, 5)):
        fixed = instantiate(COUNT, "require", {"count": count, "unit": "sentence"}, "en")
        callout = instantiate(CALLOUT, "require", {"count": callouts}, "en")
        lead = instantiate(LEAD, "require", {"sentences": sentences}, "en")
        if conflict(fixed, callout) is conflict(fixed, lead) is conflict(callout, lead) is None:
            assert callouts + sentences <= count


@pytest.mark.parametrize(
    "rule, message",
    [
        ("require bullet_list item<3", "names no parameter in 'item<3'"),
        ("require bullet_list items", "names no parameter in 'items'"),
        ("require opening_lead kind<3", "compares 'kind', which is no count"),
        ("require bullet_list items<three", "compares 'items', which is no count"),
    ],
)
def test_a_rule_about_what_is_no_parameter_is_refused(rule: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        list(sides([rule], {}))


def test_requirements_whose_specs_contradict_each_other_conflict() -> None:
    four, five = (instantiate("bullet_list", "require", {"items": items}, "en") for items in (4, 5))
    assert conflict(four, four) is None
    reason = conflict(four, five)
    assert reason is not None
    assert "4" in reason
    assert "5" in reason


def test_two_requirements_that_want_the_same_name_conflict() -> None:
    sections = instantiate("repeated_section_pattern", "require", {"fields": ["Goal", "Owner"]}, "en")
    cards = instantiate("form_or_record_card", "require", {"fields": ["Name", "owner"]}, "en")
    other = instantiate("form_or_record_card", "require", {"fields": ["Name", "Price"]}, "en")
    assert conflict(sections, cards) == "repeated_section_pattern and form_or_record_card both use the name 'owner'"
    assert conflict(sections, other) is None


def test_an_unknown_feature_is_refused() -> None:
    with pytest.raises(DataError, match="did you mean 'bullet_list'"):
        targets_conflict(target("require bullet_lists"), target("forbid table_or_grid"))


def test_how_many_combinations_are_left_is_pinned() -> None:
    compatible = [0] * len(TARGETS)
    for (i, a), (j, b) in combinations(enumerate(TARGETS), 2):
        if CATEGORY[a.feature] != CATEGORY[b.feature] and targets_conflict(a, b) is None:
            compatible[i] |= 1 << j
            compatible[j] |= 1 << i
    pairs = sum(bits.bit_count() for bits in compatible) // 2
    triples = sum(
        (compatible[i] & compatible[j]).bit_count()
        for i in range(len(TARGETS))
        for j in range(i)
        if compatible[i] >> j & 1
    )
    assert (pairs, triples // 3) == (7_264, 219_487)
