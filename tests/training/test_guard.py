"""The guard's figures on answers whose words can be counted by hand."""

import pytest

from scopeif.training.guard import (
    GuardAnswer,
    copy_base,
    guard_metrics,
    guard_prompts,
    read_base,
    repetition,
    script,
    token_f1,
    words,
    write_base,
)


def answers(*texts, truncated=False):
    return {str(number): GuardAnswer(text, 10, truncated) for number, text in enumerate(texts)}


def test_64_prompts_of_which_a_smaller_guard_asks_the_first():
    prompts = guard_prompts()
    assert len(prompts) == len(set(prompts)) == 64
    assert all(prompt == prompt.strip() and prompt for prompt in prompts)
    assert guard_prompts(8) == prompts[:8]


def test_words_of_two_scripts():
    assert words("It's 3 Cups, 茶好!") == ["it", "s", "3", "cups", "茶", "好"]


@pytest.mark.parametrize(
    "text, share", [("a b c d e", 0), ("a a a a a a", 2 / 3), ("a b c d a b c d", 1 / 5), ("a b c", 0), ("", 0)]
)
def test_repetition(text, share):
    assert repetition(text.split()) == pytest.approx(share)


@pytest.mark.parametrize("text, f1", [("a b", 1), ("b a", 1), ("a c", 0.5), ("c", 0), ("", 0), ("a a b b", 2 / 3)])
def test_token_f1(text, f1):
    assert token_f1(text.split(), ["a", "b"]) == pytest.approx(f1)


@pytest.mark.parametrize(
    "text, name", [("It rains.", "LATIN"), ("下雨了 ok", "CJK"), ("идет", "CYRILLIC"), ("1 2!", "")]
)
def test_script(text, name):
    assert script(text) == name


def test_the_base_model_against_itself():
    metrics = guard_metrics(answers("one two three", "四五"), {"0": "one two three", "1": "四五"})
    assert (metrics["length_ratio"], metrics["base_f1"], metrics["script_changed_frac"]) == (1, 1, 0)
    assert (metrics["words"], metrics["response_tokens"], metrics["empty_frac"]) == (2.5, 10, 0)


def test_drift_is_seen():
    base = {"0": "a bird sings in the tree", "1": "two eggs"}
    metrics = guard_metrics(answers("ja ja ja ja ja ja", "蛋"), base)
    assert metrics["repetition"] == pytest.approx((2 / 3 + 0) / 2)
    assert metrics["length_ratio"] == pytest.approx(7 / 8)
    assert metrics["base_f1"] == 0
    assert metrics["script_changed_frac"] == 0.5


def test_an_empty_answer_has_nothing_of_the_base_models():
    metrics = guard_metrics(answers("", truncated=True), {"0": "a bird"})
    assert (metrics["empty_frac"], metrics["truncated_frac"], metrics["base_f1"], metrics["length_ratio"]) == (
        1,
        1,
        0,
        0,
    )


@pytest.mark.parametrize("base", [None, {}, {"other": "a"}, {"0": "…"}])
def test_without_words_of_the_base_model_nothing_is_compared(base):
    assert set(guard_metrics(answers("a b"), base)) == {
        "response_tokens", "words", "empty_frac", "truncated_frac", "repetition"
    }  # fmt: skip


def test_the_base_models_answers_are_kept_and_taken_over(tmp_path):
    earlier, run = tmp_path / "a", tmp_path / "b"
    earlier.mkdir()
    run.mkdir()
    copy_base(earlier, run)
    assert read_base(run) is None
    write_base(earlier, answers("ein Vögel", "茶"))
    copy_base(earlier, run)
    assert read_base(run) == {"0": "ein Vögel", "1": "茶"}
