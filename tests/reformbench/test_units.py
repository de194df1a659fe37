"""Links and units: the worked example of appendix A.1 and the example of question 1164, and what a baseline is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopeif.errors import DataError
from scopeif.reformbench.models import Annotation, Requirement, Target, Variant, text_hash
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark, ScoredVariant, TargetId
from scopeif.reformbench.scoring.links import baseline, is_opposed, link
from scopeif.reformbench.scoring.multiplicity import banded, multiplicity
from scopeif.reformbench.scoring.units import eligible_units, joint_pass, outcomes

NO_LIST, HEADINGS, NO_CALL = (
    TargetId("bullet_list", "forbid"),
    TargetId("section_headings", "require"),
    TargetId("call_to_action", "forbid"),
)
PRESENT = frozenset({"bullet_list", "call_to_action"})


def other(number):
    return TargetId(f"other{number}", "forbid")


def variants(passes=((1, 1, 1), (1, 0, 1), (1, 1, 1))):
    targets = [(NO_LIST, HEADINGS, NO_CALL), (NO_LIST, HEADINGS, other(1)), (NO_LIST, other(2), other(3))]
    rows = zip(targets, passes, strict=True)
    return [ScoredVariant(f"v{n}", "q", asked, passed) for n, (asked, passed) in enumerate(rows, start=1)]


@pytest.mark.parametrize(
    "mode, present, opposed",
    [("forbid", True, True), ("forbid", False, False), ("require", False, True), ("require", True, False)],
)
def test_what_opposes_the_baseline(mode, present, opposed):
    features = {"table_or_grid"} if present else {"bullet_list"}
    assert is_opposed(Target(feature="table_or_grid", mode=mode), features) is opposed


def test_the_occurrences_of_the_worked_example():
    assert link(variants(), PRESENT).occurrences == {NO_LIST: 0b111, HEADINGS: 0b011, NO_CALL: 0b001}


def test_the_units_of_the_worked_example():
    units = {frozenset(unit.targets): unit.coverage for unit in eligible_units(link(variants(), PRESENT))}
    assert units == {
        frozenset({NO_LIST}): 3,
        frozenset({HEADINGS}): 2,
        frozenset({NO_LIST, HEADINGS}): 3,
        frozenset({NO_LIST, NO_CALL}): 3,
        frozenset({HEADINGS, NO_CALL}): 2,
        frozenset({NO_LIST, HEADINGS, NO_CALL}): 3,
    }


def test_the_outcomes_of_the_worked_example():
    found = {frozenset(one.unit.targets): one for one in outcomes(link(variants(), PRESENT))}
    succeed = {units for units, one in found.items() if one.corrected}
    assert succeed == {frozenset({NO_LIST}), frozenset({NO_LIST, NO_CALL})}
    assert found[frozenset({NO_LIST, HEADINGS, NO_CALL})].violating_variants == 1


def test_expected_outcomes_by_hand():
    links = link(variants(((0.5, 0.8, 0.9), (1, 0.25, 0), (0.6, 0, 0))), PRESENT)
    found = {frozenset(one.unit.targets): one for one in outcomes(links)}
    pair = found[frozenset({NO_LIST, HEADINGS})]
    assert pair.corrected == pytest.approx(0.5 * 0.8 * 1 * 0.25 * 0.6, abs=1e-15)
    assert pair.violating_variants == pytest.approx((1 - 0.4) + (1 - 0.25) + (1 - 0.6), abs=1e-15)


def test_a_unit_with_an_unverified_occurrence_is_unverified_and_no_other():
    links = link(variants(((1, 1, None), (1, 0, None), (1, 1, 1))), PRESENT)
    found = {frozenset(one.unit.targets): one.corrected for one in outcomes(links)}
    assert {units for units, corrected in found.items() if corrected is None} == {
        units for units in found if NO_CALL in units
    }
    assert found[frozenset({NO_LIST})] == 1


def test_the_example_of_question_1164():
    """Appendix A.7.4: the repeated section covers three variants, the table two, both together three."""
    section, step = TargetId("repeated_section_pattern", "require"), TargetId("call_to_action", "require")
    no_table, no_symbol = TargetId("table_or_grid", "forbid"), TargetId("symbols", "forbid")
    asked = [(section, no_table, step), (section, no_symbol, step), (section, no_table, step)]
    rows = [ScoredVariant(f"H{n}", "1164", targets, (1, 1, 1)) for n, targets in enumerate(asked)]
    units = eligible_units(link(rows, frozenset({"table_or_grid", "call_to_action"})))
    assert {unit.targets: unit.coverage for unit in units} == {
        (section,): 3,
        (no_table,): 2,
        (section, no_table): 3,
    }


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), min_size=3, max_size=3, unique=True), max_size=30))
def test_there_are_at_most_seven_units_a_variant(asked):
    rows = [
        ScoredVariant(str(n), "q", tuple(TargetId(one, "require") for one in features), (1, 1, 1))
        for n, features in enumerate(asked)
    ]
    units = eligible_units(link(rows, frozenset()))
    assert len(units) <= 7 * len(rows)
    assert len(set(units)) == len(units)
    assert all(unit.coverage >= 2 for unit in units)


def test_joint_pass():
    assert joint_pass([0.5, 0.5]) == 0.25
    assert joint_pass([]) == 1
    assert joint_pass([0, None]) is None


def annotation(feature, question="q1", model="m"):
    return Annotation(
        model=model, question=question, feature=feature, response="r", response_hash=text_hash("r"), origin="core"
    )


def test_a_baseline_counts_each_feature_once_and_has_every_question():
    rows = [annotation("a"), annotation("a"), annotation("b"), annotation("c", model="other")]
    assert baseline(rows, "m", ["q1", "q2"]) == {"q1": frozenset({"a", "b"}), "q2": frozenset()}


def test_an_annotation_of_an_unknown_question_is_named():
    with pytest.raises(DataError, match="'q9'"):
        baseline([annotation("a", question="q9")], "m", ["q1"])
    assert baseline([annotation("a", question="q9", model="other")], "m", ["q1"]) == {"q1": frozenset()}


def row(name="v1"):
    def requirement(feature, category):
        return Requirement(feature=feature, mode="require", category=category, text="t", acceptance="a")

    parts = [requirement("a", "A"), requirement("b", "B"), requirement("c", "C")]
    return Variant(id=name, question="q", instruction="i", requirements=parts)


def test_a_benchmark_of_data_rows():
    found = ScoredBenchmark.of_variants([row()], {("v1", 0): 1, ("v1", 1): None, ("v1", 2): 0.5}, {"q": ["a"]})
    assert found.variants[0].targets == tuple(TargetId(one, "require") for one in "abc")
    assert found.variants[0].pass_probability == (1, None, 0.5)
    assert found.positive_annotations == 1


def test_an_occurrence_without_an_entry_is_named():
    with pytest.raises(DataError, match="requirement 2 of variant 'v1'"):
        ScoredBenchmark.of_variants([row()], {("v1", 0): 1, ("v1", 1): 1}, {"q": []})


def test_how_often_targets_recur():
    found = multiplicity([*variants(), ScoredVariant("w", "q2", (NO_LIST, other(2), other(3)), (1, 1, 1))])
    assert found.questions == {"1": 1, "2": 0, "3": 1, "4-5": 0, "6-10": 0, ">10": 0}
    assert found.targets == {"1": 7, "2": 1, "3": 1, "4-5": 0, "6-10": 0, ">10": 0}
    assert (found.recurring, found.most_variants, found.most_occurrences) == (2, 3, 3)


@given(st.lists(st.integers(1, 40)))
def test_bands_take_in_every_count_once(counts):
    assert sum(banded(counts).values()) == len(counts)
