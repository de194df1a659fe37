"""Chinese for ranges that are relative to another measurement."""

from __future__ import annotations

from scopeif.constraints.spec import (
    ClassCount,
    Clause,
    Count,
    Depth,
    Divided,
    Each,
    Length,
    Measure,
    Named,
    Occurrences,
    Relative,
    Repeats,
    Same,
    Selection,
    Where,
)
from scopeif.measure.evaluate import compared_step
from scopeif.measure.nouns_zh import Thing, counter, name, number, position, segment, string_name
from scopeif.measure.voice import Voice, figures

_ROUNDINGS = {"none": "", "floor": "（向下取整）", "ceil": "（向上取整）", "nearest": "（四舍五入取整）"}
_RELATIONS = {
    "more": ("多于", "大于"),
    "at_least": ("不少于", "大于或等于"),
    "equal": ("恰好等于", "等于"),
    "at_most": ("不多于", "不超过"),
    "fewer": ("少于", "小于"),
}
_LEADS = {"equal": ("恰好", "正好"), "at_least": ("至少",), "at_most": ("至多", "最多")}


def text(clause: Clause, range_: Relative, voice: Voice) -> str:
    """从第二段起，每段的字数必须多于上一段的字数."""
    must = voice.pick("必须", "应当", "应")
    what = _quantity(clause.measure, clause.scope)
    if isinstance(range_.to, Same):
        subject = segment(clause.scope, voice)
        other = _quantity(range_.to.measure, clause.scope)
        place = voice.pick("中，", "里，")
        return f"{subject}{place}{what}{must}{_right(range_, other, voice)}"
    subject, other = _compared(clause, range_, voice)
    of = "的" if isinstance(clause.measure, Length) else "中的"
    if range_.offset and range_.factor == 1 and range_.rounding == "none" and _differs_plainly(range_):
        more = "多" if range_.offset > 0 else "少"
        lead = voice.pick(*_LEADS[range_.relation])
        return f"{subject}{of}{what}{must}{lead}比{other}{more}{figures(abs(range_.offset))}"
    return f"{subject}{of}{what}{must}{_right(range_, f'{other}{of}{what}', voice)}"


def _differs_plainly(range_: Relative) -> bool:
    return range_.relation == "equal" or (range_.offset > 0 and range_.relation in ("at_least", "at_most"))


def _right(range_: Relative, other: str, voice: Voice) -> str:
    """不少于上一段的字数的1.5倍加3（向下取整）."""
    right = other
    if range_.factor == 0.5:
        right += "的一半"
    elif range_.factor != 1:
        right += f"的{number(range_.factor, voice)}倍"
    if range_.offset:
        right += f"{'加' if range_.offset > 0 else '减'}{figures(abs(range_.offset))}"
    return f"{voice.pick(*_RELATIONS[range_.relation])}{right}{_ROUNDINGS[range_.rounding]}"


def _quantity(measure: Measure, scope: tuple[Selection, ...]) -> str:
    match measure:
        case Length():
            return Thing.of(measure.unit).quantity
        case Count():
            return Thing.counted(measure, scope).quantity
        case ClassCount():
            return Thing.of(measure.char_class).quantity
        case Occurrences():
            return f"{string_name(measure.text, measure.whole_word, measure.case_sensitive)}的出现次数"
        case Repeats():
            return f"与前面重复的{name(measure.unit)}的数量"
        case Divided():
            return f"由仅含 {measure.by} 的分隔行分成的部分的数量"
        case Depth():
            return "列表嵌套层数" if measure.of == "list" else "JSON嵌套层数"
    raise TypeError(f"no amount: {measure!r}")


def _compared(clause: Clause, range_: Relative, voice: Voice) -> tuple[str, str]:
    if isinstance(range_.to, Named):
        return segment(clause.scope, voice), segment(range_.to.scope, voice, one=True)
    at = compared_step(clause)
    if at is None:
        return segment(clause.scope, voice), "上一个同类片段"
    step = clause.scope[at]
    inner = "".join(f"的{segment([part], voice)}" for part in clause.scope[at + 1 :])
    outer = "".join(f"{segment([part], voice)}中，" for part in clause.scope[:at] if part.unit != "response")
    counted = counter(step.unit)
    previous = voice.pick("上一", "前一")
    match step:
        case Each():
            first = voice.pick(f"从第二{counted}起，每{counted}", f"除第一{counted}外，每{counted}")
            return f"{outer}{first}{inner}", f"{previous}{counted}{inner}"
        case Where():
            subject = f"{outer}从第二个起，{segment([step], voice)}{inner}"
            return subject, f"{previous}个这样的{name(step.unit)}{inner}"
    return f"{outer}{position(step, voice)}{inner}", f"{previous}{counted}{inner}"
