"""Times the measuring functions on 64 kB that is hard for parsers; prints the slowest (processor time).

python benchmarks/measure.py [--size 65536] [--above 0.2]
"""

from __future__ import annotations

import argparse
import contextlib
import time
from collections.abc import Callable

from tools_sandbox import text as tools
from tools_sandbox.units import UNITS, read

PATTERNS = (
    "a", "a ", "a. ", "A. ", "a.", ".", ". ", "...", "…", "! ", "a! ", "Dr. ", "J. K. ", '"a." ',
    '"a." said ', '"', '" ', "a\n", "a.\n", "a\n\n", "\n", " ", "\t", " \n", "*a ", "**a", "a**b", "_a",
    "*", "***", "***a*** ", "*a_ ", "*a **a ", "[", "](", "[a](", "[a](b)", "![", "![[]()", "[(", "[a\n",
    "[a]", "[a]: b\n", "[a][b]", "[^1]", "`", "`a`` ", "``` ", "```\n", "~~~\n", "> ", ">", "- ",
    "- a\n", "-  a\n", "- - \n", "- a\n  ", "  - a\n", "1. ", "1. a\n", "* * *\n", "***\n", "---\n",
    "a\n---\n", "=\n", "# ", "#\n", "# a\n", "| a ", "|a|b|\n", "|a|b|\n|-|-|\n", "<", "<a ", "<a>",
    "<!--", "<!-- ", "<?", "&amp;", "\\", "\\a", "<a@b.c>", "<http://a>", "http://", "http://a ",
    "http://a)", "a@", "a@b.c ", "a@a.", "www.", "www.a ", "a-", "--", "a--", "a'", "a,", "1,", "1.",
    '("', 'a"', "a(", "(", "()", "{", "[{", '[{"a":', '{"a":1}', '"a",', "你", "你。", "“你。”", "“你。”说",
    "你…", "一、", "• a\n", "（1）a\n", "😀", "!😀", "a.😀 ", "👨\u200d👩\u200d👧", "1️⃣", "é", "é", "\u200b",
    "a\u200b", "́", "กา", "한국 ", "a|", "ab.Cd", "ab.", "a.b.c.", "Node.js ", "<x y=", "\r\n", "a.\r\n",
)  # fmt: skip


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--size", type=int, default=65536)
    arguments.add_argument("--above", type=float, default=0.2, help="print only what takes longer, in seconds")
    options = arguments.parse_args()
    rows = []
    for pattern in PATTERNS:
        text = (pattern * (options.size // len(pattern) + 1))[: options.size]
        for name, function in _functions().items():
            rows.append((_seconds(function, text), name, pattern))
    rows.sort(reverse=True)
    for seconds, name, pattern in rows:
        if seconds > options.above:
            print(f"{seconds:7.3f} s  {name:14} {pattern!r}")
    print(f"{len(rows)} runs of {options.size} characters; slowest {rows[0][0]:.3f} s")


def _functions() -> dict[str, Callable[[str], object]]:
    functions: dict[str, Callable[[str], object]] = {
        unit: lambda text, unit=unit: tools.count(unit, text) for unit in UNITS
    }
    functions |= {
        "split_sentences": tools.split_sentences,
        "blocks": tools.blocks,
        "keyword": lambda text: tools.count_string(text, text[:2]),
        "emoji": lambda text: tools.class_count(text, "emoji"),
        "wrapped": lambda text: tools.wrapped(f'"{text}"', "double_quotes"),
        "json_depth": tools.json_depth,
        "csv": lambda text: tools.is_valid(text, "csv"),
        "divided": lambda text: tools.divided(text, "***"),
        "list_depth": tools.list_depth,
        "each line": lambda text: _in_each(text, "line", "word"),
        "each item": lambda text: _in_each(text, "list_item", "paragraph"),
        "each word": lambda text: _in_each(text, "word", "character"),
        "item depth": lambda text: sum(tools.list_depth(text, item) for item in tools.units("list_item", text)),
    }
    return functions


def _in_each(text: str, outer: str, inner: str) -> int:
    return sum(tools.count(inner, text, segment) for segment in tools.units(outer, text))


def _seconds(function: Callable[[str], object], text: str) -> float:
    read.cache_clear()
    begun = time.process_time()
    with contextlib.suppress(tools.Ambiguous):
        function(text)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
