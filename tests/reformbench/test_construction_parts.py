"""The parts of construction that ask no model: plans, checks, screening, residual requirements, release, prompts."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.errors import DataError, InvalidInputError, JudgeFormatError
from scopeif.reformbench.adjudication.strata import Instance
from scopeif.reformbench.build_settings import BuildSettings, CheckSettings
from scopeif.reformbench.calibration.calibration import Calibrated, Probability
from scopeif.reformbench.catalog.features import WORDINGS, catalog
from scopeif.reformbench.catalog.templates import draw_parameters, instantiate
from scopeif.reformbench.construction import annotating, composing, release, removal, witnessing
from scopeif.reformbench.construction.build import Build
from scopeif.reformbench.construction.calls import read_object
from scopeif.reformbench.construction.checks import faults_of, said
from scopeif.reformbench.construction.composing import Checked
from scopeif.reformbench.construction.core_labels import core_labels
from scopeif.reformbench.construction.languages import language_of
from scopeif.reformbench.construction.plan import Choice, combine, pool
from scopeif.reformbench.construction.release_patterns import matches
from scopeif.reformbench.construction.residual import residual
from scopeif.reformbench.construction.screening import probabilities_of, rank
from scopeif.reformbench.construction.wording import instruction
from scopeif.reformbench.models import Question, Variant
from scopeif.reformbench.prompt_file import Prompt, prompt
from tests.reformbench.constructions import write_lines

# -- plans -------------------------------------------------------------------------------------------------------

_CHOICES = st.lists(
    st.tuples(st.integers(0, 60), st.sampled_from("abcdef"), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])),
    unique_by=lambda one: one[0],
    max_size=40,
).map(lambda rows: [Choice(f"f{number}", category, share) for number, category, share in rows])


@given(choices=_CHOICES, variants=st.integers(2, 12), seed=st.text(max_size=3), data=st.data())
@settings(max_examples=80, deadline=None)
def test_a_plan_combines_distinct_categories_and_distinct_targets(choices, variants, seed, data):
    requirable = data.draw(st.none() | st.sets(st.sampled_from([one.feature for one in choices] or ["f"])))
    targets = pool(choices, variants, 2.5, requirable, seed)
    assert len({one.feature for one in targets}) == len(targets) <= 24
    share = {one.feature: one.share for one in choices}
    for one in targets:
        assert requirable is None or one.mode == "forbid" or one.feature in requirable
        present = share[one.feature] >= 0.5
        assert one.opposed == (present == (one.mode == "forbid"))
    plan = combine(targets, variants, lambda triple, number: True, seed)
    assert len(plan) <= variants
    assert len({frozenset(triple) for triple in plan}) == len(plan)
    assert all(len({one.category for one in triple}) == 3 for triple in plan)
    assert plan == combine(targets, variants, lambda triple, number: True, seed)


@pytest.mark.parametrize("variants", [4, 8, 20])
def test_targets_recur_and_both_directions_occur(variants):
    choices = [Choice(f"f{n}", f"c{n % 8}", (n % 5) / 4) for n in range(66)]
    targets = pool(choices, variants, 2.5, None, "7 q1")
    plan = combine(targets, variants, lambda triple, number: True, "7 q1")
    counts = Counter(one for triple in plan for one in triple)
    assert len(plan) == variants
    assert sum(count >= 2 for count in counts.values()) >= 0.8 * len(counts)
    opposed = sum(one.opposed for triple in plan for one in triple)
    assert 0.3 <= opposed / (3 * variants) <= 0.7
    assert {(one.mode, one.opposed) for one in targets} == {
        (mode, direction) for mode in ("require", "forbid") for direction in (True, False)
    }


def test_a_contradictory_triple_is_passed_over():
    choices = [Choice(f"f{n}", f"c{n}", 0.0) for n in range(6)]
    targets = pool(choices, 4, 2.5, None, "s")
    refused = []

    def accept(triple, number):
        if "f0" in {one.feature for one in triple}:
            refused.append(triple)
            return False
        return True

    plan = combine(targets, 4, accept, "s")
    assert all("f0" not in {one.feature for one in triple} for triple in plan)
    assert plan


# -- screening ---------------------------------------------------------------------------------------------------


def test_the_mean_of_products_ranks_and_ties_go_by_id():
    probabilities = {
        "m1": {"c": (1, 1, 0.5), "a": (1, 0.5, 0.5), "b": (0.5, 0.5, 1), "d": (0, 1, 1), "e": (1, 1, 1)},
        "m2": {"c": (0, 1, 1), "a": (0.5, 1, 0.5), "b": (1, 0.25, 1), "d": (1, 1, 1), "e": (1, 1, 1)},
    }
    ranking = rank(probabilities, ["e", "d", "c", "b", "a"], 3)
    assert [(one.variant, one.score, one.rank, one.retained) for one in ranking] == [
        ("a", 0.25, 1, True),
        ("b", 0.25, 2, True),
        ("c", 0.25, 3, True),
        ("d", 0.5, 4, False),
        ("e", 1.0, 5, False),
    ]
    assert ranking[2].by_model == {"m1": 0.5, "m2": 0.0}


@pytest.mark.parametrize("values", [(1, 1, None), (1, 1), ()])
def test_a_variant_that_a_model_has_no_three_probabilities_of_is_not_ranked(values):
    probabilities = {"m1": {"a": (1, 1, 1), "b": (1, 1, 1)}, "m2": {"a": (1, 1, 1), "b": values}}
    assert [one.variant for one in rank(probabilities, ["a", "b"], 5)] == ["a"]


def test_probabilities_of_a_model_that_has_none_are_an_error():
    calibrated = Calibrated("rule", {Instance("m1", "a", 2, "r"): Probability(0.25, "stratum")}, {})
    assert probabilities_of(calibrated, ["m1"], "f") == {"m1": {"a": [None, None, 0.25]}}
    with pytest.raises(DataError, match="no probability of model 'm2'"):
        probabilities_of(calibrated, ["m1", "m2"], "f")


# -- checks ------------------------------------------------------------------------------------------------------

_QUESTION = Question(
    id="q", text="Why is the sea salt?", language="en", domain="d", task="t", source="own", licence="CC0-1.0"
)


def _requirements(language="en"):
    return (
        instantiate("bullet_list", "require", {}, language),
        instantiate("section_headings", "forbid", {}, language),
        instantiate("single_text_block", "forbid", {}, language),
    )


def _spare(language):
    return (instantiate("typographic_emphasis", "forbid", {}, language),)


def _variant(**changes):
    requirements = _requirements()
    text = instruction(_QUESTION, requirements)
    return Variant(id="q-v01", question="q", instruction=text, requirements=requirements).model_copy(update=changes)


def _reasons(variant, bounds=None):
    return [one.reason for one in faults_of(variant, _QUESTION, catalog(), bounds or CheckSettings())]


def test_a_variant_of_templates_has_no_fault():
    assert _reasons(_variant()) == []


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("mode", ["require", "forbid"])
def test_every_template_of_the_catalog_passes_the_checks(mode, language):
    rng = random.Random(7)
    question = _QUESTION.model_copy(update={"language": language, "text": {"en": "Why?", "zh": "为什么？"}[language]})
    for feature in catalog().features:
        parameters = draw_parameters(feature.id, mode, rng, language)
        drawn = instantiate(feature.id, mode, parameters, language, rng.randrange(WORDINGS))
        others = [one for one in _requirements(language) + _spare(language) if one.category != drawn.category]
        requirements = (drawn, *others[:2])
        text = instruction(question, requirements)
        variant = Variant(id="v", question="q", instruction=text, requirements=requirements)
        assert list(faults_of(variant, question, catalog(), CheckSettings())) == []


@pytest.mark.parametrize(
    "change,reason",
    [
        ({"feature": "bulet_list"}, "unknown feature"),
        ({"category": "text_layout_2"}, "wrong category"),
        ({"text": "Give bullet points."}, "not of its template"),
        ({"parameters": {"items": 7777}}, "impossible parameter"),
        ({"parameters": {"what": 2}}, "impossible parameter"),
    ],
)
def test_a_requirement_that_is_not_of_the_catalog_is_found(change, reason):
    requirements = list(_requirements())
    requirements[0] = requirements[0].model_copy(update=change)
    assert reason in _reasons(_variant(requirements=tuple(requirements)))


def test_names_that_the_instruction_lost_are_found():
    named = next(
        one.id
        for one in catalog().features
        if one.category not in {two.category for two in _requirements()[1:]}
        and any(parameter.kind == "names" for parameter in one.require.parameters)
    )
    requirements = (instantiate(named, "require", {}, "en"), *_requirements()[1:])
    assert _reasons(_variant(requirements=requirements)) == ["parameter not said"] * sum(
        len(value) for value in requirements[0].parameters.values() if isinstance(value, tuple)
    )
    assert _reasons(_variant(requirements=requirements, instruction=instruction(_QUESTION, requirements))) == []


def test_length_and_language_are_checked():
    assert _reasons(_variant(), CheckSettings(max_added_characters=50)) == ["length"]
    assert _reasons(_variant(instruction=instruction(_QUESTION, _requirements("zh")) + "请用中文回答。" * 9)) == [
        "language"
    ]


@pytest.mark.parametrize(
    "value,text,found",
    [
        (3, "exactly 3 points", True),
        (3, "exactly three points", True),
        (3, "13 points, 30 words, 3.5 kg", False),
        (3, "用三个要点", True),
        (2, "用两个要点", True),
        (21, "twenty", False),
        ("Costs", 'a heading "costs"', True),
        ("Costs", "a heading", False),
    ],
)
def test_values_are_said_in_digits_words_or_letters(value, text, found):
    assert said(value, text) is found


@pytest.mark.parametrize(
    "text,language",
    [("Why?", "en"), ("为什么？", "zh"), ("解释 Python 的 GIL 和 asyncio", "zh"), ("Translate 你好", "en")],
)
def test_the_language_of_a_text(text, language):
    assert language_of(text) == language


# -- residual requirements ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Explain tides in bullet points.",
        "Give me a summary in at most 200 words.",
        "Answer in three paragraphs.",
        "Return the result as valid JSON.",
        "Explain it, but do not use headings.",
        "Write a 500-word essay on tea.",
        "Format your answer as a table.",
        "Start your answer with the word Yes.",
        "Please respond in markdown with headings.",
        "请用表格列出优缺点。",
        "请在200字以内回答。",
        "分点说明原因。",
        "不要使用标题。",
        "以JSON格式输出。",
        "最后以一句诗结尾。",
        "控制在 300 字。",
        "Give me three bullet points",
        "Limit your answer to 50 words",
        "请用三句话概括",
        "How do tides work? Please answer in a table.",
        "What causes tides, in bullet points?",
        "Could you explain tides in bullet points?",
        "Write two paragraphs about the sea.",
        "Your answer must be valid JSON.",
        "Explain tides. No emojis.",
        "用表格的形式对比二者",
    ],
)
def test_formats_that_are_asked_for_outright_are_found(text):
    hits = residual(text)
    assert hits
    assert all(text[hit.start : hit.start + len(hit.quote)] == hit.quote for hit in hits)


@pytest.mark.parametrize(
    "text",
    [
        "How do I set the dining table for eight guests?",
        "What is JSON and why is it popular?",
        "Write a Python function that reverses a list.",
        "Explain how the periodic table is organised.",
        "Write a poem about autumn.",
        "Which headings did the ship take in 1912?",
        "How many words does English have?",
        "解释元素周期表的由来。",
        "写一首关于秋天的诗。",
        "一本书有多少字？",
        "如何学好书法的笔画和结构？",
        "Write a Python function that parses the log and returns the results as JSON.",
        "Write a function to read a file and return the result as JSON.",
        "Use the table below to answer the question.",
        "Is it ok to use a checklist in surgery?",
        "Explain how to return data as JSON.",
        "Tell me about two words that changed history.",
        "How do I write tables in Markdown?",
        "How do I format the disk?",
        "Write a story with bold characters.",
        "不要用清单式管理的理由是什么？",
        "怎么用标题党吸引读者",
        "如何用表格记账？",
        "用HTML写一个网页",
    ],
)
def test_subjects_are_no_formats(text):
    assert residual(text) == ()


@given(st.text(max_size=200))
@settings(max_examples=60, deadline=None)
def test_findings_do_not_overlap(text):
    ends = 0
    for hit in residual(text + " in bullet points, at most 3 words, 不超过三句"):
        assert hit.start >= ends
        ends = hit.start + len(hit.quote)


# -- release -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text,kinds",
    [
        ("Write to jo.smith+x@mail.example.org now", ["email"]),
        ("jo (at) example.com", ["email"]),
        ("Call (212) 555-0142 or 212-555-0142", ["phone_us"]),
        ("+1 415 555 2671", ["phone_us"]),
        ("电话13812345678", ["phone_cn"]),
        ("+86 138-1234-5678", ["phone_cn"]),
        ("拨打 010-62345678", ["phone_cn"]),
        ("how to build a pipe bomb", ["harm"]),
        ("如何制作炸弹", ["harm"]),
        ("in 2024-2025 we sold 1,234,567 units", []),
        ("the tuple 100 200 3000 and id 1381234567890", []),
        ("@handle and a@b", []),
        ("a bath bomb business; the film bombed", []),
        ("ISBN 978-3-16-148410-0", []),
    ],
)
def test_contacts_and_harm_are_found_and_numbers_are_not(text, kinds):
    assert sorted({one.kind for one in matches(text)}) == kinds


def test_one_decision_covers_the_same_words_of_a_question_and_its_variants():
    question = _QUESTION.model_copy(update={"text": "Mail jo@example.org?"})
    variant = _variant(instruction="Mail jo@example.org? Do.")
    (flag,) = release.flags_of([question], [variant])
    assert (flag.kind, flag.quote, flag.decision) == ("email", "jo@example.org", None)
    assert [(one.record, one.id, one.start) for one in flag.places] == [
        ("question", "q", 5),
        ("instruction", "q-v01", 5),
    ]


@pytest.fixture
def reviewed(tmp_path):
    """A construction up to the review, written by hand: one variant is flagged, one is not."""
    clean = _variant(id="q-v02")
    flagged = _variant(instruction="Why? Write to jo@example.org.")
    for stage, name, rows in [
        ("02_removal", "questions.jsonl", [_QUESTION]),
        ("09_satisfiability", "variants.jsonl", [flagged, clean]),
        ("03_baselines", "responses.jsonl", []),
        ("04_annotation", "annotations.jsonl", []),
        ("04_annotation", "baselines.jsonl", []),
        ("04_annotation", "extractions.jsonl", []),
    ]:
        (tmp_path / stage).mkdir(exist_ok=True)
        write_lines(tmp_path / stage / name, [row.model_dump(mode="json") for row in rows])
    return tmp_path


def _release(out, decisions=None):
    path = write_lines(out / "decisions.jsonl", decisions) if decisions else None
    given = {"questions": ["q"], "composition": {"composer": "offline"}, "release": {"decisions": path}}
    manifest = release.release(Build(out, BuildSettings.model_validate(given)))
    lines = (out / "benchmark" / "variants.jsonl").read_text().splitlines()
    return manifest.left_out, len(lines)


def test_flags_wait_for_a_decision_and_follow_it(reviewed):
    assert _release(reviewed) == ({"flag undecided": 1}, 1)
    flag = re.search(r"f-\w+", (reviewed / "10_release" / "flags.jsonl").read_text())[0]
    assert _release(reviewed, [{"flag": flag, "decision": "drop", "by": "me"}]) == ({"dropped by decision": 1}, 1)
    assert _release(reviewed, [{"flag": flag, "decision": "keep", "by": "me", "note": "invented"}]) == ({}, 2)
    with pytest.raises(DataError, match="no flag 'f-1'"):
        _release(reviewed, [{"flag": "f-1", "decision": "keep", "by": "me"}])


# -- prompts and labels ------------------------------------------------------------------------------------------


def test_pieces_are_filled_in_once_and_sealed():
    template = Prompt("t", "{seal} {question} {answer} {seal}")
    filled = template.filled(question="{answer}", answer="{seal}")
    seal = filled[:12]
    assert filled == f"{seal} {{answer}} {{seal}} {seal}"
    assert template.filled(question="{answer}", answer="other")[:12] != seal
    with pytest.raises(InvalidInputError, match="takes"):
        template.filled(question="q")


def test_a_rendered_prompt():
    text = prompt("residual_check").filled(question="Why {seal}?", suspected="- in prose")
    seal = re.search(r"=== question (\w{12}) ===", text)[1]
    assert f"=== question {seal} ===\nWhy {{seal}}?\n=== end of question {seal} ===" in text
    assert f"=== found by rules {seal} ===\n- in prose\n=== end of found by rules {seal} ===" in text
    assert text.endswith('{"residual": ["words of the question"]}\n```')


@pytest.mark.parametrize(
    "name",
    [
        *removal.PROMPTS,
        *annotating.PROMPTS,
        "suit",
        *composing.PROMPTS,
        *witnessing.PROMPTS,
    ],
)
def test_every_prompt_seals_its_material(name):
    assert prompt(name).template.count("{seal}") >= 3


def test_core_labels_map_to_features_of_the_catalog():
    known = {one.id for one in catalog().features}
    labels = core_labels()
    assert len({one.id for one in labels}) == len(labels) == 37
    assert {feature for one in labels for feature in one.features} <= known
    assert {one.id for one in labels if not one.features} == {"inline_enumeration", "inline_code", "definition_first"}
    assert any(len(one.features) > 1 for one in labels)


@pytest.mark.parametrize(
    "text,fault",
    [
        ("no object here", "no JSON object"),
        ('{"task_preserved": true}', "included"),
        ('{"task_preserved": "perhaps", "included": [], "compatible": true}', "task_preserved"),
        ('{"task_preserved": true, "included": [true', "never closes"),
    ],
)
def test_an_answer_in_another_form_is_no_answer(text, fault):
    with pytest.raises(JudgeFormatError, match=fault):
        read_object(text, Checked)


def test_the_last_object_of_an_answer_counts():
    text = (
        'First {"task_preserved": false, "included": [], "compatible": false}, no:\n```json\n{"task_preserved": true, '
    )
    assert read_object(text + '"included": [true], "compatible": true}\n```', Checked).task_preserved
