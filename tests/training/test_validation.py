"""One validation over several sources: each has its own metrics, and what was not verified is no score."""

import json
import math

import pytest

from scopeif.errors import ConfigError
from scopeif.reward import SCHEMES
from scopeif.training.metrics import Sample
from scopeif.training.validation import checker_failures, selected, validation_metrics

UNJUDGED = {
    "records": [], "cpu_ms": 1.0, "calls": [], "tool_source": "", "conflict": False, "escalated": False,
    "audit": None, "evidence": "", "detail": "", "verifier": "compiled", "g": None,
}  # fmt: skip


def sample(name, *, source, fault=None, answer="", scopes=(), **outcome):
    logged = {"answer": answer, "format_reward": int(fault is None), "format_fault": fault, "constraints": []} | outcome
    info = {
        "source": source,
        "verified": 1,
        "format_reward": int(fault is None),
        "instruction_id": name,
        "response_tokens": 10,
        "length_penalty": 0.0,
        "outcome": json.dumps(logged),
        "scopes": json.dumps(scopes),
    }
    info |= {f"reward_{scheme}": math.nan for scheme in SCHEMES}
    return Sample.read(name, info)


def constrained(*statuses):
    constraints = [UNJUDGED | {"status": status, "reason": None} for status in statuses]
    return sample("a", source="mine", scopes=["Global"] * len(statuses), constraints=constraints)


def ifeval(*results, fault=None):
    rows = [
        {"instruction": "punctuation:no_comma", "strict": one, "loose": one, "fault": "" if one is not None else "boom"}
        for one in results
    ]
    return sample("ifeval-1", source="ifeval", fault=fault, ifeval=rows)


def guard(name, answer, fault=None):
    return sample(name, source="guard", answer=answer, fault=fault)


def metrics_of(samples, run, step=0):
    return validation_metrics(samples, [one.info["source"] for one in samples], run, step)


def test_each_source_has_its_own_metrics(tmp_path):
    samples = [
        constrained("satisfied", "violated"),
        ifeval(True, True),
        ifeval(True, False, fault="truncated"),
        guard("guard-01", "a bird sings"),
    ]
    metrics = metrics_of(samples, tmp_path)
    assert metrics["val/all/csr"] == metrics["val/mine/csr"] == 0.5
    assert (metrics["val/ifeval/prompt_strict"], metrics["val/ifeval/inst_strict"]) == (0.5, 0.75)
    assert metrics["val/ifeval/fault/truncated_frac"] == 0.5
    assert metrics["val/guard/base_f1"] == 1
    assert not any(name.startswith(("val/ifeval/csr", "val/guard/csr", "val/all/source")) for name in metrics)


def test_the_guard_compares_with_the_answers_before_training(tmp_path):
    first = metrics_of([guard("guard-01", "a bird sings")], tmp_path, step=0)
    later = metrics_of([guard("guard-01", "no no no no no no", fault="truncated")], tmp_path, step=20)
    assert (first["val/guard/length_ratio"], later["val/guard/length_ratio"]) == (1, 2)
    assert (later["val/guard/base_f1"], later["val/guard/truncated_frac"]) == (0, 1)
    assert metrics_of([guard("guard-01", "a bird sings")], tmp_path, step=30)["val/guard/base_f1"] == 1


def test_a_run_that_was_not_validated_before_training_has_no_base(tmp_path):
    metrics = metrics_of([guard("guard-01", "a bird sings")], tmp_path, step=10)
    assert "val/guard/repetition" in metrics
    assert "val/guard/base_f1" not in metrics


def test_ifeval_alone(tmp_path):
    metrics = metrics_of([ifeval(True)], tmp_path)
    assert metrics["val/ifeval/prompt_strict"] == 1
    assert not any(name.startswith("val/all") for name in metrics)


def test_the_metric_that_selects():
    metrics = {"val/ifeval/prompt_strict": 0.25, "val/ifeval/unverified_frac": 0.0, "val/all/csr": 0.5}
    assert selected(metrics, "val/ifeval/prompt_strict") == 0.25
    with pytest.raises(ConfigError, match="val/ifeval/prompt_strict") as caught:
        selected(metrics, "val/ifeval/prompt_strikt")
    assert caught.value.place == "selection.metric"


def test_nothing_verified_selects_nothing():
    assert selected({"val/ifeval/unverified_frac": 1.0}, "val/ifeval/prompt_strict") is None
    metrics = {"val/ifeval/unverified_frac": 0.5, "val/ifeval/prompt_strict_low": 0.0}  # one unknown in every prompt
    assert selected(metrics, "val/ifeval/prompt_strict") is None


def test_failures_of_checkers_are_counted_by_kind():
    samples = [ifeval(None, True), ifeval(None), constrained("satisfied")]
    assert checker_failures(samples) == ["punctuation:no_comma: boom (2)"]


def test_what_is_left_of_an_outage_chooses_no_best():
    metrics = {"val/all/csr": 1.0, "val/all/csr_low": 0.01, "val/all/unverified_frac": 0.99}
    assert selected(metrics, "val/all/csr", max_unverified=0.5) is None
    assert selected({**metrics, "val/all/unverified_frac": 0.5}, "val/all/csr", max_unverified=0.5) == 1.0
    assert selected({**metrics, "val/all/reward/cla": 0.3}, "val/all/reward/cla", max_unverified=0.5) is None
