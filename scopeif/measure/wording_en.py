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
    Matches,
    Measure,
    Occurrences,
    Present,
    Relative,
    Repeats,
    Sorted,
    Starts,
    Valid,
    Wrapped,
)
from scopeif.measure import relations_en
from scopeif.measure.nouns_en import (
    Thing,
    amount,
    bare,
    bare_plural,
    number,
    parted,
    pattern_name,
    quoted,
    segment,
    string_name,
    times,
)
from scopeif.measure.voice import Voice

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
    "integer": "a whole number in figures",
    "decimal": "a number in figures with a decimal point",
    "date": "a date in the form YYYY-MM-DD",
}


def sentence(clause: Clause, rng: random.Random) -> str:
    """One English sentence that says what a clause asks."""
    text = _text(clause, Voice(rng))
    return f"{text[0].upper()}{text[1:]}."


def _text(clause: Clause, voice: Voice) -> str:
    range_, measure = clause.range, clause.measure
    if isinstance(range_, Relative):
        return relations_en.text(clause, range_, voice)
    match measure:
        case Length():
            return _length(clause, range_, measure, voice)
        case Count():
            return _count(clause, range_, Thing.counted(measure, clause.scope), voice)
        case ClassCount():
            return _count(clause, range_, Thing(measure.char_class), voice)
        case Occurrences():
            return _occurrences(clause, range_, measure, voice)
        case Repeats():
            return _repeats(clause, range_, measure, voice)
        case Divided():
            place, subject = parted(clause.scope, voice)
            parts = f"{amount(range_, Thing('part'), voice)} {voice.pick('divided', 'separated')} by lines"
            must = voice.pick("must", "should", "has to")
            return f"{place}{subject} {must} consist of {parts} that hold only {measure.by}"
        case Depth():
            return _depth(clause, range_, measure, voice)
        case Sorted() | Chained() | Acrostic():
            return _related(clause, range_, measure, voice)
        case _:
            return _yes_or_no(clause, range_, measure, voice)


def _universal(clause: Clause) -> bool:
    """Whether several segments may be selected: "each ... must not" could be read as "not each ... must"."""
    return any(not isinstance(step, At) and step.unit != "response" for step in clause.scope)


def _length(clause: Clause, range_: Bounds, measure: Length, voice: Voice) -> str:
    lower, upper, thing = range_.lower, range_.upper, Thing(measure.unit)
    place, subject = parted(clause.scope, voice)
    if upper == 0:
        return _none(clause, thing, voice)
    said = amount(range_, thing, voice)
    must = voice.pick("must", "must", "should", "has to", "needs to")
    forms = [
        f"{subject} {must} have {said}",
        f"{subject} {must} contain {said}",
        f"make sure that {subject} has {said}",
    ]
    if not (said.endswith(")") or " and at most" in said or " and no more" in said):
        forms += [f"{subject} {must} be {said} long"] * 2
    if upper is not None and lower is None:
        many = f"{number(upper, voice)} {thing.after(upper)}"
        forms.append(f"keep {subject} to {said}")
        if not _universal(clause):
            forms += [
                f"{subject} {voice.pick('must', 'should')} not exceed {many}",
                f"{subject} must not be longer than {many}",
            ]
    elif lower is not None and upper is None and not _universal(clause):
        forms.append(f"{subject} must not be shorter than {number(lower, voice)} {thing.after(lower)}")
    elif lower == upper:
        forms.append(f"{subject} {must} consist of {said}")
    if not clause.scope:
        forms += [f"write {said}", f"write a response of {said}", f"use {said}"]
        forms += [] if said.startswith("from") else [f"answer in {said}"]
    return place + voice.pick(*forms)


def _count(clause: Clause, range_: Bounds, thing: Thing, voice: Voice) -> str:
    if range_.upper == 0:
        return _none(clause, thing, voice)
    place, subject = parted(clause.scope, voice)
    said = amount(range_, thing, voice)
    must = voice.pick("must", "must", "should", "has to", "needs to")
    are = "is" if " 1 " in f" {said} " or " one " in f" {said} " else "are"
    forms = [f"{subject} {must} contain {said}", f"{subject} {must} have {said}", f"{subject} {must} include {said}"]
    forms += [f"make sure that {subject} contains {said}", f"{voice.pick('use', 'include')} {said} in {subject}"]
    forms += [
        f"make sure that there {are} {said} in {subject}",
        f"there {voice.pick('must', 'should')} be {said} in {subject}",
    ]
    if range_.lower is None:
        forms.append(f"limit {subject} to {said}")
    if not clause.scope:
        forms += [f"use {said}", f"use {said}", f"include {said}"]
    return place + voice.pick(*forms)


