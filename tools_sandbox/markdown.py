"""The blocks of a Markdown text, from a CommonMark parser with tables, with their places in the text.

Indented code and HTML blocks are off: their text is prose. Bullets that CommonMark does not know (``•``, ``①``,
``一、``, ``（1）``) make list items too.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

from markdown_it.token import Token

from tools_sandbox.block_rules import block_tokens
from tools_sandbox.inlines import Line, Run, holds_markup
from tools_sandbox.marks import TASK_BOX, TEXT_BULLET, ends_in_mark, is_heading_like, opens_text_item
from tools_sandbox.source import Source

_ITEM_MARK = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])")
_NO_CONTENT = re.compile(r"[\s>]*")
_OPENING = frozenset(("blockquote_open", "bullet_list_open", "ordered_list_open", "list_item_open"))
_CLOSING = frozenset(name.replace("open", "close") for name in _OPENING)
_READ = _OPENING | _CLOSING | {"paragraph", "heading", "heading_open", "fence", "hr", "table_open"}
_CELL_END = re.compile(r"(?<!\\)\|")


class Node(NamedTuple):
    """A block at [start, end) of the source's text.

    kind: heading, paragraph, list, list_item, table, table_row, table_cell, code_block, quote or divider. `level` is
    the level of a heading and the depth of a list, item or quote; the number of columns of a table. `info` is the
    language of code, bullet or ordered, header or body, and `split` for a paragraph that reads as several.
    """

    kind: str
    start: int
    end: int
    level: int = 0
    info: str = ""


class Prose(NamedTuple):
    """Text that holds sentences; `kind` is paragraph, quote or list_item."""

    kind: str
    run: Run


@dataclass(slots=True)
class Markdown:
    """What the parser found: blocks in the order of their starts, text runs, and lines that hold no words."""

    nodes: list[Node] = field(default_factory=list)
    inlines: list[Run] = field(default_factory=list)
    prose: list[Prose] = field(default_factory=list)
    silent: list[tuple[int, int]] = field(default_factory=list)
    code: list[tuple[int, int]] = field(default_factory=list)
    references: dict[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class _Container:
    kind: str
    line: int
    start: int
    end: int
    level: int
    info: str


def parse(source: Source) -> Markdown:
    """Read the blocks of a text."""
    env: dict[str, Any] = {}
    found = Markdown()
    with _no_collection():
        # The tokens are gone when this is done, before the collector looks at what there is.
        _Walk(source, found).walk(block_tokens(source.text, env))
        found.nodes.sort(key=lambda node: (node.start, -node.end))
    found.references = env.get("references", {})
    for definition in [*found.references.values(), *env.get("duplicate_refs", [])]:
        first, last = definition["map"]
        found.silent.append((source.line_starts[first], source.line_end(max(first, last - 1))))
    return found


@contextmanager
def _no_collection() -> Iterator[None]:
    """Parsing makes many small objects that all live on; the collector would walk them again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _Walk:
    """One pass over the block tokens, outermost first; `cursor` is how far a line is read by its containers."""

    def __init__(self, source: Source, found: Markdown) -> None:
        self.source = source
        self.found = found
        self.stack: list[_Container] = []
        self.cursor: dict[int, int] = {}
        self.items = 0

    def walk(self, tokens: list[Token]) -> None:
        for number, token in enumerate(tokens):
            kind = token.type
            if kind not in _READ:
                continue
            if kind == "paragraph":
                self._paragraph(token)
            elif kind in _OPENING:
                self._open(token)
            elif kind in _CLOSING:
                self._close()
            elif kind == "heading":
                self._heading(int(token.tag[1]), [self._headline(token)])
            elif kind == "heading_open":
                self._heading(int(token.tag[1]), self._align(tokens[number + 1]))
            elif kind == "fence":
                self._fence(token)
            elif kind == "hr":
                first, _ = _lines(token)
                start = self._skip_space(self._reached(first))
                self._add("divider", start, self._line_content_end(first))
            elif kind == "table_open":
                self._table(token, tokens, number)

    def _add(self, kind: str, start: int, end: int, level: int = 0, info: str = "") -> None:
        self.found.nodes.append(Node(kind, start, max(start, end), level, info))

    def _reached(self, line: int) -> int:
        """How far a line is read: behind the marks of the quotes that were opened before it."""
        if line not in self.cursor:
            at, end = self.source.line_starts[line], self.source.line_end(line)
            for container in self.stack:
                if container.kind == "quote" and container.line < line:
                    mark = self.source.text.find(">", at, end)
                    at = mark + 1 if mark >= 0 else at
                    at += self.source.text.startswith(" ", at)
            self.cursor[line] = at
        return self.cursor[line]

    def _skip_space(self, index: int) -> int:
        text = self.source.text
        while index < len(text) and text[index] in " \t":
            index += 1
        return index

    def _line_content_end(self, line: int) -> int:
        start = self.source.line_starts[line]
        return start + len(self.source.text[start : self.source.line_end(line)].rstrip())

    def _open(self, token: Token) -> None:
        first, beyond = _lines(token)
        at, text = self._reached(first), self.source.text
        kind, info = "list", "ordered" if token.type == "ordered_list_open" else "bullet"
        start = self._skip_space(at)
        if token.type == "blockquote_open":
            kind, info = "quote", ""
            start = text.find(">", at) + 1
            self.cursor[first] = start
            start = self._skip_space(start)
        elif token.type == "list_item_open":
            mark = _ITEM_MARK.match(text, at)
            kind, info = "list_item", self.stack[-1].info
            self.cursor[first] = mark.end() if mark else at
            start = self._skip_space(self.cursor[first])
            box = TASK_BOX.match(text, start)
            start = box.end() if box else start
            self.items += 1
        last = beyond - 1
        while last > first and _NO_CONTENT.fullmatch(self.source.line(last)):
            last -= 1
        counted = "list" if kind == "list_item" else kind
        level = sum([container.kind == counted for container in self.stack])
        self.stack.append(
            _Container(kind, first, start, self._line_content_end(last), level + (kind != "list_item"), info)
        )

    def _close(self) -> None:
        container = self.stack.pop()
        self.items -= container.kind == "list_item"
        self._add(container.kind, container.start, container.end, container.level, container.info)

    def _headline(self, token: Token) -> Line:
        """The text of a `#` heading and where it stands."""
        first, _ = _lines(token)
        at = self.source.text.find("#", self._reached(first)) + int(token.tag[1])
        text = token.content.strip()
        return Line(text, self.source.text.find(text, at) if text else at)

    def _heading(self, level: int, lines: list[Line]) -> None:
        run = Run.of(lines)
        if run.content:
            self.found.inlines.append(run)
        top = "" if self.stack else "top"
        self._add("heading", run.place(0), run.end_index(len(run.content)), level, top)

    def _align(self, inline: Token) -> list[Line]:
        """The lines of an inline token and where they stand: each is what its source line ends with."""
        first, beyond = _lines(inline)
        if beyond - first == 1:
            text = inline.content.strip()
            return [Line(text, max(self._line_content_end(first) - len(text), self.source.line_starts[first]))]
        texts = [line.strip() for line in inline.content.split("\n")]
        numbers = list(range(first, beyond))
        # The parser strips Unicode white space that CommonMark holds for content, which may empty whole lines.
        while len(numbers) > len(texts) and not self.source.line(numbers[0]).strip():
            del numbers[0]
        placed = []
        for text, number in zip(texts, numbers, strict=False):
            placed.append(Line(text, max(self._line_content_end(number) - len(text), self.source.line_starts[number])))
        return placed

    def _paragraph(self, token: Token) -> None:
        lines = self._align(token)
        parent = self.stack[-1] if self.stack else None
        if parent is not None and parent.kind == "list_item" and parent.line == _lines(token)[0]:
            box = TASK_BOX.match(lines[0].text)
            if box:
                lines[0] = Line(lines[0].text[box.end() :], lines[0].at + box.end())
        run = Run.of(lines)
        self.found.inlines.append(run)
        bullets = [number for number, line in enumerate(lines) if opens_text_item(line.text)]
        plain = lines[: bullets[0]] if bullets else lines
        if plain:
            self._prose(parent.kind if parent else "paragraph", plain, None if bullets else run)
        if bullets:
            self._text_list(lines, bullets)

    def _prose(self, kind: str, lines: list[Line], whole: Run | None) -> None:
        """Add the lines as prose, and as a paragraph outside lists; lines that are like headings are neither."""
        if whole is not None and len(lines) == 1 and not is_heading_like(lines[0].text):
            self.found.prose.append(Prose(kind, whole))
            if not self.items:
                self._add("paragraph", lines[0].at, lines[0].at + len(lines[0].text))
            return
        groups: list[list[Line]] = [[]]
        for line in lines:
            if is_heading_like(line.text):
                groups.append([])
            else:
                groups[-1].append(line)
        groups = [group for group in groups if group]
        if not groups:
            return
        if whole is not None and len(groups[0]) == len(lines):
            self.found.prose.append(Prose(kind, whole))
        else:
            self.found.prose += [Prose(kind, Run.of(group)) for group in groups]
        if not self.items:
            last = groups[-1][-1]
            split = len(lines) > 1 and sum(ends_in_mark(line.text) for line in lines) > 1
            self._add("paragraph", groups[0][0].at, last.at + len(last.text), 0, "split" if split else "")

    def _text_list(self, lines: list[Line], bullets: list[int]) -> None:
        level = sum(1 for container in self.stack if container.kind == "list") + 1
        last = lines[-1]
        start = lines[bullets[0]].at
        self._add("list", start, last.at + len(last.text), level, "bullet")
        for number, following in zip(bullets, [*bullets[1:], len(lines)], strict=True):
            first = lines[number]
            mark = TEXT_BULLET.match(first.text)
            skipped = mark.end() if mark else 0
            item = [Line(first.text[skipped:], first.at + skipped), *lines[number + 1 : following]]
            self._add("list_item", item[0].at, item[-1].at + len(item[-1].text), level, "bullet")
            self.found.prose.append(Prose("list_item", Run.of(item)))

    def _fence(self, token: Token) -> None:
        first, beyond = _lines(token)
        last = self.source.line(beyond - 1).strip(" \t>")
        mark = token.markup
        closed = beyond - first > 1 and len(last) >= len(mark) and not last.strip(mark[0])
        inner_end = beyond - 1 if closed else beyond
        self.found.silent.append((self._reached(first), self.source.line_end(first)))
        if closed:
            self.found.silent.append((self.source.line_starts[beyond - 1], self.source.line_end(beyond - 1)))
        filled = first + 1 < inner_end
        start = self.source.line_starts[first + 1] if filled else self._line_content_end(first)
        end = self.source.line_end(inner_end - 1) if filled else start
        self.found.code.append((start, end))
        start = min(self._reached(first + 1), end) if filled else start
        self._add("code_block", start, end, 0, (token.info.split() or [""])[0].lower())

    def _table(self, table: Token, tokens: list[Token], number: int) -> None:
        first, beyond = _lines(table)
        rows: list[Token] = []
        while tokens[number].type != "table_close":
            if tokens[number].type == "tr_open":
                rows.append(tokens[number])
            number += 1
        columns = 0
        start = self._skip_space(self._reached(first))
        end = self._line_content_end(_lines(rows[-1])[0])
        for header, row in zip([True] + [False] * (len(rows) - 1), rows, strict=True):
            line = _lines(row)[0]
            row_start, row_end = self._skip_space(self._reached(line)), self._line_content_end(line)
            cells = self._cells(row_start, row_end)
            columns = columns or len(cells)
            info = "header" if header else "body"
            self.found.nodes.append(Node("table_row", row_start, row_end, 0, info))
            for cell_start, cell_end in cells[:columns]:
                self.found.nodes.append(Node("table_cell", cell_start, cell_end, 0, info))
                text = self.source.text[cell_start:cell_end]
                if holds_markup(text):
                    self.found.inlines.append(Run.of([Line(text, cell_start)]))
        delimiter = min(first + 1, beyond - 1)
        self.found.silent.append((self.source.line_starts[delimiter], self.source.line_end(delimiter)))
        self._add("table", start, end, columns)

    def _cells(self, start: int, end: int) -> list[tuple[int, int]]:
        text = self.source.text
        bars = [match.start() for match in _CELL_END.finditer(text, start, end)]
        edges = [start - 1, *bars, end]
        cells = [(left + 1, right) for left, right in pairwise(edges)]
        if cells[0][0] == cells[0][1]:
            del cells[0]
        if cells and cells[-1][0] == cells[-1][1]:
            del cells[-1]
        return [self.source.trim(*cell) for cell in cells]


def _lines(token: Token) -> tuple[int, int]:
    if token.map is None:
        raise ValueError(f"block token {token.type} has no lines")
    return token.map[0], token.map[1]
