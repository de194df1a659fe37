"""Whole constructions on the scripted server: what every stage keeps, leaves out and says about it."""

import json
import shutil
from collections import Counter

import pytest
from typer import Typer
from typer.testing import CliRunner

from scopeif.errors import ConfigError, DataError, JudgeError
from scopeif.reformbench.baseline import Baseline, Extraction
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.build_settings import read_settings
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.commands.build import build as command
from scopeif.reformbench.construction.build import STAGES
from scopeif.reformbench.construction.screening import Score
from scopeif.reformbench.construction.stage import LeftOut, read_rows
from scopeif.reformbench.construction.witnessing import Review
from scopeif.reformbench.models import Annotation, Question, Response, Variant, text_hash
from tests.judge.server import Reply
from tests.reformbench import scripted_models
from tests.reformbench.constructions import (
    RETAINED,
    VARIANTS,
    Models,
    results,
    run,
    settings_of,
    write_inputs,
    write_lines,
)


@pytest.fixture(scope="module")
def models():
    with Models() as models:
        yield models


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return write_inputs(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="module")
def made(models, inputs, tmp_path_factory):
    """A whole construction: its folder and its report."""
    out = tmp_path_factory.mktemp("made")
    return out, run(out, settings_of(inputs, models.url))


def _rows(made, stage, file, model):
    return read_rows(made[0] / stage / file, model)


def test_requirements_are_removed_or_the_question_is_left_out_with_its_reason(made):
    first, second, third = _rows(made, "02_removal", "questions.jsonl", Question)
    assert (first.text, first.original) == (
        "How does a heat pump work?",
        "How does a heat pump work? Answer in bullet points.",
    )
    assert first.provenance["removal"]["from"] == text_hash(first.original)
    assert (second.original, third.original) == (None, None)
    (left,) = _rows(made, "02_removal", "left_out.jsonl", LeftOut)
    assert (left.id, left.reason) == ("q4", "residual requirement (model)")
    assert "in bullet points" in left.detail
    assert left.record["original"].startswith("Compare hydrofoils")


def test_a_question_that_fails_its_checks_is_tried_again_with_what_was_wrong(models, inputs, tmp_path, monkeypatch):
    told, quoted = [], []

    def remove(text, request):
        question = scripted_models.part(text, "question")
        told.append("What was wrong with it: the place is gone" in text)
        if "Lisbon" in question:
            return {"question": question if told[-1] else "Plan a weekend."}
        return {"question": "Why is the sea salt?" if "海水" in question else question.partition(" Answer in")[0]}

    def check(text, request):
        kept = scripted_models.part(text, "second version") != "Plan a weekend."
        return {"task_preserved": kept, "constraints_removed": True, "reason": "" if kept else "the place is gone"}

    def residual(text, request):
        if "heat pump" not in text:
            return {"residual": []}
        quoted.append(len(request["messages"]))
        return {"residual": ["in verse" if len(quoted) == 1 else "How does"]}

    for name, function in (("_remove", remove), ("_removal_check", check), ("_residual", residual)):
        monkeypatch.setattr(scripted_models, name, function)
    run(tmp_path, settings_of(inputs, models.url), "removal")
    kept = read_rows(tmp_path / "02_removal" / "questions.jsonl", Question)
    assert [(one.id, one.original) for one in kept] == [
        ("q2", None),
        ("q4", "Compare hydrofoils and catamarans. Answer in bullet points."),
    ]
    assert sum(told) == 1
    left = {one.id: (one.reason, one.detail) for one in read_rows(tmp_path / "02_removal" / "left_out.jsonl", LeftOut)}
    assert left["q1"] == ("residual requirement (model)", "'How does'")
    assert quoted[:2] == [1, 3]  # words that do not stand in the question are asked for again
    assert left["q3"] == ("task not preserved", "it is in another language")


