"""Move one measure of one part of a document by a known amount.

The same changes bring a witness to the value that a constraint asks for, and break it in a mutant. Each returns
whether it could be done; what it did to everything else is seen when the document is written anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from scopeif.constraints import spec as sp
from scopeif.synthesis import changes, structure
from scopeif.synthesis import document as doc
from scopeif.synthesis.document import Document, Holder, Item, Paragraph, Piece, Place, Quote, Section, Token
from scopeif.synthesis.nesting import deepen
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.script import is_han
from scopeif.synthesis.writing import Span, Written


def adjust(span: Span, measure: sp.Measure, actual: int, target: int, written: Written, pen: Pen) -> bool:
    """Bring the measure of a segment from `actual` to `target`."""
    if actual == target:
        return True
    delta, node = target - actual, span.node
    if node is None:  # a key of a JSON object, say
        return False
    match measure:
        case sp.Sorted() | sp.Chained() | sp.Acrostic():
            units = [unit.node for unit in written.inside(measure.unit, span)]
            return _relate(measure, units, bool(target), pen)
        case sp.LetterCase(case=case):
            return _recase(node, case, bool(target), pen)
    if isinstance(node, Place):
        length = isinstance(measure, sp.Length) and measure.unit == "character"
        return length and changes.resize_word(node, delta, pen)
    match measure:
        case sp.Length(unit="word"):
            return changes.words(node, delta, pen)
        case sp.Length():
            return changes.characters(node, delta, pen)
        case sp.Count(where=sp.MatchesPattern()):
            return changes.capitals(node, delta, pen)
        case sp.Count(unit=unit):
            return structure.count(node, unit, delta, pen)
        case sp.Occurrences(text=text):
            return changes.strings(node, text, delta, pen)
        case sp.ClassCount(char_class=name):
            return changes.marks_of_class(node, name, delta, pen)
        case sp.Divided():
            return structure.divide(node, delta, pen)
        case sp.Depth():
            return deepen(node, delta, pen)
        case sp.Starts(text=text):
            return _open_with(node, text, bool(target), pen)
        case sp.Ends(text=text):
            return _close_with(node, text, bool(target), pen)
        case sp.Wrapped():
            return _wrap(node, bool(target))
        case sp.Present(text=text):
            return _present(node, text, bool(target), written.text_of(span), pen)
        case sp.Valid():
            return _revalue(node, bool(target), pen)
    return False


# -- first and last words --------------------------------------------------------------------------------


def _edge(node: Holder, last: bool) -> Piece | None:
    """The first or last piece of a part that is text at that end."""
    at = -1 if last else 0
    match node:
        case Piece():
            return node
        case Paragraph(pieces=pieces) | Quote(paragraph=Paragraph(pieces=pieces)):
            return pieces[at]
        case Item(pieces=pieces, items=items):
            return None if last and items else pieces[at]
        case Section(blocks=blocks):
            return _edge(blocks[-1], True) if last and blocks else None
        case Document(blocks=blocks):
            return _edge(blocks[at], last) if isinstance(blocks[at], Paragraph | Section) else None
    return None


def _open_with(node: Holder, text: str, wanted: bool, pen: Pen) -> bool:
    piece = _edge(node, last=False)
    if piece is None or piece.case or piece.wrap:
        return False
    phrase = pen.phrase(text)
    if not wanted:
        piece.tokens[: len(phrase)] = pen.tokens(pen.script.size(text))
        return True
    if piece.tokens[0].role != "fill" or len(piece.tokens) < 2:
        return False
    piece.tokens[:1] = phrase
    return True


def _close_with(node: Holder, text: str, wanted: bool, pen: Pen) -> bool:
    piece = _edge(node, last=True)
    if piece is None or piece.case or piece.wrap:
        return False
    if len(text) == 1:
        if wanted:
            piece.end = text
        else:
            piece.end = pen.script.stop if text != pen.script.stop else pen.script.exclamation
        return True
    phrase = pen.phrase(text.rstrip(pen.script.stop))
    if not wanted:
        piece.tokens[-len(phrase) :] = pen.tokens(len(phrase))
        return True
    if piece.tokens[-1].role != "fill" or len(piece.tokens) < 3 or text.endswith(pen.script.stop) != bool(piece.end):
        return False
    piece.tokens[-1:] = phrase
    piece.end = pen.script.stop if piece.end else ""
    return True


# -- patterns and elements -------------------------------------------------------------------------------


def _wrap(node: Holder, wanted: bool) -> bool:
    if not isinstance(node, Document | Paragraph | Item | Piece) or (isinstance(node, Item) and node.items):
        return False
    if isinstance(node, Document) and not (
        isinstance(node.blocks[0], Paragraph) and isinstance(node.blocks[-1], Paragraph)
    ):
        return False
    node.wrap = wanted
    return True


def _recase(node: Holder | Place, case: str, wanted: bool, pen: Pen) -> bool:
    """All letters in one case, or one word in the other. Chinese: a Latin abbreviation in that case."""
    if isinstance(node, Place):
        token = node.piece.tokens[node.at]
        upper = (case == "upper") == wanted
        node.piece.tokens[node.at] = token._replace(
            text=token.text.upper() if upper else token.text.lower(), role="fixed"
        )
        return bool(pen.script.gap) and token.role in ("fill", "fixed")
    if not pen.script.gap:
        name = pen.rng.choice(pen.script.capitals)
        text = name if (case == "upper") == wanted else name.lower()
        return changes.strings(node, text, 1, pen)
    found = list(doc.pieces(node, headings=True))
    if wanted:
        for piece in found:
            piece.case = case
    elif found:
        piece = pen.rng.choice(found)
        piece.case = "" if case == "upper" else "upper"
        if case == "lower":
            piece.case = ""
    return bool(found)


def _present(node: Holder, text: str, wanted: bool, written: str, pen: Pen) -> bool:
    one = node.value if isinstance(node, doc.Code) else node.blocks[0] if isinstance(node, Document) else None
    if isinstance(one, doc.Object):
        pairs = [pair for pair in one.pairs if pair.key == text]
        free = [key for key in pen.script.keys if key not in {pair.key for pair in one.pairs}]
        if wanted or not pairs or not free:
            return False
        pairs[0].key = pen.rng.choice(free)
        return True
    times = written.lower().count(text.lower())
    return changes.strings(node, text, 1 if wanted else -times, pen)


def _revalue(node: Holder, valid: bool, pen: Pen) -> bool:
    """JSON that is whole or lacks its last brace; a code block of CSV is no JSON either."""
    match node:
        case doc.Code(value=doc.Object(pairs=pairs)) if not valid:
            cells = [next(doc.pieces(pair)) for pair in pairs]
            node.value = doc.Grid(
                [[Piece(pen.phrase(pair.key)), cell] for pair, cell in zip(pairs, cells, strict=True)]
            )
        case doc.Code(value=doc.Grid(rows=rows)) if valid:
            keys = pen.rng.sample(pen.script.keys, len(rows))
            node.value = doc.Object([doc.Pair(key, row[-1]) for key, row in zip(keys, rows, strict=True)])
        case Document(blocks=[doc.Grid()]) if valid:
            node.blocks[0] = pen.object(3)
        case Document(blocks=[doc.Object() | doc.Grid() as one]):
            one.broken = not valid
        case _:
            return False
    return True


# -- relations -------------------------------------------------------------------------------------------


def _relate(measure: sp.Sorted | sp.Chained | sp.Acrostic, units: Sequence[Holder], wanted: bool, pen: Pen) -> bool:
    firsts, lasts = [_edge(unit, False) for unit in units], [_edge(unit, True) for unit in units]
    edges = [piece for piece in (*firsts, *lasts) if piece is not None]
    if len(units) < 2 or len(edges) < 2 * len(units) or any(piece.case or piece.wrap for piece in edges):
        return False
    starts = [piece for piece in firsts if piece is not None]
    if not wanted:
        return _unrelate(measure, starts, pen)
    if isinstance(measure, sp.Sorted) and all(piece.tokens[0].text in pen.script.ordered for piece in starts):
        tokens = sorted((piece.tokens[0] for piece in starts), reverse=measure.descending)
        for piece, token in zip(starts, tokens, strict=True):
            piece.tokens[0] = token
        return True
    if any(piece.tokens[0].role != "fill" for piece in starts):
        return False
    match measure:
        case sp.Sorted(descending=descending):
            if len(starts) > len(pen.script.ordered):
                return False
            at = sorted(pen.rng.sample(range(len(pen.script.ordered)), len(starts)), reverse=descending)
            for piece, number in zip(starts, at, strict=True):
                _set_first(piece, pen.script.ordered[number])
        case sp.Acrostic(text=text):
            if len(text) != len(starts):
                return False
            for piece, letter in zip(starts, text.lower(), strict=True):
                _set_first(piece, pen.script.by_letter[letter])
        case sp.Chained():
            for left, right in pairwise(units):
                if not _link(left, right):
                    return False
    return True


def _set_first(piece: Piece, text: str) -> None:
    piece.tokens[0] = Token(text, "fixed")


def _link(left: Holder, right: Holder) -> bool:
    """Start a unit with the last word of the one before."""
    last, first = _edge(left, True), _edge(right, False)
    if last is None or first is None or last.tokens[-1].role not in ("fill", "fixed"):
        return False
    token = last.tokens[-1]
    word = token.text[-1] if is_han(token.text[-1]) else token.text.split()[-1]
    last.tokens[-1] = token._replace(role="fixed")
    _set_first(first, word)
    return True


def _unrelate(measure: sp.Measure, starts: list[Piece], pen: Pen) -> bool:
    if isinstance(measure, sp.Sorted):
        left, right = starts[0], starts[-1]
        left.tokens[0], right.tokens[0] = right.tokens[0], left.tokens[0]
        return left.tokens[0].text.lower() != right.tokens[0].text.lower()
    piece = pen.rng.choice(starts[1:])
    piece.tokens[0] = pen.token()
    return True
