"""Every kind of IFEval's instructions on a response that follows it and one that does not; all rows are our own."""

import math

import pytest

from scopeif.errors import DataError
from scopeif.evaluation.ifeval import IFEvalPrompt, InstructionResult, ifeval_metrics, response_text

AT_LEAST, LESS = "at least", "less than"
VECTORS = [
    ("keywords:existence", {"keywords": ["river", "boat"]}, "The boat is on the river.", "The boat is here."),
    ("keywords:frequency", {"keyword": "tea", "frequency": 2, "relation": AT_LEAST}, "Tea and tea.", "Tea."),
    ("keywords:frequency", {"keyword": "tea", "frequency": 2, "relation": LESS}, "Tea.", "Tea, tea, tea."),
    ("keywords:forbidden_words", {"forbidden_words": ["cold"]}, "A warm day.", "A cold day."),
    (
        "keywords:letter_frequency",
        {"letter": "z", "let_frequency": 2, "let_relation": AT_LEAST},
        "Zigzag.",
        "A zebra.",
    ),
    ("keywords:letter_frequency", {"letter": "#", "let_frequency": 2, "let_relation": AT_LEAST}, "#a #b", "#a xxyyzz"),
    (
        "language:response_language",
        {"language": "de"},
        "Das Wetter ist heute sehr schön, und wir gehen in den Garten.",
        "The weather is very nice today, and we go into the garden.",
    ),
    ("length_constraints:number_sentences", {"num_sentences": 2, "relation": AT_LEAST}, "It rains. It pours.", "Rain."),
    (
        "length_constraints:number_sentences",
        {"num_sentences": 2, "relation": LESS},
        "Mr. Bee came.",
        "One. Two. Three.",
    ),
    ("length_constraints:number_paragraphs", {"num_paragraphs": 2}, "One.\n***\nTwo.", "One.\n\nTwo."),
    ("length_constraints:number_words", {"num_words": 4, "relation": AT_LEAST}, "One two three four", "One two"),
    (
        "length_constraints:nth_paragraph_first_word",
        {"num_paragraphs": 2, "nth_paragraph": 2, "first_word": "second"},
        "First one.\n\nSecond one.",
        "First one.\n\nThe second one.",
    ),
    ("detectable_content:number_placeholders", {"num_placeholders": 2}, "Dear [name], see [place].", "Dear [name]."),
    ("detectable_content:postscript", {"postscript_marker": "P.S."}, "Bye.\nP.S. Write soon.", "Bye."),
    ("detectable_format:number_bullet_lists", {"num_bullets": 2}, "* one\n* two", "* one\n* two\n* three"),
    ("detectable_format:constrained_response", {}, "My answer is yes.", "Yes."),
    ("detectable_format:number_highlighted_sections", {"num_highlights": 2}, "*one* and *two*", "*one* and two"),
    (
        "detectable_format:multiple_sections",
        {"section_spliter": "Part", "num_sections": 2},
        "Part 1\none\nPart 2\ntwo",
        "Part 1\none",
    ),
    ("detectable_format:json_format", {}, '```json\n{"a": 1}\n```', "{a: 1}"),
    ("detectable_format:title", {}, "<<Rain>>\nIt falls.", "Rain\nIt falls."),
    ("combination:two_responses", {}, "One.\n******\nTwo.", "One."),
    ("combination:repeat_prompt", {"prompt_to_repeat": "Name a bird."}, "Name a bird. A wren.", "A wren."),
    ("startend:end_checker", {"end_phrase": "Any questions?"}, "That is it. Any questions?", "Any questions? No."),
    (
        "change_case:capital_word_frequency",
        {"capital_frequency": 2, "capital_relation": AT_LEAST},
        "STOP and LOOK there",
        "STOP and look there",
    ),
    (
        "change_case:english_capital",
        {},
        "THE WEATHER IS NICE TODAY, AND WE GO INTO THE GARDEN.",
        "The weather is nice today.",
    ),
    (
        "change_case:english_lowercase",
        {},
        "the weather is very nice today, and we go into the garden.",
        "The weather is nice.",
    ),
    ("punctuation:no_comma", {}, "Rain and wind.", "Rain, wind."),
    ("startend:quotation", {}, '"It rains."', "It rains."),
]


def prompt(*instructions, text="Write something."):
    return IFEvalPrompt(1, text, tuple(name for name, _ in instructions), tuple(kwargs for _, kwargs in instructions))


@pytest.mark.parametrize("name, kwargs, right, wrong", VECTORS)
def test_each_kind_of_instruction(checker, name, kwargs, right, wrong):
    (followed,) = checker.check(prompt((name, kwargs)), right)
    assert (followed.strict, followed.loose, followed.fault) == (True, True, "")
    (violated,) = checker.check(prompt((name, kwargs)), wrong)
    assert (violated.strict, violated.fault) == (False, "")


def test_all_kinds_of_the_benchmark_are_tested():
    assert len({name for name, *_ in VECTORS}) == 25


def library(name, kwargs, response):
    from if_verifiable import IFEvalSample, evaluate_output_for_sample

    sample = IFEvalSample(1, "Write something.", [name], [kwargs])
    ((result,), _) = evaluate_output_for_sample("ifeval", sample, response)
    return result.strict_pass, result.loose_pass


