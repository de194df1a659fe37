"""TCPR and EMCR against handed values (`tests/vectors/reformbench.json`), by definition, and what they refuse."""

import json
import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.metrics import bounds, emcr, score, score_by, score_by_question, tcpr
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark

BENCHMARKS = json.loads((Path(__file__).parents[1] / "vectors" / "reformbench.json").read_text())["benchmarks"]
EXAMPLE = BENCHMARKS[0]


def copied(benchmark=EXAMPLE):
    return json.loads(json.dumps({key: benchmark[key] for key in ("variants", "baseline_features")}))


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda benchmark: benchmark["name"])
def test_vectors(benchmark):
    expected, found = benchmark["expect"], emcr(benchmark)
    assert tcpr(benchmark) == pytest.approx(expected["tcpr"], abs=1e-12)
    assert found.keys() == expected.keys()
    assert found["emcr"] == pytest.approx(expected["emcr"], abs=1e-12)
    assert found["levels"].keys() == expected["levels"].keys()
    for level, row in expected["levels"].items():
        assert found["levels"][level] == pytest.approx(row, abs=1e-12)


def test_binary_labels_are_exact():
    assert emcr(EXAMPLE) == EXAMPLE["expect"]


def test_a_parsed_benchmark_is_scored_alike_and_prints_back():
    parsed = ScoredBenchmark.from_json(BENCHMARKS[3])
    assert emcr(parsed) == emcr(BENCHMARKS[3])
    assert ScoredBenchmark.from_json(json.loads(json.dumps(parsed.to_json()))) == parsed


PROBABILITIES = st.sampled_from([0, 0.25, 0.5, 1])
FEATURES = ["a", "b", "c", "d", "e"]


@st.composite
def benchmarks(draw, probabilities=PROBABILITIES):
    variants = []
    for number in range(draw(st.integers(1, 9))):
        features = draw(st.permutations(FEATURES))[:3]
        variants.append(
            {
                "id": f"v{number}",
                "question": draw(st.sampled_from(["q0", "q1"])),
                "targets": [{"feature": one, "mode": draw(st.sampled_from(["require", "forbid"]))} for one in features],
                "pass_probability": [draw(probabilities) for _ in range(3)],
            }
        )
    present = st.lists(st.sampled_from(FEATURES), unique=True)
    return {"variants": variants, "baseline_features": {"q0": draw(present), "q1": draw(present)}}


def by_definition(benchmark):
    """Eqs. 2, 4, 9, 11 and 12 read literally, over all subsets of all opposed targets and in exact numbers."""
    levels = {}
    for level in (1, 2, 3):
        units, corrected, covered, violating = 0, Fraction(0), 0, Fraction(0)
        for question, present in benchmark["baseline_features"].items():
            occurrences = {}
            for variant in benchmark["variants"]:
                for target, p in zip(variant["targets"], variant["pass_probability"], strict=True):
                    opposed = (
                        (target["feature"] in present)
                        if target["mode"] == "forbid"
                        else (target["feature"] not in present)
                    )
                    if variant["question"] == question and opposed:
                        occurrences.setdefault((target["feature"], target["mode"]), {})[variant["id"]] = Fraction(p)
            for chosen in combinations(sorted(occurrences), level):
                where = [set(occurrences[target]) for target in chosen]
                union = set().union(*where)
                if not set.intersection(*where) or len(union) < 2:
                    continue
                units += 1
                covered += len(union)
                corrected += math.prod(p for target in chosen for p in occurrences[target].values())
                violating += sum(
                    1 - math.prod(occurrences[target].get(variant, Fraction(1)) for target in chosen)
                    for variant in union
                )
        levels[level] = (
            units,
            corrected / units if units else None,
            Fraction(covered, units) if units else None,
            violating / (units - corrected) if units - corrected else None,
        )
    return levels


@given(benchmarks())
def test_levels_by_definition(benchmark):
    found = score(benchmark)
    for level, (units, *values) in by_definition(benchmark).items():
        row = found.levels[level]
        assert row.eligible_units == row.verified_units == units
        for mine, theirs in zip(
            (row.correction_rate, row.mean_variant_coverage, row.violating_variants_per_failed_unit),
            values,
            strict=True,
        ):
            assert mine == (None if theirs is None else pytest.approx(float(theirs), abs=1e-12))


@given(benchmarks(), st.randoms())
def test_the_order_of_variants_and_targets_does_not_matter(benchmark, random):
    before = score(benchmark)
    random.shuffle(benchmark["variants"])
    for variant in benchmark["variants"]:
        pairs = list(zip(variant["targets"], variant["pass_probability"], strict=True))
        random.shuffle(pairs)
        variant["targets"], variant["pass_probability"] = map(list, zip(*pairs, strict=True))
    after = score(benchmark)
    assert after.tcpr == pytest.approx(before.tcpr)
    assert after.eligible_units == before.eligible_units
    assert after.emcr == (None if before.emcr is None else pytest.approx(before.emcr))


