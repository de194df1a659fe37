"""Counting objects in words, e.g. ``words in the last sentence of each paragraph``."""

from __future__ import annotations

from collections.abc import Sequence

from scopeif.constraints import spec as sp
from scopeif.errors import SpecError


def counting_object(measure: sp.Measure, scope: Sequence[sp.Selection]) -> str:
    """What is measured and where."""
    where = " of ".join(_segment(selection) for selection in reversed(scope)) or "the response"
    match measure:
        case sp.Length(unit=unit) | sp.Count(unit=unit, where=None):
            return f"{_plural(unit)} in {where}"
        case sp.Count(unit=unit, where=predicate) if predicate is not None:
            return f"{_plural(unit)} {_test(predicate)} in {where}"
        case sp.Occurrences(text=text):
            return f'occurrences of "{text}" in {where}'
        case sp.ClassCount(char_class=char_class):
            return f"{_plural(char_class)} in {where}"
        case sp.Starts(text=text):
            return f'{where} starting with "{text}"'
        case sp.Ends(text=text):
            return f'{where} ending with "{text}"'
        case sp.Wrapped(by=by):
            return f"{where} being wrapped in {by.replace('_', ' ')}"
        case sp.Divided(by=by):
            return f'parts of {where} between lines of "{by}"'
        case sp.LetterCase(case=case):
            return f"{where} being in {case} case"
        case sp.Present(text=text):
            return f'"{text}" being present in {where}'
        case sp.Valid(format=format_):
            return f"{where} being valid as {format_.replace('_', ' ')}"
        case sp.Depth(of=of):
            return f"nesting depth of the {'JSON value' if of == 'json' else 'list'} in {where}"
        case sp.Sorted(unit=unit):
            return f"{_plural(unit)} in alphabetical order in {where}"
        case sp.Chained(unit=unit):
            return f"{_plural(unit)} chained by their last and first words in {where}"
        case sp.Acrostic(unit=unit, text=text):
            return f'first letters of the {_plural(unit)} in {where} spelling "{text}"'
    raise SpecError(f"measure {measure!r} has no name")


def _plural(unit: str) -> str:
    return unit.replace("_", " ") + "s"


def _segment(selection: sp.Selection) -> str:
    unit = selection.unit.replace("_", " ")
    if isinstance(selection, sp.Each):
        return f"each {unit}"
    if isinstance(selection, sp.At):
        names = {1: "the first", 2: "the second", 3: "the third", -1: "the last"}
        return f"{names.get(selection.index, f'number {selection.index}')} {unit}"
    return f"each {unit} {_test(selection.predicate)}"


def _test(predicate: sp.Predicate) -> str:
    match predicate:
        case sp.Contains(text=text):
            return f'that contains "{text}"'
        case sp.StartsWith(text=text):
            return f'that starts with "{text}"'
        case sp.EndsWith(text=text):
            return f'that ends with "{text}"'
        case sp.IndexIs(modulus=2, remainder=remainder):
            return f"with an {'odd' if remainder else 'even'} number"
        case sp.IndexIs(modulus=modulus, remainder=0):
            return f"with a number divisible by {modulus}"
        case sp.LengthIs(unit=unit, lower=int(lower), upper=None):
            return f"of at least {lower} {_plural(unit)}"
        case sp.UnderHeading(text=text):
            return f'under the heading "{text}"'
        case sp.MatchesPattern(pattern=pattern):
            return f'that matches "{pattern}"'
        case sp.AnyOf(of=parts):
            return " or ".join(map(_test, parts))
        case sp.AllOf(of=parts):
            return " and ".join(map(_test, parts))
        case sp.Not(of=inner):
            return f"not {_test(inner)}"
    return "that meets the condition"
