"""Small measures of a text: keywords, classes of characters, patterns, order. All take and return plain values."""

from __future__ import annotations

import csv
import io
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from tools_sandbox.characters import CLASSES, EMOJI_RUN, ZERO_WIDTH, is_han
from tools_sandbox.json_text import is_json, unfenced, value_depth
from tools_sandbox.source import Ambiguous
from tools_sandbox.units import Document

_T = TypeVar("_T")

_SPACE = re.compile(r"\s+")
_APOSTROPHE = str.maketrans({"’": "'", "‘": "'"})
_WIDE = (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
_WIDE_TO_ASCII = {code: code - 0xFEE0 for code in _WIDE}
_DIVIDER_MARKS = {
    mark: re.compile(rf" {{0,3}}{re.escape(mark)}[ \t]*(?:{re.escape(mark)}[ \t]*){{2,}}") for mark in "*-_"
}
_PAIRS = {
    "double_quotes": ('"', "“”", "„”", "「」", "『』"),
    "parentheses": ("()", "（）"),
    "square_brackets": ("[]", "【】", "［］"),
    "angle_brackets": ("<>", "《》", "〈〉", "«»"),
}


def count_string(text: str, string: str, case_sensitive: bool = False, whole_word: bool = True) -> int:
    """Occurrences of a keyword, without overlaps.

    A keyword that holds a letter or digit is bounded by what is no Latin letter or digit (an alphabet's own letters
    where it is written in another one); at a side where it is Chinese it matches as a substring, and so does a
    keyword of marks only. White space of any kind and length is the same.
    """
    text, string = _plain(text, case_sensitive), _plain(string, case_sensitive)
    if not string:
        return 0
    bounded = whole_word and any(char.isalnum() for char in string)
    before = _boundary(string[0]) if bounded else _never
    behind = _boundary(string[-1]) if bounded else _never
    found, at, length = 0, text.find(string), len(string)
    while at >= 0:
        end = at + length
        if (at > 0 and before(text[at - 1])) or (end < len(text) and behind(text[end])):
            at = text.find(string, at + 1)
        else:
            found += 1
            at = text.find(string, end)
    return found


def contains(text: str, string: str, case_sensitive: bool = False) -> bool:
    """Whether a keyword occurs."""
    return count_string(text, string, case_sensitive) > 0


def starts_with(text: str, string: str, case_sensitive: bool = True) -> bool:
    """Whether the text, white space around it aside, starts with a string."""
    return _plain(text, case_sensitive).strip().startswith(_plain(string, case_sensitive).strip())


def ends_with(text: str, string: str, case_sensitive: bool = True) -> bool:
    """Whether the text, white space around it aside, ends with a string."""
    return _plain(text, case_sensitive).strip().endswith(_plain(string, case_sensitive).strip())


def class_count(text: str, name: str) -> int:
    """Characters of a class; an emoji of several code points is one."""
    match name:
        case "comma":
            return sum(text.count(mark) for mark in ",，")
        case "exclamation_mark":
            return sum(text.count(mark) for mark in "!！")
        case "question_mark":
            return sum(text.count(mark) for mark in "?？")
        case "emoji":
            return sum(1 for _ in EMOJI_RUN.finditer(text))
    category = {"digit": "Nd", "uppercase_letter": "Lu", "lowercase_letter": "Ll", "punctuation_mark": "P"}[name]
    return sum(unicodedata.category(char).startswith(category) for char in text)


def wrapped(text: str, by: str) -> bool:
    """Whether one pair of delimiters opens first, closes last and holds something."""
    text = text.strip()
    for pair in _PAIRS[by]:
        opener, closer = pair[0], pair[-1]
        if len(text) > 1 and text[0] == opener and text[-1] == closer and text[1:-1].strip():
            return _straight_depth_holds(text) if opener == closer else _depth_holds(text, opener, closer)
    return False


def letter_case(text: str, case: str) -> bool:
    """Whether the text has letters and all that have a case are of this one (``upper`` or ``lower``)."""
    other = ("Ll", "Lt") if case == "upper" else ("Lu", "Lt")
    categories = {unicodedata.category(char) for char in text}
    return any(category.startswith("L") for category in categories) and not categories.intersection(other)


def is_valid(text: str, kind: str, fence: bool = True) -> bool:
    """Whether the text is one value of a format: json, json_object, json_array, or csv."""
    if kind != "csv":
        return is_json(text, kind, fence)
    body = unfenced(text) if fence else text.strip()
    try:
        rows = [row for row in csv.reader(io.StringIO(body, newline=""), strict=True) if row]
    except csv.Error:
        return False
    return bool(rows) and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)


def json_depth(text: str) -> int:
    """Levels of nested JSON objects and arrays, a single fence allowed; 0 where the text is no JSON."""
    return value_depth(text)


def divided(text: str, mark: str) -> int:
    """Non-empty pieces of a text between divider lines of one mark (``***``, ``---``, ``___``), spaced ones too.

    Under a constraint about dividers a line of ``---`` divides even directly under a paragraph; in code it does not.
    """
    document = Document(text)
    code = [(node.start, node.end) for node in document.markdown.nodes if node.kind == "code_block"]
    pieces, filled, next_code = 0, False, 0
    for number, start in enumerate(document.source.line_starts):
        line = document.source.line(number)
        while next_code < len(code) and code[next_code][1] < start:
            next_code += 1
        in_code = next_code < len(code) and code[next_code][0] <= start < code[next_code][1]
        if not in_code and _DIVIDER_MARKS[mark[0]].fullmatch(line):
            pieces += filled
            filled = False
        else:
            filled = filled or bool(line.strip())
    return pieces + filled


