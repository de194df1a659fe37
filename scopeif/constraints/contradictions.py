"""Constraints that no response can meet, alone or two together, as far as that can be told from their specs.

    >>> from scopeif.constraints.spec import Spec
    >>> def paragraphs(**bounds):
    ...     measure, range_ = {"kind": "count", "unit": "paragraph"}, {"kind": "bounds", **bounds}
    ...     return Spec.model_validate({"clauses": [{"object": "paragraphs", "measure": measure, "range": range_}]})
    >>> contradictions([paragraphs(upper=2), paragraphs(lower=3)])[0].message
    'at most 2 paragraphs, but at least 3 paragraphs'

What is reported is sure under the measuring rules; not every contradiction is found. Where only a response without the
selected segment would do (a Condition that must never hold), the message says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from scopeif.constraints.demand_words import CASES, amount_words, measure_words, segment_words
from scopeif.constraints.demands import Amount, Demands, Edge, Relation, Steps, demands_of, whole_numbers
from scopeif.constraints.spec import (
    At,
    Bounds,
    ClassCount,
    Clause,
    Count,
    Each,
    LetterCase,
    Named,
    Occurrences,
    Previous,
    Spec,
    Where,
)
from tools_sandbox import text as tools

_APART = ("paragraph", "sentence", "line", "section")
"""Units that never overlap: what each of them holds adds up."""
_GROWS = ("paragraph", "sentence", "line", "word", "character")
"""Units of which a part of the text has no more than the whole."""
_SIGNS = {"more": ">", "at_least": "=>", "equal": "=", "at_most": "<=", "fewer": "<"}


class Contradiction(NamedTuple):
    """Constraints (by their number in the instruction, from 0) that cannot be met, and why."""

    constraints: tuple[int, ...]
    message: str


def contradictions(specs: Sequence[Spec | None]) -> list[Contradiction]:
    """The contradictions of an instruction's constraints, at most one for each pair of constraints.

    Args:
        specs: the formal spec of each constraint; None where it has none.
    """
    clauses = [(number, clause) for number, spec in enumerate(specs) if spec for clause in spec.clauses]
    found = list(_impossible(clauses))
    alone = {one for contradiction in found for one in contradiction.constraints}
    demands = demands_of([pair for pair in clauses if pair[0] not in alone])
    for rule in _RULES:
        found += rule(demands)
    first: dict[tuple[int, ...], Contradiction] = {}
    for one in found:
        key = tuple(sorted(set(one.constraints)))
        first.setdefault(key, Contradiction(key, one.message))
    return list(first.values())


# -- one clause --------------------------------------------------------------------------------------------------


def _impossible(clauses: list[tuple[int, Clause]]) -> Iterator[Contradiction]:
    for number, clause in clauses:
        range_ = clause.range
        if isinstance(range_, Bounds):
            lower, upper = whole_numbers(clause.measure, range_)
            if lower > upper:
                kind = f"the values of {clause.measure.kind!r}"
                yield Contradiction((number,), f"{clause.object}: none of {kind} lies in {_bounds(range_)}")
        elif isinstance(range_.to, Named) and clause.scope == range_.to.scope and _one_segment(clause.scope):
            unequal = range_.relation in ("more", "fewer") and range_.factor == 1 and range_.offset == 0
            if unequal:
                reason = f"{clause.object}: nothing is {range_.relation} than itself"
                yield Contradiction((number,), reason)


def _bounds(range_: Bounds) -> str:
    lower = "-inf" if range_.lower is None else f"{range_.lower:g}"
    return f"[{lower}, {'inf' if range_.upper is None else f'{range_.upper:g}'}]"


def _one_segment(chain: Steps) -> bool:
    return all(isinstance(step, At) for step in chain)


# -- two demands -------------------------------------------------------------------------------------------------


def _bounds_apart(demands: Demands) -> Iterator[Contradiction]:
    """The same amount of the same segment, in ranges without a common value; or a part with more than the whole."""
    for outer, inner in permutations(demands.amounts, 2):
        if outer.assumed or outer.measure != inner.measure:
            continue
        same = _covers(outer.chain, inner.chain)
        inside = not same and _holds(outer.chain, inner.chain) and _grows(inner)
        above = inner.range.lower > outer.range.upper
        if (above and (same or inside)) or (same and inner.range.upper < outer.range.lower):
            yield _against(outer, inner)


def _strings_too_many(demands: Demands) -> Iterator[Contradiction]:
    """A text that must stand there holds more of something than may stand there."""
    texts = [one for one in demands.amounts if one.range.lower >= 1]
    limits = [one for one in demands.amounts if math.isfinite(one.range.upper) and not one.assumed]
    for limit in limits:
        for text in texts:
            if limit.measure == text.measure or not _holds(limit.chain, text.chain):
                continue
            if _least(limit.measure, text) > limit.range.upper:
                yield _against(limit, text)


def _edges_apart(demands: Demands) -> Iterator[Contradiction]:
    """Two starts, or two ends, of the same segment."""
    for one, other in permutations(demands.edges, 2):
        if one.side == other.side and not one.assumed and _covers(one.chain, other.chain) and _differ(one, other):
            message = f"{segment_words(one.chain)} {one.words}, but {segment_words(other.chain)} {other.words}"
            yield _found(one, other, message)


def _cases_apart(demands: Demands) -> Iterator[Contradiction]:
    cased = [one for one in demands.amounts if isinstance(one.measure, LetterCase) and one.range.lower >= 1]
    for one, other in permutations(cased, 2):
        if one.measure != other.measure and _covers(one.chain, other.chain):
            message = f"{segment_words(other.chain)} is in capitals only and in small letters only"
            yield _found(one, other, message)


def _relations_apart(demands: Demands) -> Iterator[Contradiction]:
    """More than the same thing and fewer than it."""
    for one, other in combinations(demands.relations, 2):
        same = one.chain == other.chain and one.measure == other.measure
        same_side = one.range.model_copy(update={"relation": other.range.relation}) == other.range
        if same and same_side and not set(_SIGNS[one.range.relation]) & set(_SIGNS[other.range.relation]):
            one_words, other_words = (it.range.relation.replace("_", " ") for it in (one, other))
            message = f"{measure_words(one.measure)} of {segment_words(one.chain)}: {one_words}, but {other_words}"
            alone = isinstance(one.range.to, Previous)
            yield _found(one, other, message + ("; only a single segment meets both" if alone else ""))


# -- three demands -----------------------------------------------------------------------------------------------


def _parts_above_whole(demands: Demands) -> Iterator[Contradiction]:
    """At least c parts with at least m each, where the whole may hold fewer than c x m."""
    wholes = [one for one in demands.amounts if math.isfinite(one.range.upper) and not one.assumed]
    for part in demands.amounts:
        step = part.chain[-1] if part.chain else None
        if not isinstance(step, Each) or step.unit not in _APART or part.range.lower < 1 or not _grows(part):
            continue
        number = _most_demanded(demands, part.chain[:-1], step)
        if number is None:
            continue
        for whole in wholes:
            least = number.range.lower * part.range.lower
            if whole.measure == part.measure and _covers(whole.chain, part.chain[:-1]) and least > whole.range.upper:
                counted = f"at least {number.range.lower:g} {step.unit}s with {amount_words(part, place=False)}"
                message = f"{amount_words(whole)}, but {counted}"
                yield Contradiction((whole.constraint, part.constraint, number.constraint), message)


def _steps_beyond_range(demands: Demands) -> Iterator[Contradiction]:
    """Ever more (or fewer) from segment to segment, in a range too narrow for that many segments."""
    for relation in demands.relations:
        range_, step = relation.range, relation.chain[-1] if relation.chain else None
        rises = isinstance(range_.to, Previous) and range_.relation in ("more", "fewer") and range_.factor == 1
        if not rises or range_.offset != 0 or not isinstance(step, Each):
            continue
        number = _most_demanded(demands, relation.chain[:-1], step)
        measure = Count(unit=relation.measure.unit) if relation.measure.kind == "length" else relation.measure
        for bounds in demands.amounts:
            same = bounds.measure == measure and bounds.chain == relation.chain
            if number and same and bounds.range.upper - bounds.range.lower + 1 < number.range.lower:
                counted = f"{number.range.lower:g} {step.unit}s with {range_.relation} each time"
                message = f"{amount_words(bounds)}, but at least {counted}"
                yield Contradiction((bounds.constraint, relation.constraint, number.constraint), message)


def _most_demanded(demands: Demands, chain: Steps, step: Each) -> Amount | None:
    counts = [
        one
        for one in demands.amounts
        if one.measure == Count(unit=step.unit) and not one.assumed and _covers(one.chain, chain)
    ]
    return max(counts, key=lambda one: one.range.lower, default=None)


_RULES: tuple[Callable[[Demands], Iterator[Contradiction]], ...] = (
    _bounds_apart,
    _strings_too_many,
    _edges_apart,
    _cases_apart,
    _relations_apart,
    _parts_above_whole,
    _steps_beyond_range,
)


# -- segments ----------------------------------------------------------------------------------------------------


def _covers(outer: Steps, inner: Steps) -> bool:
    """Whether every segment of the inner chain is one of the outer chain."""
    return len(outer) == len(inner) and all(
        mine == other or (isinstance(mine, Each) and mine.unit == other.unit)
        for mine, other in zip(outer, inner, strict=True)
    )


def _holds(outer: Steps, inner: Steps) -> bool:
    """Whether every segment of the inner chain is one of the outer chain or lies in one."""
    return _covers(outer, inner[: len(outer)])


def _grows(amount: Amount) -> bool:
    """Whether the whole has at least as much of it as each of its parts."""
    if any(step.unit in ("word", "character") for step in amount.chain):
        return False  # a keyword can be whole within its word or character only
    measure = amount.measure
    if isinstance(measure, Count):
        return measure.unit in _GROWS and measure.where is None
    return isinstance(measure, Occurrences | ClassCount)


def _differ(one: Edge, other: Edge) -> bool:
    sensitive = one.case_sensitive and other.case_sensitive
    test = tools.starts_with if one.side == "start" else tools.ends_with
    if not one.holds or not other.holds:
        if one.holds or one.text is None or other.text is None or (one.case_sensitive and not other.case_sensitive):
            return False
        return test(other.text, one.text, one.case_sensitive)
    if one.text is not None and other.text is not None:
        return not (test(one.text, other.text, sensitive) or test(other.text, one.text, sensitive))
    return not (_edge_characters(one) & _edge_characters(other))


def _edge_characters(edge: Edge) -> frozenset[str]:
    if edge.text is None:
        return edge.characters
    stripped = edge.text.strip()
    char = stripped[:1] if edge.side == "start" else stripped[-1:]
    return frozenset((char.lower(), char.upper(), char)) if not edge.case_sensitive else frozenset(char)


def _least(limited: object, demand: Amount) -> float:
    """How much of the limited measure the occurrences of a demanded string hold at least."""
    string, times = demand.measure, demand.range.lower
    if not isinstance(string, Occurrences):
        return 0
    inside_a_word = any(step.unit in ("word", "character") for step in demand.chain)
    before, behind = (True, True) if inside_a_word else demand.open_sides
    match limited:
        case Occurrences():
            if limited.case_sensitive and not string.case_sensitive and string.text.lower() != string.text.upper():
                return 0
            letter = next(one for one in "qzxjkv" if one not in limited.text.lower())
            content = f"{letter * before}{string.text}{letter * behind}"
            return times * tools.count_string(content, limited.text, limited.case_sensitive, limited.whole_word)
        case ClassCount(char_class="emoji"):
            return min(1, tools.class_count(string.text, "emoji"))
        case ClassCount():
            if limited.char_class in CASES and not string.case_sensitive:
                return 0
            return times * tools.class_count(string.text, limited.char_class)
        case Count(unit="word", where=None) if not (before and behind):
            try:
                return tools.count("word", string.text)  # once: a hyphen joins further ones to one word
            except tools.Ambiguous:
                return 0
        case Count(unit="character", where=None):
            return times * len("".join(string.text.split()))
    return 0


# -- words -------------------------------------------------------------------------------------------------------


def _against(limit: Amount, other: Amount) -> Contradiction:
    return _found(limit, other, f"{amount_words(limit)}, but {amount_words(other)}")


def _found(one: Amount | Edge | Relation, other: Amount | Edge | Relation, message: str) -> Contradiction:
    vacuous = any(isinstance(step, Where) for step in (*one.chain, *other.chain))
    without = "; only a response without such a segment meets both" if vacuous else ""
    return Contradiction((one.constraint, other.constraint), message + without)
