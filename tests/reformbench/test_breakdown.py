"""Tables over models by task, and eligible units."""

import pytest

from scopeif.errors import DataError
from scopeif.reformbench.metrics import score, score_by
from scopeif.reformbench.scoring.breakdown import eligibility_row, eligible_cells, task_rows
from tests.reformbench.scored import made, relabelled


def test_tables_by_task():
    first = made(questions=12, chance=0.9, model="m1")
    models = {"m1": first, "m2": relabelled(first, 5, 0.5, "m2")}
    tasks = {question: "odd" if int(question[1:]) % 2 else "even" for question in first.baseline_features}
    scores = {name: score_by(one, tasks) for name, one in models.items()}
    rows = task_rows(scores)
    assert {row.task: (row.questions, row.variants) for row in rows} == {"odd": (6, 36), "even": (6, 36)}
    for row in rows:
        pair = [scores[name][row.task] for name in models]
        assert row.tcpr == pytest.approx((pair[0].tcpr + pair[1].tcpr) / 2)
        assert row.highest_emcr == max(one.emcr for one in pair)
        assert row.models == ("m1",)
    assert rows[0].tcpr >= rows[1].tcpr
    cells = eligible_cells(scores)["m1"]
    whole = score(first)
    assert tuple(map(sum, zip(*cells.values(), strict=True))) == whole.eligible_units
    row = eligibility_row(first, whole)
    assert (row.model, row.positive_annotations, tuple(row.units.values())) == ("m1", 48, whole.eligible_units)
    assert row.coverage[2] == whole.levels[2].mean_variant_coverage


def test_models_with_other_tasks_make_no_table():
    scores = {"m1": score_by(made(questions=2), {"q0": "a", "q1": "a"}),
              "m2": score_by(made(questions=2), {"q0": "a", "q1": "b"})}  # fmt: skip
    with pytest.raises(DataError, match="'m2'"):
        task_rows(scores)


def test_a_task_whose_emcr_is_undefined_for_a_model_has_no_mean():
    scores = {"m1": score_by(made(questions=2, variants=1), {"q0": "a", "q1": "a"})}
    (row,) = task_rows(scores)
    assert (row.emcr, row.highest_emcr, row.models) == (None, None, ())
    assert 0 < row.tcpr < 1
