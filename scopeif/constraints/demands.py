"""What the clauses of an instruction demand of a response, one elementary demand each.

A clause says more than its range: "the third paragraph ends with X" also asks for three paragraphs, and "all in
capitals" for no small letter. `demands_of` writes all of it as bounds on amounts, as first and last characters, and as
relations, each with the selector chain of the segments that it is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scopeif.constraints.spec import (
    AMOUNTS,
    Acrostic,
    AllOf,
    At,
    Bounds,
    Chained,
    ClassCount,
    Clause,
    Contains,
    Count,
    Each,
    Ends,
    EndsWith,
    Length,
    LengthIs,
    LetterCase,
    Measure,
    Named,
    Occurrences,
    Predicate,
    Present,
    Relative,
    Selection,
    Sorted,
    Starts,
    StartsWith,
    Unit,
    Valid,
    Where,
    Wrapped,
)
from tools_sandbox import text as tools

Steps = tuple[Selection, ...]
_CLOSERS = '"”“」』)）]】］>》〉»'
_OPENERS = '"“„「『(（[【［<《〈«'
_HOLDS_ONE: dict[Unit, Unit] = {"sentence": "word", "word": "character", "paragraph": "line"}
"""Each sentence has a word of its own, and so on: as many of the one are at least as many of the other."""


class Range(NamedTuple):
    """Whole numbers from `lower` to `upper`."""

    lower: float
    upper: float


@dataclass(frozen=True)
class Amount:
    """The `measure` of each segment of the chain lies in the range.

    constraint: number of the constraint in its instruction.
    assumed: a Condition asks for it; the segments are those for which it holds.
    open_sides: whether a letter may stand directly before and behind the string that is counted.
    """

    chain: Steps
    measure: Count | Occurrences | ClassCount | Measure
    range: Range
    constraint: int
    assumed: bool = False
    open_sides: tuple[bool, bool] = (False, False)


@dataclass(frozen=True)
class Edge:
    """Each segment of the chain starts (or ends) with `text`, or with one of the `characters`."""

    chain: Steps
    side: Literal["start", "end"]
    constraint: int
    words: str
    text: str | None = None
    characters: frozenset[str] = frozenset()
    case_sensitive: bool = True
    holds: bool = True
    assumed: bool = False


@dataclass(frozen=True)
class Relation:
    """A relation to another measurement."""

    chain: Steps
    measure: Measure
    range: Relative
    constraint: int


class Demands(NamedTuple):
    """Everything that the clauses of an instruction demand."""

    amounts: list[Amount]
    edges: list[Edge]
    relations: list[Relation]


def demands_of(clauses: list[tuple[int, Clause]]) -> Demands:
    """The demands of clauses, each with the number of its constraint."""
    amounts: list[Amount] = []
    edges: list[Edge] = []
    relations: list[Relation] = []
    for number, clause in clauses:
        measure, range_ = clause.measure, clause.range
        chain = tuple(step for step in clause.scope if not (isinstance(step, Each) and step.unit == "response"))
        amounts += _presupposed(chain, number)
        if isinstance(range_, Relative) and isinstance(range_.to, Named):
            amounts += _presupposed(range_.to.scope, number)
        for depth, step in enumerate(chain, start=1):
            if isinstance(step, Where):
                inner = _assumed(step.predicate, chain[:depth], number)
                amounts += [one for one in inner if isinstance(one, Amount)]
                edges += [one for one in inner if isinstance(one, Edge)]
        if isinstance(range_, Relative):
            relations.append(Relation(chain, measure, range_, number))
            continue
        values = whole_numbers(measure, range_)
        amounts += _measured(chain, measure, values, number)
        edges += _edges(chain, measure, values, number)
    return Demands([more for one in amounts for more in _implied(one)], edges, relations)


def whole_numbers(measure: Measure, range_: Bounds) -> Range:
    """The values in the bounds that the measure can have; reversed where there is none."""
    lower = 0 if range_.lower is None else max(0, math.ceil(range_.lower))
    upper = math.inf if range_.upper is None else math.floor(range_.upper)
    return Range(lower, upper if isinstance(measure, AMOUNTS) else min(upper, 1))


def _presupposed(chain: Steps, number: int) -> Iterator[Amount]:
    """The units that Traversal and Position need; without them the constraint is violated."""
    for depth, step in enumerate(chain):
        if not isinstance(step, Where):
            lower = abs(step.index) if isinstance(step, At) else 1
            yield Amount(chain[:depth], Count(unit=step.unit), Range(lower, math.inf), number)


def _assumed(predicate: Predicate, chain: Steps, number: int) -> list[Amount | Edge]:
    match predicate:
        case Contains():
            keyword = Occurrences(text=predicate.text, case_sensitive=predicate.case_sensitive)
            return [Amount(chain, keyword, Range(1, math.inf), number, assumed=True)]
        case LengthIs():
            upper = math.inf if predicate.upper is None else predicate.upper
            return [Amount(chain, Count(unit=predicate.unit), Range(predicate.lower or 0, upper), number, assumed=True)]
        case StartsWith() | EndsWith():
            side: Literal["start", "end"] = "start" if isinstance(predicate, StartsWith) else "end"
            words, sensitive = f"{side}s with {predicate.text!r}", predicate.case_sensitive
            return [Edge(chain, side, number, words, predicate.text, case_sensitive=sensitive, assumed=True)]
        case AllOf():
            return [one for inner in predicate.of for one in _assumed(inner, chain, number)]
    return []


def _measured(chain: Steps, measure: Measure, values: Range, number: int) -> Iterator[Amount]:
    """The amounts of one clause, those of its measure's own kind first."""
    met = values.lower >= 1
    match measure:
        case Length():
            yield Amount(chain, Count(unit=measure.unit), values, number)
        case Present():
            keyword = Occurrences(text=measure.text, case_sensitive=measure.case_sensitive)
            yield Amount(chain, keyword, Range(values.lower, math.inf if met else values.upper), number)
        case LetterCase() if met:
            other = ClassCount(char_class="lowercase_letter" if measure.case == "upper" else "uppercase_letter")
            yield Amount(chain, other, Range(0, 0), number)
        case Acrostic() if met:
            letters = sum(char.isalnum() for char in measure.text)
            yield Amount(chain, Count(unit=measure.unit), Range(letters, letters), number)
        case Sorted() | Chained() if met:
            yield Amount(chain, Count(unit=measure.unit), Range(1, math.inf), number)
        case Starts() | Ends() if met:
            keyword = Occurrences(text=measure.text, case_sensitive=measure.case_sensitive, whole_word=False)
            behind = isinstance(measure, Starts)
            yield Amount(chain, keyword, Range(1, math.inf), number, open_sides=(not behind, behind))
    if not isinstance(measure, Length | Present):
        anywhere = isinstance(measure, Occurrences) and not measure.whole_word
        yield Amount(chain, measure, values, number, open_sides=(anywhere, anywhere))


