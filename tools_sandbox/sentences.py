"""Sentences of a run of prose, as [start, end) of its content.

>>> text = "“I came. I saw.” he said. It cost 3.50, e.g. at Dr. Li's."
>>> [text[start:end] for start, end in sentence_spans(text, [])]
['“I came.', 'I saw.” he said.', "It cost 3.50, e.g. at Dr. Li's."]
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from tools_sandbox.abbreviations import (
    BEFORE_LETTER,
    BEFORE_NAMES,
    BEFORE_NUMBER,
    CAN_CLOSE,
    FIRST_NAMES,
    NEVER_CLOSING,
    NO_NAMES,
    OPENERS,
    SPEECH,
    TITLES,
)
from tools_sandbox.characters import EMOJI_RUN, HAN, addresses, is_han
from tools_sandbox.marks import CLOSERS, END_MARKS
from tools_sandbox.words import Span, is_dotted_name

_QUOTES = "\"”’」』»'"
_EMOJI = rf"(?:{EMOJI_RUN.pattern})[\ufe0f]?"
_MARKS = re.compile(
    rf"(?P<marks>[{re.escape(END_MARKS)}]+)"
    rf"(?P<closers>[{re.escape(CLOSERS)}]*(?:\[\^?\w{{1,4}}\])*)"
    rf"(?P<emoji>(?:[ \t]*{_EMOJI})*)"
)
_LAST_BREAK = re.compile(rf".*[\s\"“”‘(\[*_—/\u2e80-\u30ff{HAN}\uff01-\uff0f\uff1a-\uff20]", re.DOTALL)
_NEXT_WORD = re.compile(r"[\s\"'“‘(\[*_「『]*([^\W\d_]*)")
_WORD_CHAR = re.compile(r"[^\W_]")
_LINE_MARKER = re.compile(r"[ \t]*(?:\d{1,2}|[A-Za-z]|[ivx]{1,4})")
_WIDE_MARKER = re.compile(r"(?:^|\s)(?:\d{1,2}|[A-Za-z])$")
_NUMBER = re.compile(r"\s*(\d{1,2})")
_OPENING_QUOTE = re.compile('["“「『«]')
_LOOK_BACK = 40


class _End(NamedTuple):
    """A place where a sentence may end; `joins` when a closing quote stands there, so that speech may go on."""

    at: int
    joins: bool


def sentence_spans(text: str, opaque: list[Span], needs_mark: bool = False) -> list[Span]:
    """The sentences of a run.

    Args:
        text: lines of one paragraph, quote or list item.
        opaque: spans in which nothing ends (code spans, link targets).
        needs_mark: without any end mark the run holds no sentence (list items).
    """
    ends = _joined(text, _ends(text, sorted([*opaque, *addresses(text)])))
    if not ends:
        return [] if needs_mark or not text.strip() else [_trim(text, 0, len(text))]
    spans: list[Span] = []
    start = 0
    for end in [*ends, len(text)]:
        piece = text[start:end]
        if spans and not _WORD_CHAR.search(text, start, end):
            spans[-1] = (spans[-1][0], end)
        elif piece.strip():
            spans.append((start, end))
        start = end
    return [_trim(text, *span) for span in _glued(text, spans)]


def _glued(text: str, spans: list[Span]) -> list[Span]:
    """Let a first piece without a letter or number open the sentence behind it."""
    if len(spans) > 1 and not (text[spans[0][0]].isalpha() or _WORD_CHAR.search(text, *spans[0])):
        return [(spans[0][0], spans[1][1]), *spans[2:]]
    return spans


def _trim(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    return start, start + len(piece.strip())


def _ends(text: str, opaque: list[Span]) -> list[_End]:
    starts = [start for start, _ in opaque]
    numbers: tuple[int, ...] = (1, 2)  # a list item has lost its own
    ends, begun = [], 0
    for match in _MARKS.finditer(text):
        if starts:
            held = bisect_right(starts, match.start()) - 1
            if held >= 0 and match.start() < opaque[held][1]:
                continue
        number = _NUMBER.fullmatch(text, begun, match.start())
        if number and int(number[1]) in numbers:  # 1. First. 2. Second.
            numbers = (int(number[1]) + 1,)
            continue
        if _is_end(text, match, begun):
            closers = match["closers"]
            quoted = bool(closers) and any(char in _QUOTES for char in closers)
            ends.append(_End(match.end(), quoted))
            begun = match.end()
    return ends


def _is_end(text: str, match: re.Match[str], begun: int) -> bool:
    """Whether end marks with their closers end the sentence that began at `begun`."""
    marks, end = match["marks"], match.end()
    following = text[end : end + 1]
    if marks == "." and following.isspace() and end == match.start() + 1:
        return not _is_abbreviation(text, match.start(), end, begun)
    if marks.strip(".…") == "" and (len(marks) > 1 or marks == "…"):
        return _ellipsis_ends(text, end, bool(match["closers"].strip("*_~`")))
    wide = marks[-1] not in ".!?"
    if not (not following or following.isspace() or is_han(following) or match["emoji"]):
        if not (wide and _begins_anew(following)):
            return marks in ".!?" and not match["closers"] and _is_missing_space(text, match.start())
        if marks == "．" and following.isdigit():
            return False
    if marks == "．" and _WIDE_MARKER.search(text[max(0, match.start() - 3) : match.start()]):
        return False
    if not following:
        return True
    if match["closers"].strip("*_~`") and _next_is_lower(text, end):
        return False
    return marks != "." or not _is_abbreviation(text, match.start(), end, begun)


def _begins_anew(char: str) -> bool:
    return char.isalnum() or char in "“‘「『（《【(\"'" or not (char.isascii() or char in "，、；：）】》")


def _next_is_lower(text: str, end: int) -> bool:
    match = _NEXT_WORD.match(text, end, end + 20)
    return match is not None and match[1][:1].islower()


def _ellipsis_ends(text: str, end: int, closed: bool) -> bool:
    rest = text[end : end + 20]
    if not rest.strip(" \t") or rest.lstrip(" \t").startswith("\n"):
        return not (closed and _next_is_lower(text, end))
    word = _NEXT_WORD.match(rest)
    return word is not None and word[1][:1].isupper()


def _is_missing_space(text: str, stop: int) -> bool:
    """Whether two lower-case letters stand before and a capital with a lower-case letter behind."""
    before, behind = text[max(0, stop - 2) : stop], text[stop + 1 : stop + 3]
    if len(before) < 2 or len(behind) < 2 or not (before.islower() and before.isalpha()):
        return False
    return behind[0].isupper() and behind[1].islower() and not is_dotted_name(text, stop)


def _is_abbreviation(text: str, stop: int, end: int, begun: int) -> bool:
    """Whether the single stop at an index belongs to what stands before it."""
    longest = text[max(stop - 7, 0) : stop]
    if len(longest) == 7 and longest.isalpha() and longest.islower():
        return False
    line_start = text.rfind("\n", max(0, stop - 10), stop) + 1
    if (line_start or stop <= 10) and _LINE_MARKER.fullmatch(text, line_start, stop):
        return True
    before = text[max(begun, stop - _LOOK_BACK) : stop]
    token = _last_token(before)
    name = token.lower().lstrip("0123456789")
    following = _NEXT_WORD.match(text, end)
    word = following[1] if following else ""
    if name in NEVER_CLOSING or (name == "al" and before[: -len(token)].lower().split()[-1:] == ["et"]):
        return True
    if name in BEFORE_NUMBER and text[end : end + 8].lstrip()[:1].isdigit():
        return True
    if name in BEFORE_LETTER and len(word) == 1 and word.isupper():
        return True
    if name in CAN_CLOSE:
        return word not in OPENERS
    return len(token) == 1 and token.isupper() and _is_initial(text, stop - 1, word, begun, end)


def _is_initial(text: str, at: int, word: str, begun: int, end: int) -> bool:
    """Whether a single capital at an index is an initial: after a title, a name, another initial, "by" and the like."""
    if len(word) == 1 and word.isupper() and text[end : end + 8].lstrip()[1:2] == ".":
        return True
    if not word[:1].isupper() or word in OPENERS:
        return False
    before = [_last_token(piece) for piece in text[max(begun, at - _LOOK_BACK) : at].split()]
    previous = before[-1] if before else ""
    if not previous:
        return len(word) > 1 or not before
    bare = previous.rstrip(".")
    if bare.lower() in TITLES or (previous.endswith(".") and len(bare) == 1 and bare.isupper()):
        return True
    if previous in BEFORE_NAMES:
        earlier = before[-2].rstrip(",") if len(before) > 1 else ""
        label = len(earlier) == 1 and earlier.isupper() and earlier != "I"
        return not label and earlier.capitalize() not in NO_NAMES
    if previous != bare or not (bare[:1].isupper() and bare[1:].islower()) or bare in NO_NAMES:
        return False
    opens_sentence = len(before) == 1 and at - begun <= _LOOK_BACK
    return bare in FIRST_NAMES if opens_sentence else bare not in OPENERS


def _last_token(before: str) -> str:
    """What stands behind the last space, opening mark or ideograph."""
    broken = _LAST_BREAK.match(before)
    return before[broken.end() :] if broken else before


def _joined(text: str, ends: list[_End]) -> list[int]:
    """The ends, without those whose closing quote is followed by who spoke, before another quote opens."""
    kept = []
    for number, end in enumerate(ends):
        own_end = ends[number + 1].at if number + 1 < len(ends) else len(text)
        if end.joins:
            quote = _OPENING_QUOTE.search(text, end.at, own_end)
            if SPEECH.search(text, end.at, quote.start() if quote else own_end):
                continue
        kept.append(end.at)
    return kept
