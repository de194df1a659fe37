"""The task seeds."""

from __future__ import annotations

from scopeif.synthesis.seeds import CHINESE, ENGLISH


def test_there_are_enough_different_seeds() -> None:
    assert len(ENGLISH) >= 60
    assert len({seed.kind for seed in ENGLISH}) >= 12
    assert len(CHINESE) >= 20
    assert len({seed.task for seed in (*ENGLISH, *CHINESE)}) == len(ENGLISH) + len(CHINESE)


def test_topic_words_neither_overlap_nor_stand_in_the_task() -> None:
    for seed in (*ENGLISH, *CHINESE):
        assert len(seed.words) >= 3, seed
        for word in seed.words:
            assert word not in seed.task.lower(), seed
            assert not any(word in other for other in seed.words if other != word), seed
