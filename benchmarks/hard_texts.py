"""Texts that are hard for parsers: one piece repeated, and those that CommonMark parsers are tried with."""

from __future__ import annotations

from collections.abc import Callable

REPEATED = (
    "a", "a ", "a. ", "A. ", "a.", ".", ". ", "...", "…", "! ", "a! ", "Dr. ", "J. K. ", '"a." ',
    '"a." said ', '"', '" ', "a\n", "a.\n", "a\n\n", "\n", " ", "\t", " \n", "*a ", "**a", "a**b", "_a",
    "*", "***", "***a*** ", "*a_ ", "*a **a ", "[", "](", "[a](", "[a](b)", "![", "![[]()", "[(", "[a\n",
    "[a]", "[a]: b\n", "[a][b]", "[^1]", "`", "`a`` ", "``` ", "```\n", "~~~\n", "> ", ">", "- ",
    "- a\n", "-  a\n", "- - \n", "- a\n  ", "  - a\n", "1. ", "1. a\n", "* * *\n", "***\n", "---\n",
    "a\n---\n", "=\n", "# ", "#\n", "# a\n", "| a ", "|a|b|\n", "|a|b|\n|-|-|\n", "<", "<a ", "<a>",
    "<!--", "<!-- ", "<?", "&amp;", "\\", "\\a", "<a@b.c>", "<http://a>", "http://", "http://a ",
    "http://a)", "a@", "a@b.c ", "a@a.", "www.", "www.a ", "a-", "--", "a--", "a'", "a,", "1,", "1.",
    '("', 'a"', "a(", "(", "()", "{", "[{", '[{"a":', '{"a":1}', '"a",', "你", "你。", "“你。”", "“你。”说",
    "你…", "一、", "• a\n", "（1）a\n", "😀", "!😀", "a.😀 ", "👨\u200d👩\u200d👧", "1️⃣", "é", "e\u0301", "\u200b",
    "a\u200b", "\u0301", "กา", "한국 ", "a|", "ab.Cd", "ab.", "a.b.c.", "Node.js ", "<x y=", "\r\n", "a.\r\n",
    "[x] ", "[x](y) ", "[x]: y\n\n", "[a] [b](c) `d` *e* ", "**a** ", "**a**\n\n", "**a**\n", "`a` ", "e.g. ",
    "U.S. He ", "A b. ", "Al B. C. ", "他说：“你。”", "“a” ", "a:b ", "1:2 ", "1.\n", "a)\n", "> - a\n", "- > a\n",
    "- a\n\n", "- a\n  - b\n", "1. a\n   - b\n", "| a |\n|-|\n| b |\n\n", "|", "| |\n|-|\n", ":-", "-|-\n", "<b>a</b>",
    "&", "&#1;", "\\`", "\\*", "~", "a~b~", "==", "___\n", "__a__ ", "\u3000", "。", "“", "”", "』", "，", "你,",
    "\ufeff", "\0", "\u2028", "\x0b", "=a\n", "a\n=\n", "a\n\n---\n\n", "```a\nb\n```\n", "~~~\na\n~~~\n\n",
    "😀 ", "#️⃣", "🇨🇳", "👍🏽", "ﷺ", "İ", "ß", "ǅ", "１", "Ａ", "ａ，", "カ", "ｶ", "々", "〇", "\U00020000",
    '{"a": [1, 2]}\n', '[1,', '"a": "b", ', "a: b\n", "- a: b\n", "  a:\n", "a,b\n", '"a,"', "x" * 500 + " ",
)  # fmt: skip
"""Pieces that fill a text."""


