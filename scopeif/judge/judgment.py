"""From a judge's text to its judgment: strict where a wrong reading could change a reward.

Records decide, the verdict in words is only compared with them. A text is unusable, and asked for again, when it has no
records or only broken ones, when any record of them cannot be read for certain, or when the records may not be the
judge's own (they stand before its conclusion, in its thinking, or word for word in the response).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from scopeif.errors import JudgeFormatError, RecordError
from scopeif.judge.fields import get, has, key
from scopeif.judge.final_text import final_text
from scopeif.judge.loose_json import Block, blocks
from scopeif.judge.notation import is_percentage, is_sentinel, read_bounds, read_value
from scopeif.judge.spans import locate
from scopeif.reward.graded import satisfied
from scopeif.reward.record import Record

_OBJECT_KEYS = {"countingobject", "countingobjects", "countedobject", "object", "计数对象", "统计对象", "对象"}
_BOUNDS_KEYS = {
    "permissiblebounds", "permissiblebound", "permissiblerange", "bounds", "bound", "range", "许可范围", "允许范围",
    "允许区间", "取值范围", "范围",
}  # fmt: skip
_VALUE_KEYS = {"actualvalue", "actualvalues", "actual", "actualcount", "value", "实际值", "实际数值", "实际数量"}
_LIST_KEYS = {"countingresults", "countingresult", "results", "records", "计数结果", "统计结果", "结果"}

_CONCLUSION = re.compile(r"^[\s>#*_\d.]*(?:conclusion|结论|最终结论)[\s*_]*[:：](.*)$", re.IGNORECASE | re.MULTILINE)
_ANALYSIS = re.compile(r"^[\s>#*_\d.]*(?:analysis|分析)[\s*_]*[:：]", re.IGNORECASE | re.MULTILINE)
_BRACKETED = re.compile(r"\[\[([^\[\]]{1,200})\]\]")
_NEGATIVE = re.compile(
    r"\b(?:not|n't|n’t|cannot|fails?|failed|neither|never)\b|n['’]t\b|\bun(?:satisfied|fulfilled)\b|violat|不|未|没有|违反",
    re.IGNORECASE,
)
_POSITIVE = re.compile(r"satisf|fulfil|\bmeets?\b|满足|符合", re.IGNORECASE)
_MAX_TRAILER = 400
"""Characters that may follow the records: closing words, not another analysis."""


@dataclass(frozen=True)
class Judgment:
    """A judge's quantitative records of one constraint and its verdict in words.

    `records` is empty only when the text has a verdict and no records at all; then the constraint stays unverified.
    `verdict` is None when the text has no conclusion. `conflict` tells that verdict and records disagree. `sentinels`
    counts large upper bounds that were read as infinite.
    """

    records: list[Record]
    verdict: bool | None
    conflict: bool
    sentinels: int = 0


def parse_judgment(text: str, response: str = "") -> Judgment:
    """Read the records and the verdict of a judgment.

    Args:
        text: what the judge wrote, thinking and channel marks included or not.
        response: what was judged; records that stand in it word for word are not the judge's.

    Raises:
        JudgeFormatError: the text is unusable.
    """
    final = final_text(text)
    found = [block for block in blocks(final) if _is_records(final, block)]
    analyses = [match.end() for match in _ANALYSIS.finditer(final)]
    conclusions = list(_CONCLUSION.finditer(final, analyses[-1] if analyses else 0))
    verdict = _verdict(final, conclusions, found)
    if not found:
        if verdict is None:
            raise JudgeFormatError("there are neither counting results nor a conclusion")
        return Judgment([], verdict, conflict=False)
    if not conclusions and _ANALYSIS.search(text):  # thinking included: what looks like its end may be quoted
        raise JudgeFormatError("the analysis has no conclusion: the counting results may be quoted in it")
    block = _last(final, found, conclusions[-1].start() if conclusions else None)
    # Looking it up is slow; every block has a brace, few responses do.
    if "{" in response and locate(final[block.start : block.end], response):
        raise JudgeFormatError("the counting results are words of the response")
    items = _items(block)
    records = [_record(item) for item in items]
    sentinels = sum(is_sentinel(get(item, _BOUNDS_KEYS)) for item in items)
    return Judgment(records, verdict, verdict is not None and verdict != satisfied(records), sentinels)


def _is_records(text: str, block: Block) -> bool:
    """Whether a block is meant as counting results, readable or not."""
    if block.fault is not None:
        words = key(text[block.start : block.end])
        return any(name in words for name in ("countingobject", "actualvalue", "计数对象", "实际值"))
    items = _unwrapped(block.value)
    if not isinstance(items, list):
        return False
    return not items or any(isinstance(item, dict) and has(item, _VALUE_KEYS | _BOUNDS_KEYS) for item in items)


def _unwrapped(value: Any) -> Any:
    """The list of records in ``{"Counting Results": [...]}``; a single record as a list."""
    if not isinstance(value, dict):
        return value
    for name, inner in value.items():
        if key(name) in _LIST_KEYS and isinstance(inner, list):
            return inner
    return [value]


def _last(text: str, found: list[Block], conclusion: int | None) -> Block:
    """The judge's result: the one block of records after its conclusion."""
    last = found[-1]
    if last.fault is not None:
        raise JudgeFormatError(f"the counting results cannot be read: {last.fault}")
    if conclusion is not None and last.start < conclusion:
        raise JudgeFormatError("the counting results stand before the conclusion, as if quoted")
    if len(text[last.end :].strip()) > _MAX_TRAILER:
        raise JudgeFormatError("the text goes on after the counting results, as if they were quoted")
    others = [block for block in found[:-1] if block.start >= (conclusion or 0) and block.value != last.value]
    loose = isinstance(last.value, dict) and _unwrapped(last.value) == [last.value]
    if others and (conclusion is not None or loose):
        raise JudgeFormatError("there are several blocks of counting results; give one JSON list")
    return last


