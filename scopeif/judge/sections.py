"""An answer about all constraints of a response, cut into one text for each constraint."""

from __future__ import annotations

import re

from scopeif.errors import JudgeFormatError
from scopeif.judge.final_text import final_text

_HEAD = re.compile(r"^[ \t#*]*={2,}[ \t]*constraint[ \t]+(\d{1,3})[ \t]*={2,}[ \t*]*$", re.IGNORECASE | re.MULTILINE)


def sections(text: object, count: int) -> list[str | None]:
    """The text about each of `count` constraints; None where there is none, or more than one.

    Raises:
        JudgeFormatError: there is no text about any constraint.
    """
    final = final_text(text)
    heads = list(_HEAD.finditer(final))
    ends = [*(head.start() for head in heads[1:]), len(final)]
    found: dict[int, list[str]] = {}
    for head, end in zip(heads, ends, strict=True) if heads else ():
        found.setdefault(int(head[1]), []).append(final[head.end() : end])
    if not any(1 <= number <= count for number in found):
        raise JudgeFormatError('there is no "=== Constraint 1 ===" or the like')
    return [found[n][0] if len(found.get(n, ())) == 1 else None for n in range(1, count + 1)]
