"""Conditions on units: predicates that some of them meet, after a small change where none does."""

from __future__ import annotations

from collections.abc import Sequence

from scopeif.constraints import spec as sp
from scopeif.synthesis import changes
from scopeif.synthesis.adjust import adjust
from scopeif.synthesis.asks import Words
from scopeif.synthesis.document import Piece
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.writing import Span, Written

_SENTENCES = ("sentence",)
_TEXTS = ("sentence", "line", "list_item", "paragraph")


def predicate(unit: str, units: Sequence[Span], written: Written, words: Words, pen: Pen) -> sp.Predicate | None:
    """A predicate for units of a kind; the document may have been changed to meet it."""
    rng = pen.rng
    if not units:
        return None
    if unit == "word":
        return sp.LengthIs(unit="character", lower=rng.choice((8, 9, 10)))
    kinds = ["contains"] * 6
    if len(units) > 2 and unit in ("sentence", "line", "list_item", "paragraph", "table_row"):
        kinds += ["index", "matches"]
    if len(units) > 1:
        kinds += ["length"] if unit in _TEXTS else []
        kinds += ["not", "either"]
    if unit in _SENTENCES:
        kinds += ["ends", "ends", "starts"]
    if unit in ("paragraph", "line", "list_item"):
        kinds += ["starts"]
    if unit in ("paragraph", "list_item", "sentence") and written.document.form == "sections":
        kinds += ["under"] * 2
    kind = rng.choice(kinds)
    match kind:
        case "index":
            modulus, remainder = rng.choice(((2, 1), (2, 0), (3, 0)) if len(units) > 2 else ((2, 1), (2, 0)))
            return sp.IndexIs(modulus=modulus, remainder=remainder)
        case "matches":
            done = adjust(rng.choice(units), sp.ClassCount(char_class="digit"), 0, 1, written, pen)
            return sp.MatchesPattern(pattern="[0-9]") if done else None
        case "length":
            return _length(units, written)
        case "ends":
            mark = pen.script.question if rng.random() < 0.7 else pen.script.exclamation
            done = adjust(rng.choice(units), sp.Ends(text=mark), 0, 1, written, pen)
            return sp.EndsWith(text=mark, case_sensitive=True) if done else None
        case "starts":
            script = words.script
            verse = written.document.form == "lines"
            item = script.item_starts if unit == "list_item" else script.starts
            text = rng.choice(script.verse_starts if verse else item)
            done = adjust(rng.choice(units), sp.Starts(text=text), 0, 1, written, pen)
            return sp.StartsWith(text=text, case_sensitive=True) if done else None
        case "under":
            return _under(units, written, pen)
    return _holding(units, words, pen, kind)


def _length(units: Sequence[Span], written: Written) -> sp.Predicate | None:
    """Longer than a bound between the shortest and the longest."""
    sizes = sorted(written.words(unit) for unit in units)
    lower = sizes[-1] if sizes[0] < sizes[-1] else 0
    return sp.LengthIs(lower=lower) if lower > 3 else None


def _under(units: Sequence[Span], written: Written, pen: Pen) -> sp.Predicate | None:
    """Units of one section, whose heading is made one that a writer would choose."""
    sections = [
        section
        for section in written.inside("section", written.whole)
        if any(section.start < unit.start and unit.end <= section.end for unit in units)
    ]
    if not sections:
        return None
    heading: Piece = pen.rng.choice(sections).node.heading
    if heading.case or heading.wrap or any(token.role != "fill" for token in heading.tokens):
        return None
    text = pen.rng.choice(pen.script.headings)
    heading.tokens = pen.phrase(text)
    return sp.UnderHeading(text=text)


def _holding(units: Sequence[Span], words: Words, pen: Pen, kind: str) -> sp.Predicate | None:
    """Units that hold a topic word (one of two, or none), which one of them is made to hold."""
    parts: list[sp.Predicate] = []
    for topic in [words.topic()] + ([words.topic()] if kind == "either" else []):
        if topic is None or not changes.strings(pen.rng.choice(units).node, topic, 1, pen):
            return None
        parts.append(sp.Contains(text=topic))
    if kind == "not":
        return sp.Not(of=parts[0])
    return sp.AnyOf(of=tuple(parts)) if kind == "either" else parts[0]
