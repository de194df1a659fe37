"""The easy families: constraints on the whole response that a very small model can learn to meet."""

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
    no_marks,
    start_with,
)
from scopeif.synthesis.mini.plan import Layout, Place

__all__ = ["CLOSINGS", "OPENINGS", "WHOLE"]

OPENINGS = (
    ("Today", "Well", "Sometimes", "Indeed", "Imagine", "Perhaps", "Often", "Here"),
    ("今天", "其实", "有时候", "首先", "你好"),
)
CLOSINGS = (
    ("every day.", "in the end.", "for everyone.", "with a smile.", "at last.", "once again."),
    ("真好。", "就是这样。", "谢谢。", "不是吗？"),
)


def sentences_exactly(draw: Draw) -> Clauses:
    number = draw.rng.choice((1, 1, 2, 2, 2, 3, 3))
    draw.plan.pieces = draw.plan.pieces.meet(number, number)
    return clause(sp.Count(unit="sentence"), exactly(number))


def sentences_within(draw: Draw) -> Clauses:
    lower, upper = draw.rng.choice(((1, 2), (2, 3), (2, 4), (0, 2), (0, 3), (2, 0)))
    draw.plan.pieces = draw.plan.pieces.meet(lower, upper or 10)
    bounds = between(lower, upper) if lower and upper else at_most(upper) if upper else at_least(lower)
    return clause(sp.Count(unit="sentence"), bounds)


def words_at_most(draw: Draw) -> Clauses:
    upper = draw.pick((12, 15, 18, 20, 20, 24, 25, 25, 30, 30, 35, 40), (30, 40, 50, 60, 60, 70, 80))
    draw.plan.words = draw.plan.words.meet(upper=upper)
    return clause(sp.Length(unit="word"), at_most(upper))


def words_at_least(draw: Draw) -> Clauses:
    lower = draw.pick((8, 10, 12, 15, 20, 25), (20, 25, 30, 40))
    draw.plan.words = draw.plan.words.meet(lower=lower)
    return clause(sp.Length(unit="word"), at_least(lower))


def words_between(draw: Draw) -> Clauses:
    english = ((8, 20), (10, 20), (10, 25), (15, 30), (20, 35), (20, 40))
    bounds = draw.pick(english, ((20, 40), (30, 60), (40, 80)))
    draw.plan.words = draw.plan.words.meet(*bounds)
    return clause(sp.Length(unit="word"), between(*bounds))


def characters_at_most(draw: Draw) -> Clauses:
    upper = draw.pick((100, 120, 150, 180, 200, 220), (50, 60, 80, 100))
    draw.plan.characters = draw.plan.characters.meet(upper=upper)
    return clause(sp.Length(unit="character"), at_most(upper))


def some_commas(draw: Draw) -> Clauses:
    lower, upper = draw.rng.choice(((1, 0), (2, 0), (1, 1), (2, 2), (1, 3)))
    draw.plan.mark("comma", lower, upper or 10)
    bounds = between(lower, upper) if upper else at_least(lower)
    return clause(sp.ClassCount(char_class="comma"), bounds)


def some_exclamation_marks(draw: Draw) -> Clauses:
    exact = draw.rng.random() < 0.5
    draw.plan.mark("exclamation_mark", 1, 1 if exact else 10)
    return clause(sp.ClassCount(char_class="exclamation_mark"), ONE if exact else at_least(1))


def one_question_mark(draw: Draw) -> Clauses:
    draw.plan.mark("question_mark", 1, 1)
    return clause(sp.ClassCount(char_class="question_mark"), ONE)


def some_digits(draw: Draw) -> Clauses:
    draw.plan.mark("digit", lower=1)
    return clause(sp.ClassCount(char_class="digit"), at_least(1))


def keyword_used(draw: Draw) -> Clauses:
    word = draw.word()
    draw.plan.need(word, lower=1)
    return clause(sp.Occurrences(text=word), at_least(1))


def keyword_present(draw: Draw) -> Clauses:
    word = draw.word()
    draw.plan.need(word, lower=1)
    return clause(sp.Present(text=word), ONE)


