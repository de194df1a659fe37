"""English sentences for the clauses of a formal spec."""

from __future__ import annotations

import random

from scopeif.constraints.spec import (
    Acrostic,
    At,
    Bounds,
    Chained,
    ClassCount,
    Clause,
    Count,
    Depth,
    Divided,
    Ends,
    Length,
    LetterCase,
    Measure,
    Occurrences,
    Present,
    Relative,
    Sorted,
    Starts,
    Valid,
    Wrapped,
)
from scopeif.measure import relations_en
from scopeif.measure.nouns_en import amount, case_note, plural, quoted, segment, singular, string_name, times

_DELIMITERS = {
    "double_quotes": "double quotation marks",
    "parentheses": "parentheses",
    "square_brackets": "square brackets",
    "angle_brackets": "angle brackets",
}
_FORMATS = {
    "json": "valid JSON",
    "json_object": "a valid JSON object",
    "json_array": "a valid JSON array",
    "csv": "valid CSV with at least two columns and equally long rows",
    "yaml": "a valid YAML mapping or list",
}
_NESTED = {"section": "subsection", "list": "nested list", "list_item": "nested list item", "quote": "nested quote"}


def sentence(clause: Clause, rng: random.Random) -> str:
    """One English sentence that says what a clause asks."""
    text = _text(clause, rng)
    return f"{text[0].upper()}{text[1:]}."


def _text(clause: Clause, rng: random.Random) -> str:
    range_, measure = clause.range, clause.measure
    if isinstance(range_, Relative):
        return relations_en.text(clause, range_, rng)
    match measure:
        case Length() | Count() | ClassCount():
            return _amount(clause, range_, measure, rng)
        case Occurrences():
            return _occurrences(clause, range_, measure, rng)
        case Divided():
            lines = f"lines that hold only {measure.by}"
            return f"{_subject(clause, rng)} must consist of {amount(range_, 'part', rng)} divided by {lines}"
        case Depth():
            return _depth(clause, range_, measure, rng)
        case Sorted() | Chained() | Acrostic():
            return _related(clause, range_, measure, rng)
        case _:
            return _yes_or_no(clause, range_, measure, rng)


def _subject(clause: Clause, rng: random.Random) -> str:
    return segment(clause.scope, rng)


def _amount(clause: Clause, range_: Bounds, measure: Length | Count | ClassCount, rng: random.Random) -> str:
    unit: str = measure.char_class if isinstance(measure, ClassCount) else measure.unit
    if clause.scope and clause.scope[-1].unit == unit:
        unit = _NESTED.get(unit, unit)
    if range_.upper == 0:
        return _none(clause, plural(unit), rng)
    said, subject = amount(range_, unit, rng), _subject(clause, rng)
    if isinstance(measure, Length):
        forms = [f"{subject} must have {said}", f"make sure that {subject} has {said}"]
        forms += [] if " and " in said else [f"{subject} must be {said} long"]
        forms += [] if clause.scope else [f"write {said}", f"write a response of {said}"]
    else:
        forms = [f"{subject} must contain {said}", f"make sure that {subject} contains {said}"]
        forms += [f"{subject} has to contain {said}", f"use {said} in {subject}"]
        forms += [] if clause.scope else [f"use {said}"]
    return rng.choice(forms)


def _none(clause: Clause, units: str, rng: random.Random) -> str:
    """A prohibition. "Not ... in each" would leave open whether some may, so it is never said."""
    subject = _subject(clause, rng)
    if not clause.scope:
        return rng.choice((f"do not use any {units}", f"{subject} must not contain any {units}", f"avoid all {units}"))
    if all(isinstance(step, At) for step in clause.scope):
        return rng.choice((f"{subject} must not contain any {units}", f"do not use any {units} in {subject}"))
    return rng.choice((f"{subject} must contain no {units}", f"make sure that {subject} contains no {units}"))


def _occurrences(clause: Clause, range_: Bounds, measure: Occurrences, rng: random.Random) -> str:
    said = string_name(measure.text, measure.whole_word) + case_note(measure.case_sensitive)
    subject = _subject(clause, rng)
    if range_.upper == 0:
        if any(not isinstance(step, At) for step in clause.scope):
            return rng.choice((f"{subject} must be free of {said}", f"make sure that {subject} is free of {said}"))
        return rng.choice((f"{subject} must not contain {said}", f"do not use {said} in {subject}"))
    if range_.lower == 1 and range_.upper is None and rng.random() < 0.5:
        return rng.choice((f"{subject} must contain {said}", f"include {said} in {subject}"))
    often = times(range_, rng)
    forms = (f"{subject} must contain {said} {often}", f"use {said} {often} in {subject}")
    return rng.choice((*forms, f"make sure that {subject} contains {said} {often}"))


def _depth(clause: Clause, range_: Bounds, measure: Depth, rng: random.Random) -> str:
    subject = _subject(clause, rng)
    if range_.upper == 0:
        return f"{subject} must contain no {'lists' if measure.of == 'list' else 'JSON objects or arrays'}"
    what = "nested lists (a flat list is 1 level)" if measure.of == "list" else "nested JSON objects and arrays"
    return f"{subject} must have {amount(range_, 'level', rng)} of {what}"


def _yes_or_no(clause: Clause, range_: Bounds, measure: Measure, rng: random.Random) -> str:
    wanted = range_.upper is None or range_.upper >= 1
    must = rng.choice(("must", "has to")) if wanted else "must not"
    subject = _subject(clause, rng)
    match measure:
        case Starts() | Ends():
            verb = rng.choice(("start", "begin") if isinstance(measure, Starts) else ("end", "finish"))
            note = "" if measure.case_sensitive else " (in any capitalization)"
            return f"{subject} {must} {verb} with {quoted(measure.text)}{note}"
        case Present():
            verb = rng.choice(("include", "contain"))
            return f"{subject} {must} {verb} {string_name(measure.text, True)}{case_note(measure.case_sensitive)}"
        case Valid():
            fence = "" if measure.fence else ", without a code fence around it"
            return f"{subject} {must} be {_FORMATS[measure.format]}{fence}"
        case Wrapped():
            verb = rng.choice(("wrapped", "enclosed"))
            return f"{subject} {must} be {verb} as a whole in one pair of {_DELIMITERS[measure.by]}"
        case LetterCase():
            case = "uppercase" if measure.case == "upper" else "lowercase"
            return f"{subject} {must} be written entirely in {case} letters"
    raise TypeError(f"no wording for {measure!r}")


def _related(clause: Clause, range_: Bounds, measure: Sorted | Chained | Acrostic, rng: random.Random) -> str:
    wanted = range_.upper is None or range_.upper >= 1
    must = "must" if wanted else "must not"
    where = f" in {_subject(clause, rng)}" if clause.scope else ""
    units, name = plural(measure.unit), singular(measure.unit)
    match measure:
        case Sorted():
            order = "reverse alphabetical order" if measure.descending else "alphabetical order"
            return f"the {units}{where} {must} {rng.choice(('be', 'stand'))} in {order}"
        case Acrostic():
            return f"the first letters of the {units}{where} {must} spell {quoted(measure.text)}"
        case Chained():
            link = f"with the last word of the {name} before it"
            if wanted:
                return f"{where.strip()}{', ' if where else ''}each {name} after the first must start {link}"
            return f"{where.strip()}{', ' if where else ''}at least one {name} after the first must not start {link}"