def _none(clause: Clause, thing: Thing, voice: Voice) -> str:
    """A prohibition. "Not ... in each" would leave open whether some may, so it is never said."""
    place, subject = parted(clause.scope, voice)
    units = thing.many
    if not clause.scope:
        forms = [f"do not use any {units}", f"{subject} must not contain any {units}", f"avoid all {units}"]
        forms += [f"use no {units}", f"{subject} should be free of {units}", f"write without any {units}"]
        return voice.pick(*forms)
    if not _universal(clause):
        forms = [f"{subject} must not contain any {units}", f"do not use any {units} in {subject}"]
        return place + voice.pick(*forms, f"{subject} must be free of {units}", f"use no {units} in {subject}")
    forms = [f"{subject} must contain no {units}", f"make sure that {subject} contains no {units}"]
    return place + voice.pick(*forms, f"{subject} must be free of {units}", f"keep {subject} free of {units}")


def _occurrences(clause: Clause, range_: Bounds, measure: Occurrences, voice: Voice) -> str:
    said = string_name(measure.text, measure.whole_word, measure.case_sensitive)
    place, subject = parted(clause.scope, voice)
    if range_.upper == 0:
        if _universal(clause):
            forms = [f"{subject} must be free of {said}", f"make sure that {subject} is free of {said}"]
            return place + voice.pick(*forms, f"keep {said} out of {subject}")
        forms = [f"{subject} must not contain {said}", f"do not use {said} in {subject}", f"avoid {said} in {subject}"]
        return place + voice.pick(*forms, f"{said} must not appear in {subject}", f"never use {said} in {subject}")
    if range_.lower == 1 and range_.upper is None and voice.pick("once", "plain") == "plain":
        must = voice.pick("must", "should", "has to")
        forms = [f"{subject} {must} contain {said}", f"include {said} in {subject}", f"{subject} {must} include {said}"]
        return place + voice.pick(*forms, f"{said} {must} appear in {subject}")
    often = times(range_, voice)
    must = voice.pick("must", "should", "has to")
    forms = [f"{subject} {must} contain {said} {often}", f"use {said} {often} in {subject}"]
    forms += [f"make sure that {subject} contains {said} {often}", f"{said} {must} appear {often} in {subject}"]
    return place + voice.pick(*forms, f"{said} {must} occur {often} in {subject}")


def _repeats(clause: Clause, range_: Bounds, measure: Repeats, voice: Voice) -> str:
    name, units = bare(measure.unit), bare_plural(measure.unit)
    place, subject = parted(clause.scope, voice)
    if range_.upper == 0:
        forms = [
            f"all {units} in {subject} must be different from one another",
            f"no {name} may occur twice in {subject}",
        ]
        if _universal(clause):
            forms = [f"{subject} must be free of repeated {units}", f"make sure that {subject} holds no {name} twice"]
        return place + voice.pick(*forms) + " (capitalization aside)"
    thing = Thing(measure.unit)
    thing.one, thing.many = f"{name} that repeats an earlier one", f"{units} that repeat an earlier one"
    return f"{place}{subject} {voice.pick('must', 'should')} contain {amount(range_, thing, voice)}"


def _depth(clause: Clause, range_: Bounds, measure: Depth, voice: Voice) -> str:
    place, subject = parted(clause.scope, voice)
    must = voice.pick("must", "should", "has to")
    if range_.upper == 0:
        return f"{place}{subject} must contain no {'lists' if measure.of == 'list' else 'JSON objects or arrays'}"
    said = amount(range_, Thing("level"), voice)
    if measure.of == "list":
        flat = " (a flat list is one level)"
        forms = [f"{subject} {must} have {said} of nested lists{flat}", f"nest lists {said} deep in {subject}{flat}"]
    else:
        forms = [f"{subject} {must} have {said} of nested JSON objects and arrays"]
        forms.append(f"the JSON in {subject} {must} be nested {said} deep, counting objects and arrays")
    return place + voice.pick(*forms)


