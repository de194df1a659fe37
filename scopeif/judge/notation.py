"""The ways in which judges write values and bounds, read as numbers; what cannot be read for certain is refused."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from scopeif.errors import JudgeFormatError

_SENTINELS = {10**9, 999_999_999, 2**31 - 1}
_SENTINEL_SPAN = 10**12

_NUMERAL = r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?"
# What follows a number and makes it another number or an interval is no unit.
_NO_UNIT = (
    "or|and|more|less|fewer|least|most|over|under|above|below|about|around|approximately|roughly|nearly|almost|to|than|"
    "not|plus|minus|max|min|maximum|minimum|at|up|of|out|per|each|from|between|hundred|thousand|million|billion|"
    "trillion|dozen|k|m|b|bn|e"
)
_WORD = rf"(?!(?:{_NO_UNIT})\b)[a-z]+"
_CHINESE_UNIT = (
    "(?:个|字|词|句|段|行|次|条|项|处|列|节|章|篇|组|名|种|位|点|层|份)?(?:字|词|单词|字符|句话|句子|段落|标题|列表项)?"
)
_UNIT = rf"(?:\s*%|\s*{_WORD}(?:[ -]{_WORD})?|\s*{_CHINESE_UNIT})\.?"
_AMOUNT = re.compile(rf"({_NUMERAL})({_UNIT})")
_YES = {"yes", "true", "y", "是", "有", "对", "满足"}
_NO = {"no", "false", "n", "否", "无", "没有", "不", "不满足"}
_INFINITE = {
    "inf", "infinity", "∞", "unbounded", "unlimited", "nolimit", "noupperlimit", "nolowerlimit", "none", "null",
    "positiveinfinity", "negativeinfinity", "float('inf')", "math.inf", "np.inf", "无穷", "无穷大", "无限", "无限制",
    "正无穷", "负无穷", "不限",
}  # fmt: skip

_N = rf"({_NUMERAL})"
_ENDS = re.compile(r"([\[(])\s*([^,;]*?)\s*[,;]\s*([^,;]*?)\s*([\])])")
_PAIR = re.compile(rf"(?:between|from|介于|从)?\s*{_N}\s*%?\s*(?:-|–|—|~|to|and|\.\.|到|至|和)\s*{_N}{_UNIT}(?:之间)?")
_LEAST = re.compile(
    rf"(?:at least|no (?:less|fewer) than|not (?:less|fewer) than|>=|≥|=>|至少|不少于|不低于|大于等于)\s*{_N}{_UNIT}"
)
_MOST = re.compile(
    rf"(?:at most|no more than|not more than|up to|<=|≤|=<|至多|最多|不超过|不多于|小于等于)\s*{_N}{_UNIT}"
)
_OR_MORE = re.compile(rf"{_N}(?:\+|{_UNIT}\s*(?:or (?:more|above|higher)|(?:及|或)?以上))")
_OR_FEWER = re.compile(rf"{_N}{_UNIT}\s*(?:or (?:fewer|less|below|lower)|(?:及|或)?以下|以内)")
_MORE = re.compile(rf"(?:more than|greater than|over|>|大于|多于|超过)\s*{_N}{_UNIT}")
_FEWER = re.compile(rf"(?:less than|fewer than|under|below|<|小于|少于)\s*{_N}{_UNIT}")
_EXACT = re.compile(rf"(?:exactly|equal to|equals|==?|恰好|正好|等于)\s*{_N}{_UNIT}")


def read_value(value: Any) -> tuple[float, bool]:
    """A measured value as a finite number, and whether it is a percentage.

    Raises:
        JudgeFormatError: it is missing, NaN, infinite, or not one number.
    """
    if isinstance(value, bool):
        return int(value), False
    if isinstance(value, int | float):
        return _finite(value), False
    if isinstance(value, str):
        text = _plain(value)
        if text in _YES or text in _NO:
            return int(text in _YES), False
        if match := _AMOUNT.fullmatch(text):
            return _number(match[1]), "%" in match[2]
    raise JudgeFormatError(f"the actual value {value!r} is not a number")


def read_bounds(bounds: Any) -> tuple[float, float]:
    """Permissible bounds as a closed interval; a bound that is no limit is infinite.

    One number stands for an equality. Strict words over whole numbers are bounds one further.

    Raises:
        JudgeFormatError: no interval, three or more numbers, NaN, or reversed.
    """
    if isinstance(bounds, dict):
        bounds = _from_keys(bounds)
    if isinstance(bounds, list) and len(bounds) == 2:
        lower, upper = _bound(bounds[0], -math.inf), _bound(bounds[1], math.inf)
    elif isinstance(bounds, list) and len(bounds) == 1:
        lower = upper = read_value(bounds[0])[0]
    elif isinstance(bounds, str):
        lower, upper = _in_words(bounds)
    elif isinstance(bounds, int | float):
        lower = upper = read_value(bounds)[0]
    else:
        raise JudgeFormatError(f"the permissible bounds {bounds!r} are no interval")
    if upper in _SENTINELS or upper - max(lower, 0) >= _SENTINEL_SPAN:
        upper = math.inf
    if lower > upper or lower == math.inf or upper == -math.inf:
        raise JudgeFormatError(f"no value can lie in the permissible bounds {bounds!r}")
    return lower, upper


def is_percentage(bounds: Any) -> bool:
    """Whether bounds are written with a percent sign."""
    if isinstance(bounds, str):
        return "%" in bounds or "％" in bounds
    return isinstance(bounds, list) and any(is_percentage(bound) for bound in bounds)


def is_sentinel(bounds: Any) -> bool:
    """Whether the upper bound is a large number that stands for infinity."""
    upper = bounds[1] if isinstance(bounds, list) and len(bounds) == 2 else None
    return isinstance(upper, int | float) and math.isfinite(upper) and math.isinf(read_bounds(bounds)[1])


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold().replace("−", "-")


def _finite(value: float) -> float:
    try:
        finite = math.isfinite(value)
    except OverflowError:
        finite = False
    if not finite:
        raise JudgeFormatError(f"the number {value!r:.40} is not finite")
    return value


def _number(text: str) -> float:
    digits = text.replace(",", "")
    try:
        return _finite(int(digits) if digits.lstrip("+-").isdigit() and len(digits) < 300 else float(digits))
    except ValueError:
        raise JudgeFormatError(f"{text!r:.40} is not a number") from None


def _bound(value: Any, infinite: float) -> float:
    """One end of an interval; `infinite` is what "no limit" means at this end."""
    if value is None:
        return infinite
    if isinstance(value, float) and math.isinf(value):
        return value
    if isinstance(value, str):
        text = _plain(value).replace(" ", "")
        if text.lstrip("+-") in _INFINITE:
            signed = {"-": -math.inf, "+": math.inf, "负": -math.inf, "正": math.inf}
            return signed.get(text[0], infinite)
        if text in _YES or text in _NO:
            return int(text in _YES)
    return read_value(value)[0]


def _from_keys(bounds: dict[str, Any]) -> list[Any]:
    named = {_plain(str(key)).replace(" ", ""): value for key, value in bounds.items()}
    pairs: Sequence[tuple[str, str]] = (("lower", "upper"), ("min", "max"), ("minimum", "maximum"), ("下限", "上限"))
    for low, high in pairs:
        if set(named) and set(named) <= {low, high}:
            return [named.get(low), named.get(high)]
    raise JudgeFormatError(f"the permissible bounds {bounds!r} are no interval")


def _in_words(words: str) -> tuple[float, float]:
    text = _plain(words)
    if match := _ENDS.fullmatch(text):
        opening, low, high, closing = match.groups()
        lower, upper = _bound(low, -math.inf), _bound(high, math.inf)
        if (opening == "(" and math.isfinite(lower)) or (closing == ")" and math.isfinite(upper)):
            raise JudgeFormatError(f"the permissible bounds {words!r} are not closed")
        return lower, upper
    if match := _PAIR.fullmatch(text):
        return _number(match[1]), _number(match[2])
    if match := _LEAST.fullmatch(text):
        return _number(match[1]), math.inf
    if match := _MOST.fullmatch(text):
        return -math.inf, _number(match[1])
    if match := _OR_MORE.fullmatch(text):
        return _number(match[1]), math.inf
    if match := _OR_FEWER.fullmatch(text):
        return -math.inf, _number(match[1])
    if match := _MORE.fullmatch(text):
        return _whole(match[1]) + 1, math.inf
    if match := _FEWER.fullmatch(text):
        return -math.inf, _whole(match[1]) - 1
    if match := _EXACT.fullmatch(text):
        return (value := _number(match[1])), value
    value, _ = read_value(words)
    return value, value


def _whole(text: str) -> float:
    """A number of which the next whole one is meant by "more than" and "fewer than"."""
    number = _number(text)
    if number != int(number):
        raise JudgeFormatError(f"a strict bound at {text} has no next value")
    return number
