"""data/reform_mini: what it holds, that every witness is one, and that the command makes it again."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scopeif.constraints.spec import Spec
from scopeif.errors import ConfigError, DataError
from scopeif.reformbench import in_training
from scopeif.reformbench.app import app
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.calibration.file import read_calibrated
from scopeif.reformbench.calibration.measured import fully_measurable, measured
from scopeif.reformbench.construction.languages import language_of
from scopeif.reformbench.construction.residual import residual
from scopeif.reformbench.judging.third_opinion import opinion
from scopeif.reformbench.mini.answers import plain_answers, questions
from scopeif.reformbench.mini.make import make
from scopeif.reformbench.mini.witness import witness_of
from scopeif.reformbench.models import text_hash
from scopeif.reformbench.scoring.links import is_opposed

ROOT = Path(__file__).parents[2]
MINI = Path("data/reform_mini")
MODEL = "smollm2_135m"
EXAMPLE = ROOT / MINI / "examples" / MODEL


@pytest.fixture(scope="module")
def benchmark():
    return BenchmarkDir(ROOT / MINI)


def test_the_questions():
    rows = questions()
    assert Counter(one.language for one in rows) == {"en": 20, "zh": 20}
    assert min(Counter(one.task for one in rows).values()) >= 5
    assert len({one.task for one in rows}) == 7
    assert set(Counter(one.domain for one in rows).values()) == {4}
    assert {one.licence for one in rows} == {"Apache-2.0"}
    assert len({one.text for one in rows}) == len({one.id for one in rows}) == 40
    for one in rows:
        assert residual(one.text) == (), one.id
        assert language_of(one.text) == one.language


def test_every_question_has_a_plain_answer():
    assert plain_answers().keys() == {one.id for one in questions()}


def test_the_variants(benchmark):
    variants = benchmark.variants().values()
    assert set(Counter(one.question for one in variants).values()) == {5}
    assert len(variants) == 200
    assert all(fully_measurable(one) for one in variants)


def test_targets_recur_opposed_and_aligned(benchmark):
    """For the model whose responses the plan is made from, which has a baseline of every question."""
    features = {row.question: frozenset(row.features) for row in benchmark.baselines() if row.model == MODEL}
    assert features.keys() == benchmark.questions().keys()
    targets = Counter(
        (variant.question, one.feature, one.mode)
        for variant in benchmark.variants().values()
        for one in variant.requirements
    )
    for question in features:
        assert max(count for (of, _, _), count in targets.items() if of == question) >= 2
    opposed = [
        is_opposed(one, features[variant.question])
        for variant in benchmark.variants().values()
        for one in variant.requirements
    ]
    assert 0.3 < sum(opposed) / len(opposed) < 0.7


def test_every_witness_satisfies_all_three_specs(benchmark):
    for variant in benchmark.variants().values():
        assert variant.witness
        assert [opinion(one, variant.witness) for one in variant.requirements] == [1, 1, 1], variant.id
        assert variant.provenance["satisfiability"]["witness_hash"] == text_hash(variant.witness)


def test_a_witness_that_fails_is_an_error(benchmark):
    """Whatever the builder does not know to write is no witness."""
    variant = next(iter(benchmark.variants().values()))
    long = {
        "object": "words",
        "measure": {"kind": "length", "unit": "word"},
        "range": {"kind": "bounds", "lower": 9999},
    }
    never = variant.requirements[0].model_copy(update={"spec": Spec.model_validate({"clauses": [long]})})
    with pytest.raises(DataError, match="requirement 1, "):
        witness_of(variant.model_copy(update={"requirements": (never, *variant.requirements[1:])}), "en")


def test_the_command_makes_the_same_bytes(tmp_path, monkeypatch):
    """Of everything but the examples, from the config, the questions and the model's responses."""
    shutil.copytree(ROOT / MINI, tmp_path / "before")
    again = tmp_path / MINI
    for name in ("build.yaml", f"responses/unconstrained/{MODEL}.jsonl"):
        (again / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / MINI / name, again / name)
    source = Path("scopeif/reformbench/mini/questions.jsonl")
    (tmp_path / source).parent.mkdir(parents=True)
    shutil.copyfile(ROOT / source, tmp_path / source)
    monkeypatch.chdir(tmp_path)
    report = make(MINI / "build.yaml")
    assert not report.waiting
    made = {str(path.relative_to(again)): path.read_bytes() for path in again.rglob("*") if path.is_file()}
    assert {"questions.jsonl", "variants.jsonl", "witnesses.jsonl", "manifest.json"} <= made.keys()
    for name, content in made.items():
        assert content == (ROOT / MINI / name).read_bytes(), f"{name}: give python -m scopeif.reformbench.mini"


def test_a_config_without_witnesses_is_refused(tmp_path):
    config = tmp_path / "build.yaml"
    config.write_text("questions: [q.jsonl]\ncomposition: {composer: offline}\n")
    with pytest.raises(ConfigError, match="witnesses"):
        make(config)


def test_the_example_is_of_these_variants(benchmark):
    """The labels are what measuring says of the responses that are there, and the scores follow from them."""
    responses = benchmark.responses("variant", MODEL)
    variants = benchmark.variants()
    assert [one.item for one in responses] == list(variants)
    assert all(one.prompt_hash == text_hash(variants[one.item].instruction) for one in responses)
    stored = read_calibrated(ROOT / MINI / "measured" / "variant" / "probabilities.jsonl")
    assert measured(variants.values(), responses) == stored


def test_the_examples_scores_follow(benchmark):
    arguments = [
        "score",
        str(ROOT / MINI),
        "--judging",
        str(ROOT / MINI / "measured"),
        "--json",
        "--exclude-unverified",
    ]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == json.loads((EXAMPLE / "scores.json").read_text(encoding="utf-8"))


def test_training_scores_these_responses_the_same(benchmark):
    """The way through validation rows and measured baselines comes to the figures of `measure` and `score`."""
    texts = {one.item: one.text for one in benchmark.responses("variant", MODEL)}
    texts |= {f"{one.item}/unconstrained": one.text for one in benchmark.responses("unconstrained", MODEL)}
    rows = in_training.validation_rows(ROOT / MINI / "variants.jsonl")
    outcomes = [in_training.scored_row(row.text, texts[row.id]) for row in rows]
    found = in_training.validation_scores(outcomes, in_training.base_of(outcomes))
    scores = json.loads((EXAMPLE / "scores.json").read_text(encoding="utf-8"))["models"][MODEL]
    assert (found["tcpr"], found["emcr"]) == (scores["tcpr"], scores["emcr"])
    for level, one in scores["levels"].items():
        assert (found[f"k{level}"], found[f"k{level}_units"]) == (one["correction_rate"], one["eligible_units"])
