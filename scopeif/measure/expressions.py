"""Measures and predicates as Python expressions over the functions of `tools_sandbox.text`."""

from __future__ import annotations

from scopeif.constraints.spec import (
    Acrostic,
    AllOf,
    AnyOf,
    Chained,
    ClassCount,
    Contains,
    Count,
    Depth,
    Divided,
    Ends,
    EndsWith,
    IndexIs,
    Length,
    LengthIs,
    LetterCase,
    Matches,
    MatchesPattern,
    Measure,
    Not,
    Occurrences,
    Predicate,
    Present,
    Repeats,
    Sorted,
    Starts,
    StartsWith,
    UnderHeading,
    Valid,
    Wrapped,
)

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def value_source(measure: Measure, segment: str) -> str:
    """An expression for the value of a measure; relations read the variable `texts`."""
    match measure:
        case Count(where=predicate) if predicate is not None:
            test = predicate_source(predicate, "unit", "index")
            return f'sum(1 for index, unit in enumerate(units("{measure.unit}", response, {segment}), 1) if {test})'
        case Repeats():
            return f'repeated([unit.text for unit in units("{measure.unit}", response, {segment})])'
        case Length() | Count():
            return f'count("{measure.unit}", response, {segment})'
        case Depth():
            return f"list_depth(response, {segment})" if measure.of == "list" else f"json_depth({segment}.text)"
        case Sorted():
            return f"int(is_sorted(texts, {measure.descending}))"
        case Chained():
            return "int(is_chained(texts))"
        case Acrostic():
            return f"int(spells(texts, {literal(measure.text)}))"
    return _text_source(measure, f"{segment}.text")


def _text_source(measure: Measure, text: str) -> str:
    match measure:
        case Occurrences():
            flags = f"{measure.case_sensitive}, {measure.whole_word}"
            return f"count_string({text}, {literal(measure.text)}, {flags})"
        case ClassCount():
            return f'class_count({text}, "{measure.char_class}")'
        case Divided():
            return f'divided({text}, "{measure.by}")'
        case Starts() | Ends() | Present():
            function = {"starts": "starts_with", "ends": "ends_with", "present": "contains"}[measure.kind]
            return f"int({function}({text}, {literal(measure.text)}, {measure.case_sensitive}))"
        case Wrapped():
            return f'int(wrapped({text}, "{measure.by}"))'
        case LetterCase():
            return f'int(letter_case({text}, "{measure.case}"))'
        case Matches():
            return f"int(matches({text}, {literal(measure.pattern)}, {measure.case_sensitive}))"
        case Valid():
            return f'int(is_valid({text}, "{measure.format}", {measure.fence}))'
    raise TypeError(f"no measure: {measure!r}")


def predicate_source(predicate: Predicate, segment: str, index: str) -> str:
    """An expression for a predicate on the segment and its 1-based index."""
    match predicate:
        case Contains() | StartsWith() | EndsWith():
            function = {"contains": "contains", "starts": "starts_with", "ends": "ends_with"}[predicate.test]
            return f"{function}({segment}.text, {literal(predicate.text)}, {predicate.case_sensitive})"
        case IndexIs():
            return f"{index} % {predicate.modulus} == {predicate.remainder}"
        case LengthIs():
            length = f'count("{predicate.unit}", response, {segment})'
            lower, upper = predicate.lower or 0, predicate.upper
            return f"{length} >= {lower}" if upper is None else f"{lower} <= {length} <= {upper}"
        case MatchesPattern():
            return f"matches({segment}.text, {literal(predicate.pattern)}, {predicate.case_sensitive})"
        case UnderHeading():
            arguments = f"{literal(predicate.text)}, {predicate.case_sensitive}"
            return f"under_heading(response, {segment}, {arguments})"
        case AllOf() | AnyOf():
            joint = " and " if isinstance(predicate, AllOf) else " or "
            return "(" + joint.join(predicate_source(inner, segment, index) for inner in predicate.of) + ")"
        case Not():
            return f"not ({predicate_source(predicate.of, segment, index)})"


def literal(text: str) -> str:
    """A string as Python source, in double quotes."""
    return f'"{"".join(_escaped(char) for char in text)}"'


def _escaped(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
