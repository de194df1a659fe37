"""English for ranges that are relative to another measurement."""

from __future__ import annotations

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
    Repeats,
    Same,
    Selection,
    Where,
)
from scopeif.measure.evaluate import compared_step
from scopeif.measure.nouns_en import (
    Thing,
    bare,
    bare_plural,
    number,
    ordinal,
    plural,
    segment,
    string_name,
    where,
)
from scopeif.measure.voice import Voice, figures

_MULTIPLES = {0.5: "half", 2: "twice", 3: "three times", 4: "four times", 5: "five times", 10: "ten times"}
_ROUNDINGS = {
    "none": "",
    "floor": ", rounded down to a whole number",
    "ceil": ", rounded up to a whole number",
    "nearest": ", rounded to the nearest whole number",
}
_RELATIONS = {
    "more": ("greater than", "higher than"),
    "at_least": ("at least", "no less than"),
    "equal": ("exactly", "equal to"),
    "at_most": ("at most", "no greater than"),
    "fewer": ("less than", "lower than"),
}
_LEADS = {
    "more": ("more than",),
    "at_least": ("at least", "no fewer than"),
    "equal": ("exactly",),
    "at_most": ("at most", "no more than"),
    "fewer": ("fewer than",),
}


def text(clause: Clause, range_: Relative, voice: Voice) -> str:
    """Each paragraph after the first must contain more words than the paragraph before it."""
    if isinstance(range_.to, Same):
        return _within_one(clause, range_, range_.to, voice)
    subject, other = _compared(clause, range_.to, voice)
    things = _things(clause.measure, clause.scope)
    if things is not None and voice.pick("many", "many", "many", "number") == "many":
        said = _as_many(range_, things, other, voice)
        if said:
            verb = voice.pick("must contain", "must have", "should contain", "has to contain", "needs to have")
            forms = [f"{subject} {verb} {said}", f"{subject} {verb} {said}", f"make sure that {subject} has {said}"]
            return voice.pick(*forms)
    quantity = _quantity(clause.measure)
    right = _right(range_, f"the {quantity} in {other}", voice)
    return f"the {quantity} in {subject} {voice.pick('must', 'should', 'has to')} be {right}"


def _within_one(clause: Clause, range_: Relative, same: Same, voice: Voice) -> str:
    """The response must contain exactly twice as many commas as question marks."""
    subject = segment(clause.scope, voice)
    things, others = _things(clause.measure, clause.scope), _things(same.measure, clause.scope)
    if things is not None and others is not None:
        said = _as_many(range_, things, others, voice)
        if said:
            return f"{subject} {voice.pick('must contain', 'should contain', 'must have', 'has to contain')} {said}"
    right = _right(range_, f"the {_quantity(same.measure)}", voice)
    place = voice.pick("in", "within")
    return f"{place} {subject}, the {_quantity(clause.measure)} {voice.pick('must', 'should', 'has to')} be {right}"


def _as_many(range_: Relative, units: str, other: str, voice: Voice) -> str:
    """More words than X, exactly twice as many words as X, exactly 5 fewer words than X; or nothing where that jars."""
    relation, factor, offset = range_.relation, range_.factor, range_.offset
    if range_.rounding != "none":
        return ""
    if offset:
        if (
            abs(offset) == 1
            or factor != 1
            or not (relation == "equal" or (offset > 0 and relation in ("at_least", "at_most")))
        ):
            return ""
        more = "more" if offset > 0 else "fewer"
        return f"{voice.pick(*_LEADS[relation])} {number(abs(offset), voice)} {more} {units} than {other}"
    if factor == 1:
        if relation in ("more", "fewer"):
            return f"{relation} {units} than {other}"
        if relation == "equal":
            return voice.pick(f"exactly as many {units} as {other}", f"the same number of {units} as {other}")
    multiple = "" if factor == 1 else _MULTIPLES.get(factor, f"{figures(factor)} times") + " "
    return f"{voice.pick(*_LEADS[relation])} {multiple}as many {units} as {other}"


def _right(range_: Relative, reference: str, voice: Voice) -> str:
    """At least 1.5 times the number of words in X, plus 3, rounded down to a whole number."""
    right = reference
    if range_.factor != 1:
        right = f"{_MULTIPLES.get(range_.factor, f'{figures(range_.factor)} times')} {right}"
    if range_.offset:
        right += f", {'plus' if range_.offset > 0 else 'minus'} {figures(abs(range_.offset))}"
    return f"{voice.pick(*_RELATIONS[range_.relation])} {right}{_ROUNDINGS[range_.rounding]}"


def _things(measure: Measure, scope: tuple[Selection, ...]) -> str | None:
    """What is counted, in the plural, where a segment can contain it."""
    match measure:
        case Count():
            return Thing.counted(measure, scope).many
        case Length():
            return plural(measure.unit)
        case ClassCount():
            return plural(measure.char_class)
    return None


def _quantity(measure: Measure) -> str:
    match measure:
        case Length():
            return f"number of {plural(measure.unit)}"
        case Count():
            return f"number of {Thing(measure.unit, where=measure.where).many}"
        case ClassCount():
            return f"number of {plural(measure.char_class)}"
        case Occurrences():
            name = string_name(measure.text, measure.whole_word, measure.case_sensitive)
            return f"number of occurrences of {name}"
        case Repeats():
            return f"number of {bare_plural(measure.unit)} that repeat an earlier one"
        case Divided():
            return f"number of parts divided by lines that hold only {measure.by}"
        case Depth(of="list"):
            return "number of levels of nested lists"
        case Depth():
            return "number of levels of nested JSON objects and arrays"
    raise TypeError(f"no amount: {measure!r}")


def _compared(clause: Clause, to: object, voice: Voice) -> tuple[str, str]:
    """Who is compared, and with whom."""
    if isinstance(to, Named):
        return segment(clause.scope, voice), segment(to.scope, voice, ("the",))
    at = compared_step(clause)
    if at is None:
        return segment(clause.scope, voice), "the one before it"
    step, outer = clause.scope[at], clause.scope[:at]
    alone = len(clause.scope) == 1
    subject, other = _neighbours(step, alone, voice)
    if outer:
        subject += f" in {segment(outer, voice)}"
        other += f" in the same {bare(outer[-1].unit)}"
    for part in clause.scope[at + 1 :]:
        position = f"the {ordinal(part.index)} {bare(part.unit)} of " if isinstance(part, At) else ""
        subject, other = position + subject, position + other
    return subject, other


def _neighbours(step: Selection, alone: bool, voice: Voice) -> tuple[str, str]:
    name = bare(step.unit)
    match step:
        case Where():
            return f"{where(step, voice)}, except the first such {name},", f"the previous such {name}"
        case Each():
            other = voice.pick(f"the {name} before it", f"the previous {name}", f"the preceding {name}")
            forms = [f"each {name} after the first", f"every {name} after the first"]
            first = voice.pick(*forms, *([f"from the second on, every {name}"] if alone else []))
            return first, other
        case At():
            return f"the {ordinal(step.index)} {name}", f"the {name} before it"
