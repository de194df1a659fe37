"""A response as a tree of pieces whose counts are known because they were put there.

A piece is a sentence, a line, the text of a list item, a table cell, or a heading: tokens in a row. Blocks hold
pieces, sections hold blocks, a document holds sections or blocks. The tree is changed in place; `clone` copies it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Union

Role = Literal["fill", "key", "fixed", "mark"]
Memo = dict[int, Any]
"""The copy of each part of a tree, by the part's `id`."""
Form = Literal["prose", "sections", "list", "lines", "table", "json", "csv"]


class Token(NamedTuple):
    """A word, a Chinese phrase, a number, an emoji or a placeholder.

    Attributes:
        role: ``fill`` may be changed or dropped, ``key`` is a topic word, ``fixed`` holds a place (first or last),
            ``mark`` is a digit, an emoji or a placeholder.
        bold: written between ``**``.
        comma: a comma follows.
    """

    text: str
    role: Role = "fill"
    bold: bool = False
    comma: bool = False


@dataclass(slots=True)
class Piece:
    """Tokens with an end mark; `case` is that of all letters, or empty for a capital at the start."""

    tokens: list[Token]
    end: str = ""
    wrap: bool = False
    case: str = ""

    def clone(self, memo: Memo) -> Piece:
        memo[id(self)] = new = Piece(list(self.tokens), self.end, self.wrap, self.case)
        return new


@dataclass(slots=True)
class Paragraph:
    """Sentences on one line, or (`lines`) pieces on lines of their own."""

    pieces: list[Piece]
    lines: bool = False
    wrap: bool = False

    def clone(self, memo: Memo) -> Paragraph:
        memo[id(self)] = new = Paragraph([piece.clone(memo) for piece in self.pieces], self.lines, self.wrap)
        return new


@dataclass(slots=True)
class Quote:
    """A block quote of one paragraph."""

    paragraph: Paragraph

    def clone(self, memo: Memo) -> Quote:
        memo[id(self)] = new = Quote(self.paragraph.clone(memo))
        return new


@dataclass(slots=True)
class Item:
    """A list item: its pieces, and the items of the list inside it."""

    pieces: list[Piece]
    items: list[Item] = field(default_factory=list)
    wrap: bool = False

    def clone(self, memo: Memo) -> Item:
        pieces = [piece.clone(memo) for piece in self.pieces]
        memo[id(self)] = new = Item(pieces, [item.clone(memo) for item in self.items], self.wrap)
        return new


@dataclass(slots=True)
class Bullets:
    """A list."""

    items: list[Item]
    ordered: bool = False

    def clone(self, memo: Memo) -> Bullets:
        memo[id(self)] = new = Bullets([item.clone(memo) for item in self.items], self.ordered)
        return new


@dataclass(slots=True)
class Table:
    """Rows of cells; the first row is the header."""

    rows: list[list[Piece]]

    def clone(self, memo: Memo) -> Table:
        memo[id(self)] = new = Table(_clone_rows(self.rows, memo))
        return new


@dataclass(slots=True)
class Pair:
    """A key with its value: tokens, or an object."""

    key: str
    value: Piece | Object

    def clone(self, memo: Memo) -> Pair:
        memo[id(self)] = new = Pair(self.key, self.value.clone(memo))
        return new


@dataclass(slots=True)
class Object:
    """A JSON object; a `broken` one lacks its last brace."""

    pairs: list[Pair]
    broken: bool = False

    def clone(self, memo: Memo) -> Object:
        memo[id(self)] = new = Object([pair.clone(memo) for pair in self.pairs], self.broken)
        return new


@dataclass(slots=True)
class Grid:
    """Comma-separated values of equal width; a `broken` one has a cell too many in its last row."""

    rows: list[list[Piece]]
    broken: bool = False

    def clone(self, memo: Memo) -> Grid:
        memo[id(self)] = new = Grid(_clone_rows(self.rows, memo), self.broken)
        return new


@dataclass(slots=True)
class Code:
    """Fenced JSON or CSV."""

    value: Object | Grid

    def clone(self, memo: Memo) -> Code:
        memo[id(self)] = new = Code(self.value.clone(memo))
        return new


@dataclass(slots=True)
class Divider:
    """A line of ``***``."""

    mark: str = "***"

    def clone(self, memo: Memo) -> Divider:
        return Divider(self.mark)


@dataclass(slots=True)
class Section:
    """A heading, and blocks or subsections."""

    heading: Piece
    blocks: list[Block]
    level: int = 2

    def clone(self, memo: Memo) -> Section:
        blocks = [block.clone(memo) for block in self.blocks]
        memo[id(self)] = new = Section(self.heading.clone(memo), blocks, self.level)
        return new


Block = Union[Paragraph, Quote, Bullets, Table, Code, Divider, Section, Object, Grid]


@dataclass(slots=True)
class Document:
    """A whole response; an `Object` or a `Grid` stands alone in it."""

    language: str
    form: Form
    blocks: list[Block]
    wrap: bool = False

    def clone(self, memo: Memo) -> Document:
        blocks = [block.clone(memo) for block in self.blocks]
        memo[id(self)] = new = Document(self.language, self.form, blocks, self.wrap)
        return new


Row = list[Piece]
Holder = Union[Document, Block, Item, Pair, Piece, Row]
"""What a selected segment can be; a selected word is a `Place`."""


class Place(NamedTuple):
    """One word: the token at a place of a piece."""

    piece: Piece
    at: int


def _clone_rows(rows: list[Row], memo: Memo) -> list[Row]:
    copies = []
    for row in rows:
        memo[id(row)] = copy = [cell.clone(memo) for cell in row]
        copies.append(copy)
    return copies


def pieces(node: Holder, headings: bool = False, code: bool = True) -> Iterator[Piece]:
    """The pieces in a part of the tree, in order; headings of sections and what stands in code where it is asked."""
    match node:
        case Piece():
            yield node
        case list():
            yield from node
        case Paragraph():
            yield from node.pieces
        case Item():
            yield from node.pieces
            for item in node.items:
                yield from pieces(item)
        case Quote():
            yield from node.paragraph.pieces
        case Bullets():
            for item in node.items:
                yield from pieces(item)
        case Table():
            for row in node.rows:
                yield from row
        case Grid() if code:
            for row in node.rows:
                yield from row
        case Code() | Pair():
            yield from pieces(node.value, headings, code)
        case Object() if code:
            for pair in node.pairs:
                yield from pieces(pair)
        case Section() | Document():
            if headings and isinstance(node, Section):
                yield node.heading
            for block in node.blocks:
                yield from pieces(block, headings, code)


def blocks(node: Holder) -> Iterator[Block]:
    """The blocks in a part of the tree, outer before inner."""
    if isinstance(node, Section | Document):
        for block in node.blocks:
            yield block
            yield from blocks(block)


def items(node: Holder) -> Iterator[Item]:
    """The list items in a part of the tree, at all depths."""
    own: list[Item] = []
    if isinstance(node, Bullets | Item):
        own = node.items
    elif isinstance(node, Section | Document):
        for block in node.blocks:
            yield from items(block)
    for item in own:
        yield item
        yield from items(item)
