"""The judge's load: calls of each verifier, of validations, and the GPUs that answer them."""

import json
from functools import cache
from pathlib import Path

import pytest

from scopeif.training.composing import compose_config
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.planning.judge_load import JudgeLoad, judge_load, judge_rate
from scopeif.training.planning.plan import make_plan
from scopeif.training.planning.plan_lines import plan_lines
from scopeif.training.planning.workload import Workload
from scopeif.verification.settings import VerificationSettings

MINI = Path(__file__).parents[3] / "data/scope_mini/test.jsonl"


@cache
def plan(*overrides):
    config = compose_config(overrides)
    return make_plan(config, planned_settings(config)[0])


@pytest.mark.parametrize(
    "kind, calls",
    [("compiled", 0), ("tgv", 80), ("llm", 40), ("per_response", 16), ("rule", 10), ("static_tool", 50), ("auto", 24)],
)
def test_calls_of_each_verifier(kind, calls):
    work = Workload(2, 4, 1, 10, 10, constraints=5.0, with_spec=0.7)
    assert judge_load(work, VerificationSettings(kind=kind), True).calls == pytest.approx(calls)


def test_auto_audits_a_share_of_what_it_measures():
    work = Workload(2, 4, 1, 10, 10, constraints=5.0, with_spec=1.0)
    assert judge_load(work, VerificationSettings(kind="auto", audit_frac=0.5), True).calls == pytest.approx(40)
    assert judge_load(work, VerificationSettings(kind="auto", audit_frac=0.5), False).calls == 0


def test_the_papers_load():
    judge = plan("recipe=qwen3_8b", "data.train_files=not/there.jsonl").judge
    assert (judge.step.verifications, judge.step.calls) == pytest.approx((1236.48, 2472.96))
    assert judge.step.gpu_seconds(judge.rate) == pytest.approx(258.9 + 605.6, abs=0.2)
    assert judge.step.gpus(340, judge.rate) == 6, "864.6 / (0.6 x 340) is 4.2: three servers of two"
    assert judge.step.per_gpu_step_s(24, judge.rate) == pytest.approx(60.0, abs=0.1)


def test_a_judge_has_the_rate_of_its_model():
    large, small = judge_rate("openai/gpt-oss-120b"), judge_rate("GPT-OSS-20B")
    assert (large.gpus_per_server, small.gpus_per_server) == (2, 1)
    assert small.scaled
    assert small.decode / large.decode == pytest.approx(5.1 / 3.6, rel=0.01)
    assert judge_rate("qwen3-235b") is judge_rate(None) is None
    load = JudgeLoad(100, 200)
    assert load.gpus(10, small) < load.gpus(10, large)


def test_what_is_printed_names_the_judge():
    one_node = "\n".join(plan_lines(plan("recipe=qwen3_8b_one_node")))
    assert "GPUs of openai/gpt-oss-20b that keep up" in one_node
    assert "the other 4 of a node of 8" in one_node
    other = "\n".join(plan_lines(plan("recipe=qwen3_8b", "judge=openai_compatible", "judge.model=mine")))
    assert "no rate of mine is known" in other
    assert "GPUs of mine" not in other


def test_validations_ask_the_judge_too():
    missing = plan("recipe=qwen3_8b", "data.train_files=not/there.jsonl")
    assert missing.validations.count == 1 + 17 + 1, "before training, at 30 to 510, and after step 530"
    assert missing.validations.instructions == 200, "of the paper's 1,000; IFEval has none"
    assert missing.judge.validation.calls == pytest.approx(200 * 4.83 * 2)
    assert plan("recipe=qwen3_8b", "validate=false").judge.validation.calls == 0


def test_validation_files_are_counted(tmp_path):
    ifeval = tmp_path / "strict.jsonl"
    row = {"key": 1, "prompt": "p", "instruction_id_list": ["punctuation:no_comma"], "kwargs": [{}]}
    ifeval.write_text(json.dumps(row) + "\n")
    tests = plan("recipe=qwen3_8b", f"data.val_files=[{ifeval},{MINI}]", "validation.max_samples=50").validations
    assert (tests.instructions, tests.with_spec) == (50, 1.0)