def is_sorted(texts: Sequence[str], descending: bool = False) -> bool:
    """Whether texts stand in alphabetical order, case, accents and leading marks aside.

    Raises:
        Ambiguous: a text begins in Chinese, which has several orders.
    """
    keys = [_sort_key(text) for text in texts]
    if any(key and is_han(key[0]) for key in keys):
        raise Ambiguous("Chinese has several alphabetical orders")
    if descending:
        keys.reverse()
    return all(left <= right for left, right in pairwise(keys))


def is_chained(texts: Sequence[str]) -> bool:
    """Whether each text starts with the last word of the one before it, case aside."""
    words = [_edge_words(text) for text in texts]
    return all(left is not None and right is not None and left[1] == right[0] for left, right in pairwise(words))


def spells(texts: Sequence[str], string: str) -> bool:
    """Whether the first letters of the texts spell a string, case and spaces aside."""
    first = [next((char for char in text if char.isalnum()), "") for text in texts]
    wanted = [char for char in string if char.isalnum()]
    return [char.casefold() for char in first] == [char.casefold() for char in wanted]


def pick(items: Sequence[_T], index: int) -> list[_T]:
    """The item of a 1-based index (negative from the end) in a list of its own; an empty list where there is none."""
    place = index - 1 if index > 0 else len(items) + index
    return [items[place]] if 0 <= place < len(items) else []


def relative_bounds(
    reference: int, relation: str, factor: float = 1, offset: float = 0, rounding: str = "none"
) -> list[int | float | None]:
    """[lower, upper] for a whole number that is to stand in a relation to factor x reference + offset.

    ``more`` and ``fewer`` are one further than their bound. Decimals are read as they are written; ``nearest`` rounds
    a half up.
    """
    right = Fraction(str(factor)) * reference + Fraction(str(offset))
    if rounding != "none":
        half = Fraction(1, 2)
        right = Fraction(math.ceil(right) if rounding == "ceil" else math.floor(right + half * (rounding == "nearest")))
    exact: int | float = int(right) if right.denominator == 1 else float(right)
    bounds: dict[str, list[int | float | None]] = {
        "more": [math.floor(right) + 1, None],
        "at_least": [exact, None],
        "equal": [exact, exact],
        "at_most": [None, exact],
        "fewer": [None, math.ceil(right) - 1],
    }
    return bounds[relation]


def _plain(text: str, case_sensitive: bool) -> str:
    text = ZERO_WIDTH.sub("", unicodedata.normalize("NFC", text)).translate(_APOSTROPHE).translate(_WIDE_TO_ASCII)
    text = _SPACE.sub(" ", text)
    return text if case_sensitive else unicodedata.normalize("NFC", text.casefold())


def _is_latin(char: str) -> bool:
    if char.isascii():
        return char.isalnum()
    return unicodedata.name(char, "").startswith(("LATIN ", "FULLWIDTH LATIN"))


def _latin_or_digit(char: str) -> bool:
    return char.isdigit() or _is_latin(char)


def _alphabetic(char: str) -> bool:
    return char.isalnum() and not _is_unbounded(char)


def _never(char: str) -> bool:
    return False


def _is_unbounded(char: str) -> bool:
    """Whether a letter belongs to a script whose words are not parted by spaces, or carry particles."""
    name = unicodedata.name(char, "")
    return is_han(char) or CLASSES[ord(char)] == "t" or name.startswith(("HIRAGANA", "KATAKANA", "HANGUL"))


def _boundary(edge: str) -> Callable[[str], bool]:
    """What may not stand beside an edge character of a keyword."""
    if edge.isalpha() and _is_unbounded(edge):
        return _never
    return _latin_or_digit if not edge.isalpha() or _is_latin(edge) else _alphabetic


def _depth_holds(text: str, opener: str, closer: str) -> bool:
    depth = 0
    for number, char in enumerate(text):
        depth += (char == opener) - (char == closer)
        if depth == 0:
            return number == len(text) - 1
    return False


def _straight_depth_holds(text: str) -> bool:
    """Straight quotes: one that a space or bracket precedes and a text follows opens, any other closes."""
    depth = 1
    for number in range(1, len(text) - 1):
        if text[number] != '"':
            continue
        opens = (text[number - 1].isspace() or text[number - 1] in "([{-—") and not text[number + 1].isspace()
        depth += 1 if opens else -1
        if depth == 0:
            return False
    return depth == 1


def _sort_key(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    key = "".join(char for char in folded if not unicodedata.combining(char))
    at = next((number for number, char in enumerate(key) if char.isalnum()), len(key))
    return _SPACE.sub(" ", key[at:]).strip()


def _edge_words(text: str) -> tuple[str, str] | None:
    document = Document(text)
    spans = document.spans("word", None)
    if not spans:
        return None
    first, last = (document.source.text[start:end].casefold() for start, end in (spans[0], spans[-1]))
    return first, last
