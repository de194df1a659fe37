"""The composition and prompting studies on benchmarks small enough to be counted by hand."""

import pytest

from scopeif.errors import DataError
from scopeif.reformbench.metrics import score
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark, ScoredVariant, TargetId
from scopeif.reformbench.scoring.bootstrap import Resampling
from scopeif.reformbench.scoring.comparison import compare
from scopeif.reformbench.studies.composition import MEASURES, composition
from scopeif.reformbench.studies.prompting import figure_rows
from tests.reformbench.scored import made, relabelled

FEW = Resampling(resamples=500)


def two_groups(first, second):
    """Two questions with one variant each; of their targets a and b oppose the baseline, c agrees with it."""
    targets = (TargetId("a", "require"), TargetId("b", "forbid"), TargetId("c", "require"))
    rows = [ScoredVariant(f"v{n}", f"q{n}", targets, passes) for n, passes in enumerate((first, second))]
    return ScoredBenchmark(tuple(rows), {"q0": frozenset({"b", "c"}), "q1": frozenset({"b", "c"})})


def test_composition_by_hand():
    separate, joint = two_groups((1, 0.5, 1), (1, 1, 0.8)), two_groups((1, 0.5, 0.5), (0, 1, 0.8))
    found = composition(separate, joint, how=FEW)
    assert (found.groups, found.opposed_items, found.aligned_items, found.left_out) == (2, 4, 2, 0)
    assert found.all_pass.before == pytest.approx((0.5 + 0.8) / 2)
    assert found.all_pass.after == pytest.approx((0.25 + 0) / 2)
    assert found.opposed.before == pytest.approx(3.5 / 4)
    assert found.opposed.after == pytest.approx(2.5 / 4)
    assert found.aligned.before == pytest.approx(0.9)
    assert found.aligned.after == pytest.approx(0.65)
    assert found.gap.before == pytest.approx(3.5 / 4 - 0.9)
    assert found.gap.difference == pytest.approx((2.5 / 4 - 0.65) - (3.5 / 4 - 0.9))


def test_the_joint_all_pass_is_tcpr_and_intervals_hold_the_differences():
    joint = made(chance=0.7)
    separate = relabelled(joint, 1, 0.9)
    found = composition(separate, joint, how=FEW)
    assert found.all_pass.after == pytest.approx(score(joint).tcpr)
    assert found.opposed_items + found.aligned_items == 3 * found.groups
    assert tuple(found.rows()) == MEASURES
    for name, change in found.rows().items():
        interval = found.intervals[name]
        assert interval.low < change.difference < interval.high


def test_a_group_that_is_unverified_in_one_condition_counts_in_none():
    separate, joint = two_groups((1, 0.5, 1), (1, 1, 1)), two_groups((1, None, 1), (1, 1, 0.5))
    with pytest.raises(DataError, match="'q0' is unverified"):
        composition(separate, joint, how=FEW)
    found = composition(separate, joint, "exclude", FEW)
    assert (found.groups, found.left_out, found.all_pass.before) == (1, 1, 1)


def test_a_group_of_targets_that_is_empty_has_no_rate():
    targets = tuple(TargetId(one, "require") for one in "abc")
    rows = ScoredBenchmark((ScoredVariant("v", "q", targets, (1, 1, 0)),), {"q": frozenset()})
    found = composition(rows, rows, how=FEW)
    assert found.aligned.before is None
    assert found.gap.difference is None


def test_the_rows_of_the_figure():
    before = made(chance=0.7)
    after = relabelled(before, 2, 0.9)
    rows = figure_rows(compare(before, after, how=FEW))
    assert [row.name for row in rows] == ["TCPR", "EMCR", "K=1", "K=2", "K=3"]
    assert rows[0].change.before == score(before).tcpr
    assert rows[4].change.after == score(after).levels[3].correction_rate
    assert all(row.interval.low < row.change.difference < row.interval.high for row in rows)
    assert rows[1].to_json()["difference"] == rows[1].change.difference