def _implied(amount: Amount) -> Iterator[Amount]:
    yield amount
    measure, lower = amount.measure, amount.range.lower
    if amount.assumed or not isinstance(measure, Count) or lower < 1:
        return
    if measure.where is not None:
        yield from _implied(Amount(amount.chain, Count(unit=measure.unit), Range(lower, math.inf), amount.constraint))
    elif measure.unit in _HOLDS_ONE:
        inner = Count(unit=_HOLDS_ONE[measure.unit])
        yield from _implied(Amount(amount.chain, inner, Range(lower, math.inf), amount.constraint))


def _edges(chain: Steps, measure: Measure, values: Range, number: int) -> Iterator[Edge]:
    met, never = values.lower >= 1, values.upper < 1
    match measure:
        case Starts() | Ends() if met or never:
            side: Literal["start", "end"] = "start" if isinstance(measure, Starts) else "end"
            words = f"{side}s with {measure.text!r}" if met else f"does not {side} with {measure.text!r}"
            yield Edge(chain, side, number, words, measure.text, case_sensitive=measure.case_sensitive, holds=met)
        case Wrapped() if met:
            words = f"is wrapped in {measure.by.replace('_', ' ')}"
            opens = frozenset(char for char in _OPENERS if _wraps(measure.by, char, _CLOSERS))
            closes = frozenset(char for char in _CLOSERS if _wraps(measure.by, _OPENERS, char))
            yield Edge(chain, "start", number, words, characters=opens)
            yield Edge(chain, "end", number, words, characters=closes)
        case Valid(format="json_object" | "json_array") if met:
            opener, closer = "{}" if measure.format == "json_object" else "[]"
            fence = "`~" if measure.fence else ""
            words = f"is a {measure.format.replace('_', ' ').replace('json', 'JSON')}"
            yield Edge(chain, "start", number, words, characters=frozenset(opener + fence))
            yield Edge(chain, "end", number, words, characters=frozenset(closer + fence))


def _wraps(by: str, openers: str, closers: str) -> bool:
    return any(tools.wrapped(f"{opener}x{closer}", by) for opener in openers for closer in closers)
