"""Inline Markdown with positions: emphasis, code spans, links and placeholders of a run of text.

markdown-it-py tells no positions of inline tokens, so the rules that make them are wrapped to note where they
matched. A run is the text of one block without the prefixes of its containers; `Run.place` leads back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from tools_sandbox.characters import HAN

MAX_BRACKETS = 2000
"""A run with more opening brackets is parsed without links: label matching grows with their square."""

_Rule = Callable[[StateInline, bool], bool]
_MARKUP = re.compile(r"[`*_\[<]")
_HAN = re.compile(f"[{HAN}]")  # no letter of an a[i]: Chinese has no spaces
_PLACEHOLDER = re.compile(r"\[([^\[\]\n]+)\]")
_NUMERIC = re.compile(r"[\W\d_]*")


class Line(NamedTuple):
    """One line of a run: its text, and where it stands in the source."""

    text: str
    at: int


class Run(NamedTuple):
    """Lines of one block, joined by line feeds."""

    content: str
    offsets: tuple[int, ...]
    indices: tuple[int, ...]

    @classmethod
    def of(cls, lines: list[Line]) -> Run:
        if len(lines) == 1:
            return cls(lines[0].text, (0,), (lines[0].at,))
        offsets, at = [], 0
        for line in lines:
            offsets.append(at)
            at += len(line.text) + 1
        return cls("\n".join(line.text for line in lines), tuple(offsets), tuple(line.at for line in lines))

    def place(self, offset: int) -> int:
        """The index in the source of an offset in `content`."""
        if len(self.offsets) == 1:
            return self.indices[0] + offset
        number = bisect_right(self.offsets, offset) - 1
        return self.indices[number] + offset - self.offsets[number]

    def offset(self, index: int) -> int:
        """The offset in `content` of an index in the source."""
        number = max(0, bisect_right(self.indices, index) - 1)
        return self.offsets[number] + index - self.indices[number]

    def end_index(self, offset: int) -> int:
        """The index in the source of an exclusive end in `content`."""
        return self.place(offset - 1) + 1 if offset else self.place(0)


class Markup(NamedTuple):
    """One span of a run: kind is highlight, code, link, target or placeholder; offsets are those of the run."""

    kind: str
    start: int
    end: int


def holds_markup(text: str) -> bool:
    """Whether a text may hold inline markup."""
    return _MARKUP.search(text) is not None


def markup(run: Run, references: Mapping[str, Any]) -> list[Markup]:
    """The inline markup of a run; `references` are the document's link definitions."""
    content = run.content
    if not holds_markup(content):
        return []
    linked = ("](" in content or (references and "[" in content)) and content.count("[") <= MAX_BRACKETS
    parser = _LINK_PARSER if linked else _PLAIN_PARSER
    found: list[Markup] = []
    depth, opened = 0, 0
    for token in parser.inline.parse(content, parser, {"references": references}, []):
        if token.type in ("em_open", "strong_open"):
            opened = opened if depth else token.meta["at"] + 1
            depth += 1
        elif token.type in ("em_close", "strong_close"):
            depth -= 1
            if not depth:
                found.append(Markup("highlight", opened, token.meta["at"]))
        elif "spans" in token.meta:
            found += token.meta["spans"]
    return found + _placeholders(content, found)


def _placeholders(content: str, found: list[Markup]) -> list[Markup]:
    taken = sorted((span.start, span.end) for span in found if span.kind in ("code", "link"))
    starts = [start for start, _ in taken]
    kept = []
    for match in _PLACEHOLDER.finditer(content):
        start, name = match.start(), match[1].strip()
        before = bisect_right(starts, start) - 1
        within = before >= 0 and start < taken[before][1]
        follows_letter = start > 0 and content[start - 1].isalpha() and not _HAN.match(content[start - 1])
        task_box = name in ("x", "X") and not content[content.rfind("\n", 0, start) + 1 : start].strip()
        footnote = name.startswith("^")
        if not (within or follows_letter or task_box or footnote or _NUMERIC.fullmatch(name)):
            kept.append(Markup("placeholder", start, match.end()))
    return kept


def _parser(links: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 20})
    parser.inline.ruler.disable("entity")
    rules = {rule.name: rule.fn for rule in parser.inline.ruler.__rules__}
    for name, kind in (
        ("backticks", "code_inline"),
        ("autolink", "link_open"),
        ("html_inline", "html_inline"),
    ):
        parser.inline.ruler.at(name, _noting(rules[name], kind))
    for name, kind in (("link", "link_open"), ("image", "image")):
        parser.inline.ruler.at(name, _noting_link(rules[name], kind))
    parser.inline.ruler.at("emphasis", _noting_marks(rules["emphasis"]))
    if not links:
        parser.inline.ruler.disable(["link", "image"])
    return parser


def _pushed(tokens: list[Token], first: int, kind: str) -> Token | None:
    # Pending text is flushed as a token of its own before the new one.
    return next((token for token in tokens[first : first + 2] if token.type == kind), None)


def _noting(rule: _Rule, kind: str) -> _Rule:
    def run(state: StateInline, silent: bool) -> bool:
        start, first = state.pos, len(state.tokens)
        matched = rule(state, silent)
        token = _pushed(state.tokens, first, kind) if matched and not silent else None
        if token is not None:
            name = "code" if kind == "code_inline" else "link"
            token.meta["spans"] = [Markup(name, start, state.pos)]
        return matched

    return run


def _noting_link(rule: _Rule, kind: str) -> _Rule:
    def run(state: StateInline, silent: bool) -> bool:
        start, first = state.pos, len(state.tokens)
        matched = rule(state, silent)
        token = _pushed(state.tokens, first, kind) if matched and not silent else None
        if token is not None:
            image = kind == "image"
            label_end = state.md.helpers.parseLinkLabel(state, start + image, not image)
            target = Markup("target", label_end + 1, state.pos)
            token.meta["spans"] = [
                Markup("link", start, state.pos),
                *([target] if target.start < target.end else []),
            ]
        return matched

    return run


def _noting_marks(rule: _Rule) -> _Rule:
    def run(state: StateInline, silent: bool) -> bool:
        start = state.pos
        matched = rule(state, silent)
        if matched:
            marks = state.pos - start
            for number, token in enumerate(state.tokens[-marks:]):
                token.meta["at"] = start + number
        return matched

    return run


_PLAIN_PARSER, _LINK_PARSER = _parser(links=False), _parser(links=True)
