"""The arithmetic identities of the paper's tables, through the code that makes such tables where there is some.

Printed values are rounded to two decimals: a value computed from printed ones is allowed the sum of the roundings.
"""

import pytest

from scopeif.reformbench.calibration.pool import Pool
from scopeif.reformbench.metrics import QuestionSums, Scores, pooled
from scopeif.reformbench.scoring.breakdown import mean, task_rows
from scopeif.reformbench.scoring.comparison import Change
from scopeif.reformbench.scoring.levels import LevelSums, equal_weight
from scopeif.reformbench.scoring.multiplicity import BANDS
from scopeif.reformbench.studies.coverage import InstanceCounts
from tests.reformbench import paper_tables as paper

ROUNDING = 0.005 + 1e-9
"""Of one printed value; a mean of printed values is off by as much again."""

per_model = pytest.mark.parametrize("model", paper.MODELS)


def printed(value, roundings=1):
    return pytest.approx(value, abs=roundings * ROUNDING)


def eligible_by_task(model):
    counts = list(map(int, paper.TABLE_A7[model].split()))
    return [tuple(counts[at : at + 3]) for at in range(0, len(counts), 3)]


def tasks_as_questions(model):
    """Each task as if it were one question with as many variants: what is pooled is the same."""
    return [
        QuestionSums(
            question=task,
            variants=paper.TABLE_A5[task][1],
            verified_variants=paper.TABLE_A5[task][1],
            passed=paper.TABLE_A5[task][1] * tcpr / 100,
            levels=tuple(LevelSums(eligible=count) for count in eligible),
        )
        for task, tcpr, eligible in zip(paper.TASKS, paper.TABLE_A6_TCPR[model], eligible_by_task(model), strict=True)
    ]


# Table 2


@per_model
def test_emcr_is_the_mean_of_its_levels(model):
    _, emcr, *levels = paper.TABLE_2[model]
    assert equal_weight(levels) == printed(emcr, 2)


def test_what_the_text_says_of_table_2():
    emcr = {model: row[1] for model, row in paper.TABLE_2.items()}
    assert (min(emcr.values()), max(emcr.values())) == (34.04, 64.72)
    assert sum(value < 50 for value in emcr.values()) == 5
    for level in (2, 3, 4):
        assert max(paper.MODELS, key=lambda model: paper.TABLE_2[model][level]) == "Kimi K3"


# Tables 3, A14 and Fig. 4


@pytest.mark.parametrize("measure", paper.TABLE_3)
def test_differences_of_table_3(measure):
    separate, joint, difference = paper.TABLE_3[measure]
    assert Change(separate, joint).difference == printed(difference, 3)


@pytest.mark.parametrize("condition", [0, 1])
def test_the_gap_is_opposed_minus_aligned(condition):
    opposed, aligned, gap = (paper.TABLE_3[name][condition] for name in ("opposed", "aligned", "gap"))
    assert opposed - aligned == printed(gap, 3)


def test_auxiliary_scores_are_the_pooled_baselines():
    """Appendix A.3.2 names the scores of both experiments under pooled calibration."""
    assert (paper.TABLE_3["all_pass"][1], paper.FIGURE_4["TCPR"][0]) == (64.43, 52.76)


def test_figure_4_gains_most_at_three_targets():
    relative = {name: Change(*pair).relative for name, pair in paper.FIGURE_4.items()}
    assert max(relative, key=relative.__getitem__) == "K=3"


def test_counts_of_items_and_generations():
    assert paper.OPPOSED_ITEMS + paper.ALIGNED_ITEMS == paper.CONSTRAINTS == 3 * paper.VARIANTS
    assert sum(paper.TABLE_A14.values()) == 82_740
    assert {
        "main": len(paper.MODELS) * paper.VARIANTS,
        "baseline": len(paper.MODELS) * paper.QUESTIONS,
        "coverage": 4 * paper.QUESTIONS,
        "single": 3 * paper.VARIANTS,
        "prompting": paper.VARIANTS,
    } == paper.TABLE_A14


# Tables A2 and A8


@per_model
def test_violating_variants_are_possible(model):
    """A failed unit has one violating variant at least (W >= 1 - J); over all units they are among the covered."""
    rates, coverages = paper.TABLE_2[model][2:], paper.TABLE_A8[model][2]
    for violating, rate, coverage in zip(paper.TABLE_A2[model], rates, coverages, strict=True):
        assert violating >= 1
        assert violating * (1 - rate / 100) <= coverage


def test_annotations_of_table_a8():
    assert sum(row[0] for row in paper.TABLE_A8.values()) == paper.ANNOTATIONS


# Table A3


@per_model
def test_adjudications_of_table_a3(model):
    agreement, disagreements, adjudicated, gpt, gpt_percent, gemini, gemini_percent = paper.TABLE_A3[model]
    assert gpt + gemini == adjudicated
    assert 100 * (1 - disagreements / paper.CONSTRAINTS) == printed(agreement)
    assert 100 * gpt / adjudicated == printed(gpt_percent)
    assert 100 * gemini / adjudicated == printed(gemini_percent)


