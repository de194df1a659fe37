"""From the command line to one config: our recipes over verl's own, with errors that name the key and its neighbours.

verl's config folder is found without importing verl, so that composing stays fast.
"""

from __future__ import annotations

import difflib
import importlib.util
import itertools
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scopeif.errors import ConfigError, StackError

VERL_CONFIG_VARIABLE = "SCOPEIF_VERL_CONFIG"
"""Environment variable through which `recipes/train.yaml` finds verl's config folder."""


def recipes_folder() -> Path:
    """The folder of the installed recipes."""
    spec = importlib.util.find_spec("recipes")
    if spec is None or not spec.submodule_search_locations:
        raise StackError("the package 'recipes' is not installed", fix="pip install --no-deps -e .")
    return Path(next(iter(spec.submodule_search_locations)))


def options(group: str) -> list[str]:
    """The names that `group=...` takes, sorted."""
    return sorted(path.stem for path in (recipes_folder() / group).glob("*.yaml"))


def recipe_purpose(name: str) -> str:
    """What a recipe is for: the first sentence of the comment below its first line."""
    lines = (recipes_folder() / "recipe" / f"{name}.yaml").read_text().splitlines()[1:]
    comment = itertools.takewhile(lambda line: line.startswith("#"), lines)
    return " ".join(line.removeprefix("# ") for line in comment).partition(". ")[0].rstrip(".")


def find_verl_config() -> None:
    """Tell Hydra where verl's config folder is.

    Raises:
        StackError: verl is not installed.
    """
    spec = importlib.util.find_spec("verl")
    locations = list(spec.submodule_search_locations or []) if spec else []
    if not locations:
        raise StackError("verl is not installed", fix="make setup on a CPU; on GPUs see launch/README.md")
    os.environ[VERL_CONFIG_VARIABLE] = str(Path(locations[0]) / "trainer" / "config")


def compose_config(overrides: Sequence[str]) -> Any:
    """Compose the config of a run from overrides such as ``recipe=smoke trainer.total_training_steps=3``.

    Raises:
        ConfigError: no recipe, an unknown recipe, key or option, or text that is no override.
        StackError: verl is not installed.
    """
    find_verl_config()
    from hydra import compose, initialize_config_dir
    from hydra.errors import HydraException
    from omegaconf.errors import OmegaConfBaseException

    _require_recipe(overrides)
    try:
        with initialize_config_dir(str(recipes_folder()), version_base="1.3"):
            config = compose("train", overrides=list(overrides))
    except (HydraException, OmegaConfBaseException) as error:
        raise _explained(error, overrides) from error
    _refuse_wrong_types(config, overrides)
    if config.run.name is None:
        config.run.name = choice(overrides, "recipe")
    return config


def choice(overrides: Sequence[str], group: str) -> str | None:
    """The option that the overrides choose for a group."""
    chosen = [text.partition("=")[2] for text in overrides if text.lstrip("+").partition("=")[0] == group]
    return chosen[-1] if chosen else None


def _require_recipe(overrides: Sequence[str]) -> None:
    names = options("recipe")
    name = choice(overrides, "recipe")
    if name is None:
        raise ConfigError("no recipe is given", place="recipe", fix=f"recipe=NAME with one of: {', '.join(names)}")
    if name not in names:
        raise ConfigError(
            f"recipe {name!r} is unknown{_did_you_mean(name, names)}",
            place="recipe",
            fix=f"use one of: {', '.join(names)}",
        )


_UNUSED_SECTIONS = ("critic", "distillation", "reward.reward_model", "actor_rollout_ref.rollout.profiler")
"""Sections of verl that no recipe uses: never what a mistyped key meant."""

_BAD_KEY = re.compile(r"Could not override '([^']+)'|Key '([^']+)' (?:is not in struct|not in)")
_BAD_OPTION = re.compile(r"Could not find '([\w@./-]+)/([\w.-]+)'|Could not load '([\w@./-]+)/([\w.-]+)'")


def _explained(error: Exception, overrides: Sequence[str]) -> ConfigError:
    text = str(error)
    if match := _BAD_OPTION.search(text):
        group, name = (part for part in match.groups() if part)
        known = options(group)
        return ConfigError(
            f"{name!r} is unknown{_did_you_mean(name, known)}",
            place=group,
            fix=f"use one of: {', '.join(known)}",
        )
    if match := _BAD_KEY.search(text):
        key = match[1] or match[2]
        near = _near_keys(key, overrides)
        return ConfigError(
            f"config key {key!r} is unknown{_did_you_mean(key, near)}",
            place=key,
            fix="python -m scopeif.train recipe=... --cfg job prints all keys; +key=value adds a new one",
        )
    return ConfigError(text.splitlines()[0], place="command line", fix="overrides look like key=value; see --help")


def _bare_recipe(overrides: Sequence[str]) -> Any:
    """The config of the chosen recipe and other groups, without overrides of keys."""
    from hydra import compose, initialize_config_dir

    groups = [text for text in overrides if (recipes_folder() / text.partition("=")[0]).is_dir()]
    with initialize_config_dir(str(recipes_folder()), version_base="1.3"):
        return compose("train", overrides=groups)


_EXPECTED = {int: ((int,), "a whole number"), float: ((int, float), "a number"), bool: ((bool,), "true or false")}


def _refuse_wrong_types(config: Any, overrides: Sequence[str]) -> None:
    """verl's config has no types: hold an override against the type of the value that it replaces."""
    from omegaconf import OmegaConf

    keys = [text.partition("=")[0] for text in overrides if text[:1] not in ("+", "~") and "@" not in text]
    keys = [key for key in keys if "." in key]
    if not keys:
        return
    bare = _bare_recipe(overrides)
    for key in keys:
        before, now = OmegaConf.select(bare, key), OmegaConf.select(config, key)
        allowed, description = _EXPECTED.get(type(before), ((), ""))
        if allowed and now is not None and type(now) not in allowed:
            raise ConfigError(f"{now!r} is not {description}", place=key, fix=f"the recipe has {before!r}")


def _near_keys(key: str, overrides: Sequence[str]) -> list[str]:
    """All keys of the recipe without the faulty override."""
    config = _bare_recipe(overrides)
    return [key for key in _keys(config) if not key.startswith(_UNUSED_SECTIONS)]


def _keys(node: Any, prefix: str = "") -> Iterator[str]:
    from omegaconf import OmegaConf

    plain = OmegaConf.to_container(node, resolve=False) if OmegaConf.is_config(node) else node
    if not isinstance(plain, dict):
        return
    for name, child in plain.items():
        key = f"{prefix}{name!s}"
        yield key
        yield from _keys(child, f"{key}.")


def _did_you_mean(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.6) or [key for key in known if key.startswith(name)]
    if not near:  # perhaps the right leaf under another section
        leaf = name.rpartition(".")[2]
        leaves = {key.rpartition(".")[2]: key for key in known}
        near = [leaves[match] for match in difflib.get_close_matches(leaf, list(leaves), n=2, cutoff=0.75)]
    return f"; did you mean {' or '.join(near)}?" if near else ""
