"""Which requirements can stand in one instruction (section 3.3, appendix A.7.4).

>>> targets_conflict(Target(feature="table_or_grid", mode="require"), Target(feature="column_alignment", mode="forbid"))
'a table has aligned columns, which are forbidden'

Targets exclude each other by the rules of ``catalog_data/compatibility.json``, each with its reason; a rule may ask for
a parameter's value (``require textual_diagrams kind=flow``). Requirements do so also by their parameters: where their
specs contradict each other, or where both give the same name to something of their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from scopeif.constraints.contradictions import contradictions
from scopeif.errors import DataError
from scopeif.reformbench.catalog import DATA, catalog
from scopeif.reformbench.models import Requirement, Target
from scopeif.reformbench.parameters import Value
from scopeif.reformbench.templates import parameters_of

Pair = frozenset[tuple[str, str]]
"""The features of two targets with their modes."""


@dataclass(frozen=True)
class Exclusion:
    """Why two targets exclude each other.

    wanted: by feature and parameter, the value for which they do; empty where they always do.
    """

    reason: str
    wanted: tuple[tuple[str, str, str], ...]

    def holds(self, parameters: Mapping[str, Mapping[str, Value]]) -> bool:
        """Whether it does with these parameters of each feature."""
        return all(parameters[feature].get(name) == value for feature, name, value in self.wanted)


def conflict(a: Requirement, b: Requirement) -> str | None:
    """Why two requirements cannot be met by one response; None where nothing is known to stand against it.

    Raises:
        DataError: a feature that is not in the catalog.
    """
    parameters = {a.feature: a.parameters, b.feature: b.parameters}
    if (reason := _excluded(a.target, b.target, parameters)) is not None:
        return reason
    found = contradictions([a.spec, b.spec])
    return found[0].message if found else _same_name(a, b)


def targets_conflict(a: Target, b: Target) -> str | None:
    """Why two targets exclude each other whatever their parameters; None where they do not.

    Raises:
        DataError: a feature that is not in the catalog.
    """
    return _excluded(a, b, None)


def _excluded(a: Target, b: Target, parameters: Mapping[str, Mapping[str, Value]] | None) -> str | None:
    for target in (a, b):
        catalog().feature(target.feature)
    if a.feature == b.feature:
        return f"{a.feature} is both required and forbidden" if a.mode != b.mode else None
    for one in exclusions().get(frozenset({(a.feature, a.mode), (b.feature, b.mode)}), ()):
        if not one.wanted or (parameters is not None and one.holds(parameters)):
            return one.reason
    return None


def _same_name(a: Requirement, b: Requirement) -> str | None:
    """Two targets that both want the same name for a line, column or heading of their own."""
    if a.target == b.target or "forbid" in (a.mode, b.mode):
        return None
    shared = _names(a) & _names(b)
    return f"{a.feature} and {b.feature} both use the name {min(shared)!r}" if shared else None


def _names(requirement: Requirement) -> set[str]:
    lists = (value for value in requirement.parameters.values() if isinstance(value, tuple))
    return {name.casefold() for names in lists for name in names}


@lru_cache(maxsize=1)
def exclusions() -> dict[Pair, tuple[Exclusion, ...]]:
    """The exclusions of all pairs of targets that have some.

    Raises:
        DataError: a rule names what the catalog does not have.
    """
    data = json.loads((DATA / "compatibility.json").read_text(encoding="utf-8"))
    found: dict[Pair, tuple[Exclusion, ...]] = {}
    for rule in data["rules"]:
        for first in _sides(rule["first"], data["groups"]):
            for second in _sides(rule["second"], data["groups"]):
                if first[0][0] == second[0][0]:  # a group may hold the feature itself
                    continue
                pair = frozenset({first[0], second[0]})
                found[pair] = (*found.get(pair, ()), Exclusion(rule["reason"], first[1] + second[1]))
    return found


_Side = tuple[tuple[str, str], tuple[tuple[str, str, str], ...]]
"""A feature with its mode, and the parameters that are wanted of it."""


def _sides(names: list[str], groups: Mapping[str, list[str]]) -> Iterator[_Side]:
    for name in names:
        if name in groups:
            yield from _sides(groups[name], groups)
            continue
        mode, feature, *wanted = name.split()
        known = {parameter.name for parameter in parameters_of(feature, "forbid" if mode == "forbid" else "require")}
        pairs = [pair.partition("=") for pair in wanted]
        for parameter, _, _ in pairs:
            if parameter not in known:
                raise DataError(f"{name!r} in the rules of compatibility names the parameter {parameter!r}")
        yield (feature, mode), tuple((feature, parameter, value) for parameter, _, value in pairs)
