"""Which requirements can stand in one instruction (section 3.3, appendix A.7.4).

>>> targets_conflict(Target(feature="table_or_grid", mode="require"), Target(feature="column_alignment", mode="forbid"))
'a table has aligned columns, which are forbidden'

Targets exclude each other by the rules of ``data/compatibility.json``, each with its reason; a rule may ask for
a parameter's value (``require textual_diagrams kind=flow``) or for a count on one side of a number
(``require callout_or_note_block count>1``). Requirements do so also by their parameters: where their specs contradict
each other, or where both give the same name to something of their own.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from scopeif.constraints.contradictions import contradictions
from scopeif.errors import DataError
from scopeif.reformbench.catalog.features import DATA, catalog
from scopeif.reformbench.catalog.parameters import CountParameter, Parameter, Value
from scopeif.reformbench.catalog.templates import parameters_of
from scopeif.reformbench.models import Requirement, Target

Pair = frozenset[tuple[str, str]]
"""The features of two targets with their modes."""
_WANTED = re.compile(r"(?P<name>[a-z_]+)(?P<sign>[=<>])(?P<value>.+)")
_ORDERS: dict[str, Callable[[int, int], bool]] = {"<": operator.lt, ">": operator.gt}


@dataclass(frozen=True)
class Wanted:
    """What an exclusion asks of a parameter of a feature: a value, or a count below or above one."""

    feature: str
    name: str
    sign: str
    value: str

    def holds(self, value: Value) -> bool:
        """Whether this value of the parameter is what is asked for."""
        if self.sign == "=":
            return str(value) == self.value
        return isinstance(value, int) and _ORDERS[self.sign](value, int(self.value))


@dataclass(frozen=True)
class Exclusion:
    """Why two targets exclude each other.

    wanted: what of their parameters they do so for; empty where they always do.
    """

    reason: str
    wanted: tuple[Wanted, ...]

    def holds(self, parameters: Mapping[str, Mapping[str, Value]]) -> bool:
        """Whether it does with these parameters of each feature."""
        return all(
            one.name in parameters[one.feature] and one.holds(parameters[one.feature][one.name]) for one in self.wanted
        )


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
        for first in sides(rule["first"], data["groups"]):
            for second in sides(rule["second"], data["groups"]):
                if first[0][0] == second[0][0]:  # a group may hold the feature itself
                    continue
                pair = frozenset({first[0], second[0]})
                found[pair] = (*found.get(pair, ()), Exclusion(rule["reason"], first[1] + second[1]))
    return found


_Side = tuple[tuple[str, str], tuple[Wanted, ...]]
"""A feature with its mode, and what is wanted of its parameters."""


def sides(names: list[str], groups: Mapping[str, list[str]]) -> Iterator[_Side]:
    """The targets that one side of a rule names, groups by their members.

    Raises:
        DataError: a feature, a parameter or a count that the catalog does not have.
    """
    for name in names:
        if name in groups:
            yield from sides(groups[name], groups)
            continue
        mode, feature, *wanted = name.split()
        known = {one.name: one for one in parameters_of(feature, "forbid" if mode == "forbid" else "require")}
        yield (feature, mode), tuple(_wanted(text, feature, name, known) for text in wanted)


def _wanted(text: str, feature: str, rule: str, known: Mapping[str, Parameter]) -> Wanted:
    """What one word behind a target asks of a parameter."""
    match = _WANTED.fullmatch(text)
    parameter = known.get(match["name"]) if match else None
    if match is None or parameter is None:
        raise DataError(f"{rule!r} in the rules of compatibility names no parameter in {text!r}")
    if match["sign"] in _ORDERS and not (isinstance(parameter, CountParameter) and match["value"].isdecimal()):
        raise DataError(f"{rule!r} in the rules of compatibility compares {match['name']!r}, which is no count")
    return Wanted(feature, match["name"], match["sign"], match["value"])
