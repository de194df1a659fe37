"""The block rules find what markdown-it-py finds by its own."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tools_sandbox.block_rules import MAX_QUOTES, block_tokens
from tools_sandbox.text import blocks

PLAIN = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table").disable(["code", "html_block"])
PIECES = st.sampled_from([
    "word", "a b", " ", "  ", "    ", "\t", "\n", "\n\n", "- ", "* ", "+ ", "1. ", "2) ",
    "> ", ">", "# ", "## ",
    "###### x ##", "#", "---", "===", "***", "* * *", "___", "```", "~~~", "| a | b |", "\n|---|---|\n", "|",
    ":-", "-|-", "[r]: x\n", "[a]",
    "\\", "\x0b", "\u3000", "=", "-", "`", "你好",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=25).map("".join)
Row = tuple[str, Any, str]
_CELLS = frozenset(
    {"thead_open", "thead_close", "tbody_open", "tbody_close", "th_open", "th_close", "td_open", "td_close"}
)


def plainly(text: str, env: dict[str, Any]) -> Iterator[Row]:
    """Their tokens, those of paragraphs and `#` headings made one, those of cells left out."""
    tokens: list[Token] = []
    PLAIN.block.parse(text, PLAIN, env, tokens)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline" and before is not None and before.type == "paragraph_open":
            yield "paragraph", token.map, token.content.strip()
        elif token.type == "inline" and before is not None and before.markup.startswith("#"):
            yield f"heading {before.tag}", token.map, token.content.strip()
        elif token.type == "inline" and before is not None and before.type == "heading_open":
            yield "inline", token.map, token.content
        elif token.type == "heading_open" and not token.markup.startswith("#"):
            yield f"underlined {token.tag}", token.map, ""
        elif token.type not in _CELLS | {
            "inline",
            "paragraph_open",
            "paragraph_close",
            "heading_open",
            "heading_close",
        }:
            yield token.type, token.map, ""


def ours(text: str, env: dict[str, Any]) -> Iterator[Row]:
    for token in block_tokens(text, env):
        if token.type in ("paragraph", "heading"):
            tag = f" {token.tag}" if token.type == "heading" else ""
            yield token.type + tag, token.map, token.content.strip()
        elif token.type == "heading_open":
            yield f"underlined {token.tag}", token.map, ""
        elif token.type == "inline":
            yield "inline", token.map, token.content
        elif token.type not in _CELLS | {"heading_close"}:
            yield token.type, token.map, ""


@given(TEXTS)
def test_the_same_blocks(text: str) -> None:
    theirs, mine = {}, {}
    assert list(ours(text, mine)) == list(plainly(text, theirs))
    assert mine.get("references") == theirs.get("references")


@pytest.mark.parametrize("levels", [1, MAX_QUOTES, MAX_QUOTES + 5])
def test_quotes_are_read_to_some_depth(levels: int) -> None:
    found = blocks("> " * levels + "text")
    assert sum(block.kind == "quote" for block in found) == min(levels, MAX_QUOTES)
    assert found[-1].text.endswith("text")
