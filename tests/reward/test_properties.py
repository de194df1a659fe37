"""What must hold of rewards whatever the records are."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopeif.errors import InvalidInputError, RecordError
from scopeif.reward import Record, aggregate, graded_reward, identical_pair_fraction, satisfied, split_answer, zero_std

finite = st.floats(-1e6, 1e6)


@st.composite
def records(draw):
    lower, upper = sorted((draw(finite), draw(finite)))
    lower = draw(st.sampled_from([lower, -math.inf]))
    upper = draw(st.sampled_from([upper, math.inf]))
    return Record(lower, upper, draw(finite))


constraint = st.lists(records(), min_size=1, max_size=5)
constraints = st.lists(constraint, min_size=1, max_size=6)


@given(constraint)
def test_graded_reward_is_1_exactly_when_satisfied(record_list):
    g = graded_reward(record_list)
    assert 0 <= g <= 1
    if satisfied(record_list):
        assert g == 1


@given(constraints)
def test_satisfying_more_constraints_is_a_leap(groups):
    m, n = sum(map(satisfied, groups)), len(groups)
    reward = aggregate(groups, "scopeif")
    assert m / n - 1e-12 <= reward <= (m + 1) / n + 1e-12 if m < n else reward == 1


@given(constraints)
def test_binary_schemes(groups):
    held = list(map(satisfied, groups))
    assert aggregate(groups, "ila") == float(all(held))
    assert aggregate(groups, "cla") == pytest.approx(sum(held) / len(held))
    assert aggregate(groups, "mean_graded") >= aggregate(groups, "cla") - 1e-12


@given(constraints, st.randoms())
def test_order_does_not_matter(groups, random):
    shuffled = list(groups)
    random.shuffle(shuffled)
    assert aggregate(shuffled, "scopeif") == pytest.approx(aggregate(groups, "scopeif"))


@given(records(), st.floats(0.1, 100))
def test_a_worse_value_never_earns_more(record, further):
    if record.actual > record.upper:
        worse = Record(record.lower, record.upper, record.actual + further)
        assert graded_reward([worse]) <= graded_reward([record])


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12))
def test_identical_pairs_by_definition(rewards):
    pairs = [(a, b) for i, a in enumerate(rewards) for b in rewards[i + 1 :]]
    expected = sum(abs(a - b) <= 1e-9 for a, b in pairs) / len(pairs)
    assert identical_pair_fraction(rewards) == pytest.approx(expected)
    assert zero_std(rewards) == (max(rewards) - min(rewards) <= 1e-9)


@given(st.text(), st.booleans(), st.booleans())
def test_an_answer_never_holds_a_think_tag_and_a_reward(text, truncated, thinking):
    answer = split_answer(text, truncated, thinking)
    if answer.format_reward:
        assert answer.text
        assert not truncated
        assert "<think>" not in answer.text
        assert "</think>" not in answer.text


@pytest.mark.parametrize(
    "text, thinking, reason",
    [
        ("<think>a</think>b", True, None),
        ("<think>a</think>b", False, "extra_think_tag"),
        ("a</think>b", False, "extra_think_tag"),
        ("<think>a", False, "unclosed_think"),
        ("<think>a</think>b</think>c", True, "extra_think_tag"),
        ("<think>a</think>b <think>c</think> d", True, "extra_think_tag"),
        ("<think>done</think>\n \n", True, "empty"),
    ],
)
def test_reasons_of_format_reward_0(text, thinking, reason):
    assert split_answer(text, truncated=False, thinking=thinking).reason == reason


@pytest.mark.parametrize(
    "lower, upper, actual",
    [
        (math.nan, 1, 0), (0, math.nan, 0), (0, 1, math.nan), (2, 1, 1), (0, 1, math.inf), (0, 1, None), (0, 1, "1"),
        (None, 1, 0), (math.inf, math.inf, 0), (-math.inf, -math.inf, 0), (0, 1, 10**400), (0, 1, 1j),
    ],
)  # fmt: skip
def test_values_that_make_no_record(lower, upper, actual):
    with pytest.raises(RecordError):
        Record(lower, upper, actual)


def test_bools_are_1_and_0_and_integers_stay_integers():
    record = Record(True, 3, False)
    assert (record.lower, record.upper, record.actual) == (1, 3, 0)
    assert all(type(value) is int for value in (record.lower, record.upper, record.actual))


@pytest.mark.parametrize("alpha", [0, -1, math.inf, math.nan])
def test_alpha_is_bounded(alpha):
    with pytest.raises(InvalidInputError):
        graded_reward([Record(0, 1, 2)], alpha=alpha)


def test_the_floor_is_an_option_and_the_paper_has_none():
    record = Record(0, 0, 10)
    assert graded_reward([record]) == pytest.approx(math.exp(-30))
    assert graded_reward([record], object_floor=1e-5) == pytest.approx(1e-5)


def test_a_constraint_without_records_has_no_reward():
    for function in (satisfied, graded_reward):
        with pytest.raises(RecordError):
            function([])
