"""Reward functions of the user's own for rows that hold no constraints, by data source.

    reward.sources={gsm8k:'my_package.rewards:score'}

Such a function takes verl's keywords and returns a finite number, or a dict with it under "score"; it may be async:

    def score(data_source, solution_str, ground_truth, extra_info): ...

It sees the answer without thinking text. What it raises stops the run: a failure never becomes a score.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from scopeif.errors import ConfigError, TrainingFailed

RewardFunction = Callable[..., Any]


class RewardSources:
    """The configured functions, imported.

    Raises:
        ConfigError: a name that is no ``module:function``, or that cannot be imported.
    """

    def __init__(self, named: Mapping[str, str]) -> None:
        self._functions = {source: _load(source, name) for source, name in named.items()}

    async def score(self, source: str, answer: str, ground_truth: Any, extra_info: Mapping[str, Any]) -> float:
        """The reward of an answer; functions that are not async run in a thread.

        Raises:
            ConfigError: the source has no function.
            TrainingFailed: the function returned no finite number.
        """
        if source not in self._functions:
            raise ConfigError(
                f"no reward function is named for the data source {source!r}",
                place="reward.sources",
                fix=f"reward.sources={{{source}:'package.module:function'}}",
            )
        function = self._functions[source]
        given = {
            "data_source": source,
            "solution_str": answer,
            "ground_truth": ground_truth,
            "extra_info": extra_info,
        }
        if inspect.iscoroutinefunction(function):
            value = await function(**given)
        else:
            value = await asyncio.to_thread(function, **given)
        score: Any = value.get("score") if isinstance(value, Mapping) else value
        try:
            number = float(score)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise TrainingFailed(f"the reward function returned {value!r:.200}", place=f"reward.sources.{source}")
        return number


def _load(source: str, name: str) -> RewardFunction:
    place = f"reward.sources.{source}"
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise ConfigError(f"{name!r} names no function", place=place, fix="write it as package.module:function")
    try:
        function = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        fix = "install the package into this environment, or set PYTHONPATH"
        raise ConfigError(f"{name!r} cannot be imported: {error}", place=place, fix=fix) from error
    if not callable(function):
        raise ConfigError(f"{name!r} is a {type(function).__name__}, not a function", place=place)
    return function  # type: ignore[no-any-return]
