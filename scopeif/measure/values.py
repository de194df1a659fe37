"""The measured value of one segment, and the predicates of Condition."""

from __future__ import annotations

from typing import Any

import yaml

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
    Measure,
    Not,
    Occurrences,
    Predicate,
    Present,
    Sorted,
    Starts,
    StartsWith,
    Valid,
    Wrapped,
)
from tools_sandbox import text as tools
from tools_sandbox.json_text import unfenced
from tools_sandbox.text import Segment


def value_of(measure: Measure, response: str, segment: Segment) -> int:
    """The value of a measure on a segment of a response."""
    text = segment.text
    match measure:
        case Length() | Count():
            return tools.count(measure.unit, response, segment)
        case Depth(of="list"):
            return tools.list_depth(response, segment)
        case Sorted() | Chained() | Acrostic():
            return int(_related(measure, [unit.text for unit in tools.units(measure.unit, response, segment)]))
        case Valid(format="yaml"):
            return int(_is_yaml(unfenced(text) if measure.fence else text))
    return _text_value(measure, text)


def _text_value(measure: Measure, text: str) -> int:
    match measure:
        case Occurrences():
            return tools.count_string(text, measure.text, measure.case_sensitive, measure.whole_word)
        case ClassCount():
            return tools.class_count(text, measure.char_class)
        case Divided():
            return tools.divided(text, measure.by)
        case Depth():
            return tools.json_depth(text)
        case Starts():
            return int(tools.starts_with(text, measure.text, measure.case_sensitive))
        case Ends():
            return int(tools.ends_with(text, measure.text, measure.case_sensitive))
        case Wrapped():
            return int(tools.wrapped(text, measure.by))
        case LetterCase():
            return int(tools.letter_case(text, measure.case))
        case Present():
            return int(tools.contains(text, measure.text, measure.case_sensitive))
        case Valid():
            return int(tools.is_valid(text, measure.format, measure.fence))
    raise TypeError(f"no measure: {measure!r}")


def _related(measure: Sorted | Chained | Acrostic, texts: list[str]) -> bool:
    match measure:
        case Sorted():
            return tools.is_sorted(texts, measure.descending)
        case Chained():
            return tools.is_chained(texts)
        case Acrostic():
            return tools.spells(texts, measure.text)


def holds(predicate: Predicate, response: str, segment: Segment, index: int) -> bool:
    """Whether a predicate holds for the segment of a 1-based index among its siblings."""
    match predicate:
        case Contains():
            return tools.contains(segment.text, predicate.text, predicate.case_sensitive)
        case StartsWith():
            return tools.starts_with(segment.text, predicate.text, predicate.case_sensitive)
        case EndsWith():
            return tools.ends_with(segment.text, predicate.text, predicate.case_sensitive)
        case IndexIs():
            return index % predicate.modulus == predicate.remainder
        case LengthIs():
            length = tools.count(predicate.unit, response, segment)
            lower, upper = predicate.lower or 0, predicate.upper
            return lower <= length and (upper is None or length <= upper)
        case AllOf():
            return all(holds(inner, response, segment, index) for inner in predicate.of)
        case AnyOf():
            return any(holds(inner, response, segment, index) for inner in predicate.of)
        case Not():
            return not holds(predicate.of, response, segment, index)


# Both are safe loaders: they build plain values only.
_YAML_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _is_yaml(text: str) -> bool:
    """Whether a text is one YAML mapping or list."""
    try:
        return isinstance(yaml.load(text, Loader=_YAML_LOADER), dict | list)
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return False