def test_what_the_rules_find_is_for_the_checker_to_decide(models, inputs, tmp_path, monkeypatch):
    monkeypatch.setattr(scripted_models, "_residual", lambda text, request: {"residual": []})
    run(tmp_path, settings_of(inputs, models.url), "removal")
    kept = {one.id: one for one in read_rows(tmp_path / "02_removal" / "questions.jsonl", Question)}
    assert kept["q4"].provenance["removal"]["rules"] == ["Answer in bullet points"]
    assert kept["q2"].provenance["removal"]["rules"] == "no hit"


def test_flagged_text_is_withheld_until_somebody_decides(models, inputs, tmp_path):
    rows = [json.loads(line) for line in (inputs / "questions.jsonl").read_text().splitlines()]
    rows[1]["text"] += " Send it to ana@example.org."
    path = write_lines(tmp_path / "questions.jsonl", rows)
    settings = settings_of(inputs, models.url, questions=[str(path)])
    report = run(tmp_path / "out", settings)
    withheld = report.stages["10_release"].left_out["flag undecided"]
    assert f"{withheld} records are withheld" in report.waiting
    assert set(BenchmarkDir(tmp_path / "out" / "benchmark").questions()) == {"q1"}
    (flag,) = (json.loads(line) for line in (tmp_path / "out" / "10_release" / "flags.jsonl").read_text().splitlines())
    decision = {"flag": flag["flag"], "decision": "keep", "by": "me"}
    settings["release"] = {"decisions": str(write_lines(tmp_path / "decisions.jsonl", [decision]))}
    assert run(tmp_path / "out", settings).waiting == ""
    assert set(BenchmarkDir(tmp_path / "out" / "benchmark").questions()) == {"q1", "q2"}


def test_unconstrained_responses_are_kept_as_they_are(made):
    responses = _rows(made, "03_baselines", "responses.jsonl", Response)
    assert [(one.model, one.item) for one in responses] == [
        (model, item) for model in ("alpha", "betatron") for item in ("q1", "q2", "q3")
    ]
    assert {(one.model, one.truncated) for one in responses} == {("alpha", False), ("betatron", True)}


def test_annotations_come_from_core_labels_and_mapped_extractions_each_feature_once(made):
    annotations = _rows(made, "04_annotation", "annotations.jsonl", Annotation)
    responses = {one.id: one for one in _rows(made, "03_baselines", "responses.jsonl", Response)}
    assert Counter((one.response, one.feature) for one in annotations).most_common(1)[0][1] == 1
    assert all(one.response_hash == responses[one.response].hash for one in annotations)
    of_first = {one.feature: one.origin for one in annotations if (one.model, one.question) == ("alpha", "q1")}
    assert of_first == {"bullet_list": "core", "summary_and_closure": "core", "nested_list": "open"}
    of_other = {one.feature: one.origin for one in annotations if (one.model, one.question) == ("betatron", "q1")}
    assert of_other == {"line_breaks_and_spacing": "core", "bullet_list": "open", "nested_list": "open"}
    baselines = _rows(made, "04_annotation", "baselines.jsonl", Baseline)
    assert {frozenset(one.features) for one in baselines} == {frozenset(of_first), frozenset(of_other)}
    extractions = _rows(made, "04_annotation", "extractions.jsonl", Extraction)
    assert Counter(one.mapping for one in extractions) == {"composite": 6, "uncovered": 6, "not_format": 6}
    assert {one.features for one in extractions if one.mapping == "composite"} == {("bullet_list", "nested_list")}


def test_variants_recombine_targets_of_three_categories(made):
    variants = _rows(made, "05_composition", "variants.jsonl", Variant)
    assert len(variants) == 3 * VARIANTS
    assert {one.question for one in variants if one.instruction.endswith("Please.")} == {"q1"}
    for variant in variants:
        assert variant.provenance["composition"]["instruction_hash"] == text_hash(variant.instruction)
        assert all(requirement.text in variant.instruction for requirement in variant.requirements)
    occurrences = Counter((one.question, r.mode, r.feature) for one in variants for r in one.requirements)
    assert sum(count >= 2 for count in occurrences.values()) >= 0.7 * len(occurrences)
    opposed = [flag for one in variants for flag in one.provenance["plan"]["opposed"]]
    assert {True, False} == set(opposed)


