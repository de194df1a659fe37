"""The catalog: its contents against Table A12, and its templates in both languages."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from scopeif.measure import evaluate
from scopeif.reformbench.catalog.features import WORDINGS, catalog
from scopeif.reformbench.catalog.page import page
from scopeif.reformbench.catalog.templates import instantiate, measurable
from scopeif.reformbench.models import Language, Mode
from scopeif.reward.graded import satisfied

LANGUAGES: tuple[Language, ...] = ("en", "zh")
MODES: tuple[Mode, ...] = ("require", "forbid")
FEATURES = [feature.id for feature in catalog().features]
TARGETS = list(product(FEATURES, MODES))
PLACE = re.compile(r"\{([a-z_]+)[^{}]*\}")

TABLE_A12 = """
bilingual_parallel_layout 52 9
column_alignment 1 2
dialogue_turns 219 83
line_breaks_and_spacing 1110 63
paragraph_or_sentence_count 22 0
poetry_lines_and_stanzas 3 3
single_text_block 9 2
appendix_section 64 7
document_template 12 0
document_title 861 55
front_matter 28 3
multipart_framework 18 2
repeated_section_pattern 513 14
section_divider 126 14
section_headings 666 82
title_and_subtitle 142 11
bullet_list 242 135
checklist 182 107
nested_list 247 49
numbered_enumeration 456 96
fixed_schema 1 0
form_or_record_card 314 46
glossary_entries 36 3
key_value_fields 2 1
status_panel 1 0
table_or_grid 312 176
answer_first 45 9
call_to_action 193 377
code_and_explanation 302 44
formal_report 2 0
framing_text 0 6
letter_or_email 69 11
opening_lead 40 44
overview_then_detail 359 41
schedule_or_itinerary 71 0
script_or_narrative 227 60
summary_and_closure 255 241
alternative_options 36 28
cause_and_effect 327 53
classification 20 2
comparison_and_contrast 335 56
conditional_branches 44 13
examples_and_cases 317 121
question_and_answer 23 0
ranking_and_priority 93 18
rationale_and_evidence 48 4
recommendations 19 15
steps_and_processes 387 72
timeline_and_stages 332 41
arrows_and_separators 243 98
typographic_emphasis 250 183
labels_and_tags 300 181
quotes_and_parentheses 406 286
reader_address 30 37
roles_and_interaction 12 2
signature_and_sign_off 10 8
visual_symbols 178 305
callout_or_note_block 227 75
captioned_visual 2 0
citations_and_links 32 22
code_annotations 233 28
code_block 70 10
textual_diagrams 152 65
files_and_modules 0 1
machine_readable_block 21 1
mathematical_notation 91 39
"""


# -- contents ------------------------------------------------------------------------------------------------------


def test_the_features_and_their_occurrences_are_those_of_table_a12() -> None:
    rows = [f"{one.id} {one.counts.require} {one.counts.forbid}" for one in catalog().features]
    assert "\n".join(rows) == TABLE_A12.strip()


def test_there_are_66_features_in_8_categories() -> None:
    assert len(set(FEATURES)) == len(FEATURES) == 66
    sizes = [len(catalog().members(category.id)) for category in catalog().categories]
    assert sizes == [7, 9, 4, 6, 11, 12, 8, 9]
    assert [category.index for category in catalog().categories] == list(range(1, 9))


def test_the_occurrences_fill_the_slots_of_5000_variants() -> None:
    required = sum(feature.counts.require for feature in catalog().features)
    forbidden = sum(feature.counts.forbid for feature in catalog().features)
    assert (required, forbidden) == (11_440, 3_560)
    assert required + forbidden == 3 * 5_000


def test_some_targets_do_not_occur_but_all_have_templates() -> None:
    unused = [(one.id, mode) for one in catalog().features for mode in MODES if not getattr(one.counts, mode)]
    assert unused == [
        ("paragraph_or_sentence_count", "forbid"), ("document_template", "forbid"), ("fixed_schema", "forbid"),
        ("status_panel", "forbid"), ("formal_report", "forbid"), ("framing_text", "require"),
        ("schedule_or_itinerary", "forbid"), ("question_and_answer", "forbid"), ("captioned_visual", "forbid"),
        ("files_and_modules", "require"),
    ]  # fmt: skip
    for feature, mode in unused:
        assert instantiate(feature, mode, {}, "en").text


def test_what_is_reconstructed_is_marked() -> None:
    marked = {one.id: one.reconstructed for one in catalog().features if one.reconstructed}
    assert [feature for feature, parts in marked.items() if "name" in parts] == [
        "checklist", "status_panel", "call_to_action", "rationale_and_evidence", "reader_address", "visual_symbols",
        "captioned_visual",
    ]  # fmt: skip
    assert [feature for feature, parts in marked.items() if "definition" in parts] == [
        "nested_list", "call_to_action", "classification", "ranking_and_priority", "rationale_and_evidence",
        "recommendations", "steps_and_processes", "reader_address", "roles_and_interaction", "captioned_visual",
        "citations_and_links", "textual_diagrams",
    ]  # fmt: skip
    assert all(category.reconstructed for category in catalog().categories)


def test_how_many_targets_can_be_measured() -> None:
    assert {mode: sum(measurable(feature, mode) for feature in FEATURES) for mode in MODES} == {
        "require": 56,
        "forbid": 26,
    }


# -- templates -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_template_renders_without_an_unfilled_place(language: Language) -> None:
    for (feature, mode), wording in product(TARGETS, range(WORDINGS)):
        requirement = instantiate(feature, mode, {}, language, wording)
        for text in (requirement.text, requirement.acceptance):
            assert not re.search(r"[{}]", text), (feature, mode, text)
            assert text.endswith((".", "。")), (feature, mode, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_and_criterion_says_every_parameter(language: Language) -> None:
    for feature, mode in TARGETS:
        template = catalog().feature(feature).template(mode)
        names = {parameter.name for parameter in template.parameters}
        assert len(template.text[language]) == WORDINGS
        for text in template.text[language]:
            assert set(PLACE.findall(text)) == names, (feature, mode, text)
        assert set(PLACE.findall(template.acceptance[language])) == names, (feature, mode)


def test_each_language_is_written_in_its_own_script() -> None:
    han = re.compile(r"[\u4e00-\u9fff]")
    for feature, mode in TARGETS:
        template = catalog().feature(feature).template(mode)
        for text in (*template.text["zh"], template.acceptance["zh"]):
            assert han.search(text)
        for text in template.text["en"]:
            assert not han.search(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_templates_say_the_same(language: Language) -> None:
    wordings = [text for target in TARGETS for text in catalog().feature(target[0]).template(target[1]).text[language]]
    criteria = [catalog().feature(feature).template(mode).acceptance[language] for feature, mode in TARGETS]
    names = [feature.name[language] for feature in catalog().features]
    for texts in (wordings, criteria, names):
        assert len(set(texts)) == len(texts)


def test_parameters_stand_in_the_words_with_the_noun_that_fits() -> None:
    one = instantiate("code_block", "require", {"blocks": 1, "language": "bash"}, "en", wording=1)
    assert one.text == "Use exactly 1 code block, fenced by three backticks with the language tag bash."
    two = instantiate("section_headings", "require", {"names": ["A", "B"]}, "en", wording=1)
    assert (
        two.text
        == 'Use the headings "A" and "B", in this order and written with "## ", and no other heading of that level.'
    )
    zh = instantiate("section_headings", "require", {"names": ["甲", "乙", "丙"]}, "zh", wording=1)
    assert zh.text == "依次使用标题“甲”、“乙”和“丙”，以“## ”书写，且不设其他同级标题。"
    assert zh.parameters == {"names": ("甲", "乙", "丙")}
    assert zh.category == "document_structure"


def test_names_with_the_signs_of_patterns_are_taken_literally() -> None:
    spec = instantiate("section_headings", "require", {"names": ["What? (1+1)", "C. $x$"]}, "en").spec
    assert spec is not None
    assert satisfied(evaluate(spec, "## What? (1+1)\n\nText.\n\n## C. $x$\n\nText."))
    assert not satisfied(evaluate(spec, "## Wha (1+1)\n\nText.\n\n## C. $x$\n\nText."))


# -- the page ------------------------------------------------------------------------------------------------------


def test_the_page_in_the_docs_is_the_one_that_is_written() -> None:
    document = Path(__file__).parents[2] / "docs" / "reformbench_catalog.md"
    hint = "run python -m scopeif.reformbench.catalog.page docs/reformbench_catalog.md"
    assert document.read_text(encoding="utf-8") == page(), hint


def test_every_row_of_the_page_has_all_columns() -> None:
    rows = [line for line in page().split("\n") if line.startswith("| ") and "<br>`" in line]
    cells = [len(re.split(r"(?<!\\)\|", row)) - 2 for row in rows]
    assert cells == [8] * 66