@given(benchmarks(st.sampled_from([0, 0.5, 1, None])))
def test_what_is_unverified_is_left_out_and_counted(benchmark):
    excluded = score(benchmark, "exclude")
    known = [
        variant["pass_probability"] for variant in benchmark["variants"] if None not in variant["pass_probability"]
    ]
    assert (excluded.variants, excluded.verified_variants) == (len(benchmark["variants"]), len(known))
    assert excluded.tcpr == (pytest.approx(sum(map(math.prod, known)) / len(known)) if known else None)
    low, high = bounds(benchmark)
    assert excluded.eligible_units == low.eligible_units == high.eligible_units
    assert low.tcpr <= high.tcpr
    for level, row in excluded.levels.items():
        assert row.verified_units <= row.eligible_units
        assert (row.correction_rate is None) == (row.verified_units == 0)
        if row.eligible_units:
            assert low.levels[level].correction_rate <= high.levels[level].correction_rate
        if row.verified_units:
            missing = row.eligible_units - row.verified_units
            corrected = row.correction_rate * row.verified_units
            assert low.levels[level].correction_rate * row.eligible_units >= corrected - 1e-9
            assert high.levels[level].correction_rate * row.eligible_units <= corrected + missing + 1e-9


def test_an_unverified_occurrence_is_an_error_that_names_it():
    benchmark = copied()
    benchmark["variants"][1]["pass_probability"][2] = None
    with pytest.raises(DataError, match=r"1 of 9 .*'v2', forbid table_or_grid"):
        emcr(benchmark)
    row = emcr(benchmark, unverified="exclude")
    assert (row["variants"], row["verified_variants"]) == (3, 2)
    assert row["levels"]["1"] == EXAMPLE["expect"]["levels"]["1"]  # the aligned target is in no unit
    benchmark["variants"][1]["pass_probability"][1] = None
    row = emcr(benchmark, unverified="exclude")["levels"]["2"]
    assert (row["eligible_units"], row["verified_units"], row["correction_rate"]) == (3, 1, 1.0)


def test_an_unknown_policy_is_refused():
    with pytest.raises(InvalidInputError, match="exclude"):
        tcpr(EXAMPLE, unverified="ignore")


def test_groups_pool_their_questions_before_levels_are_averaged():
    benchmark = BENCHMARKS[3]
    questions = list(benchmark["baseline_features"])
    tasks = {question: "left" if number < 3 else "right" for number, question in enumerate(questions)}
    groups = score_by(benchmark, tasks)
    for task, found in groups.items():
        part = copied(benchmark)
        part["variants"] = [one for one in part["variants"] if tasks[one["question"]] == task]
        assert found == score(part)
    whole, singly = score(benchmark), score_by_question(benchmark)
    for level, row in whole.levels.items():
        for parts in (groups, singly):
            counts = [one.levels[level].eligible_units for one in parts.values()]
            rates = [one.levels[level].correction_rate or 0 for one in parts.values()]
            assert sum(counts) == row.eligible_units
            assert sum(n * r for n, r in zip(counts, rates, strict=True)) == pytest.approx(
                row.eligible_units * row.correction_rate
            )
    assert sum(one.variants * one.tcpr for one in groups.values()) == pytest.approx(whole.variants * whole.tcpr)


def test_a_question_without_group_is_named():
    with pytest.raises(DataError, match="'q'"):
        score_by(EXAMPLE, {})


def test_nothing_to_score_is_undefined():
    found = emcr({"variants": [], "baseline_features": {}})
    assert found["tcpr"] is None
    assert found["emcr"] is None
    assert found["levels"]["1"]["correction_rate"] is None


def test_a_question_with_one_variant_counts_for_tcpr_alone():
    benchmark = copied()
    del benchmark["variants"][1:]
    assert tcpr(benchmark) == 1
    assert score(benchmark).eligible_units == (0, 0, 0)


def changed(edit):
    benchmark = copied()
    edit(benchmark["variants"][1], benchmark)
    return benchmark


@pytest.mark.parametrize(
    "edit, message",
    [
        (lambda v, b: b["baseline_features"].clear(), "variants\\[0\\] \\('v1'\\): question 'q' has no baseline"),
        (lambda v, b: v["targets"].__setitem__(2, v["targets"][0]), "'v2'.*'bullet_list' occurs twice"),
        (lambda v, b: v["targets"][2].update(feature="bullet_list", mode="require"), "'bullet_list' occurs twice"),
        (lambda v, b: v["targets"].pop(), "has 2 targets, not 3"),
        (lambda v, b: v["pass_probability"].pop(), "2 pass probabilities for 3 targets"),
        (lambda v, b: v["pass_probability"].__setitem__(1, 1.5), "'v2'.*pass_probability\\[1\\] is 1.5"),
        (lambda v, b: v["pass_probability"].__setitem__(1, -0.1), "-0.1"),
        (lambda v, b: v["pass_probability"].__setitem__(1, math.nan), "'v2'.*pass_probability\\[1\\]: it is NaN"),
        (lambda v, b: v["pass_probability"].__setitem__(1, "1"), "'1', not a number"),
        (lambda v, b: v["targets"][0].update(mode="allow"), "mode is 'allow'"),
        (lambda v, b: v["targets"][0].pop("feature"), "feature is missing"),
        (lambda v, b: v.update(id="v1"), "'v1' occurs twice"),
        (lambda v, b: v.pop("question"), "'v2'.*question is missing"),
        (lambda v, b: b.pop("baseline_features"), "baseline_features is missing"),
        (lambda v, b: b["baseline_features"].update(q="bullet_list"), "not a list of features"),
        (lambda v, b: b["variants"].__setitem__(0, 7), "variants\\[0\\]: it is 7, not an object"),
    ],
)
def test_faults_are_named_with_their_place(edit, message):
    with pytest.raises(DataError, match=message):
        emcr(changed(edit))