def test_totals_of_table_a3():
    agreement, disagreements, adjudicated, gpt, gpt_percent, gemini, gemini_percent = paper.TABLE_A3_TOTAL
    sums = [sum(row[column] for row in paper.TABLE_A3.values()) for column in (1, 2, 3, 5)]
    assert sums == [disagreements, adjudicated, gpt, gemini]
    total = len(paper.MODELS) * paper.CONSTRAINTS
    assert total - disagreements == 131_508
    assert 100 * (1 - disagreements / total) == printed(agreement)
    assert 100 * gpt / adjudicated == printed(gpt_percent)
    assert 100 * gemini / adjudicated == printed(gemini_percent)
    assert mean([row[0] for row in paper.TABLE_A3.values()]) == printed(agreement, 2)


def test_the_pool():
    size, gpt, gpt_percent, gemini, gemini_percent = paper.POOL
    replaced = sum(paper.TABLE_A3[model][2] for model in paper.POOL_INSTEAD)
    assert paper.TABLE_A3_TOTAL[2] - replaced + sum(paper.POOL_INSTEAD.values()) == size == gpt + gemini
    pool = Pool(first=gpt, second=gemini)
    assert 100 * pool.probability(1, 0) == printed(gpt_percent)
    assert 100 * pool.probability(0, 1) == printed(gemini_percent)


# Tables 4 and A4


@pytest.mark.parametrize("model", paper.TABLE_A4)
def test_instance_counts_of_table_a4(model):
    extracted, excluded, valid, covered, uncovered, coverage = paper.TABLE_A4[model]
    counts = InstanceCounts(extracted, excluded, uncovered)
    assert (counts.valid, counts.covered) == (valid, covered)
    assert 100 * counts.coverage == printed(coverage)
    assert paper.TABLE_4[model][0] == coverage


def test_the_pooled_row_of_table_a4():
    rows = {model: InstanceCounts(row[0], row[1], row[4]) for model, row in paper.TABLE_A4.items()}
    whole = rows.pop("Pooled")
    assert InstanceCounts.pooled(rows.values()) == whole
    assert mean([row.coverage for row in rows.values()]) != pytest.approx(whole.coverage, abs=1e-5)


# Tables A5, A6 and A7


def test_tables_by_task():
    shapes = {task: row[:2] for task, row in paper.TABLE_A5.items()}
    assert tuple(map(sum, zip(*shapes.values(), strict=True))) == (paper.QUESTIONS, paper.VARIANTS)
    models = {
        model: {
            task: Scores(*shapes[task], shapes[task][1], tcpr, emcr, {})
            for task, tcpr, emcr in zip(
                paper.TASKS, paper.TABLE_A6_TCPR[model], paper.TABLE_A6_EMCR[model], strict=True
            )
        }
        for model in paper.MODELS
    }
    rows = task_rows(models)
    assert [row.task for row in rows] == list(paper.TABLE_A5)
    for row in rows:
        _, _, tcpr, emcr, best, highest = paper.TABLE_A5[row.task]
        assert (row.tcpr, row.emcr) == (printed(tcpr, 2), printed(emcr, 2))
        assert (row.models, row.highest_emcr) == ((best,), highest)


@per_model
def test_tasks_pool_to_the_whole(model):
    whole = pooled(tasks_as_questions(model))
    assert whole.eligible_units == paper.TABLE_A8[model][1]
    assert 100 * whole.tcpr == printed(paper.TABLE_2[model][0], 2)


def test_what_the_text_says_of_tasks():
    tcpr, emcr = paper.TABLE_A6_TCPR, paper.TABLE_A6_EMCR
    lowest = [
        model for model in paper.MODELS if tcpr[model][6] == min(tcpr[model]) and emcr[model][6] == min(emcr[model])
    ]
    assert len(lowest) == 7
    assert len({row[4] for row in paper.TABLE_A5.values()}) == 4
    columns = zip(*emcr.values(), strict=True)
    ranges = {task: max(column) - min(column) for task, column in zip(paper.TASKS, columns, strict=True)}
    assert max(ranges, key=ranges.__getitem__) == "Creative Writing"
    assert ranges["Creative Writing"] == printed(41.85, 2)


# Tables A10 and A11


def test_sources_and_languages():
    assert sum(paper.TABLE_A10.values()) == 553
    assert 553 + paper.AUTHORED == paper.ENGLISH + paper.CHINESE == paper.QUESTIONS


def test_multiplicities_of_table_a11():
    questions, targets = zip(*paper.TABLE_A11.values(), strict=True)
    assert (sum(questions), sum(targets)) == (paper.QUESTIONS, 6025)
    assert sum(targets[1:]) == paper.RECURRING
    for counts, most, total in (
        (questions, paper.MOST_VARIANTS, paper.VARIANTS),
        (targets, paper.MOST_OCCURRENCES, paper.CONSTRAINTS),
    ):
        least = sum(count * low for count, (low, _) in zip(counts, BANDS, strict=True))
        greatest = sum(count * (high or most) for count, (_, high) in zip(counts, BANDS, strict=True))
        assert least <= total <= greatest


@per_model
def test_eligible_targets_are_among_the_recurring(model):
    """A target recurs for every model or none; at K = 1 those that oppose the model's baseline are eligible."""
    single, coverage = paper.TABLE_A8[model][1][0], paper.TABLE_A8[model][2][0]
    assert single < paper.RECURRING
    assert single * coverage < paper.CONSTRAINTS - 3008


def test_opposed_items_of_the_composition_study():
    """Qwen3.6-27B's opposed items: those of eligible single targets, and of opposed targets that occur once."""
    _, (single, *_), (coverage, *_) = paper.TABLE_A8["Qwen3.6-27B"]
    once = paper.OPPOSED_ITEMS - single * coverage
    assert 0 < once < 3008
