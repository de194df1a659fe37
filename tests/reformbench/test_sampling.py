"""Sample sizes, allocation over strata, and drawing within them."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.errors import InvalidInputError
from scopeif.reformbench.adjudication.sampling import allocate, draw, sample_size
from scopeif.reformbench.adjudication.strata import Instance

TABLE_A3 = {  # disagreements, adjudicated samples
    "Kimi K3": (1239, 576), "GPT-5.6 Sol": (1308, 588), "Gemini 3.5 Flash": (1416, 609), "Qwen3.6-35B-A3B": (1375, 602),
    "GLM-5.2": (1544, 632), "DeepSeek-V4-Pro": (2010, 698), "Qwen3.6-27B": (2203, 719), "Claude Opus 4.6": (2365, 736),
    "Qwen3-235B-A22B-Thinking": (2185, 718), "Qwen3.5-9B": (2847, 776),
}  # fmt: skip


def test_the_formula_gives_seven_of_table_a3():
    differing = {
        model: (sample_size(disagreements), printed)
        for model, (disagreements, printed) in TABLE_A3.items()
        if sample_size(disagreements) != printed
    }
    assert differing == {"Kimi K3": (574, 576), "Qwen3.6-27B": (720, 719), "Qwen3.5-9B": (777, 776)}


@pytest.mark.parametrize("population, size", [(0, 0), (1, 1), (2, 2), (100, 92), (10**9, 1068)])
def test_small_and_large_populations(population, size):
    assert sample_size(population) == size


def test_parameters():
    assert sample_size(10**9, margin=0.05) == 385
    assert sample_size(10**9, confidence=0.99) == 1844
    for changes in ({"population": -1}, {"margin": 0}, {"confidence": 1.0}, {"proportion": 0.0}):
        with pytest.raises(InvalidInputError):
            sample_size(**{"population": 10, **changes})


SIZES = st.dictionaries(st.integers(0, 30), st.integers(0, 60), max_size=20)


@settings(deadline=None, max_examples=60)
@given(SIZES, st.integers(0, 700))
def test_allocation_covers_every_stratum_and_never_exceeds_it(sizes, total):
    counts = allocate(sizes, total)
    assert counts.keys() == sizes.keys()
    assert all(min(1, size) <= counts[stratum] <= size for stratum, size in sizes.items())
    nonempty = sum(size > 0 for size in sizes.values())
    assert sum(counts.values()) == min(max(total, nonempty), sum(sizes.values()))


@settings(deadline=None, max_examples=60)
@given(SIZES, st.integers(0, 700))
def test_no_stratum_is_ahead_by_more_than_its_last_item(sizes, total):
    """Before its last item, a stratum's fraction was the lowest of those that are not exhausted."""
    counts = allocate(sizes, total)
    open_ = [Fraction(counts[one], size) for one, size in sizes.items() if counts[one] < size]
    for stratum, size in sizes.items():
        if counts[stratum] > 1 and open_:
            assert Fraction(counts[stratum] - 1, size) <= min(open_)


@settings(deadline=None, max_examples=60)
@given(SIZES, st.integers(0, 700), st.data())
def test_what_is_reviewed_already_counts(sizes, total, data):
    already = {stratum: data.draw(st.integers(0, size)) for stratum, size in sizes.items()}
    counts = allocate(sizes, total, already)
    least = {stratum: max(already[stratum], min(1, size)) for stratum, size in sizes.items()}
    assert all(least[stratum] <= counts[stratum] <= size for stratum, size in sizes.items())
    assert sum(counts.values()) == min(max(total, sum(least.values())), sum(sizes.values()))


def test_allocation_by_hand():
    assert allocate({"a": 10, "b": 20, "c": 1, "d": 0}, 8) == {"a": 2, "b": 5, "c": 1, "d": 0}
    assert allocate({"a": 4, "b": 4}, 3) == {"a": 2, "b": 1}  # a tie goes to the first
    assert allocate({"a": 2, "b": 4}, 4, {"a": 1, "b": 2}) == {"a": 1, "b": 3}  # and before that to the largest
    assert allocate({}, 5) == {}
    for already in ({"a": 5}, {"a": -1}):
        with pytest.raises(InvalidInputError, match="stratum a"):
            allocate({"a": 4}, 2, already)


MEMBERS = [Instance("m", f"v{number}", 0, f"r{number}") for number in range(60)]


def test_a_draw_depends_on_members_and_seed_alone():
    assert draw(MEMBERS, 10, 1) == draw(MEMBERS[::-1], 10, 1)
    assert draw(MEMBERS, 10, 1) != draw(MEMBERS, 10, 2)
    assert set(draw(MEMBERS, 10, 1)) < set(draw(MEMBERS, 11, 1))
    assert sorted(draw(MEMBERS, 60, 1)) == sorted(MEMBERS)


def test_every_member_is_drawn_about_equally_often():
    times = dict.fromkeys(MEMBERS, 0)
    for seed in range(1200):
        for member in draw(MEMBERS, 15, seed):
            times[member] += 1
    # 300 expected of a binomial with standard deviation 15; the seeds are fixed
    assert all(235 < count < 365 for count in times.values())
