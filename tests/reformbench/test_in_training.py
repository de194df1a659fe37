"""ReFormBench as a validation: the baseline is the policy's before training, and what is undefined is absent."""

import json
import math

import pytest

from scopeif.errors import ConfigError, DataError
from scopeif.reformbench import in_training
from scopeif.reformbench.baseline import Baseline
from scopeif.reformbench.construction.stage import write_rows
from scopeif.reformbench.in_training import (
    base_of_file,
    checked_row,
    read_base,
    scored_row,
    validation_rows,
    validation_scores,
)
from scopeif.reward import SCHEMES
from scopeif.training.data import check_rows, prepare_files
from scopeif.training.metrics import Sample
from scopeif.training.validation import selected, validation_metrics
from tests.reformbench import measurable
from tests.reformbench.measurable import HEADINGS, LISTED, NO_BULLETS, PLAIN, UNMEASURED, VARIANTS, variant

HEADED = "## Sow\n\nNow.\n\n## Water\n\nLater."


def sample(outcome, fault=None):
    logged = {"answer": "", "format_reward": 1, "format_fault": fault, "constraints": [], "reformbench": outcome}
    info = {"source": "reformbench", "verified": 1, "format_reward": 1, "instruction_id": "i", "response_tokens": 7}
    info |= {"outcome": json.dumps(logged), "scopes": "[]"} | {f"reward_{scheme}": math.nan for scheme in SCHEMES}
    return Sample.read("group", info)


def answered(rows, texts):
    """The samples of a validation; `texts` by id of the row."""
    return [sample(scored_row(row.text, texts[row.id])) for row in rows]


def metrics(samples, folder, step):
    found = validation_metrics(samples, ["reformbench"] * len(samples), folder, step)
    return {name.removeprefix("val/reformbench/"): value for name, value in found.items()}


@pytest.fixture
def rows(tmp_path):
    return validation_rows(measurable.write_benchmark(tmp_path / "benchmark"))


def test_variants_are_asked_and_their_questions(rows):
    assert [row.id for row in rows] == ["v1", "v2", "v3", "q/unconstrained"]
    assert rows[0].prompt == VARIANTS[0].instruction
    assert rows[-1].prompt == measurable.question().text
    assert json.loads(rows[-1].text)["features"] == [
        "bullet_list", "section_headings", "typographic_emphasis", "table_or_grid",
    ]  # fmt: skip
    for row in rows:
        checked_row(row.text, row.id)


def test_variants_that_measuring_cannot_label_take_no_part(tmp_path):
    unmeasured = variant("v4", NO_BULLETS, HEADINGS, UNMEASURED)
    some = validation_rows(measurable.write_benchmark(tmp_path / "some", [*VARIANTS, unmeasured]))
    assert "v4" not in [row.id for row in some]
    with pytest.raises(DataError, match="no variant"):
        validation_rows(measurable.write_benchmark(tmp_path / "none", [unmeasured]))


def test_the_baseline_is_that_of_the_first_validation(rows, tmp_path):
    first = answered(rows, {"v1": LISTED, "v2": HEADED, "v3": HEADED, "q/unconstrained": LISTED})
    before = metrics(first, tmp_path, step=0)
    assert read_base(tmp_path) == {"q": ["bullet_list"]}
    assert (before["tcpr"], before["k1"], before["k2"], before["changed_frac"]) == (2 / 3, 0, 0, 0)
    assert (before["k1_units"], before["k2_units"], before["k3_units"]) == (2, 1, 0)
    later = answered(rows, {"v1": HEADED, "v2": HEADED, "v3": PLAIN, "q/unconstrained": HEADED})
    after = metrics(later, tmp_path, step=20)
    assert read_base(tmp_path) == {"q": ["bullet_list"]}, "later responses are no baseline"
    assert (after["tcpr"], after["k1"], after["k2"], after["changed_frac"]) == (1, 1, 1, 0.5)
    assert after["response_tokens"] == 7


def test_what_is_undefined_is_absent_and_chooses_no_checkpoint(rows, tmp_path):
    samples = answered(rows, dict.fromkeys([row.id for row in rows], PLAIN))
    found = validation_metrics(samples, ["reformbench"] * 4, tmp_path, 0)
    assert "val/reformbench/emcr" not in found, "no unit of three targets"
    assert "val/reformbench/k3" not in found
    assert selected(found, "val/reformbench/emcr") is None
    assert selected(found, "val/reformbench/tcpr") == found["val/reformbench/tcpr"] == 1 / 3
    with pytest.raises(ConfigError, match="val/mine/emcr"):
        selected(found, "val/mine/emcr")


