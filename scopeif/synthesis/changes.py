"""Changes to the tokens of a part of a document: more or fewer words, characters, keywords, marks."""

from __future__ import annotations

import random
from collections.abc import Callable

from scopeif.synthesis import document as doc
from scopeif.synthesis.document import Holder, Piece, Place, Token
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.script import EMOJI, NUMBERS

# -- words and characters --------------------------------------------------------------------------------


def _inner(piece: Piece) -> tuple[int, int]:
    """Where tokens may be put: behind the first word and the fixed ones, before the fixed last ones."""
    first, last = 0, len(piece.tokens)
    while first < last and piece.tokens[first].role == "fixed":
        first += 1
    while last > first and piece.tokens[last - 1].role == "fixed":
        last -= 1
    return max(first, min(1, last)), last


def _put(piece: Piece, tokens: list[Token], pen: Pen) -> None:
    low, high = _inner(piece)
    at = pen.rng.randint(low, high)
    piece.tokens[at:at] = tokens


def fillers(piece: Piece) -> list[int]:
    """Where plain filler stands, the first word apart."""
    plain = [at for at, token in enumerate(piece.tokens) if token.role == "fill" and not token.bold and not token.comma]
    return [at for at in plain if at > 0]


def _some(
    node: Holder, rng: random.Random, fits: Callable[[Piece], object] = fillers, code: bool = True
) -> Piece | None:
    found = [piece for piece in doc.pieces(node, code=code) if fits(piece)]
    return rng.choice(found) if found else None


