"""CSR, ISR, their intervals and the groups' figures, on small cases that can be counted by hand."""

import json
import math

import pytest

from scopeif.judge.settings import PriceSettings
from scopeif.reward import SCHEMES, Answer
from scopeif.training.metrics import Sample, group_metrics, judge_cost, outcome_metrics
from scopeif.training.tool_status import tool_status
from scopeif.verification.compiled import CompiledVerifier
from scopeif.verification.outcome import ResponseOutcome
from scopeif.verification.tools import evidence_text
from tools_sandbox import Result
from tools_sandbox.run import STATUSES


def outcome_json(outcome):
    return ResponseOutcome(Answer("a", 1), (outcome,)).to_json()["constraints"][0]


def sample(statuses, *, group="g", format_reward=1, rewards=None, scopes=None, judged=()):
    unjudged = {"records": [], "cpu_ms": 1.0, "calls": [], "tool_source": "", "conflict": False, "escalated": False}
    unjudged |= {"verifier": "compiled", "g": 0.25, "detail": "", "evidence": ""}
    constraints = [
        unjudged | {"status": s, "reason": "tool" if s == "unverified" else None, "audit": None} for s in statuses
    ]
    for constraint, changes in zip(constraints, judged, strict=False):
        constraint.update(changes)
    verified = "unverified" not in statuses
    reward = math.nan if not verified else statuses.count("satisfied") / len(statuses)
    info = {
        "verified": int(verified),
        "format_reward": format_reward,
        "response_tokens": 10,
        "outcome": json.dumps(
            {"constraints": constraints if format_reward else [], "format_fault": None if format_reward else "empty"}
        ),
        "scopes": json.dumps(scopes or ["Global"] * len(statuses)),
    }
    info |= {f"reward_{scheme}": reward if rewards is None else rewards for scheme in SCHEMES}
    return Sample.read(group, info)


def test_csr_and_isr_of_the_paper():
    metrics = outcome_metrics([sample(["satisfied", "violated"]), sample(["satisfied"] * 3 + ["violated"])], "val")
    assert metrics["val/csr"] == pytest.approx(0.625)
    assert metrics["val/isr"] == 0


def test_unverified_is_neither_satisfied_nor_violated():
    metrics = outcome_metrics([sample(["satisfied", "unverified"]), sample(["unverified", "violated"])], "val")
    assert metrics["val/csr"] == pytest.approx(0.5)  # one satisfied and one violated constraint
    assert metrics["val/csr_low"] == pytest.approx(0.25)
    assert metrics["val/csr_high"] == pytest.approx(0.75)
    assert metrics["val/isr"] == 0  # the first sample has no ISR, the second one is violated
    assert (metrics["val/isr_low"], metrics["val/isr_high"]) == (0, 0.5)
    assert metrics["val/unverified_frac"] == 1
    assert metrics["val/unverified/tool"] == 2
    assert "val/reward/scopeif" not in metrics  # no reward is known


def test_a_response_of_format_reward_0_satisfies_nothing():
    metrics = outcome_metrics([sample(["satisfied", "satisfied"], format_reward=0, rewards=0.0)], "val")
    assert metrics["val/csr"] == metrics["val/isr"] == 0
    assert metrics["val/fault/empty_frac"] == 1


def test_csr_by_scope():
    metrics = outcome_metrics([sample(["satisfied", "violated"], scopes=["Global", "Nested"])], "t")
    assert (metrics["t/csr_scope/Global"], metrics["t/csr_scope/Nested"]) == (1, 0)


def test_groups_count_verified_samples_only():
    samples = [sample(["satisfied"]), sample(["violated"]), sample(["unverified"])]
    metrics = group_metrics(samples)
    assert metrics["group/identical_pair_frac/scopeif"] == 0
    assert metrics["group/zero_std_frac/scopeif"] == 0
    assert group_metrics(samples[1:]) == {}  # one verified sample makes no pair


def test_no_samples_no_metrics():
    assert outcome_metrics([], "val") == {}


