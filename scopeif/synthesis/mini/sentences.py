"""Scope-aware families over the sentences of prose, from Traversal to Nested, and relative ranges."""

from __future__ import annotations

from scopeif.constraints import spec as sp
from scopeif.synthesis.mini.family import (
    ENGLISH,
    NONE,
    ONE,
    Clauses,
    Draw,
    Family,
    at_least,
    at_most,
    between,
    clause,
    end_with,
    exactly,
    family,
    hold_present,
    hold_some,
    start_with,
    where_held,
    words_up_to,
)
from scopeif.synthesis.mini.plan import Demand, Interval, LengthRelation, Place
from scopeif.synthesis.mini.whole import OPENINGS

__all__ = ["SCOPED"]

EACH = sp.Each(unit="sentence")
_FREE = 10_000


def _at(index: int) -> sp.At:
    return sp.At(unit="sentence", index=index)


def _several(draw: Draw, least: int = 2) -> None:
    """The constraint says something only where there are several sentences."""
    draw.plan.pieces = draw.plan.pieces.meet(lower=least)


# -- Traversal -------------------------------------------------------------------------------------------


def each_at_most(draw: Draw) -> Clauses:
    _several(draw)
    return words_up_to(draw, draw.pick((8, 9, 10, 10, 12, 12, 14, 15), (15, 18, 20, 20, 25)), Place(), EACH)


def each_at_least(draw: Draw) -> Clauses:
    _several(draw)
    lower = draw.pick((3, 4, 5, 6), (5, 6, 8))
    draw.plan.at(Place(), Demand(words=Interval(lower, _FREE)))
    return clause(sp.Length(unit="word"), at_least(lower), EACH)


def each_between(draw: Draw) -> Clauses:
    _several(draw)
    bounds = draw.pick(((4, 10), (4, 12), (5, 12), (5, 15), (6, 14)), ((5, 15), (6, 20), (8, 20)))
    draw.plan.at(Place(), Demand(words=Interval(*bounds)))
    return clause(sp.Length(unit="word"), between(*bounds), EACH)


def each_without_commas(draw: Draw) -> Clauses:
    _several(draw)
    draw.plan.mark("comma", upper=0)
    return clause(sp.ClassCount(char_class="comma"), NONE, EACH)


def each_starts(draw: Draw) -> Clauses:
    _several(draw)
    return start_with(draw, draw.pick(("The", "It", "We", "They", "You"), ("我们", "这", "它")), Place(), EACH)


def each_exclaims(draw: Draw) -> Clauses:
    _several(draw)
    return end_with(draw, draw.pick(("!",), ("！",)), Place(), EACH)


def each_contains(draw: Draw) -> Clauses:
    _several(draw)
    return hold_some(draw, Place(), EACH)


# -- Position --------------------------------------------------------------------------------------------


def one_contains(draw: Draw) -> Clauses:
    index = draw.rng.choice((1, 1, 1, 2, -1, -1))
    _several(draw)
    return hold_present(draw, Place(index, 1), _at(index))


def one_uses(draw: Draw) -> Clauses:
    index = draw.rng.choice((1, 2, -1, -1))
    _several(draw)
    return hold_some(draw, Place(index, 1), _at(index))


def one_at_most(draw: Draw) -> Clauses:
    index, upper = draw.rng.choice((1, 2, -1)), draw.pick((6, 8, 8, 10, 12), (10, 12, 15, 20))
    _several(draw)
    return words_up_to(draw, upper, Place(index, 1), _at(index))


def one_exactly(draw: Draw) -> Clauses:
    index, number = draw.rng.choice((1, 1, -1)), draw.pick((4, 5, 6, 7, 8), (6, 8, 10))
    _several(draw)
    draw.plan.at(Place(index, 1), Demand(words=Interval(number, number)))
    return clause(sp.Length(unit="word"), exactly(number), _at(index))


def one_without_commas(draw: Draw) -> Clauses:
    index = draw.rng.choice((1, -1))
    _several(draw)
    draw.plan.at(Place(index, 1), Demand(commas=Interval(0, 0)))
    return clause(sp.ClassCount(char_class="comma"), NONE, _at(index))


def one_with_comma(draw: Draw) -> Clauses:
    index = draw.rng.choice((1, 2))
    _several(draw)
    draw.plan.at(Place(index, 1), Demand(commas=Interval(1, 10)))
    return clause(sp.ClassCount(char_class="comma"), at_least(1), _at(index))


def later_starts(draw: Draw) -> Clauses:
    index = draw.rng.choice((2, -1))
    _several(draw)
    text = draw.pick(("Then", "Finally", "However", "But", "Maybe"), ("然后", "最后", "但是", "所以"))
    return start_with(draw, text, Place(index, 1), _at(index))


def first_asks(draw: Draw) -> Clauses:
    _several(draw)
    return end_with(draw, draw.pick(("?",), ("？",)), Place(1, 1), _at(1))


def first_word_is(draw: Draw) -> Clauses:
    text = draw.pick(*OPENINGS)
    draw.plan.at(Place(1, 1), Demand(start=text))
    return clause(sp.Present(text=text), ONE, sp.At(unit="word", index=1))


# -- Condition -------------------------------------------------------------------------------------------


def holding_at_most(draw: Draw) -> Clauses:
    _several(draw)
    word, upper = draw.word(), draw.pick((8, 10, 12, 14), (15, 20, 25))
    where = where_held(draw, word, Demand(words=Interval(1, upper)), "sentence")
    return clause(sp.Length(unit="word"), at_most(upper), where)