def keyword_times(draw: Draw) -> Clauses:
    word = draw.word()
    lower, upper = draw.rng.choice(((1, 1), (2, 2), (2, 10)))
    draw.plan.need(word, lower, upper)
    return clause(sp.Occurrences(text=word), exactly(lower) if upper == lower else at_least(lower))


def keywords_both(draw: Draw) -> Clauses:
    words = draw.word(), draw.word()
    for word in words:
        draw.plan.need(word, lower=1)
    return sum((clause(sp.Occurrences(text=word), at_least(1)) for word in words), ())


def keyword_forbidden(draw: Draw) -> Clauses:
    word = draw.word()
    draw.plan.need(word, upper=0)
    return clause(sp.Occurrences(text=word), NONE)


def starts_with(draw: Draw) -> Clauses:
    return start_with(draw, draw.pick(*OPENINGS), Place(1, 1))


def ends_with(draw: Draw) -> Clauses:
    return end_with(draw, draw.pick(*CLOSINGS), Place(-1, -1))


def ends_with_mark(draw: Draw) -> Clauses:
    return end_with(draw, draw.pick(("!", "?"), ("！", "？")), Place(-1, -1))


def lower_case(draw: Draw) -> Clauses:
    draw.plan.write_in("lower")
    return clause(sp.LetterCase(case="lower"), ONE)


def upper_case(draw: Draw) -> Clauses:
    draw.plan.write_in("upper")
    return clause(sp.LetterCase(case="upper"), ONE)


def in_quotes(draw: Draw) -> Clauses:
    draw.plan.wrapped = True
    return clause(sp.Wrapped(by="double_quotes"), ONE)


def one_paragraph(draw: Draw) -> Clauses:
    draw.plan.blocks = draw.plan.blocks.meet(1, 1)
    return clause(sp.Count(unit="paragraph"), ONE)


def no_bullets(draw: Draw) -> Clauses:
    return clause(sp.Count(unit="list_item"), NONE)


def no_headings(draw: Draw) -> Clauses:
    return clause(sp.Count(unit="heading"), NONE)


_PROSE: tuple[Layout, ...] = ("prose", "paragraphs")
_TEXT: tuple[Layout, ...] = ("prose", "paragraphs", "lines")
_ALL: tuple[Layout, ...] = ("prose", "paragraphs", "lines", "list", "json")

WHOLE: tuple[Family, ...] = (
    family(sentences_exactly, 14, "sentences"),
    family(sentences_within, 6, "sentences"),
    family(words_at_most, 14, "length", _ALL),
    family(words_at_least, 4, "length", _TEXT),
    family(words_between, 6, "length", _TEXT),
    family(characters_at_most, 3, "length", _PROSE),
    family(no_marks("comma"), 8, "commas", (*_TEXT, "list")),
    family(some_commas, 6, "commas"),
    family(no_marks("exclamation_mark"), 5, "exclamation", _ALL),
    family(some_exclamation_marks, 4, "exclamation"),
    family(no_marks("question_mark"), 3, "question", _ALL),
    family(one_question_mark, 4, "question"),
    family(no_marks("digit"), 3, "digits", _ALL),
    family(some_digits, 2, "digits", languages=ENGLISH),
    family(keyword_used, 9, "", _ALL),
    family(keyword_present, 7, "", _ALL),
    family(keyword_times, 4, "", _PROSE),
    family(keywords_both, 3, "", _PROSE),
    family(keyword_forbidden, 6, "", _ALL),
    family(starts_with, 9, "start", _PROSE),
    family(ends_with, 7, "end", _PROSE),
    family(ends_with_mark, 4, "end", _PROSE),
    family(lower_case, 4, "case shout", _TEXT, ENGLISH),
    family(upper_case, 1, "case shout", languages=ENGLISH),
    family(in_quotes, 4, "start end"),
    family(one_paragraph, 3, "paragraphs structure"),
    family(no_bullets, 3, "structure", _TEXT),
    family(no_headings, 1, "structure", _TEXT),
)
"""The easy families."""
