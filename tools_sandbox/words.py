"""Words of a text: maximal runs without separators that hold a letter or number; each Han ideograph is one.

>>> text = "Hello,world 你好"
>>> [text[start:end] for start, end in word_spans(text, text)]
['Hello', 'world', '你', '好']
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

from tools_sandbox.characters import CLASSES, KEYCAP, addresses
from tools_sandbox.marks import TEXT_BULLET

Span = tuple[int, int]

_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9\-]*(?:[\s/][^<>]*)?>")
_LINE_MARKS = re.compile(
    r"\n(?=[ \t]*[>\-*+\d\[])[ \t>]*(?:[-*+][ \t]+)*(?:\d{1,2}[.)][ \t]+(?=\S))?(?:[-*+][ \t]+)?(?:\[[ xX]\][ \t]+)?"
)
_TEXT_BULLET_LINE = re.compile(r"\n[ \t>]*" + TEXT_BULLET.pattern)
_DOUBLED = re.compile(r"-{2,}|\.{2,}")
_NOT_IN_NUMBER = re.compile(r",(?!(?<=n,)n)")
_BETWEEN_LETTERS = re.compile(r"(?<=[luot])[epq\-.]+(?=[luot])")
_MISSING_SPACE = re.compile(r"ll\.(?=ul)")
_EDGE = "-.,qe"
_SIGNS = "-.,qep"
_PIECE = re.compile(r"h+|[^ h]+")
DOTTED_NAMES = frozenset(
    {"node.js", "vue.js", "next.js", "nuxt.js", "react.js", "express.js", "three.js", "asp.net", "vb.net", "ado.net"}
    | {"booking.com", "amazon.com", "hotels.com", "crypto.com", "open.ai", "socket.io", "system.out", "console.log"}
)
"""Names that hold a stop before a capital: no sentence ends there."""


def word_spans(text: str, shown: str) -> list[Span]:
    """The words of `text` as [start, end).

    Args:
        text: the text as it stands, which URLs and names are read from.
        shown: the same text with a space for every character that is no part of a word (Markdown marks, targets).
    """
    classes = shown.translate(CLASSES)
    found = addresses(shown)
    if found:
        edges = [0, *(edge for span in found for edge in span), len(classes)]
        parts = [classes[start:end] for start, end in pairwise(edges)]
        classes = "".join("o" * len(part) if number % 2 else part for number, part in enumerate(parts))
    places: list[int] | None = None
    if "z" in classes:
        places = [index for index, kind in enumerate(classes) if kind != "z"]
        classes = classes.replace("z", "")
    classes = _separate(classes, text if places is None else "".join([text[index] for index in places]))
    spans = _pieces(classes)
    if places is not None:
        spans = [(places[start], _after_marks(text, places[end - 1] + 1)) for start, end in spans]
    return spans


def words_of(text: str) -> list[Span]:
    """The words of a text without code, links and link definitions."""
    return word_spans(text, hide(text, silent_spans(text, [])))


def _separate(classes: str, text: str) -> str:
    """Put spaces where characters separate."""
    if "--" in classes or ".." in classes:
        classes = _DOUBLED.sub(_blank, classes)
    classes = _NOT_IN_NUMBER.sub(" ", classes) if "n,n" in classes else classes.replace(",", " ")
    if "q" in classes:
        classes = _BETWEEN_LETTERS.sub(lambda match: _blank(match) if "q" in match[0] else match[0], classes)
    return _MISSING_SPACE.sub(lambda match: "ll." if is_dotted_name(text, match.end() - 1) else "ll ", classes)


def _pieces(classes: str) -> list[Span]:
    """What lies between the separators, each Han ideograph apart; without the marks at its edges, which are no part
    of it as signs such as $, % and + are."""
    spans: list[Span] = []
    if "h" not in classes:  # splitting is faster than a pattern
        at = 0
        for piece in classes.split(" "):
            end = at + len(piece)
            core = piece.strip(_SIGNS)
            if len(core) == end - at:
                if core:
                    spans.append((at, end))
            elif core:
                spans.append(_bare(classes, at, end))
            at = end + 1
        return spans
    for match in _PIECE.finditer(classes):
        start, end = match.span()
        if classes[start] == "h":
            spans += zip(range(start, end), range(start + 1, end + 1), strict=True)
        elif match[0].strip(_SIGNS):
            spans.append(_bare(classes, start, end))
    return spans


def _bare(classes: str, start: int, end: int) -> Span:
    piece = classes[start:end]
    start = end - len(piece.lstrip(_EDGE))
    return start, start + len(piece.strip(_EDGE))


def is_dotted_name(text: str, stop: int) -> bool:
    """Whether the stop at an index belongs to a known name such as Node.js."""
    start, end = stop, stop + 1
    while start > 0 and stop - start < 20 and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and end - stop < 20 and text[end].isalnum():
        end += 1
    return text[start:end].lower() in DOTTED_NAMES


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _after_marks(text: str, end: int) -> int:
    """The end of a word with the combining marks behind it."""
    while end < len(text) and CLASSES[ord(text[end])] == "z" and text[end].isprintable():
        end += 1
    return end


def hide(text: str, spans: Iterable[Span]) -> str:
    """The text with spaces (line feeds stay) at the spans."""
    parts, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if end > start:
            hidden = text[start:end]
            parts += [text[at:start], "\n".join(" " * len(line) for line in hidden.split("\n"))]
            at = end
    parts.append(text[at:])
    return "".join(parts)


def silent_spans(text: str, code: list[Span]) -> list[Span]:
    """Places that hold no words outside code: HTML tags, keycaps, list marks and task boxes at the start of a line."""
    lines = "\n" + text  # a pattern that begins with a line feed is found fast
    found = [(match.start(), match.end() - 1) for match in _LINE_MARKS.finditer(lines)]
    found += [(match.start(), match.end() - 1) for match in _TEXT_BULLET_LINE.finditer(lines)]
    if "<" in text:
        found += [match.span() for match in _TAG.finditer(text)] + _comments(text)
    if "\u20e3" in text:
        found += [match.span() for match in KEYCAP.finditer(text)]
    if not code:
        return found
    ends = [end for _, end in code]
    kept = []
    for span in found:
        at = bisect_left(ends, span[0] + 1)
        if at == len(code) or span[0] < code[at][0]:
            kept.append(span)
    return kept


def _comments(text: str) -> list[Span]:
    spans, at = [], text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 4)
        if end < 0:
            break
        spans.append((at, end + 3))
        at = text.find("<!--", end + 3)
    return spans
