"""Tokens, pieces and blocks of filler with the sizes that are asked for."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scopeif.synthesis import document as doc
from scopeif.synthesis.document import Piece, Token
from scopeif.synthesis.script import SCRIPTS, Fill


class Pen:
    """Writes filler for one instruction; `topics` go into titles, keys and cells, never into running text."""

    def __init__(self, language: str, rng: random.Random, topics: Sequence[str]) -> None:
        self.script = SCRIPTS[language]
        self.rng = rng
        self.fill = Fill(language, (*topics, *self.script.limited))

    # -- tokens ------------------------------------------------------------------------------------------

    def tokens(self, size: int) -> list[Token]:
        """Filler of `size` counted words."""
        choice, words = self.rng.choice, self.fill.words
        if self.script.gap:
            return [Token(choice(words)) for _ in range(size)]
        found: list[Token] = []
        while size > 0:
            word = choice(words)
            if len(word) > size:
                word = choice(self.fill.by_length[1])
            found.append(Token(word))
            size -= len(word)
        return found

    def token(self) -> Token:
        """One filler word (Chinese: one or two characters)."""
        return Token(self.rng.choice(self.fill.words))

    def of_length(self, characters: int) -> Token | None:
        """A filler word of so many characters, where there is one."""
        words = self.fill.by_length.get(characters)
        return Token(self.rng.choice(words)) if words else None

    def phrase(self, text: str) -> list[Token]:
        """Fixed tokens that spell a phrase."""
        return [Token(word, "fixed") for word in (text.split() if self.script.gap else [text])]

    def size(self, low: int, high: int) -> int:
        """A number of counted words, said in English words."""
        scale = self.script.scale
        return self.rng.randint(round(low * scale), round(high * scale))

    # -- pieces ------------------------------------------------------------------------------------------

    def sentence(self, size: int | None = None) -> Piece:
        return Piece(self.tokens(size or self.size(5, 11)), self.script.stop)

    def line(self, size: int | None = None) -> Piece:
        """A line, an item or a heading: no end mark."""
        return Piece(self.tokens(size or self.size(3, 7)))

    # -- blocks ------------------------------------------------------------------------------------------

    def paragraph(self, sentences: int) -> doc.Paragraph:
        return doc.Paragraph([self.sentence() for _ in range(sentences)])

    def stanza(self, lines: int) -> doc.Paragraph:
        return doc.Paragraph([self.line() for _ in range(lines)], lines=True)

    def item(self, sentences: int = 0) -> doc.Item:
        return doc.Item([self.sentence() for _ in range(sentences)] or [self.line()])

    def bullets(self, items: int, sentences: int = 0) -> doc.Bullets:
        return doc.Bullets([self.item(sentences) for _ in range(items)], self.rng.random() < 0.2)

    def section(self, paragraphs: int, level: int = 2) -> doc.Section:
        blocks: list[doc.Block] = [self.paragraph(self.rng.choice((1, 1, 2, 3))) for _ in range(paragraphs)]
        return doc.Section(self.line(self.size(1, 3)), blocks, level)

    def table(self, columns: int, rows: int) -> doc.Table:
        return doc.Table([self.row(columns) for _ in range(rows + 1)])

    def row(self, columns: int) -> list[Piece]:
        return [self.line(self.size(1, 2)) for _ in range(columns)]

    def grid(self, columns: int, rows: int) -> doc.Grid:
        return doc.Grid([self.row(columns) for _ in range(rows)])

    def object(self, pairs: int) -> doc.Object:
        return doc.Object([self.pair(key) for key in self.rng.sample(self.script.keys, pairs)])

    def pair(self, key: str) -> doc.Pair:
        return doc.Pair(key, self.line(self.size(1, 4)))

    def quote(self) -> doc.Quote:
        return doc.Quote(self.paragraph(1))