def test_screening_retains_the_lowest_means_of_products(made):
    scores = _rows(made, "08_screening", "scores.jsonl", Score)
    variants = _rows(made, "08_screening", "variants.jsonl", Variant)

    def product(model, variant):
        values = [((int(variant[-2:]) * 7 + position * 3 + len(model)) % 10) / 10 for position in range(3)]
        return values[0] * values[1] * values[2]

    for score in scores:
        expected = (product("alpha", score.variant) + product("betatron", score.variant)) / 2
        assert score.score == pytest.approx(expected, abs=1e-12)
    assert [(one.score, one.variant) for one in scores] == sorted((one.score, one.variant) for one in scores)
    assert {one.id for one in variants} == {one.variant for one in scores[:RETAINED]}


def test_every_retained_variant_has_a_verified_witness_or_is_left_out(made):
    variants = _rows(made, "09_satisfiability", "variants.jsonl", Variant)
    left = _rows(made, "09_satisfiability", "left_out.jsonl", LeftOut)
    reviews = _rows(made, "09_satisfiability", "reviews.jsonl", Review)
    assert len(variants) + len(left) == RETAINED
    assert {one.id[:2] for one in left} == {"q3"}
    before = {one.id: one for one in _rows(made, "08_screening", "variants.jsonl", Variant)}
    rounds = Counter()
    for variant in variants:
        review = variant.provenance["satisfiability"]
        rounds[review["round"]] += 1
        mine = [one for one in reviews if (one.variant, one.round) == (variant.id, review["round"])]
        assert [one.position for one in mine if one.verified] == [0, 1, 2]
        old = before[variant.id].requirements
        for position, new in enumerate(variant.requirements):
            if new.acceptance != old[position].acceptance:
                assert new.acceptance == f"{old[position].acceptance} A heading counts whatever its level."
                assert review["clarified"] == {str(position): text_hash(old[position].acceptance)}
    assert set(rounds) == {1, 2}
    for one in left:
        assert (one.reason, one.detail) == ("no answer satisfies it", "requirement 2: not seen")


def _without(made, stage, out):
    """A copy of a construction as it was before a stage."""
    shutil.copytree(made[0], out, dirs_exist_ok=True)
    for name in STAGES[STAGES.index(stage) :]:
        shutil.rmtree(out / name)


@pytest.mark.parametrize(
    "answer,reason,detail",
    [
        ({"task_preserved": True, "included": [True] * 3, "compatible": False, "reason": "no"}, "not compatible", "no"),
        (
            {"task_preserved": False, "included": [True] * 3, "compatible": True, "reason": "x"},
            "task not preserved",
            "x",
        ),
        ({"task_preserved": True, "included": [True, False, False], "compatible": True}, "not included", "2, 3"),
        ({"task_preserved": True, "included": [True], "compatible": True}, "no usable answer", "has 1 values, not 3"),
        ("I cannot say.", "no usable answer", "no JSON object"),
    ],
)
def test_an_instruction_that_fails_its_checks_is_left_out(
    answer, reason, detail, made, models, inputs, tmp_path, monkeypatch
):
    monkeypatch.setattr(scripted_models, "_compose_check", lambda text, request: answer)
    _without(made, "05_composition", tmp_path)
    report = run(tmp_path, settings_of(inputs, models.url), "composition")
    left = read_rows(tmp_path / "05_composition" / "left_out.jsonl", LeftOut)
    assert report.stages["05_composition"].counts == {"variants.jsonl": 0}
    assert len(left) == 3 * VARIANTS
    assert all(reason in one.reason and detail in one.detail for one in left)
    assert all(len(one.record["targets"]) == 3 and one.record["instruction"] for one in left)


