"""A short document that fulfils a plan: the proof that the constraints of an instruction can be met together.

It is filler around the demanded words; it answers no task. A plan that the writer cannot fulfil is a `SpecError`: the
constraint that was added last is then dropped.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count, cycle

from scopeif.errors import SpecError
from scopeif.synthesis import document as doc
from scopeif.synthesis.document import Document, Piece, Token
from scopeif.synthesis.mini.plan import ANY, Demand, LengthRelation, Plan
from scopeif.synthesis.script import SCRIPTS, Script
from scopeif.synthesis.writing import Written

_END_MARKS = ".!?。！？"
_NATURAL = {"en": 8, "zh": 14}
"""Words of a sentence where nothing else is asked."""
_FILLER = {
    "en": ("we", "often", "find", "it", "here", "and", "that", "makes", "us", "glad", "to", "be", "so", "near"),
    "zh": tuple("我们常常觉得这样很美也很有意思大家都会记得它"),
}
"""Filler words of one counted word each."""
_SORTED_STARTS = ("all", "come", "give", "more", "rest", "some")
_BY_LETTER = {
    "a": "all", "c": "come", "e": "each", "j": "just", "k": "keep", "n": "near", "o": "often", "r": "rest",
    "s": "some", "t": "that", "u": "us", "y": "yes",
}  # fmt: skip


def write(plan: Plan) -> Written:
    """The witness of a plan, written.

    Raises:
        SpecError: no text of this form fulfils it.
    """
    script = SCRIPTS[plan.language]
    if plan.layout == "json":
        return Written(Document(plan.language, "json", [_json(plan)]))
    shape = _shape(plan)
    pieces = [
        _merged(plan, piece, size, block, len(shape))
        for block, size in enumerate(shape, start=1)
        for piece in range(1, size + 1)
    ]
    pieces = _place_marks(plan, script, _place_words(plan, pieces))
    lengths = _lengths(plan, script, pieces)
    firsts = _first_words(plan, len(pieces))
    texts: list[Piece] = []
    for demand, length, first in zip(pieces, lengths, firsts, strict=True):
        if plan.chained and texts:
            first = texts[-1].tokens[-1].text
        texts.append(_piece(plan, script, demand, length, first))
    written = Written(_document(plan, shape, texts))
    plan.characters.meet(len(written.text), len(written.text))
    return written


# -- how many pieces, and what each must be --------------------------------------------------------------


def _shape(plan: Plan) -> list[int]:
    """The number of pieces in each block."""
    blocks = plan.blocks.lower if plan.layout == "paragraphs" else 1
    if plan.acrostic:
        return [len(plan.acrostic)]
    natural = _NATURAL[plan.language]
    roomy = blocks == 1 and plan.words.upper >= 2 * natural
    wanted = max(2 if roomy else 1, -(-plan.words.lower // (natural + 4)) // blocks)
    shape = []
    for block in range(1, blocks + 1):
        allowed = plan.pieces
        for key in {block, block - blocks - 1} & plan.pieces_of_block.keys():
            allowed = allowed.meet(*plan.pieces_of_block[key])
        shape.append(min(max(allowed.lower, wanted), allowed.upper))
    return shape


def _merged(plan: Plan, piece: int, pieces: int, block: int, blocks: int) -> Demand:
    demand = Demand()
    for place, wanted in plan.demands:
        if place.holds(piece, pieces, block, blocks):
            demand = demand.merge(wanted)
    return demand


def _place_words(plan: Plan, pieces: list[Demand]) -> list[Demand]:
    """Give each word that is demanded somewhere a piece, then lay the conditions on the holders."""
    pieces = list(pieces)
    for word, (lower, upper) in plan.needs.items():
        having = sum(word in demand.needs for demand in pieces)
        if having > upper:
            raise SpecError(f"{word!r} is needed in {having} pieces, allowed {upper} times")
        for _ in range(lower - having):
            target = min(range(len(pieces)), key=lambda index: len(pieces[index].needs))
            pieces[target] = replace(pieces[target], needs=(*pieces[target].needs, word))
    for word, condition in plan.where.items():
        pieces = [demand.merge(condition) if word in demand.needs else demand for demand in pieces]
    return pieces


def _place_marks(plan: Plan, script: Script, pieces: list[Demand]) -> list[Demand]:
    """Hand the marks that are demanded anywhere to pieces: end marks, commas, a digit."""
    pieces = list(pieces)
    for char_class, mark in (("exclamation_mark", script.exclamation), ("question_mark", script.question)):
        wanted = plan.marks.get(char_class, ANY).lower - sum(demand.end == mark for demand in pieces)
        for index in [n for n, demand in enumerate(pieces) if demand.end is None][: max(wanted, 0)]:
            pieces[index] = replace(pieces[index], end=mark)
    for _ in range(plan.marks.get("comma", ANY).lower - sum(demand.commas.lower for demand in pieces)):
        index = min(range(len(pieces)), key=lambda n: (pieces[n].commas.lower, -pieces[n].commas.upper))
        more = pieces[index].commas
        pieces[index] = replace(pieces[index], commas=more.meet(lower=more.lower + 1))
    if plan.marks.get("digit", ANY).lower:
        pieces[-1] = replace(pieces[-1], needs=(*pieces[-1].needs, "7"))
    return pieces


# -- lengths ---------------------------------------------------------------------------------------------


def _lengths(plan: Plan, script: Script, pieces: list[Demand]) -> list[int]:
    """Words of each piece: natural ones, raised until the relations and the whole's lower bound hold."""
    lengths = []
    for demand in pieces:
        parts = (demand.start, *demand.needs, _phrase(demand.end))
        fixed = sum(script.size(part) for part in parts if part) + max(demand.commas.lower, 1)
        natural = max(_NATURAL[plan.language] if plan.layout != "list" else 2, fixed)
        lengths.append(max(demand.words.lower, min(natural, max(demand.words.upper, fixed))))
    for _ in range(plan.words.upper):
        for relation in plan.relations:
            _raise_to_relation(lengths, relation)
        missing = plan.words.lower - sum(lengths)
        growable = [n for n, demand in enumerate(pieces) if lengths[n] < demand.words.upper]
        if missing <= 0 or not growable:
            break
        lengths[growable[-1]] += 1
    for demand, length in zip(pieces, lengths, strict=True):
        demand.words.meet(length, length)
    plan.words.meet(sum(lengths), sum(lengths))
    return lengths