def holding_exclaims(draw: Draw) -> Clauses:
    _several(draw)
    word, mark = draw.word(), draw.pick(("!",), ("！",))
    return clause(sp.Ends(text=mark), ONE, where_held(draw, word, Demand(end=mark), "sentence"))


def holding_without_commas(draw: Draw) -> Clauses:
    _several(draw)
    where = where_held(draw, draw.word(), Demand(commas=Interval(0, 0)), "sentence")
    return clause(sp.ClassCount(char_class="comma"), NONE, where)


def odd_at_most(draw: Draw) -> Clauses:
    _several(draw)
    upper = draw.pick((8, 10, 12), (15, 18, 20))
    odd = sp.Where(unit="sentence", predicate=sp.IndexIs(modulus=2, remainder=1))
    return words_up_to(draw, upper, Place(0, 1, odd=True), odd)


def long_has_comma(draw: Draw) -> Clauses:
    lower = draw.pick((9, 10, 12), (16, 20))
    draw.plan.at(Place(1, 1), Demand(words=Interval(lower, _FREE), commas=Interval(1, 10)))  # not vacuous
    long = sp.Where(unit="sentence", predicate=sp.LengthIs(lower=lower))
    return clause(sp.ClassCount(char_class="comma"), at_least(1), long)


# -- Nested ----------------------------------------------------------------------------------------------


def first_word_shouted(draw: Draw) -> Clauses:
    every = draw.rng.random() < 0.4
    _several(draw)
    draw.plan.at(Place() if every else Place(1, 1), Demand(shout=True))
    return clause(sp.LetterCase(case="upper"), ONE, EACH if every else _at(1), sp.At(unit="word", index=1))


def short_words(draw: Draw) -> Clauses:
    index, upper = draw.rng.choice((1, -1)), draw.rng.choice((8, 9, 10))
    _several(draw)
    draw.plan.at(Place(index, 1), Demand(longest_word=upper))
    return clause(sp.Length(unit="character"), at_most(upper), _at(index), sp.Each(unit="word"))


def short_first_words(draw: Draw) -> Clauses:
    _several(draw)
    upper = draw.rng.choice((5, 6, 7))
    return clause(sp.Length(unit="character"), at_most(upper), EACH, sp.At(unit="word", index=1))


# -- relative ranges -------------------------------------------------------------------------------------


def each_longer(draw: Draw) -> Clauses:
    _several(draw)
    draw.plan.relations.append(LengthRelation(0, 0, offset=1))
    return clause(sp.Length(unit="word"), sp.Relative(relation="more", to=sp.Previous()), EACH)


def one_longer(draw: Draw) -> Clauses:
    left, right = draw.rng.choice(((2, 1), (-1, 1), (1, 2)))
    strict = draw.rng.random() < 0.7
    _several(draw)
    draw.plan.at(Place(left, 1), Demand())
    draw.plan.relations.append(LengthRelation(left, right, offset=int(strict)))
    range_ = sp.Relative(relation="more" if strict else "at_least", to=sp.Named(scope=(_at(right),)))
    return clause(sp.Length(unit="word"), range_, _at(left))


def one_equal(draw: Draw) -> Clauses:
    factor, offset = draw.rng.choice(((1, 0), (1, 0), (1, 1), (1, 2), (2, 0)))
    _several(draw)
    if factor == 2:
        draw.plan.at(Place(1, 1), Demand(words=Interval(3, 7)))
    draw.plan.relations.append(LengthRelation(2, 1, factor, offset, exact=True))
    range_ = sp.Relative(relation="equal", to=sp.Named(scope=(_at(1),)), factor=factor, offset=offset)
    return clause(sp.Length(unit="word"), range_, _at(2))


def chained(draw: Draw) -> Clauses:
    draw.plan.pieces = draw.plan.pieces.meet(2, 3)
    draw.plan.chained = True
    return clause(sp.Chained(unit="sentence"), ONE)


SCOPED: tuple[Family, ...] = (
    family(each_at_most, 9, "piece_length"),
    family(each_at_least, 3, "piece_length"),
    family(each_between, 5, "piece_length"),
    family(each_without_commas, 2, "commas"),
    family(each_starts, 5, "start"),
    family(each_exclaims, 4, "end exclamation"),
    family(each_contains, 4, "holding"),
    family(one_contains, 9, "holding"),
    family(one_uses, 7, "held"),
    family(one_at_most, 6, "piece_length"),
    family(one_exactly, 5, "piece_length"),
    family(one_without_commas, 2, "commas"),
    family(one_with_comma, 3, "commas"),
    family(later_starts, 5, "start"),
    family(first_asks, 4, "question"),
    family(first_word_is, 2, "start"),
    family(holding_at_most, 6, "piece_length holding"),
    family(holding_exclaims, 5, "exclamation holding"),
    family(holding_without_commas, 4, "commas holding"),
    family(odd_at_most, 4, "piece_length"),
    family(long_has_comma, 3, "commas piece_length"),
    family(first_word_shouted, 6, "case shout", languages=ENGLISH),
    family(short_words, 5, "word_length", languages=ENGLISH),
    family(short_first_words, 4, "word_length", languages=ENGLISH),
    family(each_longer, 5, "piece_length"),
    family(one_longer, 7, "piece_length"),
    family(one_equal, 7, "piece_length"),
    family(chained, 3, "start case", languages=ENGLISH),
)
"""The families over sentences."""
