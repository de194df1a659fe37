"""CommonMark block rules with tables, as tokens with the lines that they stand on.

The rules are markdown-it-py's. Each is asked only where it can match, since most lines are plain text, and what nobody
reads afterwards is not made: paragraphs, `#` headings and table cells are three tokens there and one or none here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

MAX_QUOTES = 10
"""Quotes within quotes that are read; a further ``>`` is text."""

_FIRST_MARKS = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "*-_",
    "list": "-+*0123456789",
    "reference": "[",
    "heading": "#",
}
_TABLE_TOKENS = frozenset(("table_open", "table_close", "tr_open", "tr_close"))
_UNDERLINE = re.compile(r"\n[ \t>]*(?:=+|-+)[ \t]*(?:\n|$)")
_Rule = Callable[[StateBlock, int, int, bool], bool]


def block_tokens(text: str, env: dict[str, Any]) -> list[Token]:
    """The block tokens of a text; its link definitions are put into `env`."""
    env |= {"underlines": _UNDERLINE.search(text), "quotes": 0}
    tokens: list[Token] = []
    _PARSER.block.parse(text, _PARSER, env, tokens)
    return tokens


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table").disable(["code", "html_block"])
    for rule in parser.block.ruler.__rules__:
        if rule.name == "blockquote":
            guard = _guarded(_nested_little(rule.fn), _FIRST_MARKS[rule.name])
            parser.block.ruler.at(rule.name, guard, {"alt": rule.alt})
        elif rule.name == "hr":
            parser.block.ruler.at(rule.name, _guarded(_bare_lines(rule.fn), _FIRST_MARKS[rule.name]), {"alt": rule.alt})
        elif rule.name == "heading":
            parser.block.ruler.at(rule.name, _guarded(_one_token(rule.fn), _FIRST_MARKS[rule.name]), {"alt": rule.alt})
        elif rule.name in _FIRST_MARKS:
            parser.block.ruler.at(rule.name, _guarded(rule.fn, _FIRST_MARKS[rule.name]), {"alt": rule.alt})
        elif rule.name == "table":
            parser.block.ruler.at(rule.name, _table_guarded(rule.fn), {"alt": rule.alt})
        elif rule.name == "lheading":
            parser.block.ruler.at(rule.name, _underline_guarded(rule.fn), {"alt": rule.alt})
        elif rule.name == "paragraph":
            parser.block.ruler.at(rule.name, _paragraph_rule, {"alt": rule.alt})
    return parser


def _guarded(rule: _Rule, marks: str) -> _Rule:
    """The rule, asked only about lines that begin with a mark of its own: most lines begin with none."""

    def run(state: StateBlock, first: int, beyond: int, silent: bool) -> bool:
        at = state.bMarks[first] + state.tShift[first]
        return at < state.eMarks[first] and state.src[at] in marks and rule(state, first, beyond, silent)

    return run


def _nested_little(rule: _Rule) -> _Rule:
    """The quote rule, which looks at all lines again at each level, up to some levels."""

    def run(state: StateBlock, first: int, beyond: int, silent: bool) -> bool:
        if silent:
            return rule(state, first, beyond, silent)
        if state.env["quotes"] == MAX_QUOTES:
            return False
        state.env["quotes"] += 1
        try:
            return rule(state, first, beyond, silent)
        finally:
            state.env["quotes"] -= 1

    return run


def _bare_lines(rule: _Rule) -> _Rule:
    """The divider rule, asked only about lines of one mark: it looks at each character, at each level of lists."""

    def run(state: StateBlock, first: int, beyond: int, silent: bool) -> bool:
        line = state.src[state.bMarks[first] + state.tShift[first] : state.eMarks[first]]
        return not line.strip(line[0] + " \t") and rule(state, first, beyond, silent)

    return run


def _one_token(rule: _Rule) -> _Rule:
    """The rule of `#` headings, which makes three tokens; one token is enough."""

    def run(state: StateBlock, first: int, beyond: int, silent: bool) -> bool:
        matched = rule(state, first, beyond, True)
        if matched and not silent:
            line = state.src[state.bMarks[first] + state.tShift[first] : state.eMarks[first]]
            bare = line.lstrip("#")
            level = len(line) - len(bare)
            token = Token("heading", f"h{level}", 0, map=[first, first + 1], content=_closed(bare))
            state.tokens.append(token)
            state.line = first + 1
        return matched

    return run


def _closed(text: str) -> str:
    """The text of a `#` heading without the marks that may close it."""
    text = text.strip(" \t")
    bare = text.rstrip("#")
    return bare.rstrip(" \t") if bare[-1:] in ("", " ", "\t") else text


def _table_guarded(rule: _Rule) -> _Rule:
    """The table rule, asked only where the next line can part a header from the rows."""

    def run(state: StateBlock, first: int, beyond: int, silent: bool) -> bool:
        following = first + 1
        if following >= beyond or state.isEmpty(following):
            return False
        mark = state.src[state.bMarks[following] + state.tShift[following]]
        if mark not in "|-:":
            return False
        if silent:
            return rule(state, first, beyond, silent)
        push = state.push

        def push_rows(kind: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
            # Cells are found by their places; six tokens for each would be made for nothing.
            return push(kind, tag, nesting) if kind in _TABLE_TOKENS else Token(kind, tag, nesting)

        state.push = push_rows  # type: ignore[method-assign, assignment]
        try:
            return rule(state, first, beyond, silent)
        finally:
            state.push = push  # type: ignore[method-assign]

    return run


def _underline_guarded(rule: _Rule) -> _Rule:
    """The rule of underlined headings, asked only in texts that hold a line of ``=`` or ``-``."""

    def run(state: StateBlock, first: int, beyond: int, silent: bool) -> bool:
        return bool(state.env["underlines"]) and rule(state, first, beyond, silent)

    return run


def _paragraph_rule(state: StateBlock, first: int, beyond: int, silent: bool) -> bool:
    """Paragraphs, as CommonMark has them: up to a blank line or a line that opens another block. One token each."""
    enders = state.md.block.ruler.getRules("paragraph")
    outer, state.parentType = state.parentType, "paragraph"
    line, last, ended = first + 1, state.lineMax, False
    while line < last and not state.isEmpty(line):
        # Deeply indented lines go on, and so do those that a quote has taken in although it has ended (below 0).
        if 0 <= state.sCount[line] <= state.blkIndent + 3:
            for ender in enders:
                ended = ended or ender(state, line, last, True)
        if ended:
            break
        line += 1
    state.parentType, state.line = outer, line
    content = state.getLines(first, line, state.blkIndent, False).strip()
    state.tokens.append(Token("paragraph", "p", 0, map=[first, line], content=content))
    return True


_PARSER = _parser()  # built on import, so that the sandbox forks with it
