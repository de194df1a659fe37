"""Clustered intervals: what is drawn, what is undefined, and how wide they are against known spreads."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.errors import InvalidInputError
from scopeif.reformbench.metrics import question_sums, score
from scopeif.reformbench.scoring.bootstrap import (
    Resampling,
    clustered,
    quotient,
    score_intervals,
    score_statistics,
    score_table,
)
from tests.reformbench.scored import made

FEW = Resampling(resamples=2000)


def mean(sums):
    return quotient(sums[:, 1:2], sums[:, :1])


def test_the_statistics_of_the_sample_are_its_scores():
    benchmark = made()
    table = score_table(question_sums(benchmark))
    found, scores = score_statistics(table.sum(axis=0, keepdims=True))[0], score(benchmark)
    levels = scores.levels.values()
    expected = [scores.tcpr, scores.emcr]
    expected += [level.correction_rate for level in levels]
    expected += [level.violating_variants_per_failed_unit for level in levels]
    assert found == pytest.approx(expected, abs=1e-12)


def test_an_interval_holds_the_score_and_is_the_same_again():
    benchmark = made()
    scores, first = score(benchmark), score_intervals(question_sums(benchmark), FEW)
    assert first.tcpr.low < scores.tcpr < first.tcpr.high
    assert first.emcr.low < scores.emcr < first.emcr.high
    for level, interval in first.correction_rate.items():
        assert interval.low < scores.levels[level].correction_rate < interval.high
    assert first == score_intervals(question_sums(benchmark), FEW)
    assert first != score_intervals(question_sums(benchmark), Resampling(2000, seed=1))


def test_the_width_is_that_of_the_means_of_questions():
    """With one value a question the spread of the resampled mean is known: s / sqrt(n)."""
    values = np.random.default_rng(3).random(400)
    (interval,) = clustered(np.column_stack([np.ones(400), values]), mean, Resampling(resamples=8000))
    error = values.std() / math.sqrt(len(values))
    assert interval.low == pytest.approx(values.mean() - 1.96 * error, abs=0.15 * error)
    assert interval.high == pytest.approx(values.mean() + 1.96 * error, abs=0.15 * error)


def test_questions_are_drawn_whole():
    """Ten equal variants of a question tell as much as one: intervals must not shrink."""
    values = np.random.default_rng(4).random(60)
    once, tenfold = (clustered(np.column_stack([np.full(60, n), n * values]), mean, FEW)[0] for n in (1, 10))
    assert tenfold.high - tenfold.low == pytest.approx(once.high - once.low)


def test_undefined_resamples_are_counted_and_left_out():
    """One question of three has units: it is missing from (2/3)^3 of the resamples."""
    table = np.array([[0.0, 0.0], [0.0, 0.0], [2.0, 1.0]])
    (interval,) = clustered(table, mean, Resampling(resamples=20_000))
    assert interval.undefined / interval.resamples == pytest.approx((2 / 3) ** 3, abs=0.015)
    assert (interval.low, interval.high) == (0.5, 0.5)


def test_a_level_without_units_has_no_interval():
    found = score_intervals(question_sums(made(variants=1)), FEW)
    assert found.tcpr.low is not None
    assert (found.emcr.low, found.emcr.high, found.emcr.undefined) == (None, None, FEW.resamples)


@pytest.mark.parametrize("questions", [0, 1])
def test_fewer_than_two_questions_have_no_interval(questions):
    found = score_intervals(question_sums(made(questions=questions)), FEW)
    assert (found.tcpr.low, found.tcpr.high, found.tcpr.clusters, found.tcpr.resamples) == (None, None, questions, 0)


@settings(max_examples=20)
@given(st.integers(1, 700), st.floats(0.05, 0.99))
def test_every_resample_is_used_whatever_the_chunks_are(resamples, confidence):
    (interval,) = clustered(np.array([[1.0, 0.0], [1.0, 1.0]]), mean, Resampling(resamples, confidence))
    assert (interval.resamples, interval.undefined, interval.confidence) == (resamples, 0, confidence)
    assert 0 <= interval.low <= interval.high <= 1


@pytest.mark.parametrize("wrong", [{"resamples": 0}, {"confidence": 1.0}, {"confidence": 0.0}])
def test_bounds_of_resampling(wrong):
    with pytest.raises(InvalidInputError, match=next(iter(wrong))):
        Resampling(**wrong)
