r"""Formal specs with places for parameters: what stands in the catalog's data, and the `Spec` that it becomes.

    >>> clauses = [{
    ...     "object": "bullets", "measure": {"kind": "count", "unit": "list_item"},
    ...     "range": {"kind": "bounds", "lower": "{items}", "upper": "{items}"}}]
    >>> filled(clauses, {"items": 3}, "en").clauses[0].range.lower
    3

In any string ``{name}`` is the parameter, ``{name+1}`` that much more, ``{name.count}`` how many names it holds,
``{name[0]}`` the first of them; ``:pattern`` behind any of these writes it as a literal of a pattern, ``:han`` as a
Chinese numeral. A string that is nothing else keeps the type. Objects with these keys are replaced by what they stand
for:

- ``en`` and ``zh``: the one of the language;
- ``case`` and ``of``: the one of a choice;
- ``for`` and ``clause``: a clause for each name, with ``{item}`` and ``{number}`` (from 1);
- ``join``, ``each`` and ``by``: one string of a piece for each name, with ``{item}``;
- ``repeat``, ``each`` and ``by``: one string of as many pieces as the count says;
- ``lead``: a pattern for a line that begins with a pattern given, marks of lists, headings and emphasis aside;
- ``prose``: a predicate that holds where one of the patterns given matches outside code spans.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from scopeif.constraints.spec import Spec
from scopeif.errors import DataError, SpecError
from scopeif.reformbench.catalog.parameters import Value
from scopeif.reformbench.models import Language

_PLACE = re.compile(
    r"\{(?P<name>[a-z][a-z_]*)(?:\[(?P<index>\d)\])?(?P<count>\.count)?(?:\+(?P<more>\d+))?(?::(?P<form>pattern|han))?\}"
)
_SIGN = re.compile(r"([^\w\s])")
_NUMERALS = "一二三四五六七八九十"
_MARKS = r"[-#*_>+•·●○▪◦‣\s]*"
_LEADS = (f"^{_MARKS}", rf"^{_MARKS}[(（]?[\d{_NUMERALS}]+[.)、．）]{_MARKS}")
"""What may stand before the words of a line: marks alone, or a number of a list with marks around it."""
_OUTSIDE = ("^[^`]*{}", "{}[^`]*$", "^[^`]*`[^`]*`[^`]*{}", "^[^`]*`[^`]*`[^`]*`[^`]*`[^`]*{}")
"""Places outside code spans, since patterns have no groups: before the first, behind the last, after one, after two."""


def filled(template: Any, values: Mapping[str, Value], language: Language) -> Spec | None:
    """The spec of a template; None where the choice that was made has none.

    Raises:
        SpecError: the template and the values make no spec.
        DataError: a place for a parameter that is not given.
    """
    clauses = _resolved(template, values, language)
    if clauses is None:
        return None
    try:
        return Spec.model_validate({"clauses": clauses})
    except ValidationError as error:
        raise SpecError(f"the catalog's spec with {dict(values)!r} is none: {error}") from error


def absent(presence: Any) -> list[Any]:
    """The clauses that hold where those of a feature's presence do not: no lower bound is reached.

    Raises:
        DataError: presence is neither one clause nor ``any`` of several, or a clause has no lower bound.
    """
    match presence:
        case [{"range": {"lower": int() as lower}} as clause]:
            return [{**clause, "range": {"kind": "bounds", "lower": 0, "upper": lower - 1}}]
        case {"any": [_, *_] as clauses}:
            return [one for clause in clauses for one in absent([clause])]
    raise DataError("the opposite of this presence cannot be measured", fix="write the spec of forbid out")


def _resolved(node: Any, values: Mapping[str, Value], language: Language) -> Any:
    match node:
        case str():
            return _placed(node, values)
        case list():
            return [one for inner in node for one in _each(inner, values, language)]
        case {"en": _, "zh": _}:
            return _resolved(node[language], values, language)
        case {"case": name, "of": options}:
            return _resolved(options[_value(name, values)], values, language)
        case {"join": name, "each": each, "by": glue}:
            pieces = [_resolved(each, {**values, "item": item}, language) for item in _names(name, values)]
            return str(glue).join(pieces)
        case {"repeat": name, "each": each, "by": glue}:
            return str(glue).join([str(each)] * int(str(_value(name, values))))
        case {"lead": patterns}:
            return "|".join(before + one for one in _patterns(patterns, values, language) for before in _LEADS)
        case {"prose": patterns}:
            return {
                "test": "any_of",
                "of": [_outside_code(one) for one in _patterns(patterns, values, language)],
            }
        case dict():
            return {key: _resolved(inner, values, language) for key, inner in node.items()}
    return node


def _patterns(node: Any, values: Mapping[str, Value], language: Language) -> list[str]:
    resolved = _resolved(node, values, language)
    return [str(one) for one in resolved] if isinstance(resolved, list) else [str(resolved)]


def _outside_code(pattern: str) -> dict[str, str]:
    if pattern.startswith("^"):
        return {"test": "matches", "pattern": pattern}
    at_end = pattern.endswith("$") and not pattern.endswith("\\$")
    places = [place.replace("{}", pattern) for place in _OUTSIDE if not (at_end and place.endswith("$"))]
    return {"test": "matches", "pattern": "|".join(places)}


def _each(node: Any, values: Mapping[str, Value], language: Language) -> list[Any]:
    if isinstance(node, dict) and set(node) == {"for", "clause"}:
        names = enumerate(_names(node["for"], values), 1)
        return [_resolved(node["clause"], {**values, "item": item, "number": at}, language) for at, item in names]
    return [_resolved(node, values, language)]


def _placed(text: str, values: Mapping[str, Value]) -> Any:
    if (alone := _PLACE.fullmatch(text)) is not None:
        return _at(alone, values)
    return _PLACE.sub(lambda match: str(_at(match, values)), text)


def _at(match: re.Match[str], values: Mapping[str, Value]) -> Value:
    value = len(_names(match["name"], values)) if match["count"] else _value(match["name"], values)
    if match["index"]:
        value = _names(match["name"], values)[int(match["index"])]
    if match["more"]:
        value = int(str(value)) + int(match["more"])
    match match["form"]:
        case "pattern":
            return _SIGN.sub(r"\\\1", str(value))
        case "han":
            return _numeral(value)
    return value


def _numeral(value: Value) -> str:
    if not isinstance(value, int) or not 1 <= value <= len(_NUMERALS):
        raise DataError(f"the catalog's spec writes {value!r} as a Chinese numeral", fix="use a count from 1 to 10")
    return _NUMERALS[value - 1]


def _value(name: str, values: Mapping[str, Value]) -> Value:
    if name not in values:
        raise DataError(f"the catalog's spec names {name!r}, which is no parameter")
    return values[name]


def _names(name: str, values: Mapping[str, Value]) -> tuple[str, ...]:
    value = _value(name, values)
    return value if isinstance(value, tuple) else (str(value),)