@pytest.mark.parametrize(
    "name,answer,detail",
    [
        ("_witness", Reply("half", finish_reason="length"), "witness: the answer was cut off at the token limit"),
        (
            "_verify",
            {"labels": [{"number": 1, "label": 1}]},
            "verification: give one label for each number from 1 to 3",
        ),
        ("_verify", {"labels": [{"number": 1, "label": 0.5}]}, "verification: labels.0.label"),
        ("_clarify", {"clarifications": [{"number": 4, "text": "x"}]}, "clarification: clarifications.0.number"),
    ],
)
def test_a_review_without_a_usable_answer_releases_nothing(
    name, answer, detail, made, models, inputs, tmp_path, monkeypatch
):
    monkeypatch.setattr(scripted_models, name, lambda text, request: answer)
    _without(made, "09_satisfiability", tmp_path)
    run(tmp_path, settings_of(inputs, models.url), "satisfiability")
    left = read_rows(tmp_path / "09_satisfiability" / "left_out.jsonl", LeftOut)
    unusable = [one for one in left if one.reason == "no usable answer"]
    assert unusable
    assert all(one.detail.startswith(detail) for one in unusable)
    if name != "_clarify":
        assert len(unusable) == RETAINED


def test_the_benchmark_holds_what_is_left_and_says_where_it_comes_from(made):
    folder = BenchmarkDir(made[0] / "benchmark")
    variants, questions = folder.variants(), folder.questions()
    assert set(variants) == {one.id for one in _rows(made, "09_satisfiability", "variants.jsonl", Variant)}
    assert {one.question for one in variants.values()} == set(questions)
    assert {one.question for one in folder.annotations()} == set(questions)
    assert len(folder.responses("unconstrained", "alpha")) == len(questions)
    manifest = json.loads((folder.path / "manifest.json").read_text())
    assert manifest["sources"] == {"own (CC0-1.0)": len(questions)}
    assert len(manifest["made_by"]) == 10
    assert manifest["made_by"]["02_removal"]["left_out"] == {"residual requirement (model)": 1}


def test_a_finished_construction_asks_nothing(made, models, inputs):
    before, asked = results(made[0]), sum(models.asked.values())
    run(made[0], settings_of(inputs, models.url))
    assert results(made[0]) == before
    assert sum(models.asked.values()) == asked


def test_concurrency_changes_no_result(made, models, inputs, tmp_path):
    run(tmp_path, settings_of(inputs, models.url, concurrency=8))
    assert results(tmp_path) == results(made[0])


@pytest.mark.parametrize(
    "changes,stage,told",
    [
        ({"removal": {"rounds": 1}}, "02_removal", "rounds was 2, is 1"),
        ({"seed": 8}, "05_composition", "seed was 7, is 8"),
        ({"satisfiability": {"rounds": 1}}, "09_satisfiability", "rounds was 2, is 1"),
    ],
)
def test_going_on_under_other_settings_is_refused(changes, stage, told, made, models, inputs):
    with pytest.raises(ConfigError) as caught:
        run(made[0], settings_of(inputs, models.url, **changes))
    assert told in caught.value.message
    assert stage in caught.value.place


def test_a_file_that_was_changed_is_refused(models, inputs, tmp_path):
    run(tmp_path, settings_of(inputs, models.url), "removal")
    path = tmp_path / "02_removal" / "questions.jsonl"
    path.write_text(path.read_text().replace("Lisbon", "Porto"))
    with pytest.raises(DataError, match="not as the stage left it"):
        run(tmp_path, settings_of(inputs, models.url), "removal")


@pytest.mark.parametrize("content", ["{}", "[", '{"stage": 1}'])
def test_a_broken_manifest_and_a_missing_file_are_errors_with_their_place(content, models, inputs, tmp_path):
    settings = settings_of(inputs, models.url, responses=[str(tmp_path / "none.jsonl")])
    run(tmp_path / "out", settings, "removal")
    with pytest.raises(DataError, match=r"none\.jsonl: cannot be read"):
        run(tmp_path / "out", settings, "baselines")
    (tmp_path / "out" / "02_removal" / "manifest.json").write_text(content)
    with pytest.raises(DataError, match="no manifest"):
        run(tmp_path / "out", settings, "removal")


