"""English for ranges that are relative to another measurement."""

from __future__ import annotations

import random

from scopeif.constraints.spec import (
    At,
    ClassCount,
    Clause,
    Count,
    Depth,
    Divided,
    Each,
    Length,
    Measure,
    Named,
    Occurrences,
    Relative,
    Selection,
    Where,
)
from scopeif.measure.evaluate import compared_step
from scopeif.measure.nouns_en import case_note, number, ordinal, plural, segment, singular, string_name, where

_MULTIPLES = {0.5: "half", 2: "twice", 3: "three times", 4: "four times"}
_ROUNDINGS = {
    "none": "",
    "floor": ", rounded down",
    "ceil": ", rounded up",
    "nearest": ", rounded to the nearest whole number",
}
_RELATIONS = {
    "more": "greater than",
    "at_least": "at least",
    "equal": "exactly",
    "at_most": "at most",
    "fewer": "less than",
}
_LEADS = {
    "more": "more than",
    "at_least": "at least",
    "equal": "exactly",
    "at_most": "at most",
    "fewer": "fewer than",
}


def text(clause: Clause, range_: Relative, rng: random.Random) -> str:
    """Each paragraph after the first must contain more words than the paragraph before it."""
    measure = clause.measure
    subject, other = _compared(clause, range_.to, rng)
    plain = range_.offset == 0 and range_.rounding == "none"
    if plain and isinstance(measure, Length | Count | ClassCount):
        unit = measure.char_class if isinstance(measure, ClassCount) else measure.unit
        verb = rng.choice(("must contain", "must have", "has to contain"))
        return f"{subject} {verb} {_as_many(range_, plural(unit))} {other}"
    quantity = _quantity(measure)
    right = f"the {quantity} in {other}"
    if range_.factor != 1:
        right = f"{number(range_.factor)} times {right}"
    if range_.offset:
        right += f", {'plus' if range_.offset > 0 else 'minus'} {number(abs(range_.offset))}"
    return f"the {quantity} in {subject} must be {_RELATIONS[range_.relation]} {right}{_ROUNDINGS[range_.rounding]}"


def _as_many(range_: Relative, units: str) -> str:
    """more words than; exactly twice as many words as."""
    relation, factor = range_.relation, range_.factor
    if factor == 1 and relation in ("more", "fewer"):
        return f"{relation} {units} than"
    multiple = "" if factor == 1 else _MULTIPLES.get(factor, f"{number(factor)} times") + " "
    return f"{_LEADS[relation]} {multiple}as many {units} as"


def _quantity(measure: Measure) -> str:
    match measure:
        case Length() | Count():
            return f"number of {plural(measure.unit)}"
        case ClassCount():
            return f"number of {plural(measure.char_class)}"
        case Occurrences():
            name = string_name(measure.text, measure.whole_word)
            return f"number of occurrences of {name}{case_note(measure.case_sensitive)}"
        case Divided():
            return f"number of parts divided by lines that hold only {measure.by}"
        case Depth(of="list"):
            return "number of levels of nested lists"
        case Depth():
            return "number of levels of nested JSON objects and arrays"
    raise TypeError(f"no amount: {measure!r}")


def _compared(clause: Clause, to: object, rng: random.Random) -> tuple[str, str]:
    """Who is compared, and with whom."""
    if isinstance(to, Named):
        return segment(clause.scope, rng), segment(to.scope, rng)
    at = compared_step(clause)
    if at is None:
        return segment(clause.scope, rng), "the one before it"
    step, outer = clause.scope[at], clause.scope[:at]
    subject, other = _neighbours(step)
    if outer:
        subject += f" in {segment(outer, rng)}"
        other += f" in the same {singular(outer[-1].unit)}"
    for part in clause.scope[at + 1 :]:
        position = f"the {ordinal(part.index)} {singular(part.unit)} of " if isinstance(part, At) else ""
        subject, other = position + subject, position + other
    return subject, other


def _neighbours(step: Selection) -> tuple[str, str]:
    name = singular(step.unit)
    match step:
        case Where():
            return f"{where(step)}, except the first such {name},", f"the previous such {name}"
        case Each():
            return f"each {name} after the first", f"the {name} before it"
        case At():
            return f"the {ordinal(step.index)} {name}", f"the {name} before it"
