"""Reward functions of the user's own for rows that hold no constraints, by data source.

    reward.sources={gsm8k:'my_package.rewards:score'}

Such a function takes verl's keywords and returns a finite number, or a dict with it under "score"; it may be async:

    def score(data_source, solution_str, ground_truth, extra_info): ...

It sees the answer without thinking text. Where it raises, or returns no finite number, the sample is unverified.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from scopeif.errors import ConfigError

RewardFunction = Callable[..., Any]
_SHOWN = 300


class SourceFailed(Exception):
    """An own reward function gave no reward; the message names the source and says why."""


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
            SourceFailed: the function raised, or returned no finite number.
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
        try:
            if inspect.iscoroutinefunction(function):
                value = await function(**given)
            else:
                value = await asyncio.to_thread(function, **given)
        except Exception as error:
            raise SourceFailed(f"{source}: {type(error).__name__}: {error}"[:_SHOWN]) from error
        score: Any = value.get("score") if isinstance(value, Mapping) else value
        try:
            number = float(score)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise SourceFailed(f"{source}: the reward function returned {value!r}"[:_SHOWN])
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