@pytest.mark.parametrize("name, kwargs, right, wrong", [vector for vector in VECTORS if vector[1].get("letter") != "#"])
def test_strict_and_loose_are_the_librarys(checker, name, kwargs, right, wrong):
    for text in (right, wrong, f"Sure, here it is:\n{right}", f"{right}\nI hope this helps, friend.", f"**{right}**"):
        (mine,) = checker.check(prompt((name, kwargs)), text)
        assert (mine.strict, mine.loose) == library(name, kwargs, text), text


def test_loose_forgives_a_first_line(checker):
    (result,) = checker.check(prompt(("punctuation:no_comma", {})), "Sure, here it is:\nRain and wind.")
    assert (result.strict, result.loose) == (False, True)


def test_a_symbol_is_counted_and_not_a_random_letter(checker):
    kwargs = {"letter": "!", "let_frequency": 3, "let_relation": AT_LEAST}
    results = [checker.check(prompt(("keywords:letter_frequency", kwargs)), "Oh! Ah! Eh!")[0] for _ in range(20)]
    assert all(result.strict for result in results)


@pytest.mark.parametrize(
    "name, kwargs, text",
    [
        ("keywords:existence", {"keywords": ["(rain"]}, "It rains."),  # no regular expression
        ("language:response_language", {"language": "de"}, "1 2 3"),  # langdetect finds no letters
        ("length_constraints:number_words", {"relation": AT_LEAST}, "It rains."),  # the library would draw a number
        ("keywords:frequency", {"keyword": "tea", "frequency": 2, "relation": "about"}, "Tea."),
        ("keywords:palindrome", {}, "Anna."),
    ],
)
def test_a_checker_that_fails_decides_nothing(checker, name, kwargs, text):
    (result,) = checker.check(prompt((name, kwargs)), text)
    assert (result.strict, result.loose) == (None, None)
    assert result.fault


def test_an_empty_response_follows_nothing(checker):
    results = checker.check(
        prompt(("punctuation:no_comma", {}), ("keywords:forbidden_words", {"forbidden_words": ["a"]})), ""
    )
    assert [(one.strict, one.loose, one.fault) for one in results] == [(False, False, "")] * 2


@pytest.mark.parametrize(
    "response, truncated, thinking, text",
    [
        (" It rains. ", False, False, "It rains."),
        ("It rai", True, False, "It rai"),  # IFEval checks a cut answer as far as it came
        ("<think>hm</think>\nIt rains.", False, True, "It rains."),
        ("hm</think>It rai", True, True, "It rai"),
        ("<think>hm", True, False, ""),
        ("hm, let me see", True, True, ""),  # the template opened the thinking
        ("It rains.", False, True, "It rains."),
    ],
)
def test_the_text_that_is_checked(response, truncated, thinking, text):
    assert response_text(response, truncated, thinking) == text


def results(*rows):
    return [[InstructionResult("kind", strict, loose) for strict, loose in row] for row in rows]


def test_the_four_accuracies():
    metrics = ifeval_metrics(results([(True, True), (False, True)], [(True, True)], [(False, False), (False, True)]))
    assert metrics["prompt_strict"] == pytest.approx(1 / 3)
    assert metrics["inst_strict"] == pytest.approx(2 / 5)
    assert metrics["prompt_loose"] == pytest.approx(2 / 3)
    assert metrics["inst_loose"] == pytest.approx(4 / 5)
    assert (metrics["prompts"], metrics["instructions"], metrics["unverified_frac"]) == (3, 5, 0)
    for name in ("prompt_strict", "inst_strict", "prompt_loose", "inst_loose"):
        assert metrics[f"{name}_low"] == pytest.approx(metrics[name])
        assert metrics[f"{name}_high"] == pytest.approx(metrics[name])


def test_unverified_is_no_score_and_opens_an_interval():
    metrics = ifeval_metrics(results([(True, True), (None, None)], [(False, True), (None, None)], [(True, True)]))
    assert metrics["inst_strict"] == pytest.approx(2 / 3)
    assert (metrics["inst_strict_low"], metrics["inst_strict_high"]) == (pytest.approx(0.4), pytest.approx(0.8))
    assert metrics["prompt_strict"] == pytest.approx(1 / 2)  # the second prompt is violated whatever the unknown one is
    assert (metrics["prompt_strict_low"], metrics["prompt_strict_high"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    assert metrics["unverified_frac"] == pytest.approx(0.4)


def test_nothing_verified_has_no_accuracy():
    metrics = ifeval_metrics(results([(None, None)]))
    assert "prompt_strict" not in metrics
    assert metrics["unverified_frac"] == 1
    assert not any(math.isnan(value) for value in metrics.values())


def test_rows_there_and_back():
    row = {"key": 7, "prompt": "Hm?", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{"x": None, "n": 2}]}
    read = IFEvalPrompt.from_json(row)
    assert read.to_json() == {**row, "kwargs": [{"n": 2}]}
    assert read.id == "ifeval-7"


@pytest.mark.parametrize("change", [{"key": "seven"}, {"kwargs": []}, {"kwargs": None}, {"instruction_id_list": []}])
def test_what_is_no_row_is_refused(change):
    row = {"key": 7, "prompt": "Hm?", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    with pytest.raises(DataError) as caught:
        IFEvalPrompt.from_json(row | change, "mine.jsonl:3")
    assert caught.value.place == "mine.jsonl:3"