def _half(left: str, right: str, middle: str = "") -> Callable[[int], str]:
    return lambda size: left * (size // 2 // len(left)) + middle + right * (size // 2 // len(right))


def _ticks(size: int) -> str:
    runs, length = [], 0
    while length < size:
        runs.append("e" + "`" * (len(runs) + 1))
        length += len(runs[-1])
    return "".join(runs)


def _stairs(mark: str, width: int = 2) -> Callable[[int], str]:
    """Each line one level deeper than the one before, again and again."""

    def text(size: int) -> str:
        lines = [" " * (width * level) + mark + "a" for level in range(60)]
        block = "\n".join(lines) + "\n\n"
        return block * (size // len(block) + 1)

    return text


def _wide_table(size: int) -> str:
    columns = int(size**0.5 / 2)
    row = "|" + "a|" * columns + "\n"
    return row + "|" + "-|" * columns + "\n" + row * (size // len(row))


def _references(size: int) -> str:
    count = size // 24
    return "".join(f"[a{n}]: b\n" for n in range(count)) + "\n" + "".join(f"[a{n}] " for n in range(count))


def _headings(size: int) -> str:
    return "".join(f"{'#' * (n % 6 + 1)} a{n}\nb\n\n" for n in range(size // 14))


SHAPED: dict[str, Callable[[int], str]] = {
    "nested strong": _half("*a **a ", " a** a*", "b"),
    "emphasis closers": lambda size: "a_ " * (size // 3),
    "emphasis openers": lambda size: "_a " * (size // 3),
    "link closers": lambda size: "a]" * (size // 2),
    "link openers": lambda size: "[a" * (size // 2),
    "mismatched": lambda size: "*a_ " * (size // 4),
    "multiples of three": lambda size: "a**b" + "c* " * (size // 3),
    "links and emphasis": lambda size: "[ a_" * (size // 4),
    "brackets and parentheses": lambda size: "[ (](" * (size // 5),
    "unclosed links": lambda size: "[a](<b" * (size // 6),
    "unclosed titles": lambda size: '[a](b "' * (size // 7),
    "nested brackets": _half("[", "]", "a"),
    "nested parentheses": _half("[a](" + "(", ")", "a"),
    "nested quotes": lambda size: "> " * (size // 2) + "a",
    "lazy quotes": lambda size: ">" * (size // 2) + "a\n" * (size // 4),
    "nested bullets on a line": lambda size: "- " * (size // 2) + "a",
    "nested lists": _stairs("- "),
    "nested ordered lists": _stairs("1. ", 3),
    "nested quoted lists": lambda size: "".join("> " * (n % 50) + "- a\n" for n in range(size // 54)),
    "growing backticks": _ticks,
    "backticks at the end": lambda size: "`" + "a" * (size - 2) + "``",
    "many columns": _wide_table,
    "link definitions": _references,
    "headings of all levels": _headings,
    "long word": lambda size: "a" * size,
    "long Chinese sentence": lambda size: "你" * size,
    "nested JSON": _half("[", "]"),
    "nested JSON objects": lambda size: '{"a":' * (size // 6) + "1" + "}" * (size // 6),
    "wide JSON": lambda size: "[" + "1," * (size // 2) + "1]",
    "JSON with many pairs": lambda size: "{" + ",".join(f'"a{n}":{n}' for n in range(size // 12)) + "}",
    "many JSON blocks": lambda size: '```json\n{"a": [1]}\n```\n\n' * (size // 24),
    "unclosed fence": lambda size: "```\n" + "a\n" * (size // 2),
    "unclosed comment": lambda size: "</" * 10 + "<!--" * (size // 4),
    "quotes that speak": lambda size: '"a." "b." ' * (size // 20) + "said",
    "bold lines": lambda size: "**a b**\n" * (size // 8),
    "dense wikitext": lambda size: "[[a|b]] '''c''' {{d}} " * (size // 22),
    "YAML anchors": lambda size: "".join(f"a{n}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(size // 28)),
    "YAML merges": lambda size: "a: &a {b: 1}\n" + "c: {<<: *a}\n" * (size // 12),
}
"""Builders of a text of about a given size."""


def hard_texts(size: int) -> dict[str, str]:
    """All of them at a size in characters, by name."""
    texts = {repr(piece[:20]): (piece * (size // len(piece) + 1))[:size] for piece in REPEATED}
    return texts | {name: build(size) for name, build in SHAPED.items()}