def _yes_or_no(clause: Clause, range_: Bounds, measure: Measure, voice: Voice) -> str:
    wanted = range_.upper is None or range_.upper >= 1
    place, subject = parted(clause.scope, voice)
    if wanted:
        must = voice.pick("must", "must", "should", "has to", "needs to")
    elif len(clause.scope) == 1 and _universal(clause):
        must, subject = "may", segment(clause.scope, voice, ("no",))
    else:
        must = voice.pick("must not", "should not")
    match measure:
        case Starts() | Ends():
            verb = (
                voice.pick("start", "begin", "open")
                if isinstance(measure, Starts)
                else voice.pick("end", "finish", "close")
            )
            note = "" if measure.case_sensitive else " (in any capitalization)"
            return f"{place}{subject} {must} {verb} with {quoted(measure.text)}{note}"
        case Matches():
            return f"{place}{subject} {must} {_matching(measure, voice)}"
        case Present():
            verb = voice.pick("include", "contain", "mention")
            return f"{place}{subject} {must} {verb} {string_name(measure.text, True, measure.case_sensitive)}"
        case Valid():
            fence = "" if measure.fence else ", without a code fence around it"
            return f"{place}{subject} {must} be {_FORMATS[measure.format]}{fence}"
        case Wrapped():
            verb = voice.pick("wrapped", "enclosed", "surrounded")
            link = "by" if verb == "surrounded" else "in"
            return f"{place}{subject} {must} be {verb} as a whole {link} one pair of {_DELIMITERS[measure.by]}"
        case LetterCase():
            case = "uppercase" if measure.case == "upper" else "lowercase"
            forms = [f"be written entirely in {case} letters"]
            forms += (
                [f"be written in {case} letters only", f"be all {case}", f"use {case} letters only"] if wanted else []
            )
            return f"{place}{subject} {must} {voice.pick(*forms)}"
    raise TypeError(f"no wording for {measure!r}")


def _matching(measure: Matches, voice: Voice) -> str:
    said = pattern_name(measure.pattern, measure.case_sensitive)
    if measure.pattern.startswith("^") and measure.pattern.endswith("$") and "|" not in measure.pattern:
        return f"match {said}{voice.pick('', ' as a whole')}"
    return f"contain {voice.pick('a match of', 'text that matches')} {said}"


def _related(clause: Clause, range_: Bounds, measure: Sorted | Chained | Acrostic, voice: Voice) -> str:
    wanted = range_.upper is None or range_.upper >= 1
    must = voice.pick("must", "should") if wanted else "must not"
    where = f" in {segment(clause.scope, voice)}" if clause.scope else ""
    units, name = bare_plural(measure.unit), bare(measure.unit)
    match measure:
        case Sorted():
            order = voice.pick("reverse alphabetical order", "reverse alphabetical order (Z to A)")
            order = order if measure.descending else voice.pick("alphabetical order", "alphabetical order (A to Z)")
            verb = voice.pick("be", "stand", "appear", "be listed")
            forms = [f"the {units}{where} {must} {verb} in {order}"]
            forms += [f"{voice.pick('put', 'arrange', 'sort')} the {units}{where} in {order}"] if wanted else []
            return voice.pick(*forms)
        case Acrostic():
            letters = voice.pick("the first letters", "the initial letters")
            forms = [f"{letters} of the {units}{where}, in order, {must} spell {quoted(measure.text)}"]
            forms += [f"{letters} of the {units}{where} {must} spell {quoted(measure.text)}"]
            return voice.pick(*forms)
        case Chained():
            link = f"with the last word of the {name} before it"
            lead = f"{where.strip()}, " if where else ""
            if not wanted:
                return f"{lead}at least one {name} after the first must not start {link}"
            verb = voice.pick("start", "begin")
            link = voice.pick(link, f"with the last word of the previous {name}")
            return f"{lead}{voice.pick('each', 'every')} {name} after the first {must} {verb} {link}"
