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
    Each,
    Ends,
    Length,
    LetterCase,
    Measure,
    Named,
    Occurrences,
    Present,
    Relative,
    Sorted,
    Starts,
    Valid,
    Where,
    Wrapped,
)
from scopeif.measure.evaluate import compared_step
from scopeif.measure.nouns_en import (
    amount,
    case_note,
    number,
    ordinal,
    plural,
    quoted,
    segment,
    singular,
    times,
    where,
)

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


def sentence(clause: Clause, rng: random.Random) -> str:
    """One English sentence that says what a clause asks."""
    range_ = clause.range
    if isinstance(range_, Relative):
        text = _relative(clause, range_, rng)
    elif isinstance(clause.measure, Length | Count | ClassCount):
        text = _amount(clause, range_, clause.measure, rng)
    elif isinstance(clause.measure, Occurrences):
        text = _occurrences(clause, range_, clause.measure, rng)
    elif isinstance(clause.measure, Divided | Depth):
        text = _parts(clause, range_, clause.measure, rng)
    else:
        text = _yes_or_no(clause, range_, clause.measure, rng)
    return f"{text[0].upper()}{text[1:]}."


def _amount(clause: Clause, range_: Bounds, measure: Length | Count | ClassCount, rng: random.Random) -> str:
    unit = measure.char_class if isinstance(measure, ClassCount) else measure.unit
    if range_.upper == 0:
        return _none(clause, f"any {plural(unit)}", f"no {plural(unit)}", rng)
    said = amount(range_, unit, rng)
    subject = segment(clause.scope, rng)
    forms = [
        "{subject} must contain {said}",
        "make sure that {subject} contains {said}",
        "use {said} in {subject}",
    ]
    if isinstance(measure, Length):
        forms = [
            "{subject} must have {said}",
            "make sure that {subject} has {said}",
            "{subject} should be {said} long",
        ]
    if not clause.scope:
        forms += ["write {said}"] if isinstance(measure, Length) else ["use {said}"]
    return rng.choice(forms).format(subject=subject, said=said)


def _none(clause: Clause, any_: str, no: str, rng: random.Random) -> str:
    """A prohibition; "not ... in each" would leave open whether some may, so it is never said."""
    if not clause.scope:
        return rng.choice((f"do not use {any_}", f"the response must not contain {any_}", f"use {no} in your response"))
    subject = segment(clause.scope, rng)
    if all(isinstance(step, At) for step in clause.scope):
        return rng.choice((f"{subject} must not contain {any_}", f"do not use {any_} in {subject}"))
    return rng.choice((f"{subject} must contain {no}", f"make sure that {subject} contains {no}"))


def _string(text: str, whole_word: bool) -> str:
    """How a string is called: the word, the phrase, the letter, the string."""
    if len(text) == 1 and not whole_word:
        return f"the {'letter' if text.isalpha() else 'character'} {quoted(text)}"
    if not whole_word or not any(char.isalnum() for char in text):
        return f"the string {quoted(text)}"
    return f"the {'phrase' if ' ' in text.strip() else 'word'} {quoted(text)}"


def _occurrences(clause: Clause, range_: Bounds, measure: Occurrences, rng: random.Random) -> str:
    said = _string(measure.text, measure.whole_word) + case_note(measure.case_sensitive)
    if range_.upper == 0:
        subject = segment(clause.scope, rng)
        if any(not isinstance(step, At) for step in clause.scope):
            return f"{subject} must be free of {said}"
        return rng.choice((f"{subject} must not contain {said}", f"do not use {said} in {subject}"))
    subject = segment(clause.scope, rng)
    if range_.lower == 1 and range_.upper is None and rng.random() < 0.5:
        return rng.choice((f"{subject} must contain {said}", f"include {said} in {subject}"))
    often = times(range_, rng)
    return rng.choice((f"{subject} must contain {said} {often}", f"use {said} {often} in {subject}"))


def _parts(clause: Clause, range_: Bounds, measure: Divided | Depth, rng: random.Random) -> str:
    subject = segment(clause.scope, rng)
    if isinstance(measure, Divided):
        said = amount(range_, "part", rng)
        return f"{subject} must consist of {said} divided by lines that hold only {measure.by}"
    what = "nested lists (a flat list is 1 level)" if measure.of == "list" else "nested JSON objects and arrays"
    if range_.upper == 0:
        return f"{subject} must contain no {'lists' if measure.of == 'list' else 'JSON objects or arrays'}"
    return f"{subject} must have {amount(range_, 'level', rng)} of {what}"


