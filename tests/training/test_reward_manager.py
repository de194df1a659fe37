"""From tokens to reward: the format gate, constraints, other sources, and the same keys for every sample."""

import asyncio
import json
import math
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from scopeif.constraints.dataset import instruction_to_json
from scopeif.constraints.models import Instruction
from scopeif.reward import SCHEMES, Record
from scopeif.training.composing import compose_config
from scopeif.training.metrics import Sample, outcome_metrics
from scopeif.training.reward_manager import ScopeIFRewardManager
from scopeif.training.reward_sources import RewardSources
from scopeif.training.settings import Settings
from scopeif.verification.outcome import Outcome, Reason

STOP = 0


class Characters:
    """A tokenizer of one character a token."""

    def decode(self, tokens, skip_special_tokens):
        return "".join(map(chr, tokens))


class Verifier:
    """Satisfied when the answer is short; a question mark stays unverified."""

    async def verify(self, instruction, constraint, answer):
        if "?" in answer:
            return Outcome(reason=Reason.PARSE, verifier="fake")
        return Outcome((Record(0, 4, len(answer)),), verifier="fake")


@pytest.fixture(scope="module")
def instruction():
    with (Path(__file__).parents[2] / "data" / "scope_mini" / "train.jsonl").open(encoding="utf-8") as file:
        return Instruction.model_validate_json(file.readline())


@pytest.fixture
def manager(monkeypatch):
    module = ModuleType("own_rewards")
    module.score = lambda solution_str, ground_truth, **_: 2.0 * (solution_str == ground_truth)
    monkeypatch.setitem(sys.modules, "own_rewards", module)

    def make(*overrides):
        config = compose_config(["recipe=tiny", "data.max_response_length=16", *overrides])
        made = object.__new__(ScopeIFRewardManager)
        made.settings = Settings.from_config(config)
        made.tokenizer, made.stop_ids, made.response_limit = Characters(), {STOP}, 16
        made.sources = RewardSources(made.settings.reward.sources)

        async def verifier():
            return Verifier()

        made._verifier = verifier
        return made

    return make


def scored(manager, text, fields, stopped=True):
    tokens = [ord(character) for character in text] + ([STOP] if stopped else [])
    item = SimpleNamespace(
        non_tensor_batch={"response_len": len(tokens), **fields},
        batch={"responses": np.array([*tokens, 7, 7])},  # padding after the response
    )
    return asyncio.run(manager.run_single([item]))


def of(instruction):
    return {"data_source": "scope_mini", "extra_info": {"instruction": instruction_to_json(instruction)}}


MATHS = {
    "data_source": "maths",
    "extra_info": {"index": 3, "id": None, "instruction": None},  # as files of both kinds are joined
    "reward_model": {"ground_truth": "four"},
}
SOURCES = "reward.sources={maths:'own_rewards:score'}"


def test_every_sample_has_the_same_keys(manager, instruction):
    made = manager(SOURCES)
    results = [
        scored(made, "abc", of(instruction)),
        scored(made, "a?", of(instruction)),
        scored(made, "", of(instruction)),
        scored(made, "four", MATHS),
    ]
    assert len({tuple(result["reward_extra_info"]) for result in results}) == 1
    assert [result["reward_extra_info"]["verified"] for result in results] == [1, 0, 1, 1]
    assert (results[0]["reward_score"], results[2]["reward_score"]) == (1.0, 0.0)
    assert math.isnan(results[1]["reward_score"])
    assert results[3]["reward_score"] == 2.0
    assert {results[3]["reward_extra_info"][f"reward_{scheme}"] for scheme in SCHEMES} == {2.0}


def test_other_sources_are_metrics_of_their_own(manager, instruction):
    made = manager(SOURCES)
    rows = (("abc", of(instruction)), ("5", MATHS))
    infos = [scored(made, text, fields)["reward_extra_info"] for text, fields in rows]
    metrics = outcome_metrics([Sample.read("g", info) for info in infos], "train")
    assert (metrics["train/csr"], metrics["train/source/maths/reward"]) == (1.0, 0.0)
    assert infos[1]["instruction_id"] == "maths/3"


def test_the_format_gate_is_the_same_for_other_sources(manager):
    result = scored(manager(SOURCES), "four", MATHS, stopped=False)
    assert result["reward_score"] == 0
    assert json.loads(result["reward_extra_info"]["outcome"])["format_fault"] == "truncated"


@pytest.mark.parametrize("length, reward", [(7, 1.0), (11, 0.875), (15, 0.75)])
def test_the_soft_over_long_penalty(manager, instruction, length, reward, monkeypatch):
    made = manager("reward.overlong_tokens=8", "reward.overlong_penalty=0.25")
    monkeypatch.setattr(Verifier, "verify", _satisfied)
    result = scored(made, "x" * length, of(instruction))  # and the stop token
    assert result["reward_score"] == pytest.approx(reward)
    assert result["reward_extra_info"]["length_penalty"] == pytest.approx(1 - reward)


async def _satisfied(self, instruction, constraint, answer):
    return Outcome((Record(0, math.inf, 1),), verifier="fake")