def words(node: Holder, delta: int, pen: Pen) -> bool:
    if delta > 0:
        targets = list(doc.pieces(node))
        if not targets:
            return False
        share = delta if len(targets) == 1 else min(delta, max(2, delta // len(targets) + 1))
        while delta > 0:
            step = min(share, delta)
            _put(pen.rng.choice(targets), pen.tokens(step), pen)
            delta -= step
        return True
    size = pen.script.size
    while delta < 0:
        fitting = [
            (piece, at)
            for piece in doc.pieces(node)
            if len(piece.tokens) > 2
            for at in fillers(piece)
            if size(piece.tokens[at].text) <= -delta
        ]
        if not fitting:
            return False
        piece, at = pen.rng.choice(fitting)
        delta += size(piece.tokens.pop(at).text)
    return True


def _any_piece(piece: Piece) -> bool:
    return True


def _has_spare(piece: Piece) -> bool:
    return len(fillers(piece)) > 2


def characters(node: Holder, delta: int, pen: Pen) -> bool:
    """Chinese: a word is a character. English: another word in the place of one, more words, or fewer."""
    if not pen.script.gap:
        return words(node, delta, pen)
    while abs(delta) > 14:
        piece = _some(node, pen.rng, _any_piece if delta > 0 else _has_spare)
        if piece is None:
            return False
        if delta > 0:
            token = pen.token()
            _put(piece, [token], pen)
            delta -= len(token.text) + 1
        else:
            delta += len(piece.tokens.pop(pen.rng.choice(fillers(piece))).text) + 1
    places = [(piece, at) for piece in doc.pieces(node) for at in fillers(piece) or ([0] if piece.tokens else [])]
    pen.rng.shuffle(places)
    for piece, at in places:
        if piece.tokens[at].role == "fill" and (other := pen.of_length(len(piece.tokens[at].text) + delta)):
            piece.tokens[at] = piece.tokens[at]._replace(text=other.text)
            return True
    if delta > 0 and places and (more := pen.of_length(delta - 1)):
        _put(places[0][0], [more], pen)
        return True
    for piece, at in places if delta < 0 else []:
        if at and len(piece.tokens) > 2 and len(piece.tokens[at].text) + 1 == -delta:
            piece.tokens.pop(at)
            return True
    return False


def resize_word(place: Place, delta: int, pen: Pen) -> bool:
    """A filler word of another length."""
    token = place.piece.tokens[place.at]
    if token.role != "fill":
        return False
    other = pen.of_length(len(token.text) + delta)
    if other is None or not pen.script.gap:
        return False
    place.piece.tokens[place.at] = token._replace(text=other.text)
    return True


# -- strings and classes ---------------------------------------------------------------------------------


def strings(node: Holder, text: str, delta: int, pen: Pen) -> bool:
    wanted = text.lower()
    while delta > 0:
        piece = _some(node, pen.rng)
        if piece is not None and not (piece.case or piece.wrap):
            at = pen.rng.choice(fillers(piece))
            piece.tokens[at] = Token(text, "key")
        else:
            piece = _some(node, pen.rng, _any_piece)
            if piece is None:
                return False
            _put(piece, [Token(text, "key")], pen)
        delta -= 1
    for piece in _shuffled(node, pen):
        for at, token in enumerate(piece.tokens):
            if delta < 0 and token.role == "key" and token.text.lower() == wanted:
                piece.tokens[at] = pen.token()._replace(bold=token.bold, comma=token.comma)
                delta += 1
    return delta == 0


def _shuffled(node: Holder, pen: Pen) -> list[Piece]:
    found = list(doc.pieces(node))
    pen.rng.shuffle(found)
    return found


def marks_of_class(node: Holder, name: str, delta: int, pen: Pen) -> bool:
    match name:
        case "comma":
            return _commas(node, delta, pen)
        case "exclamation_mark" | "question_mark":
            mark = pen.script.exclamation if name == "exclamation_mark" else pen.script.question
            return _ends(node, mark, delta, pen)
        case "emoji":
            return _marks(node, EMOJI, delta, pen)
        case "digit":
            return _marks(node, tuple(number for number in NUMBERS if len(number) == 1), delta, pen)
    return False


def _commas(node: Holder, delta: int, pen: Pen) -> bool:
    places = [
        (piece, at)
        for piece in doc.pieces(node)
        for at, token in enumerate(piece.tokens[:-1])
        if token.comma == (delta < 0) and token.role in ("fill", "key") and (at or len(piece.tokens) > 2)
    ]
    if len(places) < abs(delta):
        return False
    for piece, at in pen.rng.sample(places, abs(delta)):
        piece.tokens[at] = piece.tokens[at]._replace(comma=delta > 0)
    return True


def _ends(node: Holder, mark: str, delta: int, pen: Pen) -> bool:
    have, want = (pen.script.stop, mark) if delta > 0 else (mark, pen.script.stop)
    places = [piece for piece in doc.pieces(node) if piece.end == have]
    if len(places) < abs(delta):
        return False
    for piece in pen.rng.sample(places, abs(delta)):
        piece.end = want
    return True


def _marks(node: Holder, marks: tuple[str, ...], delta: int, pen: Pen) -> bool:
    while delta > 0:
        piece = _some(node, pen.rng, lambda piece: len(piece.tokens) > 1, code=marks is not pen.script.slots)
        if piece is None:
            return False
        low, high = _inner(piece)
        at = pen.rng.randint(low, max(low, min(high, len(piece.tokens) - 1)))
        around = piece.tokens[max(0, at - 1) : at + 1]
        if any(token.role == "mark" for token in around):
            at = low
        piece.tokens.insert(at, Token(pen.rng.choice(marks), "mark"))
        delta -= 1
    for piece in _shuffled(node, pen) if delta < 0 else []:
        for at in range(len(piece.tokens) - 1, -1, -1):
            if delta < 0 and piece.tokens[at].text in marks:
                piece.tokens.pop(at)
                delta += 1
    return delta == 0


def slots(node: Holder, delta: int, pen: Pen) -> bool:
    """More or fewer placeholders."""
    return _marks(node, pen.script.slots, delta, pen)


def highlights(node: Holder, delta: int, pen: Pen) -> bool:
    """More or fewer words in bold type."""
    if delta > 0:
        places = [
            (piece, at)
            for piece in doc.pieces(node, code=False)
            for at in fillers(piece)
            if not any(token.bold for token in piece.tokens[max(0, at - 1) : at + 2])
        ]
        if not places:
            return False
        piece, at = pen.rng.choice(places)
        piece.tokens[at] = piece.tokens[at]._replace(bold=True)
        return highlights(node, delta - 1, pen) if delta > 1 else True
    bold = [(piece, at) for piece in doc.pieces(node) for at, token in enumerate(piece.tokens) if token.bold]
    if len(bold) < -delta:
        return False
    for piece, at in pen.rng.sample(bold, -delta):
        piece.tokens[at] = piece.tokens[at]._replace(bold=False)
    return True


def capitals(node: Holder, delta: int, pen: Pen) -> bool:
    """More or fewer words in capitals (Chinese: Latin abbreviations)."""
    while delta > 0:
        piece = _some(node, pen.rng)
        if piece is None or piece.case:
            return False
        at = pen.rng.choice(fillers(piece))
        text = piece.tokens[at].text.upper() if pen.script.gap else pen.rng.choice(pen.script.capitals)
        piece.tokens[at] = Token(text, "mark")
        delta -= 1
    for piece in _shuffled(node, pen) if delta < 0 else []:
        for at, token in enumerate(piece.tokens):
            if (
                delta < 0
                and token.role == "mark"
                and len(token.text) > 1
                and token.text.isascii()
                and token.text.isupper()
            ):
                piece.tokens[at] = pen.token()._replace(comma=token.comma)
                delta += 1
    return delta == 0