def _yes_or_no(clause: Clause, range_: Bounds, measure: Measure, rng: random.Random) -> str:
    wanted = range_.upper is None or range_.upper >= 1
    must = "must" if wanted else "must not"
    subject = segment(clause.scope, rng)
    match measure:
        case Starts() | Ends():
            verb = rng.choice(("start", "begin") if isinstance(measure, Starts) else ("end", "close"))
            note = "" if measure.case_sensitive else " (in any capitalization)"
            return f"{subject} {must} {verb} with {quoted(measure.text)}{note}"
        case Present():
            verb, note = rng.choice(("include", "contain")), case_note(measure.case_sensitive)
            return f"{subject} {must} {verb} {_string(measure.text, True)}{note}"
        case Valid():
            fence = "" if measure.fence else ", without a code fence around it"
            return f"{subject} {must} be {_FORMATS[measure.format]}{fence}"
        case Wrapped():
            return f"{subject} {must} be {rng.choice(('wrapped', 'enclosed'))} in one pair of {_DELIMITERS[measure.by]}"
        case LetterCase():
            case = "uppercase" if measure.case == "upper" else "lowercase"
            return f"{subject} {must} be written entirely in {case} letters"
        case Sorted() | Chained() | Acrostic():
            return _related(clause, measure, must, subject)
    raise TypeError(f"no wording for {measure!r}")


def _related(clause: Clause, measure: Sorted | Chained | Acrostic, must: str, subject: str) -> str:
    units = plural(measure.unit)
    where_ = f" in {subject}" if clause.scope else ""
    if isinstance(measure, Sorted):
        order = "reverse alphabetical order" if measure.descending else "alphabetical order"
        return f"the {units}{where_} {must} be in {order}"
    if isinstance(measure, Acrostic):
        return f"the first letters of the {units}{where_} {must} spell {quoted(measure.text)}"
    name = singular(measure.unit)
    if must == "must":
        lead = f"in {subject}, each" if clause.scope else "each"
        return f"{lead} {name} after the first must start with the last word of the {name} before it"
    return f"not every {name}{where_} after the first may start with the last word of the {name} before it"


# -- relations ---------------------------------------------------------------------------------------------------


def _relative(clause: Clause, range_: Relative, rng: random.Random) -> str:
    subject, other = _compared(clause, range_, rng)
    measure = clause.measure
    short = range_.offset == 0 and range_.rounding == "none" and isinstance(measure, Length | Count | ClassCount)
    if short and not isinstance(measure, Divided | Depth):
        unit = measure.char_class if isinstance(measure, ClassCount) else getattr(measure, "unit", "")
        return f"{subject} must contain {_as_many(range_, plural(unit))} {other}"
    what = _quantity(measure)
    right = f"the {what} in {other}"
    if range_.factor != 1:
        right = f"{number(range_.factor)} times {right}"
    if range_.offset:
        right += f" {'plus' if range_.offset > 0 else 'minus'} {number(abs(range_.offset))}"
    return f"the {what} in {subject} must be {_RELATIONS[range_.relation]} {right}{_ROUNDINGS[range_.rounding]}"


def _as_many(range_: Relative, units: str) -> str:
    """more words than; exactly twice as many words as."""
    relation, factor = range_.relation, range_.factor
    if factor == 1 and relation in ("more", "fewer"):
        return f"{relation} {units} than"
    multiple = _MULTIPLES.get(factor, f"{number(factor)} times")
    lead = {
        "more": "more than",
        "at_least": "at least",
        "equal": "exactly",
        "at_most": "at most",
        "fewer": "fewer than",
    }
    return f"{lead[relation]} {multiple + ' ' if factor != 1 else ''}as many {units} as"


def _quantity(measure: Measure) -> str:
    match measure:
        case Length() | Count():
            return f"number of {plural(measure.unit)}"
        case ClassCount():
            return f"number of {plural(measure.char_class)}"
        case Occurrences():
            note = case_note(measure.case_sensitive)
            return f"number of occurrences of {_string(measure.text, measure.whole_word)}{note}"
        case Divided():
            return f"number of parts divided by lines that hold only {measure.by}"
        case Depth():
            return (
                "number of levels of nested lists" if measure.of == "list" else "number of levels of nested JSON values"
            )
    raise TypeError(f"no amount: {measure!r}")


def _compared(clause: Clause, range_: Relative, rng: random.Random) -> tuple[str, str]:
    """Who is compared with whom."""
    if isinstance(range_.to, Named):
        return segment(clause.scope, rng), segment(range_.to.scope, rng)
    at = compared_step(clause)
    if at is None:
        return segment(clause.scope, rng), "the one before it"
    step, outer, inner = clause.scope[at], clause.scope[:at], clause.scope[at + 1 :]
    name = singular(step.unit)
    within = f" in {segment(outer, rng)}" if outer else ""
    same = f" in the same {singular(outer[-1].unit)}" if outer else ""
    if isinstance(step, Each):
        subject, other = f"each {name} after the first{within}", f"the {name} before it{same}"
    else:
        assert isinstance(step, Where)
        subject, other = (
            f"{where(step)} (except the first such {name}){within}",
            f"the previous such {name}{same}",
        )
    for part in inner:
        lead = f"the {ordinal(part.index)} {singular(part.unit)}" if isinstance(part, At) else ""
        subject, other = (
            f"{lead} of {subject}",
            f"the {ordinal(part.index)} {singular(part.unit)} of {other}" if isinstance(part, At) else other,
        )
    return subject, other