def test_screening_waits_for_calibrated_probabilities(models, inputs, tmp_path):
    settings = settings_of(inputs, models.url, screening={"retain": RETAINED})
    report = run(tmp_path, settings)
    assert "scopeif reformbench calibrate" in report.waiting
    assert list(report.stages)[-1] == "07_answers"
    answers = read_rows(tmp_path / "07_answers" / "responses.jsonl", Response)
    assert len(answers) == 2 * report.stages["06_checks"].counts["variants.jsonl"]
    settings["screening"]["probabilities"] = str(inputs / "probabilities.jsonl")
    report = run(tmp_path, settings, "screening")
    assert report.stages["08_screening"].counts["variants.jsonl"] == RETAINED


def test_nothing_is_screened_out_where_no_more_are_there_than_retained(models, inputs, tmp_path):
    settings = settings_of(inputs, models.url, screening={"retain": 500})
    models.forget()
    report = run(tmp_path, settings, "screening")
    assert report.stages["08_screening"].left_out == {}
    assert models.kinds["answer"] == 6  # the baselines alone


def test_a_response_whose_annotation_is_unusable_has_no_baseline(models, inputs, tmp_path, monkeypatch):
    answer = scripted_models._core

    def broken(text, request):
        return {"present": [{"label": "no_such_label"}]} if "First paragraph" in text else answer(text, request)

    monkeypatch.setattr(scripted_models, "_core", broken)
    run(tmp_path, settings_of(inputs, models.url), "annotation")
    left = read_rows(tmp_path / "04_annotation" / "left_out.jsonl", LeftOut)
    assert [one.reason for one in left] == ["unverified"] * 3
    assert all("'no_such_label' is no label" in one.detail for one in left)
    baselines = read_rows(tmp_path / "04_annotation" / "baselines.jsonl", Baseline)
    assert {one.model for one in baselines} == {"alpha"}
    annotations = read_rows(tmp_path / "04_annotation" / "annotations.jsonl", Annotation)
    assert {one.model for one in annotations} == {"alpha"}


def test_a_silent_server_stops_the_stage_and_decides_nothing(models, inputs, tmp_path, monkeypatch):
    down = {"hold": True}

    def residual(text, request):
        return Reply(status=503) if down["hold"] and "Lisbon" in text else {"residual": []}

    monkeypatch.setattr(scripted_models, "_residual", residual)
    settings = settings_of(inputs, models.url)
    settings["writer"] = {**settings["writer"], "retries": 0, "outage_patience_s": 0.0}
    models.forget()
    with pytest.raises(JudgeError, match="goes on where it stopped"):
        run(tmp_path, settings, "removal")
    assert not (tmp_path / "02_removal" / "manifest.json").exists()
    down["hold"] = False
    before = dict(models.asked)
    run(tmp_path, settings, "removal")
    again = [key for key, count in models.asked.items() if count > 1]
    assert len(again) == 1  # what was not answered
    assert before


def test_a_model_that_refuses_everything_is_no_reason_to_leave_anything_out(models, inputs, tmp_path, monkeypatch):
    refusal = Reply(status=400, body=b'{"error": {"message": "unknown field top_q"}}')
    monkeypatch.setattr(scripted_models, "_remove", lambda text, request: refusal)
    with pytest.raises(JudgeError, match=r"(?s)every request is refused.*top_q"):
        run(tmp_path, settings_of(inputs, models.url), "removal")
    assert not (tmp_path / "02_removal" / "manifest.json").exists()


def _given(questions):
    """Responses that somebody made before, to questions as they stand in a file."""
    return [
        Response(
            id=f"r{n}",
            model="m",
            kind="unconstrained",
            item=one["id"],
            prompt_hash=text_hash(one["text"]),
            text="- one\n- two\n- three",
        )
        for n, one in enumerate(questions)
    ]


