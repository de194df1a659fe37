"""Families of the other layouts: paragraphs, lines, lists, and JSON objects.

Each layout has openers, one of which every instruction of the layout holds (it asks for the layout), and
further families over the layout's pieces.
"""

from __future__ import annotations

from scopeif.constraints import spec as sp
from scopeif.synthesis.mini.family import (
    ENGLISH,
    ONE,
    Clauses,
    Draw,
    Family,
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
from scopeif.synthesis.mini.plan import Demand, Interval, Layout, LengthRelation, Place

__all__ = ["LAID_OUT", "OPENERS"]

_PIECE: dict[str, sp.Unit] = {"lines": "line", "list": "list_item"}
_PARAGRAPH = sp.Each(unit="paragraph")


# -- paragraphs ------------------------------------------------------------------------------------------


def two_paragraphs(draw: Draw) -> Clauses:
    draw.plan.blocks = draw.plan.blocks.meet(2, 2)
    return clause(sp.Count(unit="paragraph"), exactly(2))


def paragraph_sentences(draw: Draw) -> Clauses:
    upper, exact = draw.rng.choice((1, 2, 2)), draw.rng.random() < 0.4
    draw.plan.pieces = draw.plan.pieces.meet(upper if exact else 1, upper)
    return clause(sp.Count(unit="sentence"), exactly(upper) if exact else at_most(upper), _PARAGRAPH)


def one_paragraph_sentences(draw: Draw) -> Clauses:
    index, number = draw.rng.choice((1, 2, -1)), draw.rng.choice((1, 1, 2))
    draw.plan.pieces_of_block[index] = Interval(number, number)
    return clause(sp.Count(unit="sentence"), exactly(number), sp.At(unit="paragraph", index=index))


def paragraph_contains(draw: Draw) -> Clauses:
    index = draw.rng.choice((1, 2))
    return hold_present(draw, Place(1, index), sp.At(unit="paragraph", index=index))


def paragraph_sentence_contains(draw: Draw) -> Clauses:
    index = draw.rng.choice((1, -1))
    return hold_some(draw, Place(index), _PARAGRAPH, sp.At(unit="sentence", index=index))


def paragraph_sentence_at_most(draw: Draw) -> Clauses:
    index, upper = draw.rng.choice((1, -1)), draw.pick((8, 10, 12), (15, 20))
    return words_up_to(draw, upper, Place(index), _PARAGRAPH, sp.At(unit="sentence", index=index))


def last_paragraph_starts(draw: Draw) -> Clauses:
    text = draw.pick(("However", "Then", "Finally"), ("最后", "但是", "然后"))
    last = sp.At(unit="paragraph", index=-1), sp.At(unit="sentence", index=1)
    return start_with(draw, text, Place(1, -1), *last)


def paragraph_sentences_equal(draw: Draw) -> Clauses:
    exact = draw.rng.random() < 0.6
    range_ = sp.Relative(
        relation="equal" if exact else "at_least", to=sp.Named(scope=(sp.At(unit="paragraph", index=1),))
    )
    return clause(sp.Count(unit="sentence"), range_, sp.At(unit="paragraph", index=2))


# -- lines and lists -------------------------------------------------------------------------------------


def some_lines(draw: Draw) -> Clauses:
    number = draw.rng.choice((2, 3, 3, 4))
    draw.plan.pieces = draw.plan.pieces.meet(number, number)
    return clause(sp.Count(unit="line"), exactly(number))


def acrostic(draw: Draw) -> Clauses:
    text = draw.rng.choice(("SUN", "TEA", "JOY", "CAT", "SKY", "ART"))
    draw.plan.pieces = draw.plan.pieces.meet(len(text), len(text))
    draw.plan.acrostic = text
    return clause(sp.Acrostic(unit="line", text=text), ONE)


def some_items(draw: Draw) -> Clauses:
    lower, upper = draw.rng.choice(((2, 2), (3, 3), (3, 3), (4, 4), (2, 4)))
    draw.plan.pieces = draw.plan.pieces.meet(lower, upper)
    return clause(sp.Count(unit="list_item"), exactly(lower) if lower == upper else between(lower, upper))


def one_list(draw: Draw) -> Clauses:
    draw.plan.pieces = draw.plan.pieces.meet(2, 4)
    return clause(sp.Count(unit="list"), ONE)


def flat_list(draw: Draw) -> Clauses:
    return clause(sp.Depth(of="list"), ONE)


def sorted_items(draw: Draw) -> Clauses:
    draw.plan.sorted = True
    return clause(sp.Sorted(unit="list_item"), ONE)


def piece_at_most(draw: Draw) -> Clauses:
    is_list = draw.plan.layout == "list"
    upper = draw.pick((4, 5, 6, 8) if is_list else (8, 9, 10, 12), (8, 10, 12) if is_list else (15, 20))
    return words_up_to(draw, upper, Place(), sp.Each(unit=_PIECE[draw.plan.layout]))


def piece_contains(draw: Draw) -> Clauses:
    index = draw.rng.choice((1, 2, -1))
    return hold_present(draw, Place(index, 1), sp.At(unit=_PIECE[draw.plan.layout], index=index))


def piece_ends(draw: Draw) -> Clauses:
    index, mark = draw.rng.choice((1, -1)), draw.pick(("!", "?", "."), ("！", "。"))
    return end_with(draw, mark, Place(index, 1), sp.At(unit=_PIECE[draw.plan.layout], index=index))


def piece_longer(draw: Draw) -> Clauses:
    draw.plan.relations.append(LengthRelation(0, 0, offset=1))
    each = sp.Each(unit=_PIECE[draw.plan.layout])
    return clause(sp.Length(unit="word"), sp.Relative(relation="more", to=sp.Previous()), each)


def piece_equal(draw: Draw) -> Clauses:
    unit = _PIECE[draw.plan.layout]
    draw.plan.relations.append(LengthRelation(-1, 1, exact=True))
    range_ = sp.Relative(relation="equal", to=sp.Named(scope=(sp.At(unit=unit, index=1),)))
    return clause(sp.Length(unit="word"), range_, sp.At(unit=unit, index=-1))


def piece_first_word(draw: Draw) -> Clauses:
    draw.plan.at(Place(), Demand(shout=True))
    each = sp.Each(unit=_PIECE[draw.plan.layout])
    return clause(sp.LetterCase(case="upper"), ONE, each, sp.At(unit="word", index=1))


def holding_piece_at_most(draw: Draw) -> Clauses:
    word, upper = draw.word(), draw.pick((8, 10), (15, 18))
    where = where_held(draw, word, Demand(words=Interval(1, upper)), _PIECE[draw.plan.layout])
    return clause(sp.Length(unit="word"), at_most(upper), where)


def last_line_last_word(draw: Draw) -> Clauses:
    word = draw.word()
    draw.plan.at(Place(-1, 1), Demand(end=word))
    last = sp.At(unit="line", index=-1), sp.At(unit="word", index=-1)
    return clause(sp.Present(text=word), ONE, *last)


# -- JSON ------------------------------------------------------------------------------------------------


def json_object(draw: Draw) -> Clauses:
    return clause(sp.Valid(format="json_object"), ONE)


def json_keys(draw: Draw) -> Clauses:
    draw.plan.keys = draw.rng.choice((("title", "text"), ("name", "reason"), ("topic", "answer")))
    draw.plan.pieces = draw.plan.pieces.meet(lower=2)
    return sum((clause(sp.Present(text=key), ONE) for key in draw.plan.keys), ())


def json_pairs(draw: Draw) -> Clauses:
    number = draw.rng.choice((2, 2, 3))
    draw.plan.pieces = draw.plan.pieces.meet(number, number)
    return clause(sp.Count(unit="json_pair"), exactly(number))


def json_flat(draw: Draw) -> Clauses:
    return clause(sp.Depth(of="json"), ONE)


_LINES: tuple[Layout, ...] = ("lines",)
_PIECES: tuple[Layout, ...] = ("lines", "list")
_BLOCKS: tuple[Layout, ...] = ("paragraphs",)
_LIST: tuple[Layout, ...] = ("list",)
_JSON: tuple[Layout, ...] = ("json",)

OPENERS: dict[Layout, tuple[Family, ...]] = {
    "prose": (),
    "paragraphs": (family(two_paragraphs, 1, "paragraphs", _BLOCKS),),
    "lines": (
        family(some_lines, 2, "pieces", _LINES),
        family(acrostic, 1, "pieces start case shout", _LINES, ENGLISH),
    ),
    "list": (family(some_items, 4, "pieces", _LIST), family(one_list, 1, "pieces", _LIST)),
    "json": (family(json_object, 1, "json", _JSON, ENGLISH),),
}
"""The families that ask for a layout."""

LAID_OUT: tuple[Family, ...] = (
    family(paragraph_sentences, 5, "sentences", _BLOCKS),
    family(one_paragraph_sentences, 4, "sentences", _BLOCKS),
    family(paragraph_contains, 4, "holding", _BLOCKS),
    family(paragraph_sentence_contains, 5, "holding", _BLOCKS),
    family(paragraph_sentence_at_most, 5, "piece_length", _BLOCKS),
    family(last_paragraph_starts, 4, "start", _BLOCKS),
    family(paragraph_sentences_equal, 3, "sentences", _BLOCKS),
    family(flat_list, 2, "depth", _LIST),
    family(sorted_items, 7, "start", _LIST, ENGLISH),
    family(piece_at_most, 8, "piece_length", _PIECES),
    family(piece_contains, 6, "holding", _PIECES),
    family(piece_ends, 3, "end", _PIECES),
    family(piece_longer, 4, "piece_length", _LINES),
    family(piece_equal, 4, "piece_length", _LINES),
    family(piece_first_word, 3, "case shout", _PIECES, ENGLISH),
    family(holding_piece_at_most, 2, "piece_length holding", _PIECES),
    family(last_line_last_word, 4, "end held", _LINES, ENGLISH),
    family(json_keys, 5, "keys", _JSON),
    family(json_pairs, 4, "pairs", _JSON),
    family(json_flat, 2, "depth", _JSON),
)
"""The families over the pieces of a layout."""
