"""Paired comparison on fixed units: what it demands, and that pairing narrows intervals."""

from dataclasses import replace

import pytest

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.metrics import question_sums, score
from scopeif.reformbench.scoring.bootstrap import Resampling, score_intervals
from scopeif.reformbench.scoring.comparison import Change, compare, paired
from tests.reformbench.scored import made, relabelled

FEW = Resampling(resamples=1000)
BEFORE = made(chance=0.7)
AFTER = relabelled(BEFORE, 1, 0.9)


def test_both_sides_are_their_own_scores_on_the_same_units():
    found = compare(BEFORE, AFTER, how=FEW)
    assert found.before == score(BEFORE)
    assert found.after == score(AFTER)
    assert found.before.eligible_units == found.after.eligible_units
    assert found.tcpr.difference == pytest.approx(found.after.tcpr - found.before.tcpr)
    assert found.intervals.tcpr.low < found.tcpr.difference < found.intervals.tcpr.high
    assert found.intervals.emcr.low < found.emcr.difference < found.intervals.emcr.high
    for level in (1, 2, 3):
        change, interval = found.correction_rate(level), found.intervals.correction_rate[level]
        assert interval.low < change.difference < interval.high


def test_the_same_twice_differs_by_nothing():
    found = compare(BEFORE, BEFORE, how=FEW)
    assert found.emcr.difference == 0
    assert (found.intervals.emcr.low, found.intervals.emcr.high) == (0, 0)


def test_pairing_narrows_the_interval():
    """Configurations that differ in few labels share most of what varies from question to question."""
    changed = BEFORE.variants[0]._replace(pass_probability=(0.0, 0.0, 0.0))
    other = replace(BEFORE, variants=(changed, *BEFORE.variants[1:]))
    found = compare(BEFORE, other, how=FEW).intervals.tcpr
    alone = score_intervals(question_sums(BEFORE), FEW).tcpr
    assert found.high - found.low < (alone.high - alone.low) / 3


def test_order_of_variants_and_targets_does_not_matter():
    turned = tuple(
        row._replace(targets=row.targets[::-1], pass_probability=row.pass_probability[::-1])
        for row in reversed(AFTER.variants)
    )
    one, two = paired(BEFORE, replace(AFTER, variants=turned))
    assert (one, two) == (BEFORE, AFTER)


def without_last(benchmark):
    return replace(benchmark, variants=benchmark.variants[:-1])


def retargeted(benchmark):
    first = benchmark.variants[0]
    flipped = first.targets[0]._replace(mode="require" if first.targets[0].mode == "forbid" else "forbid")
    changed = first._replace(targets=(flipped, *first.targets[1:]))
    return replace(benchmark, variants=(changed, *benchmark.variants[1:]))


def rebased(benchmark):
    question = benchmark.variants[0].question
    return replace(benchmark, baseline_features={**benchmark.baseline_features, question: frozenset({"f99"})})


@pytest.mark.parametrize(
    "change, message",
    [
        (without_last, "only in the first: 1 variants .*'q39-v5'"),
        (retargeted, "question or targets differ: 1 variants .*'q0-v0'"),
        (rebased, "question 'q0': the baselines differ in .*f99"),
    ],
)
def test_other_units_are_refused(change, message):
    with pytest.raises(DataError, match=message):
        compare(BEFORE, change(AFTER), how=FEW)


@pytest.mark.parametrize("calibration", ["pooled", ""])
def test_other_calibrations_are_refused(calibration):
    with pytest.raises(InvalidInputError, match="calibrations"):
        compare(BEFORE, replace(AFTER, calibration=calibration), how=FEW)


def test_what_is_unverified_in_one_is_left_out_of_both():
    first = AFTER.variants[0]
    holed = replace(AFTER, variants=(first._replace(pass_probability=(None, 1.0, 1.0)), *AFTER.variants[1:]))
    with pytest.raises(DataError, match=f"'{first.id}'"):
        compare(BEFORE, holed, how=FEW)
    found = compare(BEFORE, holed, "exclude", FEW)
    assert found.before.verified_variants == found.after.verified_variants == found.before.variants - 1
    for level in (1, 2, 3):
        assert found.before.levels[level].verified_units == found.after.levels[level].verified_units
    assert found.before.levels[1].verified_units <= found.before.levels[1].eligible_units


def test_changes_of_what_is_undefined():
    assert Change(None, 0.5).difference is None
    assert Change(0.0, 0.5).relative is None
    assert Change(0.5, 0.25).relative == -0.5