def call(kind="judgment", fault=""):
    tokens = {"prompt_tokens": 100, "cached_tokens": 60, "completion_tokens": 10}
    return {"kind": kind, "text": "t", "seconds": 0.5, "fault": fault} | tokens


def test_what_the_judge_did():
    judged = (
        {"calls": [call("tool_design"), call()], "tool_source": "def f(t): ...", "conflict": True},
        {"calls": [call(fault="cut off"), call()], "escalated": True, "g": 0.75, "verifier": "tgv"},
        {"calls": [call()], "audit": True},
        {"calls": [call()], "audit": False},
    )
    metrics = outcome_metrics([sample(["satisfied"] * 5, judged=judged)], "train")
    assert {name[12:]: value for name, value in metrics.items() if name.startswith("train/judge/")} == {
        "constraints": 4, "calls": 6, "unusable_frac": pytest.approx(1 / 6), "no_tool_frac": 0.75,
        "conflict_frac": 0.25, "escalated": 1, "escalated_frac": 0.2, "escalated_gap": 0.5, "audits": 2,
        "audit_agreement": 0.5, "prompt_tokens": 600, "cached_tokens": 360, "cached_frac": 0.6,
        "completion_tokens": 60, "seconds": 3, "latency_p50_s": 0.5, "latency_p99_s": 0.5,
    }  # fmt: skip
    price = PriceSettings(prompt=1, cached=0.1, completion=10)
    assert judge_cost(metrics, "train", price) == {"train/judge/cost": pytest.approx((240 + 36 + 600) / 1e6)}
    assert judge_cost(metrics, "train", PriceSettings()) == {}


def test_without_a_judge_there_are_no_judge_metrics():
    assert not [name for name in outcome_metrics([sample(["satisfied"])], "train") if "judge" in name]


def timed(ended, rewarded):
    one = sample(["satisfied"])
    return Sample(one.group, {**one.info, "rollout_ended": ended, "rewarded": rewarded}, one.outcome, one.scopes)


def test_the_tail_is_what_comes_after_the_last_rollout():
    metrics = outcome_metrics([timed(10.0, 25.0), timed(20.0, 21.0)], "train")
    assert metrics["train/judge/tail_s"] == 5
    assert "train/judge/tail_s" not in outcome_metrics([sample(["satisfied"])], "train")


def of_source(source, reward):
    info = {"verified": 1, "format_reward": 1, "response_tokens": 4, "source": source}
    return Sample("g", info | {f"reward_{scheme}": reward for scheme in SCHEMES}, {"constraints": []}, ())


def test_samples_of_the_users_reward_functions_are_kept_apart():
    metrics = outcome_metrics([sample(["satisfied"]), of_source("maths", 0.0), of_source("maths", 0.5)], "train")
    assert metrics["train/csr"] == metrics["train/reward/scopeif"] == 1
    assert metrics["train/source/maths/samples"] == 2
    assert metrics["train/source/maths/reward"] == 0.25
    assert outcome_metrics([of_source("maths", 1.0)], "train").keys() == {
        f"train/source/maths/{name}"
        for name in ("samples", "unverified_frac", "reward", "format_reward", "response_tokens")
    }


@pytest.mark.parametrize("status", [status for status in STATUSES if status != "ok"])
def test_the_status_of_a_tool_is_read_from_either_kind_of_outcome(status):
    result = Result(status=status, error="it failed")
    judged = {"tool_source": "def f(): ...", "evidence": evidence_text(result), "reason": None, "detail": ""}
    assert tool_status(judged) == status
    outcome = CompiledVerifier(pool=None)._outcome("def f(): ...", result)
    assert tool_status(outcome_json(outcome)) == status


def test_a_tool_that_computed_and_no_tool():
    one = {"tool_source": "def f(): ...", "evidence": "", "reason": None, "detail": ""}
    assert tool_status(one) == "ok"
    assert tool_status(one | {"reason": "ambiguous"}) == "ambiguous"
    assert tool_status(one | {"tool_source": ""}) is None
