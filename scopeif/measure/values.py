"""The measured value of one segment, and the predicates of Condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
from tools_sandbox import text as tools
from tools_sandbox.text import Segment


def value_of(measure: Measure, response: str, segment: Segment) -> int:
    """The value of a measure on a segment of a response."""
    return _VALUES[type(measure)](measure, response, segment)


def holds(predicate: Predicate, response: str, segment: Segment, index: int) -> bool:
    """Whether a predicate holds for the segment of a 1-based index among its siblings."""
    return _TESTS[type(predicate)](predicate, response, segment, index)


def _counted(measure: Count, response: str, segment: Segment) -> int:
    if measure.where is None:
        return tools.count(measure.unit, response, segment)
    test, found = measure.where, tools.units(measure.unit, response, segment)
    return sum([holds(test, response, unit, index) for index, unit in enumerate(found, 1)])


def _texts(measure: Any, response: str, segment: Segment) -> list[str]:
    return [unit.text for unit in tools.units(measure.unit, response, segment)]


def _depth(measure: Depth, response: str, segment: Segment) -> int:
    return tools.list_depth(response, segment) if measure.of == "list" else tools.json_depth(segment.text)


# Tables, since a chain of cases is slow where a response has hundreds of segments.
_VALUES: dict[type, Callable[[Any, str, Segment], int]] = {
    Length: lambda m, response, s: tools.count(m.unit, response, s),
    Count: _counted,
    Occurrences: lambda m, _, s: tools.count_string(s.text, m.text, m.case_sensitive, m.whole_word),
    ClassCount: lambda m, _, s: tools.class_count(s.text, m.char_class),
    Repeats: lambda m, response, s: tools.repeated(_texts(m, response, s)),
    Starts: lambda m, _, s: int(tools.starts_with(s.text, m.text, m.case_sensitive)),
    Ends: lambda m, _, s: int(tools.ends_with(s.text, m.text, m.case_sensitive)),
    Matches: lambda m, _, s: int(tools.matches(s.text, m.pattern, m.case_sensitive)),
    Wrapped: lambda m, _, s: int(tools.wrapped(s.text, m.by)),
    Divided: lambda m, _, s: tools.divided(s.text, m.by),
    LetterCase: lambda m, _, s: int(tools.letter_case(s.text, m.case)),
    Present: lambda m, _, s: int(tools.contains(s.text, m.text, m.case_sensitive)),
    Valid: lambda m, _, s: int(tools.is_valid(s.text, m.format, m.fence)),
    Depth: _depth,
    Sorted: lambda m, response, s: int(tools.is_sorted(_texts(m, response, s), m.descending)),
    Chained: lambda m, response, s: int(tools.is_chained(_texts(m, response, s))),
    Acrostic: lambda m, response, s: int(tools.spells(_texts(m, response, s), m.text)),
}
_TESTS: dict[type, Callable[[Any, str, Segment, int], bool]] = {
    Contains: lambda p, _, s, index: tools.contains(s.text, p.text, p.case_sensitive),
    StartsWith: lambda p, _, s, index: tools.starts_with(s.text, p.text, p.case_sensitive),
    EndsWith: lambda p, _, s, index: tools.ends_with(s.text, p.text, p.case_sensitive),
    IndexIs: lambda p, _, s, index: index % p.modulus == p.remainder,
    LengthIs: lambda p, response, s, index: _within(tools.count(p.unit, response, s), p.lower, p.upper),
    MatchesPattern: lambda p, _, s, index: tools.matches(s.text, p.pattern, p.case_sensitive),
    UnderHeading: lambda p, response, s, index: tools.under_heading(response, s, p.text, p.case_sensitive),
    AllOf: lambda p, response, s, index: all(holds(inner, response, s, index) for inner in p.of),
    AnyOf: lambda p, response, s, index: any(holds(inner, response, s, index) for inner in p.of),
    Not: lambda p, response, s, index: not holds(p.of, response, s, index),
}


def _within(length: int, lower: int | None, upper: int | None) -> bool:
    return (lower is None or lower <= length) and (upper is None or length <= upper)
