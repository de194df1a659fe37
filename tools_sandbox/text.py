"""The text functions that verification tools are built from, the same inside the sandbox and outside.

>>> count_word("Hello,world")
2
>>> split_sentences("It works.It does.")
['It works.', 'It does.']
>>> [(block.kind, block.text) for block in blocks("# Title\\n\\nSome text.")]
[('heading', 'Title'), ('paragraph', 'Some text.')]
>>> count("list_item", "- a\\n- b")
2
"""

from __future__ import annotations

from dataclasses import dataclass

from tools_sandbox.measures import (
    class_count,
    contains,
    count_string,
    divided,
    ends_with,
    is_chained,
    is_sorted,
    is_valid,
    json_depth,
    letter_case,
    pick,
    relative_bounds,
    repeated,
    spells,
    starts_with,
    under_heading,
    wrapped,
)
from tools_sandbox.patterns import matches
from tools_sandbox.source import Ambiguous, Segment
from tools_sandbox.units import count, list_depth, read, units

__all__ = [
    "Ambiguous",
    "Block",
    "Segment",
    "blocks",
    "class_count",
    "contains",
    "count",
    "count_string",
    "count_word",
    "divided",
    "ends_with",
    "is_chained",
    "is_sorted",
    "is_valid",
    "json_depth",
    "letter_case",
    "list_depth",
    "matches",
    "pick",
    "relative_bounds",
    "repeated",
    "spells",
    "split_sentences",
    "starts_with",
    "under_heading",
    "units",
    "wrapped",
]


@dataclass(slots=True, unsafe_hash=True)
class Block:
    """A Markdown block at [start, end) of the text, without its own marks.

    kind: heading, paragraph, list, list_item, table, table_row, table_cell, code_block, quote or divider. `level` is a
    heading's level, the depth of a list, item or quote, or a table's number of columns. `info` is the language of
    code, ``bullet`` or ``ordered`` of a list or item, ``header`` or ``body`` of a row or cell.
    """

    kind: str
    start: int
    end: int
    text: str
    level: int = 0
    info: str = ""


def count_word(text: str) -> int:
    """How many words a text holds; each Chinese character is one.

    Raises:
        Ambiguous: the text is in a script that is written without spaces (Thai, Lao, Khmer, Burmese).
    """
    return count("word", text)


def split_sentences(text: str) -> list[str]:
    """The sentences of the paragraphs, quotes and list items of a text, in order."""
    return [segment.text for segment in units("sentence", text)]


def blocks(text: str) -> list[Block]:
    """The Markdown blocks of a text in the order of their starts, outer before inner."""
    document = read(text)
    found = []
    for node in document.markdown.nodes:
        place = document.source.segment(node.start, node.end)
        info = "" if node.kind in ("heading", "paragraph") else node.info
        found.append(Block(node.kind, place.start, place.end, place.text, node.level, info))
    return found