def test_given_responses_to_another_text_are_left_out(models, inputs, tmp_path):
    questions = [json.loads(line) for line in (inputs / "questions.jsonl").read_text().splitlines()]
    given = [
        one.model_dump(mode="json") for one in _given(questions[:3])
    ]  # the first has a requirement that is removed
    settings = settings_of(inputs, models.url, models=[], responses=[str(write_lines(tmp_path / "r.jsonl", given))])
    report = run(tmp_path / "out", settings, "baselines")
    assert report.stages["03_baselines"].counts == {"responses.jsonl": 2}
    assert report.stages["03_baselines"].left_out == {"answers another text": 1}


def test_an_offline_construction_needs_no_model(inputs, tmp_path):
    questions = [json.loads(line) for line in (inputs / "questions.jsonl").read_text().splitlines()][1:3]
    source = write_lines(tmp_path / "questions.jsonl", questions)
    given = write_lines(tmp_path / "responses.jsonl", [one.model_dump(mode="json") for one in _given(questions)])
    settings = {
        "questions": [str(source)],
        "responses": [str(given)],
        "composition": {"composer": "offline", "variants": 6},
    }
    report = run(tmp_path / "out", settings)
    assert report.stages["04_annotation"].counts["baselines.jsonl"] == 2
    annotations = read_rows(tmp_path / "out" / "04_annotation" / "annotations.jsonl", Annotation)
    assert {one.origin for one in annotations} == {"compiled"}
    assert "bullet_list" in {one.feature for one in annotations}
    variants = read_rows(tmp_path / "out" / "06_checks" / "variants.jsonl", Variant)
    assert len(variants) == 12
    assert report.stages["09_satisfiability"].left_out == {"no witness answer": 12}
    witnesses = [{"variant": one.id, "text": "- one\n- two", "by": "author"} for one in variants]
    settings["satisfiability"] = {"witnesses": str(write_lines(tmp_path / "witnesses.jsonl", witnesses))}
    report = run(tmp_path / "other", settings)
    reviews = read_rows(tmp_path / "other" / "09_satisfiability" / "reviews.jsonl", Review)
    assert {one.judged for one in reviews} == {None}
    assert {0, 1} <= {one.measured for one in reviews}
    again = run(tmp_path / "again", settings)
    assert again.stages == report.stages
    assert results(tmp_path / "again") == results(tmp_path / "other")


@pytest.mark.parametrize(
    "change,told",
    [
        ({"licence": None}, "licence: missing"),
        ({"licence": ""}, "licence: missing"),
        ({"language": "de"}, "language: 'de'"),
        ({"id": "q1"}, "id: 'q1' stands at"),
    ],
)
def test_a_bad_question_is_an_error_with_its_place(change, told, models, inputs, tmp_path):
    rows = [json.loads(line) for line in (inputs / "questions.jsonl").read_text().splitlines()]
    rows[2] = {key: value for key, value in {**rows[2], **change}.items() if value is not None}
    path = write_lines(tmp_path / "questions.jsonl", rows)
    with pytest.raises(DataError) as caught:
        run(tmp_path / "out", settings_of(inputs, models.url, questions=[str(path)]), "questions")
    assert caught.value.place == f"{path}:3"
    assert told in caught.value.message


def test_questions_that_differ_in_a_mark_are_two(inputs, tmp_path):
    row = json.loads((inputs / "questions.jsonl").read_text().splitlines()[0])
    texts = ["What is C?", "What is C++?", "What is C#?", "Is -5 > 3?", "Is 5 > 3?", "ＷＨＡＴ  is\nc?"]
    path = write_lines(tmp_path / "q.jsonl", [{**row, "id": f"q{n}", "text": text} for n, text in enumerate(texts)])
    settings = {"questions": [str(path)], "composition": {"composer": "offline"}}
    run(tmp_path / "out", settings, "questions")
    (left,) = read_rows(tmp_path / "out" / "01_questions" / "left_out.jsonl", LeftOut)
    assert (left.id, left.detail) == ("q5", "the same text as 'q0'")