def _raise_to_relation(lengths: list[int], relation: LengthRelation) -> None:
    if relation.left == 0:
        for index in range(1, len(lengths)):
            lengths[index] = max(lengths[index], lengths[index - 1] + relation.offset)
        return
    ends = relation.left, relation.right
    left, right = (index - 1 if index > 0 else len(lengths) + index for index in ends)
    least = relation.factor * lengths[right] + relation.offset
    lengths[left] = max(lengths[left], least)
    if relation.exact and lengths[left] > least:
        lengths[right] = -(-(lengths[left] - relation.offset) // relation.factor)
        lengths[left] = relation.factor * lengths[right] + relation.offset


# -- text ------------------------------------------------------------------------------------------------


def _first_words(plan: Plan, pieces: int) -> list[str | None]:
    """The first words that acrostics and sorted lists need."""
    firsts: list[str | None] = [None] * pieces
    if plan.acrostic:
        return [_BY_LETTER[letter] for letter in plan.acrostic.lower()]
    if plan.sorted:
        return list(_SORTED_STARTS[:pieces])
    return firsts


def _phrase(end: str | None) -> str:
    return (end or "").rstrip(_END_MARKS)


def _piece(plan: Plan, script: Script, demand: Demand, length: int, first: str | None) -> Piece:
    """One piece, of entries that a comma may follow: the start, filler, the demanded words, filler, the end."""
    head = [text for text in (demand.start or first,) if text]
    tail = [text for text in (_phrase(demand.end),) if text]
    used = sum(map(script.size, (*head, *demand.needs, *tail)))
    banned = {word for word, times in plan.needs.items() if times.upper == 0}
    filler = cycle([word for word in _FILLER[plan.language] if word not in banned])
    body = [next(filler) for _ in range(length - used)]
    if length < used:
        raise SpecError(f"{used} words do not fit in {length}")
    middle = min(2, len(body))
    entries = head + body[:middle] + list(demand.needs) + body[middle:] + tail
    commas = demand.commas.lower
    if commas >= len(entries):
        raise SpecError(f"{commas} commas do not fit between {len(entries)} words")
    if demand.shout:
        entries[0] = entries[0].upper()
    tokens: list[Token] = []
    for number, entry in enumerate(entries):
        role: doc.Role = "fixed" if entry in head + tail else "key" if entry in demand.needs else "fill"
        tokens += [Token(word, role) for word in (entry.split() if script.gap else [entry])]
        if len(entries) - 1 - commas <= number < len(entries) - 1:
            tokens[-1] = tokens[-1]._replace(comma=True)
    if any(len(token.text) + token.comma > demand.longest_word for token in tokens):
        raise SpecError(f"a word is longer than {demand.longest_word} characters")
    end = demand.end or ""
    mark = end[-1] if end and end[-1] in _END_MARKS else script.stop
    return Piece(tokens, mark if plan.layout in ("prose", "paragraphs") or end else "", case=plan.case or "")


def _document(plan: Plan, shape: list[int], texts: list[Piece]) -> Document:
    if plan.layout == "list":
        return Document(plan.language, "list", [doc.Bullets([doc.Item([piece]) for piece in texts])])
    if plan.layout == "lines":
        return Document(plan.language, "lines", [doc.Paragraph(texts, lines=True)])
    remaining = iter(texts)
    blocks: list[doc.Block] = [doc.Paragraph([next(remaining) for _ in range(size)]) for size in shape]
    return Document(plan.language, "prose", blocks, plan.wrapped)


def _json(plan: Plan) -> doc.Object:
    """A JSON object with the demanded keys, and the demanded words in its values."""
    wanted = [word for word, times in plan.needs.items() for _ in range(times.lower)]
    spare = (f"part{number}" for number in count(1))
    keys = list(plan.keys) + [next(spare) for _ in range(plan.pieces.lower - len(plan.keys))]
    plan.pieces.meet(len(keys), len(keys))
    values = {key: ["so", "it", "is"] for key in keys}
    values[keys[-1]] = [*wanted, "here"]
    return doc.Object(
        [
            doc.Pair(key, Piece([Token(word, "key" if word in wanted else "fill") for word in words], case="lower"))
            for key, words in values.items()
        ]
    )
