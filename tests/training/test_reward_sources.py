"""Rows of other data go to the user's own reward functions; what those get wrong is never a score."""

import asyncio
import math
import sys
from types import ModuleType

import pytest

from scopeif.errors import ConfigError
from scopeif.training.composing import compose_config
from scopeif.training.reward_sources import RewardSources, SourceFailed
from scopeif.training.settings import Settings


@pytest.fixture
def functions(monkeypatch):
    module = ModuleType("own_rewards")
    monkeypatch.setitem(sys.modules, "own_rewards", module)
    return module


def scored(function, functions):
    functions.score = function
    sources = RewardSources({"maths": "own_rewards:score"})
    return asyncio.run(sources.score("maths", "four", "4", {"index": 7}))


def test_a_function_sees_the_answer_and_the_truth(functions):
    seen = {}
    assert scored(lambda **given: seen.update(given) or 0.5, functions) == 0.5
    assert seen == {"data_source": "maths", "solution_str": "four", "ground_truth": "4", "extra_info": {"index": 7}}


def test_a_dict_and_a_coroutine_are_fine_too(functions):
    async def score(**_):
        return {"score": True, "acc": 1}

    assert scored(score, functions) == 1.0


@pytest.mark.parametrize("value", [math.nan, math.inf, None, "much", {"acc": 1}])
def test_no_finite_number_is_no_score(functions, value):
    with pytest.raises(SourceFailed, match="maths: the reward function returned"):
        scored(lambda **_: value, functions)


def test_an_error_of_the_function_is_no_score(functions):
    with pytest.raises(SourceFailed, match="maths: ZeroDivisionError"):
        scored(lambda **_: 1 / 0, functions)


@pytest.mark.parametrize(
    "name", ["own_rewards", "own_rewards:missing", "no_such_module:score", "own_rewards:number", ":"]
)
def test_what_names_no_function(functions, name):
    functions.number = 3
    with pytest.raises(ConfigError) as caught:
        RewardSources({"maths": name})
    assert caught.value.place == "reward.sources.maths"


def test_an_unknown_source(functions):
    with pytest.raises(ConfigError, match="'chess'"):
        asyncio.run(RewardSources({}).score("chess", "e4", None, {}))


@pytest.mark.parametrize("source", ["gsm8k", "openai/gsm8k"])
def test_sources_can_be_given_on_the_command_line(source):
    config = compose_config(["recipe=tiny", f"reward.sources={{{source}:'own.rewards:score'}}"])
    assert Settings.from_config(config).reward.sources == {source: "own.rewards:score"}
