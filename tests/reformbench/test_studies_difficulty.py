"""Difficult combinations, and what screening by the evaluated models does."""

import pytest

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark, ScoredVariant, TargetId
from scopeif.reformbench.scoring.bootstrap import Resampling
from scopeif.reformbench.studies.combinations import hardest
from scopeif.reformbench.studies.selection import hardest_variants, selection_effect
from tests.reformbench.scored import made, relabelled

FEW = Resampling(resamples=500)


def combined(*rows):
    targets = {name: TargetId(name, "require") for name in "abcd"}
    variants = [
        ScoredVariant(f"v{n}", question, tuple(targets[name] for name in names), passes)
        for n, (question, names, passes) in enumerate(rows)
    ]
    return ScoredBenchmark(tuple(variants), {question: frozenset() for question, _, _ in rows})


ROWS = combined(
    ("q1", "abc", (1, 0, 1)),
    ("q2", "cba", (0.5, 1, 1)),
    ("q1", "abd", (1, 1, 1)),
    ("q2", "abd", (1, 1, 0)),
    ("q1", "acd", (0, 0, 0)),
)


def test_the_hardest_come_first_with_what_fails():
    found = hardest([ROWS], min_variants=2, how=FEW)
    assert [one.parts for one in found.combinations] == [
        ("require a", "require b", "require c"),
        ("require a", "require b", "require d"),
    ]
    first = found.combinations[0]
    assert (first.joint_pass, first.variants, first.questions, first.responses) == (0.25, 2, 2, 2)
    assert first.failures == {"require a": 0, "require b": 0.5, "require c": 0.25}
    assert (first.interval.low, first.interval.high) == (0, 0.5)
    assert (found.found, found.rare, found.left_out) == (3, 1, 0)


def test_models_are_counted_together_and_variants_once():
    first = hardest([ROWS, ROWS], "feature", min_variants=2, how=FEW).combinations[0]
    assert (first.parts, first.variants, first.responses, first.joint_pass) == (("a", "b", "c"), 2, 4, 0.25)


def test_combinations_of_categories():
    rows = combined(("q1", "abc", (1, 0, 1)), ("q2", "abd", (1, 1, 1)))
    categories = {"a": "A", "b": "B", "c": "C", "d": "C"}
    (found,) = hardest([rows], "category", category_of=categories, min_variants=2, how=FEW).combinations
    assert (found.parts, found.joint_pass, found.failures["B"]) == (("A", "B", "C"), 0.5, 0.5)
    with pytest.raises(DataError, match="two of its requirements"):
        hardest([ROWS], "category", category_of=categories)
    with pytest.raises(DataError, match="'d' has no category"):
        hardest([rows], "category", category_of={"a": "A", "b": "B", "c": "C"})
    with pytest.raises(InvalidInputError, match="category_of"):
        hardest([rows], "category")


def test_an_unverified_response_is_in_no_combination():
    rows = combined(("q1", "abc", (1, None, 1)), ("q2", "abc", (1, 1, 1)))
    with pytest.raises(DataError, match="'v0'"):
        hardest([rows])
    found = hardest([rows], min_variants=1, unverified="exclude", how=FEW)
    assert (found.left_out, found.combinations[0].joint_pass, found.combinations[0].responses) == (1, 1, 1)


def candidates(models=3):
    base = made(questions=20, variants=10, chance=0.6, model="m0")
    return {f"m{n}": relabelled(base, n, 0.6, f"m{n}") for n in range(models)}


def test_the_hardest_variants_by_hand_with_ties_by_id():
    passes = [{"v3": 0.5, "v1": 0.0, "v2": 1.0, "v4": 0.0}, {"v3": 0.5, "v1": 1.0, "v2": 1.0, "v4": 0.5}]
    assert hardest_variants(passes, 3) == ["v4", "v1", "v3"]


def test_the_order_of_models_decides_no_tie():
    passes = [{"a": one, "b": two} for one, two in zip((0.1, 0.7, 0.3), (0.3, 0.1, 0.7), strict=True)]
    assert hardest_variants(passes, 1) == hardest_variants(passes[::-1], 1) == ["a"]


def test_a_model_that_screens_lowers_its_own_score():
    """With labels drawn at random alike, whoever takes part in screening is worse on what is retained."""
    found = selection_effect(candidates(), retain=100)
    for one in found.models.values():
        assert one.with_it.variants == one.without_it.variants == 100
        assert one.candidates.variants == 200
        assert one.tcpr.difference < 0
        assert 0 < one.shared < 1


def test_retaining_everything_changes_nothing():
    found = selection_effect(candidates(2), retain=200)
    for one in found.models.values():
        assert one.with_it == one.without_it == one.candidates
        assert one.shared == 1


def test_ranks_with_and_without_a_model():
    base = made(questions=20, variants=10, chance=0.3)
    found = selection_effect({"low": base, "high": relabelled(base, 1, 0.9), "mid": relabelled(base, 2, 0.6)}, 100)
    assert found.ranks("tcpr", with_it=True) == {"high": 1, "mid": 2, "low": 3}
    assert found.ranks("tcpr", with_it=False) == {"high": 1, "mid": 2, "low": 3}


def test_what_selection_refuses():
    both = candidates(2)
    with pytest.raises(InvalidInputError, match="two models"):
        selection_effect({"m0": both["m0"]}, 10)
    with pytest.raises(InvalidInputError, match="201 of 200"):
        selection_effect(both, 201)
    with pytest.raises(DataError, match="'m1' has other candidates"):
        selection_effect({"m0": both["m0"], "m1": made(questions=2)}, 10)
