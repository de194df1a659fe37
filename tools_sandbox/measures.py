"""Small measures of a text: keywords, classes of characters, patterns, order. All take and return plain values."""

from __future__ import annotations

import csv
import datetime
import io
import math
import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from tools_sandbox.characters import CLASSES, EMOJI_RUN, UNSPACED, ZERO_WIDTH, is_han
from tools_sandbox.json_text import is_json, unfenced, value_depth
from tools_sandbox.marks import TEXT_BULLET
from tools_sandbox.source import Ambiguous, Segment, Source
from tools_sandbox.units import PARSED, Document, read
from tools_sandbox.words import words_of
from tools_sandbox.yaml_text import is_yaml

_T = TypeVar("_T")
_Beside = Callable[[str], bool]

_SPACE = re.compile(r"\s+")
_ODD_SPACE = re.compile(r"[^\S ]\s*| \s+")
_HEADING_MARKS = " *_`~:："
_WIDE = (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
_REWRITES = {"’": "'", "‘": "'", **{chr(code): chr(code - 0xFEE0) for code in _WIDE}}
_REWRITTEN = re.compile(f"[{''.join(_REWRITES)}]")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?[0-9]+\.[0-9]+")
_DATE = re.compile(r"(?P<quote>\"?)(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})(?P=quote)")
_HEADING_NUMBER = re.compile(rf"(?:\d+(?:\.\d+)*[.)、:]?\s+|{TEXT_BULLET.pattern})?")
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
    text, (string, before, behind) = _plain(text, case_sensitive), _keyword(string, case_sensitive, whole_word)
    if not string:
        return 0
    found, at, length = 0, text.find(string), len(string)
    while at >= 0:
        end = at + length
        if (at > 0 and before(text[at - 1])) or (end < len(text) and behind(text[end])):
            at = text.find(string, at + 1)
        else:
            found += 1
            at = text.find(string, end)
    return found


@lru_cache(maxsize=1024)
def _keyword(string: str, case_sensitive: bool, whole_word: bool) -> tuple[str, _Beside, _Beside]:
    """A keyword as it is compared, and what may not stand before it and behind it."""
    string = _plain(string, case_sensitive)
    if not (string and whole_word and any(char.isalnum() for char in string)):
        return string, _never, _never
    return string, _boundary(string[0]), _boundary(string[-1])


def contains(text: str, string: str, case_sensitive: bool = False) -> bool:
    """Whether a keyword occurs."""
    return count_string(text, string, case_sensitive) > 0


def starts_with(text: str, string: str, case_sensitive: bool = True) -> bool:
    """Whether the text, white space around it aside, starts with a string."""
    return _plain(text, case_sensitive).strip().startswith(_plain(string, case_sensitive).lstrip())


def ends_with(text: str, string: str, case_sensitive: bool = True) -> bool:
    """Whether the text, white space around it aside, ends with a string."""
    return _plain(text, case_sensitive).strip().endswith(_plain(string, case_sensitive).rstrip())


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
    return sum(size for char, size in Counter(text).items() if unicodedata.category(char).startswith(category))


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
    """Whether the text is a json, json_object, json_array, csv, yaml, integer, decimal or date (YYYY-MM-DD)."""
    if kind.startswith("json"):
        return is_json(text, kind, fence)
    body = unfenced(text) if fence else text.strip()
    match kind:
        case "yaml":
            return is_yaml(body)
        case "csv":
            return _is_csv(body)
        case "date":
            return _is_date(body)
    return {"integer": _INTEGER, "decimal": _DECIMAL}[kind].fullmatch(body) is not None


def _is_csv(body: str) -> bool:
    try:
        rows = [row for row in csv.reader(io.StringIO(body, newline=""), strict=True) if row]
    except csv.Error:
        return False
    return bool(rows) and len(rows[0]) > 1 and all(len(row) == len(rows[0]) for row in rows)


def _is_date(body: str) -> bool:
    match = _DATE.fullmatch(body)
    if match is None:
        return False
    try:
        datetime.date(*map(int, match["date"].split("-")))
    except ValueError:
        return False
    return True


def json_depth(text: str) -> int:
    """Levels of nested JSON objects and arrays, a single fence allowed; 0 where the text is no JSON."""
    return value_depth(text)


def divided(text: str, mark: str) -> int:
    """Non-empty pieces of a text between divider lines of one mark (``***``, ``---``, ``___``), spaced ones too.

    Under a constraint about dividers a line of ``---`` divides even directly under a paragraph; in code it does not.
    """
    code = _fenced(text) if "```" in text or "~~~" in text else []
    divider = _DIVIDER_MARKS[mark[0]]
    pieces, filled, next_code, at = 0, False, 0, 0
    for line in Source(text).text.split("\n"):
        while next_code < len(code) and code[next_code][1] < at:
            next_code += 1
        in_code = next_code < len(code) and code[next_code][0] <= at < code[next_code][1]
        if not in_code and divider.fullmatch(line):
            pieces += filled
            filled = False
        else:
            filled = filled or bool(line.strip())
        at += len(line) + 1
    return pieces + filled


def _fenced(text: str) -> list[tuple[int, int]]:
    return [(node.start, node.end) for node in read(text).markdown.nodes if node.kind == "code_block"]


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
    words = pairwise(map(_edge_words, texts))
    return all(left is not None and right is not None and left[1] == right[0] for left, right in words)


def spells(texts: Sequence[str], string: str) -> bool:
    """Whether the first letters of the texts spell a string, case and spaces aside."""
    first = [next((char for char in text if char.isalnum()), "") for text in texts]
    wanted = [char for char in string if char.isalnum()]
    return [char.casefold() for char in first] == [char.casefold() for char in wanted]


def repeated(texts: Sequence[str]) -> int:
    """How many texts say the same as an earlier one, case and the kind of white space aside."""
    return len(texts) - len({_plain(text, case_sensitive=False).strip() for text in texts})


def under_heading(text: str, segment: Segment, heading: str, case_sensitive: bool = False) -> bool:
    """Whether a segment of a text stands in the section of a heading that reads `heading`.

    The number before a heading, Markdown marks around it and a colon behind it do not matter. A section is also in
    the sections around it; its own heading is not in it.
    """
    document = read(text)
    start, end = document.source.index(segment.start), document.source.index(segment.end)
    sections = document.under(heading, _heading_as_it_is if case_sensitive else _heading_in_any_case)
    at = bisect_right(sections, start, key=lambda headed: headed.start) - 1
    if at < 0 or end > sections[at].end:
        return False
    return start >= sections[at].body or (segment.unit == "section" and start == sections[at].start)


def _heading_as_it_is(text: str) -> str:
    bare = _plain(text, case_sensitive=True).strip(_HEADING_MARKS)
    return _HEADING_NUMBER.sub("", bare, count=1).strip(_HEADING_MARKS)


def _heading_in_any_case(text: str) -> str:
    return unicodedata.normalize("NFC", _heading_as_it_is(text).casefold())


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
    right = _exact(factor) * reference + _exact(offset)
    if rounding != "none":
        half = Fraction(1, 2)
        right = Fraction(math.ceil(right) if rounding == "ceil" else math.floor(right + half * (rounding == "nearest")))
    exact: int | float = int(right) if right == int(right) else float(right)
    bounds: dict[str, list[int | float | None]] = {
        "more": [math.floor(right) + 1, None],
        "at_least": [exact, None],
        "equal": [exact, exact],
        "at_most": [None, exact],
        "fewer": [None, math.ceil(right) - 1],
    }
    return bounds[relation]


@lru_cache(maxsize=1024)
def _exact(number: float) -> Fraction | int:
    """A number as it is written: 1.1 is eleven tenths."""
    return int(number) if number == int(number) else Fraction(str(number))


def _plain(text: str, case_sensitive: bool) -> str:
    """The text as strings are compared: composed, without zero-width characters, one space for any white space."""
    if not text.isascii():
        text = ZERO_WIDTH.sub("", unicodedata.normalize("NFC", text))
        text = _REWRITTEN.sub(lambda match: _REWRITES[match[0]], text)
    text = _ODD_SPACE.sub(" ", text)
    if case_sensitive:
        return text
    return text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())


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


def _boundary(edge: str) -> _Beside:
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
    if PARSED.search(text) or UNSPACED.search(text):
        document = Document(text)
        text, spans = document.source.text, document.spans("word", None)
    else:
        spans = words_of(text)
    return (text[slice(*spans[0])].casefold(), text[slice(*spans[-1])].casefold()) if spans else None