def test_a_question_that_was_there_before_is_left_out(models, inputs, tmp_path):
    rows = [json.loads(line) for line in (inputs / "questions.jsonl").read_text().splitlines()]
    rows.append({**rows[1], "id": "q9", "text": rows[1]["text"].upper()})
    path = write_lines(tmp_path / "questions.jsonl", rows)
    run(tmp_path / "out", settings_of(inputs, models.url, questions=[str(path)]), "questions")
    (left,) = read_rows(tmp_path / "out" / "01_questions" / "left_out.jsonl", LeftOut)
    assert (left.id, left.reason, left.detail) == ("q9", "duplicate", "the same text as 'q2'")


def _invoke(*arguments):
    app = Typer()
    app.command()(command)
    app.command("other")(lambda: None)  # a lone command would have no name
    return CliRunner().invoke(app, ["build", *map(str, arguments)])


def test_the_command_counts_what_was_kept_and_left_out(models, inputs, tmp_path):
    config = tmp_path / "build.yaml"
    config.write_text(json.dumps(settings_of(inputs, models.url)))
    done = _invoke(config, tmp_path / "out", "--until", "removal")
    assert done.exit_code == 0, done.output
    assert "3 questions" in done.output
    assert "1 residual requirement (model)" in done.output
    assert _invoke(config, tmp_path / "out", "--until", "cleaning").exit_code == 2
    for place in (config, config / "out"):
        done = _invoke(config, place)
        assert (done.exit_code, done.stderr.startswith(f"error: {place}: cannot be written")) == (2, True)
    config.write_text(json.dumps(settings_of(inputs, models.url, screening={"retain": 1})))
    assert _invoke(config, tmp_path / "out").exit_code == 3


@pytest.mark.parametrize(
    "text,told",
    [
        ("questions: [q.jsonl]\nwritter: {}", "unknown key (did you mean 'writer'?)"),
        ("questions: [q.jsonl]\nmodels: [{model: m, endpoints: [http://a/v1], nam: x}]", "did you mean 'name'?"),
        ("questions: [q.jsonl]", "without one set it to offline"),
        ("questions: []", "questions"),
        ("question: [q]\ncomposition: {composer: offline}", "question: unknown key (did you mean 'questions'?)"),
        (
            "questions: [q]\ncomposition: {variants: '8'}",
            "composition.variants: Input should be a valid integer, not '8'",
        ),
        ("questions: [q]\nscreening: {retain: yes}", "screening.retain: Input should be a valid integer, not True"),
        ("questions: [q]\nannotation: {measured: 1}", "annotation.measured: Input should be a valid boolean, not 1"),
        ("questions: [q]\nwriter: {model: m, endpoints: 7}", "writer.endpoints: Input should be a list, not 7"),
        (
            "questions: [q]\nmodels: [{model: a/m, endpoints: [http://a/v1]}, {model: a_m, endpoints: [http://a/v1]}]",
            "the models 'a/m' and 'a_m' share a file",
        ),
        ("[]", "holds no settings"),
        (
            "questions: [q]\ncomposition: {composer: offline}\nscreening: {models: [m]}",
            "screening.models: 'm' is not among models",
        ),
    ],
)
def test_settings_that_are_wrong_are_refused_with_their_key(text, told, tmp_path):
    path = tmp_path / "build.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_settings(path)
    assert told in str(caught.value)


def test_an_unknown_feature_in_the_settings_is_refused(models, inputs, tmp_path):
    settings = settings_of(inputs, models.url, composition={"features": ["bulet_list"]})
    with pytest.raises(ConfigError, match="did you mean 'bullet_list'"):
        run(tmp_path, settings)
    assert "bullet_list" in {one.id for one in catalog().features}
