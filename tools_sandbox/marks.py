"""Marks that end a sentence, open a list item, or make a line look like a heading."""

from __future__ import annotations

import re

END_MARKS = ".!?…。！？．｡⁇⁈⁉‼‽"
CLOSERS = "\"'”’»›)]}）】］」』》〉〕*_~`"

TEXT_BULLET = re.compile(
    r"(?:[•·●○◦▪■◆‣⁃]|[①-⑳❶-❿]|[一二三四五六七八九十]{1,3}、(?![一二三四五六七八九十]{1,3}、)|\d{1,2}、(?!\d)|"
    r"[（(](?:[一二三四五六七八九十]{1,3}|\d{1,2})[)）])[ \t\u3000]*(?=\S)"
)
TASK_BOX = re.compile(r"\[[ xX]\][ \t]+")


def opens_text_item(line: str) -> bool:
    """Whether a line begins with a bullet that CommonMark does not know."""
    first = line[:1]
    return not (first.isascii() and first.isalpha()) and TEXT_BULLET.match(line) is not None


def is_heading_like(line: str) -> bool:
    """Whether a line is all bold and ends in no end mark."""
    if line[:1].isalpha():
        return False
    line = line.strip()
    mark = line[:2]
    if mark not in ("**", "__"):
        return False
    bare = line.rstrip(":：")
    if len(bare) < 5 or not bare.endswith(mark):
        return False
    inner = bare[2:-2]
    return mark not in inner.strip("*_") and bool(inner.strip()) and inner.rstrip(CLOSERS)[-1:] not in END_MARKS


def ends_in_mark(line: str) -> bool:
    """Whether a line ends in an end mark, closers aside."""
    bare = line.rstrip().rstrip(CLOSERS)
    return bool(bare) and bare[-1] in END_MARKS