def _items(block: Block) -> list[dict[str, Any]]:
    items = _unwrapped(block.value)
    if not items:
        raise JudgeFormatError(
            "the list of counting results is empty; when no item exists, give one result that says so"
        )
    for item in items:
        if not isinstance(item, dict):
            raise JudgeFormatError(f"{item!r:.80} is no counting result")
    return list(items)


def _record(item: dict[str, Any]) -> Record:
    bounds, value = get(item, _BOUNDS_KEYS), get(item, _VALUE_KEYS)
    name = get(item, _OBJECT_KEYS, default="")
    name = name if isinstance(name, str) else str(name)
    lower, upper = read_bounds(bounds)
    actual, percent = read_value(value)
    if percent and not is_percentage(bounds) and any(0 < bound < 1 for bound in (lower, upper)):
        raise JudgeFormatError(f"the actual value {value!r} is a percentage, its bounds {bounds!r} are a fraction")
    try:
        return Record(lower, upper, actual, object=name)
    except RecordError as error:
        raise JudgeFormatError(str(error)) from None


def _verdict(text: str, conclusions: list[re.Match[str]], found: list[Block]) -> bool | None:
    """The verdict of the last conclusion line, else of the last one in double brackets, else of the last line."""
    if conclusions:
        return _satisfies(conclusions[-1][1] or _next_line(text, conclusions[-1].end()))
    prose = text[: found[-1].start if found else len(text)]
    if bracketed := _BRACKETED.findall(prose):
        return _satisfies(bracketed[-1])
    lines = [line for line in prose.splitlines() if _POSITIVE.search(line)]
    return _satisfies(lines[-1]) if lines else None


def _next_line(text: str, at: int) -> str:
    return text[at:].lstrip().partition("\n")[0]


def _satisfies(words: str) -> bool | None:
    if _NEGATIVE.search(words):
        return False
    return True if _POSITIVE.search(words) else None
