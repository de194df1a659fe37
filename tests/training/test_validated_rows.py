"""Rows that are validated alone: the reward manager gives what their metrics need, and nothing to train on."""

import asyncio
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from scopeif.evaluation.ifeval import IFEvalPrompt
from scopeif.reformbench.catalog.templates import instantiate
from scopeif.reward import SCHEMES
from scopeif.training.composing import compose_config
from scopeif.training.metrics import Sample
from scopeif.training.reward_manager import ScopeIFRewardManager
from scopeif.training.settings import Settings
from scopeif.training.validation import validation_metrics

STOP = 0
NO_COMMA = ("punctuation:no_comma", {})
BROKEN = ("keywords:existence", {"keywords": ["(rain"]})


class Characters:
    """A tokenizer of one character a token."""

    def decode(self, tokens, skip_special_tokens):
        return "".join(map(chr, tokens))


@pytest.fixture
def scored(tmp_path):
    made = object.__new__(ScopeIFRewardManager)
    made.settings = Settings.from_config(compose_config(["recipe=tiny"]))
    made.tokenizer, made.stop_ids, made.response_limit = Characters(), {STOP}, 64
    made.nltk_data, made._ifeval = tmp_path, None

    def score(source, id_, text, instruction="", stopped=True):
        tokens = [ord(character) for character in text] + ([STOP] if stopped else [])
        fields = {"data_source": source, "extra_info": {"id": id_, "instruction": instruction}}
        item = SimpleNamespace(
            non_tensor_batch={"response_len": len(tokens), **fields}, batch={"responses": np.array(tokens)}
        )
        return asyncio.run(made.run_single([item]))

    return score


def ifeval(scored, text, *instructions, **options):
    names, kwargs = zip(*instructions, strict=True)
    prompt = IFEvalPrompt(1, "Describe rain.", names, kwargs)
    return scored("ifeval", prompt.id, text, json.dumps(prompt.to_json()), **options)


def sample(result):
    return Sample.read("group", result["reward_extra_info"])


def metrics(tmp_path, *results):
    samples = [sample(result) for result in results]
    return validation_metrics(samples, [one.info["source"] for one in samples], tmp_path, 0)


def test_ifeval_is_checked_and_a_cut_answer_as_far_as_it_came(scored, tmp_path):
    whole = ifeval(scored, "Rain, falls.", NO_COMMA)
    cut = ifeval(scored, "Rain fa", NO_COMMA, stopped=False)
    assert (whole["reward_score"], cut["reward_score"]) == (0, 1)
    figures = metrics(tmp_path, whole, cut)
    assert figures["val/ifeval/prompt_strict"] == 0.5
    assert figures["val/ifeval/fault/truncated_frac"] == 0.5


def test_a_failing_checker_leaves_the_sample_unverified(scored, tmp_path):
    result = ifeval(scored, "It rains.", NO_COMMA, BROKEN)
    assert math.isnan(result["reward_score"])
    assert not sample(result).verified
    figures = metrics(tmp_path, result)
    assert (figures["val/ifeval/inst_strict"], figures["val/ifeval/unverified_frac"]) == (1, 0.5)
    assert "val/ifeval/prompt_strict" not in figures


def test_thinking_tags_in_a_run_without_thinking_do_not_reach_the_checkers(scored):
    assert ifeval(scored, "<think>a, b</think>Rain.", NO_COMMA)["reward_score"] == 1
    assert ifeval(scored, "<think>Rain", NO_COMMA)["reward_score"] == 0


def test_the_guard_has_an_answer_and_no_reward(scored):
    result = scored("guard", "guard-01", " It rains. ")
    info = result["reward_extra_info"]
    assert all(math.isnan(info[f"reward_{scheme}"]) for scheme in SCHEMES)
    assert (sample(result).outcome["answer"], info["instruction_id"], info["verified"]) == ("It rains.", "guard-01", 1)


def test_the_keys_are_those_of_every_other_sample(scored):
    keys = {frozenset(ifeval(scored, "Rain.", NO_COMMA)["reward_extra_info"])}
    keys.add(frozenset(scored("guard", "guard-01", "Rain.")["reward_extra_info"]))
    assert len(keys) == 1


REFORMBENCH = json.dumps(
    {
        "id": "v1",
        "question": "q",
        "requirements": [
            instantiate(feature, "forbid", {}, "en").model_dump(mode="json")
            for feature in ("bullet_list", "section_headings", "visual_symbols")
        ],
    }
)


def test_reformbench_is_measured_and_a_cut_answer_as_far_as_it_came(scored, tmp_path):
    kept = scored("reformbench", "v1", "Rain falls.", REFORMBENCH)
    cut = scored("reformbench", "v1", "- Rain fa", REFORMBENCH, stopped=False)
    assert (kept["reward_score"], cut["reward_score"]) == (1, 0)
    assert sample(cut).outcome["reformbench"]["labels"] == [0, 1, 1]
    state = scored(
        "reformbench", "q/unconstrained", "- Rain", json.dumps({"question": "q", "features": ["bullet_list"]})
    )
    assert math.isnan(state["reward_score"])
    assert sample(state).outcome["reformbench"] == {"question": "q", "states": {"bullet_list": True}}
    assert frozenset(kept["reward_extra_info"]) == frozenset(state["reward_extra_info"])
