"""The YAML file that names the two judges.

- name: gpt
  model: gpt-5.4-mini
  endpoints: [https://api.openai.com/v1]
  api_key_env: OPENAI_API_KEY
  reasoning_effort: high
- name: gemini
  model: gemini-3.1-flash-lite
  endpoints: [https://generativelanguage.googleapis.com/v1beta/openai]
  api_key_env: GEMINI_API_KEY
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from scopeif.constraints.faults import did_you_mean
from scopeif.errors import ConfigError
from scopeif.judge.settings import JudgeSettings
from scopeif.reformbench.judging.judging import JudgeSetup, judge_settings

_OWN = ("name", "attempts")


def read_judges(path: Path) -> tuple[JudgeSetup, JudgeSetup]:
    """The two judges of a file; what it leaves out is as the paper has it.

    Raises:
        ConfigError: the file cannot be read, does not hold two judges of different names, or a key or value is wrong.
    """
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"the file cannot be read: {error}", place=str(path)) from None
    if not isinstance(given, list) or len(given) != 2:
        raise ConfigError("the file holds no list of two judges", place=str(path), fix="name two, the first one first")
    first, second = (_judge(one, f"{path}: [{number}]") for number, one in enumerate(given))
    if first.name == second.name:
        raise ConfigError(f"both judges are called {first.name!r}", place=str(path), fix="give each a name of its own")
    return first, second


def _judge(given: Any, place: str) -> JudgeSetup:
    if not isinstance(given, dict) or not isinstance(given.get("model"), str):
        raise ConfigError("a judge has a model and endpoints", place=place)
    name, attempts = given.get("name", given["model"]), given.get("attempts", 3)
    if not isinstance(name, str) or not name:
        raise ConfigError(f"name is {name!r}, not a text", place=place)
    if type(attempts) is not int or attempts < 1:
        raise ConfigError(f"attempts is {attempts!r}, not a number from 1", place=place)
    settings = {key: value for key, value in given.items() if key not in _OWN}
    try:
        return JudgeSetup(name, judge_settings(**{"endpoints": (), **settings}), attempts)
    except (ValidationError, TypeError) as error:
        raise _fault(error, place) from None


def _fault(error: ValidationError | TypeError, place: str) -> ConfigError:
    if isinstance(error, TypeError):
        return ConfigError(f"a judge's settings are wrong: {error}", place=place)
    first = error.errors(include_url=False)[0]
    key, message = ".".join(str(part) for part in first["loc"]), first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        message = f"unknown key{did_you_mean(key, (*JudgeSettings.model_fields, *_OWN))}"
    return ConfigError(message, place=f"{place}.{key}" if key else place)
