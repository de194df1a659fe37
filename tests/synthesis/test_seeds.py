"""The task seeds."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from scopeif.synthesis.seeds import Seed, seeds

BOTH = (*seeds("en"), *seeds("zh"))


def test_there_are_enough_different_seeds() -> None:
    assert len(BOTH) >= 400
    assert len(seeds("zh")) >= 120
    for language, genres in (("en", 30), ("zh", 20)):
        assert len({seed.genre for seed in seeds(language)}) >= genres
        assert len({seed.kind for seed in seeds(language)}) >= 50
    assert len({seed.task for seed in BOTH}) == len({seed.id for seed in BOTH}) == len(BOTH)


def test_every_form_has_tasks_in_both_languages() -> None:
    for language in ("en", "zh"):
        forms = Counter(form for seed in seeds(language) for form in seed.forms)
        assert set(forms) == {"prose", "sections", "list", "lines", "table", "json", "csv"}
        assert min(forms.values()) >= 3, forms


def test_topic_words_neither_overlap_nor_stand_in_the_task() -> None:
    for seed in BOTH:
        assert len(seed.words) >= (3 if seed.mini else 5), seed
        for word in seed.words:
            assert word.lower() not in seed.task.lower(), seed
            assert not any(word.lower() in other.lower() for other in seed.words if other != word), seed


def test_tasks_are_whole_sentences_of_their_language() -> None:
    for seed in seeds("en"):
        assert re.fullmatch(r"[A-Z][\x20-\x7e]+\.", seed.task), seed
        assert all(re.fullmatch(r"[A-Za-z]+", word) for word in seed.words), seed
    for seed in seeds("zh"):
        assert re.fullmatch(r"[\u4e00-\u9fff，]+。", seed.task), seed
        assert all(re.fullmatch(r"[\u4e00-\u9fff]{2,4}", word) for word in seed.words), seed


def test_readme_states_how_many_there_are() -> None:
    readme = (Path(__file__).parents[2] / "data" / "README.md").read_text(encoding="utf-8")
    assert f"{len(seeds('en'))} English and {len(seeds('zh'))} Chinese" in readme


def test_a_seed_with_an_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="forms"):
        Seed(id="x", genre="g", kind="k", task="Write.", words=("a", "b", "c"), forms=("haiku",))  # type: ignore[arg-type]
