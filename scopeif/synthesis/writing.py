"""The text of a document, with the place of every unit noted while it is written.

Nothing here reads text: what a unit is, is known from the tree. So the counts are a truth that `scopeif.measure`,
which parses the text, can be held against.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, NamedTuple

from scopeif.synthesis.document import (
    Bullets,
    Code,
    Divider,
    Document,
    Grid,
    Item,
    Memo,
    Object,
    Paragraph,
    Piece,
    Place,
    Quote,
    Section,
    Table,
)
from scopeif.synthesis.script import SCRIPTS, is_han

_OUTERMOST = frozenset({"section", "list", "quote", "json_pair"})


class Span(NamedTuple):
    """A unit at [start, end) of the text, and what it is in the tree."""

    start: int
    end: int
    unit: str
    node: Any


class Written:
    """A document's text and its units."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._script = SCRIPTS[document.language]
        self._out: list[str] = []
        self._at = 0
        self._found: dict[str, list[Span]] = {}
        self._words: list[tuple[int, int, Any, int]] = []
        self._starts: dict[str, list[int]] = {}
        self._original: tuple[Written, Memo] | None = None
        self._write_blocks(document.blocks)
        self.text = "".join(self._out)
        self.whole = Span(0, len(self.text), "response", document)

    def copy(self) -> Written:
        """The same text over a copy of the document, which may then be changed."""
        memo: Memo = {}
        other = Written.__new__(Written)
        other.document = self.document.clone(memo)
        other.text, other.whole = self.text, self.whole._replace(node=other.document)
        other._words, other._found, other._starts, other._original = self._words, {}, {}, (self, memo)
        return other

    @property
    def titled(self) -> bool:
        """Whether a lone heading stands over deeper ones: then it is a title, and opens no section."""
        top = [block for block in self.document.blocks if isinstance(block, Section)]
        return len(top) == 1 and any(isinstance(block, Section) for block in top[0].blocks)

    def all_of(self, unit: str) -> list[Span]:
        """The units of a kind at all depths, outer before inner."""
        if unit not in self._starts:
            self._found[unit] = found = self._sorted(unit)
            self._starts[unit] = [span.start for span in found]
        return self._found[unit]

    def _sorted(self, unit: str) -> list[Span]:
        if self._original is not None:
            original, memo = self._original
            return [span._replace(node=_twin(span.node, memo)) for span in original.all_of(unit)]
        if unit == "word":
            return [
                Span(start, end, "word", Place(node, index) if isinstance(node, Piece) else None)
                for start, end, node, index in self._words
            ]
        return sorted(self._found.get(unit, []), key=lambda span: (span.start, -span.end))

    def inside(self, unit: str, within: Span) -> list[Span]:
        """The units of a kind in a segment, by the rules of docs/measuring.md ("Units")."""
        found = self.all_of(unit)
        starts = self._starts[unit]
        first, last = bisect_left(starts, within.start), bisect_left(starts, within.end)
        inside = [span for span in found[first:last] if span.end <= within.end]
        if unit == within.unit:
            inside = [span for span in inside if span.node is not within.node]
        if unit in _OUTERMOST or (unit, within.unit) == ("list_item", "list"):
            return _outermost(inside)
        return inside

    def words(self, within: Span) -> int:
        """How many words a segment holds."""
        return bisect_left(self._words, (within.end,)) - bisect_left(self._words, (within.start,))

    def has(self, unit: str) -> bool:
        """Whether the document holds such a unit."""
        if self._original is not None:
            return self._original[0].has(unit)
        return bool(self._words if unit == "word" else self._found.get(unit))

    def text_of(self, span: Span) -> str:
        return self.text[span.start : span.end]

    # -- writing -----------------------------------------------------------------------------------------

    def _put(self, text: str) -> None:
        self._out.append(text)
        self._at += len(text)

    def _note(self, unit: str, start: int, node: Any) -> None:
        self._found.setdefault(unit, []).append(Span(start, self._at, unit, node))

    def _write_blocks(self, blocks: list[Any]) -> None:
        for number, block in enumerate(blocks):
            if number:
                self._put("\n\n")
            self._write_block(block)

    def _write_block(self, block: Any) -> None:
        start = self._at
        match block:
            case Paragraph():
                self._write_paragraph(block)
            case Section():
                self._put("#" * block.level + " ")
                inner = self._at
                self._write_piece(block.heading)
                self._note("heading", inner, block.heading)
                self._note_line(start)
                if block.blocks:
                    self._put("\n\n")
                    self._write_blocks(block.blocks)
                self._note("section", start, block)
            case Bullets():
                self._write_items(block.items, block.ordered, 0)
                self._note("list", start, block)
            case Table():
                self._write_table(block)
            case Quote():
                self._put("> ")
                inner = self._at
                self._write_paragraph(block.paragraph)
                self._note("quote", inner, block)
            case Code():
                self._put("```json\n" if isinstance(block.value, Object) else "```csv\n")
                inner = self._at
                self._write_value(block.value, 0)
                self._note("code_block", inner, block)
                self._put("\n```")
            case Divider():
                self._put(block.mark)
            case Object() | Grid():
                self._write_value(block, 0)
                if self.document.form == "csv" and isinstance(block, Object):
                    self._note_lines_of(block)

    def _write_paragraph(self, paragraph: Paragraph) -> None:
        start = self._at
        opening, closing = self._script.quotes if paragraph.wrap else ("", "")
        if self.document.wrap:  # the whole response in one pair
            opening = self._script.quotes[0] + opening if paragraph is self.document.blocks[0] else opening
            closing = closing + self._script.quotes[1] if paragraph is self.document.blocks[-1] else closing
        self._put(opening)
        glue = "\n" if paragraph.lines else self._script.gap
        last = len(paragraph.pieces) - 1
        for number, piece in enumerate(paragraph.pieces):
            if number:
                self._put(glue)
            begin = self._at
            self._write_piece(piece)
            if number == 0:
                begin = start
            if number == last:
                self._put(closing)
            self._note("line" if paragraph.lines else "sentence", begin, piece)
        self._note("paragraph", start, paragraph)
        if not paragraph.lines:
            self._note_line(start)

    def _note_lines_of(self, value: Object) -> None:
        at = 0
        for line in "".join(self._out).split("\n"):
            self._found.setdefault("line", []).append(Span(at, at + len(line), "line", value))
            at += len(line) + 1

    def _note_line(self, start: int) -> None:
        """Lines are known of verse and CSV alone, where constraints speak of them."""
        if self.document.form == "lines":
            self._note("line", start, None)

    def _write_items(self, items: list[Item], ordered: bool, indent: int) -> None:
        for number, item in enumerate(items, start=1):
            if number > 1:
                self._put("\n" + " " * indent)
            marker = f"{number}. " if ordered else "- "
            self._put(marker)
            start = self._at
            self._write_item(item, ordered, indent + len(marker))
            self._note("list_item", start, item)

    def _write_item(self, item: Item, ordered: bool, indent: int) -> None:
        opening, closing = self._script.quotes if item.wrap else ("", "")
        start = self._at
        self._put(opening)
        last = len(item.pieces) - 1
        for number, piece in enumerate(item.pieces):
            if number:
                self._put(self._script.gap)
            begin = self._at if number else start
            self._write_piece(piece)
            if number == last:
                self._put(closing)
            if piece.end:
                self._note("sentence", begin, piece)
        if item.items:
            self._put("\n" + " " * indent)
            start = self._at
            self._write_items(item.items, ordered, indent)
            self._note("list", start, item)

    def _write_table(self, table: Table) -> None:
        start = self._at
        for number, row in enumerate(table.rows):
            if number:
                self._put("\n")
            if number == 1:
                self._put("|" + " --- |" * len(table.rows[0]) + "\n")
            begin = self._at
            self._put("| ")
            for column, cell in enumerate(row):
                if column:
                    self._put(" | ")
                inner = self._at
                self._write_piece(cell)
                self._note("table_cell", inner, cell)
            self._put(" |")
            if number:
                self._note("table_row", begin, row)
        self._note("table", start, table)

    def _write_value(self, value: Object | Grid, indent: int) -> None:
        if isinstance(value, Grid):
            self._write_grid(value)
            return
        pad = "\n" + " " * (indent + 2)
        self._put("{")
        for number, pair in enumerate(value.pairs):
            self._put("," + pad if number else pad)
            start = self._at
            self._put('"')
            begin = self._at
            self._put(pair.key)
            self._note_words(pair.key, begin, pair, 0)
            self._put('": ')
            if isinstance(pair.value, Piece):
                self._put('"')
                self._write_piece(pair.value)
                self._put('"')
            else:
                self._write_value(pair.value, indent + 2)
            self._note("json_pair", start, pair)
        if value.broken:
            self._found["json_pair"] = []  # what is no JSON has no pairs
        else:
            self._put("\n" + " " * indent + "}")

    def _write_grid(self, grid: Grid) -> None:
        for number, row in enumerate(grid.rows):
            if number:
                self._put("\n")
            start = self._at
            for column, cell in enumerate(row):
                if column:
                    self._put(",")
                self._write_piece(cell)
            if grid.broken and number == len(grid.rows) - 1:
                self._put("," + self._script.spare)
                self._note_words(self._script.spare, self._at - len(self._script.spare), None, 0)
            if self.document.form == "csv":
                self._note("line", start, row)

    def _write_piece(self, piece: Piece) -> None:
        script = self._script
        out, at, words, found = self._out, self._at, self._words, self._found
        gap, case, comma = script.gap, piece.case, script.comma
        if piece.wrap:
            out.append(script.quotes[0])
            at += 1
        before, bold = "", False
        for index, (text, _, is_bold, has_comma) in enumerate(piece.tokens):
            if case:
                text = text.upper() if case == "upper" else text.lower()
            elif index == 0 and gap:
                text = text[0].upper() + text[1:]
            first = text[0]
            if index and gap:
                out.append(gap)
                at += 1
            elif index:
                # What would grow together stands apart in Chinese too: Latin words, numbers, emoji, bold words.
                glued = before and not is_han(before) and not is_han(first)
                if glued or first == "[" or (bold and is_bold):
                    out.append(" ")
                    at += 1
            end = at + len(text)
            if is_bold:
                at, end = at + 2, end + 2
                out.append(f"**{text}**")
                found.setdefault("highlight", []).append(Span(at, end, "highlight", piece))
            else:
                out.append(text)
            if first == "[":
                found.setdefault("placeholder", []).append(Span(at, end, "placeholder", piece))
                self._note_words(text[1:-1], at + 1, piece, index)
            elif gap:
                if first.isalnum():
                    words.append((at, end, piece, index))
            else:
                self._note_words(text, at, piece, index)
            at = end + 2 if is_bold else end
            if has_comma:
                out.append(comma)
                at += 1
            before, bold = "" if has_comma else text[-1], is_bold and not has_comma
        end_marks = piece.end + script.quotes[1] if piece.wrap else piece.end
        if end_marks:
            out.append(end_marks)
        self._at = at + len(end_marks)

    def _note_words(self, text: str, start: int, node: Any, index: int) -> None:
        """The words of a token that stands at `start`: a Latin word or number, or one for each Chinese character."""
        if is_han(text[0]):
            self._words += [(start + at, start + at + 1, node, index) for at in range(len(text))]
        elif text[0].isalnum():
            self._words.append((start, start + len(text), node, index))


def _twin(node: Any, memo: Memo) -> Any:
    """The copy of what a span stands for."""
    if isinstance(node, Place):
        return node._replace(piece=memo.get(id(node.piece), node.piece))
    return None if node is None else memo[id(node)]


def _outermost(spans: list[Span]) -> list[Span]:
    kept: list[Span] = []
    for span in spans:
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept
