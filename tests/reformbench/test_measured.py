"""Labels and baselines by measuring alone: they are of a calibration of their own, and no judge's."""

import asyncio

import pytest
import typer
from typer.testing import CliRunner

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.baseline import Baseline
from scopeif.reformbench.calibration.calibration import Calibrated, require_same_calibration, scored
from scopeif.reformbench.calibration.file import read_calibrated
from scopeif.reformbench.calibration.measured import (
    added,
    fully_measurable,
    measured,
    measured_baselines,
    not_looked_for,
)
from scopeif.reformbench.commands.measure import measure
from scopeif.reformbench.construction.stage import write_rows
from scopeif.reformbench.metrics import score
from tests.reformbench import measurable
from tests.reformbench.measurable import LISTED, PLAIN, VARIANTS, response, variant

HEADED = "## Sow\n\nNow.\n\n## Water\n\nLater."


def labels(*responses, variants=VARIANTS):
    found = measured(variants, responses).probabilities
    return [found[instance].value for instance in sorted(found)]


def test_a_response_is_labelled_by_the_specs():
    assert labels(response("v1", HEADED)) == [1, 1, 1]
    assert labels(response("v1", LISTED)) == [0, 0, 1]
    assert labels(response("v1", "**Now** sow.")) == [1, 0, 0]


def test_what_cannot_be_measured_is_unverified_and_no_label():
    unmeasured = variant("v4", measurable.NO_BULLETS, measurable.HEADINGS, measurable.UNMEASURED)
    assert labels(response("v4", HEADED), variants=[unmeasured]) == [1, 1, None]
    assert fully_measurable(VARIANTS[0])
    assert not fully_measurable(unmeasured)


def test_a_response_to_one_requirement_is_labelled_on_that_one():
    found = measured(VARIANTS, [response("v1", LISTED, kind="single", position=2)]).probabilities
    assert [(instance.position, one.value) for instance, one in found.items()] == [(2, 1)]


@pytest.mark.parametrize(
    "given, said",
    [(response("v9", PLAIN), "unknown variant 'v9'"), (response("q", PLAIN, kind="unconstrained"), "unconstrained")],
)
def test_a_response_that_answers_no_variant_is_refused(given, said):
    with pytest.raises(DataError, match=said):
        measured(VARIANTS, [given])


def test_measured_labels_are_never_compared_with_those_of_judges():
    ours = measured(VARIANTS, [response("v1", HEADED)])
    with pytest.raises(InvalidInputError, match="different calibrations"):
        require_same_calibration(ours, Calibrated("stratified; judges a, b", {}, {}))
    with pytest.raises(DataError, match="stratified"):
        added(Calibrated("stratified; judges a, b", {}, {}), ours)


def test_models_are_added_and_one_that_is_measured_again_is_replaced():
    first = measured(VARIANTS, [response("v1", HEADED), response("v1", HEADED, model="other")])
    both = added(first, measured(VARIANTS, [response("v1", LISTED)]))
    assert {(one.model, one.position): known.value for one, known in both.probabilities.items()} == {
        ("other", 0): 1, ("other", 1): 1, ("other", 2): 1, ("mine", 0): 0, ("mine", 1): 0, ("mine", 2): 1,
    }  # fmt: skip


def test_baselines_by_presence_make_the_score():
    (baseline,) = asyncio.run(measured_baselines([response("q", LISTED, kind="unconstrained")]))
    assert "bullet_list" in baseline.features
    assert "section_headings" not in baseline.features
    assert "call_to_action" in baseline.unmeasured
    answers = [response("v1", HEADED), response("v2", LISTED), response("v3", PLAIN)]
    found = score(scored("mine", VARIANTS, measured(VARIANTS, answers), {"q": baseline.features}))
    # opposed: no bullets (v1 to v3) and headings (v1, v2); v2 fails both
    assert found.eligible_units == (2, 1, 0)
    assert (found.tcpr, found.emcr, found.levels[1].correction_rate) == (2 / 3, None, 0)


def test_an_empty_response_has_no_baseline():
    assert asyncio.run(measured_baselines([response("q", "  ", kind="unconstrained")])) == []


def test_features_that_nobody_looked_for_are_named():
    row = {"model": "m", "question": "q", "response": "r", "response_hash": "h", "features": ()}
    baselines = [Baseline(**row, unmeasured=("bullet_list", "call_to_action"))]
    assert not_looked_for(baselines, VARIANTS) == {"bullet_list": 1}


def run(*arguments):
    app = typer.Typer()
    app.command()(measure)
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_the_command_labels_what_is_there(tmp_path):
    measurable.write_benchmark(tmp_path)
    folder = tmp_path / "responses" / "variant"
    folder.mkdir(parents=True)
    for model, text in (("mine", HEADED), ("other", LISTED)):
        write_rows(folder / f"{model}.jsonl", [response(one.id, text, model) for one in VARIANTS])
    done = run(tmp_path, "mine")
    assert (done.exit_code, "9 of 9 requirements satisfied, 0 unverified" in done.output) == (0, True), done.output
    assert "4 of 9" in run(tmp_path, "other").output
    found = read_calibrated(tmp_path / "measured" / "variant" / "probabilities.jsonl")
    assert (found.calibration, found.models(), len(found.probabilities)) == ("measured", ["mine", "other"], 18)


def test_the_command_says_what_stayed_unverified(tmp_path):
    unmeasured = variant("v4", measurable.NO_BULLETS, measurable.HEADINGS, measurable.UNMEASURED)
    measurable.write_benchmark(tmp_path, [unmeasured])
    (tmp_path / "responses" / "variant").mkdir(parents=True)
    write_rows(tmp_path / "responses" / "variant" / "mine.jsonl", [response("v4", HEADED)])
    done = run(tmp_path, "mine", "--out", tmp_path / "p.jsonl")
    assert (done.exit_code, "1 unverified" in done.output) == (3, True)
    assert run(tmp_path, "yours").exit_code == 2
