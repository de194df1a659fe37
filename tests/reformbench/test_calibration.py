"""Calibration: Equations 7, 8 and 13, the pool of the paper, provenance, and that two calibrations are never mixed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.adjudication.adjudication import Adjudication, adjudicated
from scopeif.reformbench.adjudication.review_item import ReviewItem
from scopeif.reformbench.adjudication.strata import Instance, Stratum, pairs
from scopeif.reformbench.adjudication.table import adjudication_table
from scopeif.reformbench.calibration.calibration import (
    Calibrated,
    Probability,
    pooled,
    require_same_calibration,
    scored,
    stratified,
    stratum_estimates,
)
from scopeif.reformbench.calibration.file import (
    read_adjudications,
    read_calibrated,
    write_adjudications,
    write_calibrated,
)
from scopeif.reformbench.calibration.pool import PAPER_POOL, Pool
from scopeif.reformbench.metrics import score
from scopeif.reformbench.models import Requirement, Variant
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from tests.reformbench.labelled import item, judgment, pair, variant

LISTS = Stratum("m", "first_passes", "lists", "forbid")


def record(of, chosen) -> Adjudication:
    """The adjudication of a pair in favour of the first or the second judge."""
    name = of.instance.variant
    reviewed = ReviewItem(of, item(name, of.instance.model), 0)
    return adjudicated(reviewed, "a" if reviewed.judge("a") == chosen else "b")


def values(calibrated: Calibrated):
    return [one.value for one in calibrated.probabilities.values()]


def origins(calibrated: Calibrated):
    return [one.origin for one in calibrated.probabilities.values()]


# -- Equations 7 and 8 -------------------------------------------------------------------------------------------


def test_the_three_cases_of_equation_8():
    population = [pair(1, 1, 0), pair(0, 0, 1), *(pair(1, 0, number) for number in range(2, 7)), pair(0, 1, 7)]
    records = [
        record(population[at], chosen) for at, chosen in ((2, "first"), (3, "second"), (4, "first"), (7, "second"))
    ]
    found = stratified(population, records)
    assert values(found) == [1, 0, 1, 0, 1, 2 / 3, 2 / 3, 1]
    assert origins(found) == ["agreed"] * 2 + ["reviewed"] * 3 + ["stratum"] * 2 + ["reviewed"]
    assert found.estimates == {LISTS: 2 / 3, LISTS._replace(direction="second_passes"): 1.0}
    assert [one.stratum for one in found.probabilities.values()][:3] == [None, None, LISTS]
    assert found.counts() == {"agreed": 2, "reviewed": 4, "stratum": 2}
    assert found.calibration == "stratified; judges g, h"


def test_an_estimate_averages_labels_and_not_choices():
    """Choosing the first judge gives a pass in one direction and a failure in the other (appendix A.3.1)."""
    up, down = pair(1, 0, 0), pair(0, 1, 1)
    assert list(stratum_estimates([record(up, "first"), record(down, "first")]).values()) == [1.0, 0.0]


def test_strata_do_not_lend_to_each_other():
    population = [
        pair(1, 0, 0),
        pair(1, 0, 1),
        pair(1, 0, 2, 1),
        pair(1, 0, 3, 1),
        pair(1, 0, 0, 0, "n"),
        pair(1, 0, 1, 0, "n"),
    ]
    records = [record(population[0], "first"), record(population[2], "second"), record(population[4], "second")]
    assert values(stratified(population, records)) == [1, 1, 0, 0, 0, 0]


LABELS = st.lists(
    st.tuples(st.sampled_from([0, 1]), st.sampled_from([0, 1]), st.integers(0, 2)), min_size=1, max_size=40
)


def populated(labels):
    return [pair(first, second, number, position) for number, (first, second, position) in enumerate(labels)]


@settings(deadline=None, max_examples=60)
@given(LABELS, st.data())
def test_equation_8_with_every_disagreement_reviewed_is_the_reviewers_label(labels, data):
    population = populated(labels)
    chosen = {one.instance: data.draw(st.sampled_from(["first", "second"])) for one in population if one.stratum}
    found = stratified(population, [record(one, chosen[one.instance]) for one in population if one.stratum])
    for one in population:
        want = one.first if chosen.get(one.instance, "first") == "first" else one.second
        assert found.probabilities[one.instance].value == want.label
    assert "stratum" not in found.counts()


@settings(deadline=None, max_examples=60)
@given(LABELS)
def test_equation_8_without_disagreements_is_the_labels(labels):
    population = populated([(first, first, position) for first, _, position in labels])
    found = stratified(population, [])
    assert values(found) == [first for first, _, _ in labels]
    assert values(pooled(population, PAPER_POOL)) == values(found)


@settings(deadline=None, max_examples=60)
@given(LABELS, st.data())
def test_a_stratum_whose_reviews_all_favour_one_judge_takes_its_labels(labels, data):
    population = populated(labels)
    first_of_each = {one.stratum: one for one in reversed(population) if one.stratum}
    chosen = data.draw(st.sampled_from(["first", "second"]))
    found = stratified(population, [record(one, chosen) for one in first_of_each.values()])
    assert values(found) == [(one.first if chosen == "first" else one.second).label for one in population]


@settings(deadline=None, max_examples=60)
@given(LABELS, st.data())
def test_estimates_keep_the_reviewed_mean(labels, data):
    """Over a stratum, the mean of Eq. 8 is the mean of its reviewed labels."""
    population = populated(labels)
    records = []
    for stratum in {one.stratum for one in population if one.stratum}:
        members = [one for one in population if one.stratum == stratum]
        size = data.draw(st.integers(1, len(members)))
        records += [record(one, data.draw(st.sampled_from(["first", "second"]))) for one in members[:size]]
    found = stratified(population, records)
    for stratum, estimate in found.estimates.items():
        inside = [one.value for one in found.probabilities.values() if one.stratum == stratum]
        assert sum(inside) / len(inside) == pytest.approx(estimate)


# -- What cannot be calibrated -----------------------------------------------------------------------------------


def test_an_unreviewed_stratum_is_an_error_that_names_it_unless_the_fallback_is_named():
    population = [pair(1, 0, 0), pair(1, 0, 1, 1), pair(0, 1, 2, 1)]
    records = [record(population[0], "first")]
    with pytest.raises(
        DataError, match="is reviewed: model 'm', first passes, category 'structure', require"
    ) as caught:
        stratified(population, records)
    assert 'fallback="pooled"' in str(caught.value.fix)
    found = stratified(population, records, fallback="pooled")
    assert values(found) == [1, 1, 0]
    assert origins(found) == ["reviewed", "pooled", "pooled"]
    assert found.calibration == "stratified, else pooled 1:0; judges g, h"
    given_pool = stratified(population, records, fallback="pooled", pool=Pool(3, 1))
    assert values(given_pool) == [1, 0.75, 0.25]
    with pytest.raises(InvalidInputError, match="no fallback that uses it"):
        stratified(population, records, pool=Pool(3, 1))
    with pytest.raises(InvalidInputError, match="no weights"):
        stratified(population, [], fallback="pooled")


def test_a_fallback_that_nothing_needs_needs_no_pool():
    found = stratified([pair(1, 1, 0), pair(0, 0, 1)], [], fallback="pooled")
    assert (values(found), origins(found)) == ([1, 0], ["agreed", "agreed"])
    assert found.calibration == "stratified; judges g, h"


@pytest.mark.parametrize(
    "calibrate", [lambda them, **how: stratified(them, [], **how), lambda them, **how: pooled(them, PAPER_POOL, **how)]
)
def test_an_unverified_label_is_never_one(calibrate):
    population = [pair(1, 1, 0), pair(None, 1, 1), pair(0, None, 2), pair(None, None, 3)]
    with pytest.raises(DataError, match=r"3 instances have no two labels, such as .*'v1'.*judge 'g': parse: no JSON"):
        calibrate(population)
    found = calibrate(population, unverified="exclude")
    assert values(found) == [1, None, None, None]
    assert found.counts() == {"agreed": 1, "unverified": 3}


def test_records_of_something_else_are_refused():
    known, other = pair(1, 0, 0), pair(1, 0, 1)
    with pytest.raises(DataError, match="speaks of no disagreement"):
        stratified([known], [record(other, "first")])
    with pytest.raises(DataError, match="speaks of no disagreement"):
        stratified([known], [record(known, "first").model_copy(update={"response_hash": "x"})])
    with pytest.raises(DataError, match="speaks of no disagreement"):
        stratified([pair(1, 1, 0)], [record(known, "first")])
    with pytest.raises(DataError, match="adjudicated twice"):
        stratified([known], [record(known, "first")] * 2)
    with pytest.raises(DataError, match="0 pairs of judges"):
        stratified([], [])


# -- Equation 13 and the pool of the paper -----------------------------------------------------------------------

TABLE_A3 = {  # adjudicated samples, of which the first judge (GPT) and the second (Gemini) was chosen
    "Kimi K3": (576, 568, 8), "GPT-5.6 Sol": (588, 491, 97), "Gemini 3.5 Flash": (609, 563, 46),
    "Qwen3.6-35B-A3B": (602, 578, 24), "GLM-5.2": (632, 598, 34), "DeepSeek-V4-Pro": (698, 653, 45),
    "Qwen3.6-27B": (719, 641, 78), "Claude Opus 4.6": (736, 689, 47), "Qwen3-235B-A22B-Thinking": (718, 717, 1),
    "Qwen3.5-9B": (776, 750, 26),
}  # fmt: skip
IN_THE_POOL = {"Kimi K3": 582, "GPT-5.6 Sol": 1000, "Claude Opus 4.6": 789}


def test_the_pool_of_the_paper():
    table = Pool(sum(first for _, first, _ in TABLE_A3.values()), sum(second for _, _, second in TABLE_A3.values()))
    assert (table.total, table.first, table.second) == (6654, 6248, 406)
    assert all(first + second == samples for samples, first, second in TABLE_A3.values())
    assert sum({model: samples for model, (samples, _, _) in TABLE_A3.items()}.values()) == 6654
    assert sum((IN_THE_POOL | {m: n for m, (n, _, _) in TABLE_A3.items() if m not in IN_THE_POOL}).values()) == 7125
    assert (PAPER_POOL.total, PAPER_POOL.first, PAPER_POOL.second) == (7125, 6689, 436)
    assert [f"{100 * weight:.2f}" for weight in PAPER_POOL.weights] == ["93.88", "6.12"]
    assert [f"{100 * weight:.2f}" for weight in table.weights] == ["93.90", "6.10"]
    others = Pool(*(sum(row[side] for m, row in TABLE_A3.items() if m not in IN_THE_POOL) for side in (1, 2)))
    assert (PAPER_POOL.first - others.first) + (PAPER_POOL.second - others.second) == sum(IN_THE_POOL.values())


def test_equation_13():
    found = pooled([pair(1, 1, 0), pair(0, 0, 1), pair(1, 0, 2), pair(0, 1, 3)], PAPER_POOL)
    assert values(found) == [1, 0, 6689 / 7125, 436 / 7125]
    assert origins(found) == ["agreed", "agreed", "pooled", "pooled"]
    assert found.estimates == {}
    assert found.calibration == "pooled 6689:436; judges g, h"


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_weights_add_up_to_one(first, second):
    if first + second == 0:
        with pytest.raises(InvalidInputError):
            Pool(first, second)
        return
    pool = Pool(first, second)
    assert pool.probability(1, 0) + pool.probability(0, 1) == pytest.approx(1, abs=1e-15)
    assert (pool.probability(1, 1), pool.probability(0, 0)) == (1, 0)


def test_a_pool_is_counted_from_records():
    records = [record(pair(1, 0, 0), "first"), record(pair(0, 1, 1), "first"), record(pair(0, 1, 2), "second")]
    assert Pool.of(records) == Pool(2, 1)
    with pytest.raises(InvalidInputError, match="no weights"):
        Pool(-1, 3)


def test_table_a3():
    population = [pair(1, 1, 0), pair(1, 0, 1), pair(0, 1, 2), pair(None, 1, 3), pair(1, 0, 1, model="n")]
    records = [
        record(population[1], "first"),
        record(population[2], "second").model_copy(update={"matched": True}),
        record(population[4], "first"),
    ]
    rows = adjudication_table(population, records)
    assert rows == [
        ("m", 3, 1, 2, 1, 1, 1),
        ("n", 1, 0, 1, 1, 0, 0),
        ("Total", 4, 1, 3, 2, 1, 1),
    ]
    assert [row.agreement for row in rows] == pytest.approx([1 / 3, 0, 1 / 4])
    assert [(row.samples, row.first_share) for row in rows] == [(2, 0.5), (1, 1.0), (3, 2 / 3)]
    empty = adjudication_table([pair(None, 1)], [])[0]
    assert (empty.agreement, empty.first_share) == (None, None)


# -- Never mixed -------------------------------------------------------------------------------------------------


def test_two_calibrations_are_never_compared():
    population = [pair(1, 1, 0)]
    main, auxiliary = stratified(population, []), pooled(population, PAPER_POOL)
    require_same_calibration(main, stratified([pair(0, 0, 5, model="n")], []))  # another model, the same rule
    with pytest.raises(InvalidInputError, match="'stratified; judges g, h' and 'pooled 6689:436; judges g, h'"):
        require_same_calibration(main, auxiliary)
    with pytest.raises(InvalidInputError, match="different calibrations"):
        require_same_calibration(auxiliary, pooled(population, Pool(6248, 406)))
    with pytest.raises(InvalidInputError, match="an unnamed one and an unnamed one"):
        require_same_calibration(ScoredBenchmark((), {}), ScoredBenchmark((), {}))


# -- What the metrics take, and files ----------------------------------------------------------------------------


def test_a_scored_benchmark_of_one_model():
    variants = [variant("v0"), variant("v1", question="r")]
    population = [pair(1, 1, number, position) for number in (0, 1) for position in range(3)]
    population[1] = pair(1, 0, 0, 1)
    population += [pair(0, 0, number, position, "n") for number in (0, 1) for position in range(3)]
    calibrated = pooled(population, PAPER_POOL)
    found = scored("m", variants, calibrated, {"q": ["bullet_list"], "r": []})
    assert [one.pass_probability for one in found.variants] == [(1, 6689 / 7125, 1), (1, 1, 1)]
    assert found.baseline_features == {"q": frozenset({"bullet_list"}), "r": frozenset()}
    assert (found.model, found.calibration) == ("m", calibrated.calibration)
    assert [one.feature for one in found.variants[0].targets] == ["bullet_list", "section_headings", "call_to_action"]
    assert scored("n", variants, calibrated, {"q": [], "r": []}).variants[0].pass_probability == (0, 0, 0)
    assert calibrated.models() == ["m", "n"]


def test_the_worked_example_from_labels_to_scores():
    """Appendix A.1: three variants, of which all pass but the headings of the second."""
    features = {"v1": "abc", "v2": "abd", "v3": "aef"}
    variants = [
        Variant(
            id=name,
            question="q",
            instruction=name,
            requirements=tuple(
                Requirement(
                    feature=one, mode="require" if one == "b" else "forbid", category=one, text=one, acceptance=one
                )
                for one in three
            ),
        )
        for name, three in features.items()
    ]
    instances = [Instance("m", name, position, f"m-{name}") for name in features for position in range(3)]
    first, second = (
        [judgment(judge, int((one.variant, one.position) != ("v2", 1)), one) for one in instances] for judge in "gh"
    )
    calibrated = stratified(pairs(variants, first, second), [])
    found = score(scored("m", variants, calibrated, {"q": "ac"}))
    assert found.tcpr == pytest.approx(2 / 3)
    assert found.emcr == pytest.approx(5 / 18)


def test_what_a_benchmark_lacks_is_an_error():
    population = [pair(1, 1, 0, position) for position in range(3)]
    calibrated = pooled(population, PAPER_POOL)
    with pytest.raises(DataError, match="requirement 0 of variant 'v1' has no pass probability"):
        scored("m", [variant("v0"), variant("v1")], calibrated, {"q": []})
    with pytest.raises(DataError, match="question 'q' has no baseline"):
        scored("m", [variant("v0")], calibrated, {})
    again = {one._replace(response="other"): p for one, p in calibrated.probabilities.items()}
    both = Calibrated(calibrated.calibration, {**calibrated.probabilities, **again}, {})
    with pytest.raises(DataError, match="several responses to variant 'v0'"):
        scored("m", [variant("v0")], both, {"q": []})


def test_an_excluded_instance_has_no_probability_in_the_benchmark():
    population = [pair(None, 1, 0, 0), pair(1, 1, 0, 1), pair(0, 0, 0, 2)]
    calibrated = pooled(population, PAPER_POOL, unverified="exclude")
    assert scored("m", [variant("v0")], calibrated, {"q": []}).variants[0].pass_probability == (None, 1, 0)


def test_files_of_records_and_probabilities_come_back(tmp_path):
    population = [pair(1, 1, 0), pair(1, 0, 1), pair(1, 0, 2), pair(None, 1, 3), pair(0, 1, 4, 2)]
    records = [record(population[1], "first")]
    write_adjudications(tmp_path / "records.jsonl", records)
    assert read_adjudications(tmp_path / "records.jsonl") == records
    found = stratified(population, records, fallback="pooled", unverified="exclude")
    write_calibrated(tmp_path / "p.jsonl", found)
    back = read_calibrated(tmp_path / "p.jsonl")
    assert back == found
    assert all(isinstance(one, Probability) for one in back.probabilities.values())


@pytest.mark.parametrize(
    "row, fault",
    [
        ('{"instance": ["m", "v1", 0, "r"], "value": 1.5, "origin": "agreed"}', "value"),
        ('{"instance": ["m", "v1", 0, "r"], "value": null, "origin": "agreed"}', "does not go with the value None"),
        ('{"instance": ["m", "v1", 0, "r"], "value": 0.5, "origin": "unverified"}', "does not go with the value 0.5"),
        ('{"instance": ["m", "v1", 0, "r"], "value": 0.5, "origin": "guessed"}', "origin"),
        ('{"instance": ["m", "v0", 0, "r"], "value": 1, "origin": "agreed"}', "stands twice"),
        ("{", "invalid JSON"),
    ],
)
def test_rows_that_are_no_probability_are_refused_with_their_place(tmp_path, row, fault):
    head = '{"calibration": "c", "estimates": []}\n{"instance": ["m", "v0", 0, "r"], "value": 1, "origin": "agreed"}\n'
    (tmp_path / "p.jsonl").write_text(head + row + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=fault) as caught:
        read_calibrated(tmp_path / "p.jsonl")
    assert caught.value.place == f"{tmp_path / 'p.jsonl'}:3"


def test_a_file_without_its_head_is_refused(tmp_path):
    (tmp_path / "p.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(DataError, match="calibration"):
        read_calibrated(tmp_path / "p.jsonl")