def test_without_a_baseline_there_is_no_correction(rows, tmp_path):
    samples = answered(rows[:3], dict.fromkeys(["v1", "v2", "v3"], PLAIN))
    found = metrics(samples, tmp_path, step=10)
    assert (found["tcpr"], found["variants"]) == (1 / 3, 3)
    assert not {"emcr", "k1", "k1_units", "changed_frac"} & found.keys()
    empty = answered(rows, {"v1": PLAIN, "v2": PLAIN, "v3": PLAIN, "q/unconstrained": ""})
    assert "k1" not in metrics(empty, tmp_path, step=0), "an empty response has no format"


def test_what_is_unverified_is_left_out_and_bounded():
    targets = [["a", "forbid"], ["b", "require"], ["c", "require"]]
    outcomes = [
        {"variant": f"v{number}", "question": "q", "targets": targets, "labels": labels}
        for number, labels in enumerate(([1, 1, 1], [1, 1, None]))
    ]
    found = validation_scores(outcomes, {"q": ["a"]})
    assert (found["tcpr"], found["tcpr_low"], found["tcpr_high"], found["unverified_frac"]) == (1, 0.5, 1, 0.5)
    assert (found["k1"], found["k3_units"], "k3" in found, "emcr" in found) == (1, 1, False, False)
    assert (found["emcr_low"], found["emcr_high"]) == (pytest.approx((2 / 3 + 1 / 3 + 0) / 3), 1)


def test_the_papers_worked_example():
    """Appendix A.1: TCPR 2/3, EMCR 27.78 %."""
    a, b, c = ["bullets", "forbid"], ["headings", "require"], ["invitation", "forbid"]
    d, e = ["table", "forbid"], ["emoji", "forbid"]
    cells = {"v1": ([a, b, c], [1, 1, 1]), "v2": ([a, b, d], [1, 0, 1]), "v3": ([a, d, e], [1, 1, 1])}
    outcomes = [
        {"variant": name, "question": "q", "targets": targets, "labels": labels}
        for name, (targets, labels) in cells.items()
    ]
    found = validation_scores(outcomes, {"q": ["bullets", "invitation"]})
    assert (found["tcpr"], found["k1"], found["k2"], found["k3"]) == (2 / 3, 1 / 2, 1 / 3, 0)
    assert found["emcr"] == pytest.approx(5 / 18, abs=1e-12)


def test_a_file_of_baselines_stands_in_for_the_first_validation(tmp_path):
    file = measurable.write_benchmark(tmp_path / "benchmark")
    row = Baseline(model="m", question="q", response="r", response_hash="h", features=("section_headings",))
    write_rows(tmp_path / "m.jsonl", [row])
    prepare_files(str(file), tmp_path / "data", "val", tmp_path / "m.jsonl")
    assert read_base(tmp_path / "data") == {"q": ["section_headings"]}
    assert "q/unconstrained" not in [row.id for row in validation_rows(file, tmp_path / "m.jsonl")]
    write_rows(tmp_path / "two.jsonl", [row, row.model_copy(update={"model": "n"})])
    with pytest.raises(DataError, match="one model"):
        base_of_file(tmp_path / "two.jsonl")


class Tokenizer:
    """One token a character."""

    def apply_chat_template(self, chat, **_):
        return chat[0]["content"]

    def __call__(self, text, **_):
        return {"input_ids": list(text)}


def test_a_benchmark_is_validated_whole_and_never_trained_on(tmp_path):
    file = measurable.write_benchmark(tmp_path / "benchmark")
    (prepared,) = prepare_files(str(file), tmp_path / "data", "val")
    assert check_rows(prepared, Tokenizer(), 2000, {}) == max(len(one.instruction) for one in VARIANTS)
    for named in (str(file), prepared):
        with pytest.raises(DataError, match="for validation alone"):
            prepare_files(named, tmp_path / "data", "train")


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"question": "q"}', '{"question": "q", "requirements": [{"feature": 1}]}']
)
def test_a_row_that_cannot_be_scored_is_refused(text):
    with pytest.raises(DataError, match="no row of ReFormBench"):
        checked_row(text, "row 1")


def test_the_baseline_goes_over_to_a_run_that_extends_one(tmp_path):
    for name in ("earlier", "later"):
        (tmp_path / name).mkdir()
    in_training.copy_base(tmp_path / "earlier", tmp_path / "later")
    assert read_base(tmp_path / "later") is None
    in_training.write_base(tmp_path / "earlier", {"q": ["bullet_list"]})
    in_training.copy_base(tmp_path / "earlier", tmp_path / "later")
    assert read_base(tmp_path / "later") == {"q": ["bullet_list"]}
