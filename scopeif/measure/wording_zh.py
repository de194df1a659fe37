"""Chinese sentences for the clauses of a formal spec."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from scopeif.constraints.spec import (
    Acrostic,
    AllOf,
    AnyOf,
    At,
    Bounds,
    Chained,
    ClassCount,
    Clause,
    Contains,
    Count,
    Depth,
    Divided,
    Each,
    Ends,
    EndsWith,
    IndexIs,
    Length,
    LengthIs,
    LetterCase,
    Measure,
    Named,
    Not,
    Occurrences,
    Predicate,
    Present,
    Relative,
    Selection,
    Sorted,
    Starts,
    StartsWith,
    Valid,
    Where,
    Wrapped,
)
from scopeif.measure.evaluate import compared_step
from scopeif.measure.nouns_en import number

_NAMES = {
    "response": "回复", "section": "小节", "heading": "标题", "paragraph": "段落", "sentence": "句子", "line": "行",
    "word": "字", "character": "字符", "list": "列表", "list_item": "列表项", "table": "表格",
    "table_row": "表格数据行", "table_cell": "单元格", "code_block": "代码块", "json_value": "JSON 值",
    "json_pair": "JSON 键值对", "quote": "引用块",
    "highlight": "强调文本（粗体或斜体）", "placeholder": "方括号占位符", "comma": "逗号", "exclamation_mark": "感叹号",
    "question_mark": "问号", "digit": "数字字符", "uppercase_letter": "大写字母", "lowercase_letter": "小写字母",
    "punctuation_mark": "标点符号", "emoji": "表情符号", "part": "部分",
}  # fmt: skip
_DELIMITERS = {
    "double_quotes": "双引号",
    "parentheses": "圆括号",
    "square_brackets": "方括号",
    "angle_brackets": "尖括号",
}
_FORMATS = {
    "json": "合法的 JSON",
    "json_object": "一个合法的 JSON 对象",
    "json_array": "一个合法的 JSON 数组",
    "csv": "合法的 CSV（至少两列且各行列数相同）",
    "yaml": "合法的 YAML 映射或列表",
}
_ROUNDINGS = {"none": "", "floor": "（向下取整）", "ceil": "（向上取整）", "nearest": "（四舍五入取整）"}
_RELATIONS = {"more": "多于", "at_least": "不少于", "equal": "恰好等于", "at_most": "不多于", "fewer": "少于"}


def sentence(clause: Clause, rng: random.Random) -> str:
    """One Chinese sentence that says what a clause asks."""
    range_, measure = clause.range, clause.measure
    if isinstance(range_, Relative):
        return _relative(clause, range_, measure) + "。"
    subject = _segment(clause.scope, rng)
    match measure:
        case Length() | Count():
            text = _contains(subject, range_, measure.unit, rng)
        case ClassCount():
            text = _contains(subject, range_, measure.char_class, rng)
        case Occurrences():
            text = _occurrences(subject, range_, measure, rng)
        case Divided():
            lead, size = _amount(range_, "part", rng)
            text = f"{subject}必须由仅含 {measure.by} 的分隔行{lead}分成{size}"
        case Depth():
            what = "列表" if measure.of == "list" else " JSON 对象或数组"
            lead, size = _amount(range_, "层", rng)
            none = f"{subject}不得包含{what}"
            text = none if range_.upper == 0 else f"{subject}中{what}的嵌套层数必须{lead}为{size}"
        case _:
            text = _yes_or_no(subject, range_, measure)
    return text + "。"


def _counted(unit: str) -> str:
    return unit if unit == "层" else "行" if unit == "line" else f"个{_NAMES[unit]}"


class _Amount(NamedTuple):
    """Before and behind the verb: 至多(包含)3个句子."""

    lead: str
    size: str


def _amount(bounds: Bounds, unit: str, rng: random.Random) -> _Amount:
    lower, upper, noun = bounds.lower, bounds.upper, _counted(unit)
    if lower is not None and upper is not None:
        if lower == upper:
            return _Amount(rng.choice(("恰好", "正好")), f"{number(lower)}{noun}")
        return _Amount("", f"{number(lower)}到{number(upper)}{noun}（含{number(lower)}和{number(upper)}）")
    if upper is not None:
        return _Amount(rng.choice(("至多", "最多")), f"{number(upper)}{noun}")
    return _Amount(rng.choice(("至少", "最少")), f"{number(lower or 0)}{noun}")


def _contains(subject: str, range_: Bounds, unit: str, rng: random.Random) -> str:
    if range_.upper == 0:
        return rng.choice((f"{subject}不得包含任何{_NAMES[unit]}", f"{subject}中不要出现任何{_NAMES[unit]}"))
    lead, size = _amount(range_, unit, rng)
    forms = (f"{subject}必须{lead}包含{size}", f"{subject}应当{lead}有{size}", f"请确保{subject}{lead}包含{size}")
    return rng.choice(forms)


def _occurrences(subject: str, range_: Bounds, measure: Occurrences, rng: random.Random) -> str:
    said = f"“{measure.text}”{_case(measure.case_sensitive)}"
    if range_.upper == 0:
        return rng.choice((f"{subject}不得出现{said}", f"{subject}中不要使用{said}"))
    if range_.lower == 1 and range_.upper is None:
        return f"{subject}必须包含{said}"
    lower, upper = range_.lower, range_.upper
    if lower is not None and lower == upper:
        often = f"恰好出现{number(lower)}次"
    else:
        ends = [f"至少{number(lower)}次"] if lower is not None else []
        ends += [f"至多{number(upper)}次"] if upper is not None else []
        often = f"出现{'、'.join(ends)}"
    return f"{said}在{subject}中必须{often}"


def _yes_or_no(subject: str, range_: Bounds, measure: Measure) -> str:
    must = "必须" if range_.upper is None or range_.upper >= 1 else "不得"
    match measure:
        case Starts() | Ends():
            side = "开头" if isinstance(measure, Starts) else "结尾"
            return f"{subject}{must}以“{measure.text}”{side}{'' if measure.case_sensitive else '（不区分大小写）'}"
        case Present():
            return f"{subject}{must}包含“{measure.text}”{_case(measure.case_sensitive)}"
        case Valid():
            return f"{subject}{must}是{_FORMATS[measure.format]}{'' if measure.fence else '，且外面不加代码围栏'}"
        case Wrapped():
            return f"{subject}{must}整体用一对{_DELIMITERS[measure.by]}括起来"
        case LetterCase():
            return f"{subject}中的字母{must}全部为{'大写' if measure.case == 'upper' else '小写'}"
        case Sorted():
            order = "字母逆序" if measure.descending else "字母顺序"
            return f"{subject}中的各{_each(measure.unit)}{must}按{order}排列"
        case Chained():
            each = _each(measure.unit)
            link = f"以上一{each}的最后一个词开头"
            lead = f"{subject}中从第二{each}起，"
            return f"{lead}每{each}必须{link}" if must == "必须" else f"{lead}至少有一{each}不得{link}"
        case Acrostic():
            return f"{subject}中各{_each(measure.unit)}的首字{must}依次组成“{measure.text}”"
    raise TypeError(f"no wording for {measure!r}")


def _each(unit: str) -> str:
    return _counted(unit)


def _case(case_sensitive: bool) -> str:
    return "（区分大小写）" if case_sensitive else ""


# -- selected segments -------------------------------------------------------------------------------------------


def _segment(chain: Sequence[Selection], rng: random.Random) -> str:
    steps = [step for step in chain if step.unit != "response"]
    if not steps:
        return rng.choice(("整个回复", "你的回复"))
    return "的".join(_step(step) for step in steps)


def _step(step: Selection) -> str:
    match step:
        case Each():
            return f"每{_counted(step.unit)}"
        case At():
            if step.index < 0:
                return f"{'最后一' if step.index == -1 else f'倒数第{_numeral(-step.index)}'}{_counted(step.unit)}"
            return f"第{_numeral(step.index)}{_counted(step.unit)}"
        case Where():
            return _where(step)


def _numeral(index: int) -> str:
    return "一二三四五六七八九十"[index - 1] if index <= 10 else str(index)


def _where(step: Where) -> str:
    return f"每个{_condition(step.predicate)}的{_NAMES[step.unit]}"


def _condition(predicate: Predicate, negated: bool = False) -> str:
    no = "不" if negated else ""
    match predicate:
        case Not():
            return _condition(predicate.of, not negated)
        case AllOf() | AnyOf():
            parts = [_condition(inner, negated) for inner in predicate.of]
            if isinstance(predicate, AllOf) != negated:
                return "且".join(parts)
            return "或".join(parts) if len(parts) == 1 else f"满足下列条件之一（{'；'.join(parts)}）"
        case Contains():
            return f"{no}包含“{predicate.text}”{_case(predicate.case_sensitive)}"
        case StartsWith() | EndsWith():
            side = "开头" if isinstance(predicate, StartsWith) else "结尾"
            return f"{no}以“{predicate.text}”{side}{_case(predicate.case_sensitive)}"
        case IndexIs():
            return _turn(predicate, negated)
        case LengthIs():
            return _length(predicate, negated)


def _turn(predicate: IndexIs, negated: bool) -> str:
    if predicate.modulus == 2:
        return f"序号为{'奇数' if bool(predicate.remainder) != negated else '偶数'}"
    if predicate.remainder == 0:
        return f"序号{'不是' if negated else '为'}{predicate.modulus}的倍数"
    return f"序号除以{predicate.modulus}{'不余' if negated else '余'}{predicate.remainder}"


def _length(predicate: LengthIs, negated: bool) -> str:
    lower, upper, unit = predicate.lower, predicate.upper, _counted(predicate.unit)
    if not negated:
        lead, size = _amount(Bounds(lower=lower, upper=upper), predicate.unit, random.Random(0))
        return f"{lead}有{size}"
    outside = [f"少于{lower}{unit}"] if lower is not None else []
    outside += [f"多于{upper}{unit}"] if upper is not None else []
    return "或".join(outside)


# -- relations ---------------------------------------------------------------------------------------------------


def _relative(clause: Clause, range_: Relative, measure: Measure) -> str:
    subject, other = _compared(clause, range_)
    what = _quantity(measure)
    right = f"{other}的{what}" if range_.factor == 1 else f"{other}的{what}的{number(range_.factor)}倍"
    if range_.offset:
        right += f"{'加' if range_.offset > 0 else '减'}{number(abs(range_.offset))}"
    return f"{subject}的{what}必须{_RELATIONS[range_.relation]}{right}{_ROUNDINGS[range_.rounding]}"


def _quantity(measure: Measure) -> str:
    match measure:
        case Length() | Count():
            return {"word": "字数", "line": "行数", "character": "字符数"}.get(
                measure.unit, f"{_NAMES[measure.unit]}数量"
            )
        case ClassCount():
            return f"{_NAMES[measure.char_class]}数量"
        case Occurrences():
            return f"“{measure.text}”{_case(measure.case_sensitive)}出现次数"
        case Divided():
            return f"（以 {measure.by} 分隔行划分的）部分数量"
        case Depth():
            return "列表嵌套层数" if measure.of == "list" else " JSON 嵌套层数"
    raise TypeError(f"no amount: {measure!r}")


def _compared(clause: Clause, range_: Relative) -> tuple[str, str]:
    rng = random.Random(0)
    if isinstance(range_.to, Named):
        return _segment(clause.scope, rng), _segment(range_.to.scope, rng)
    at = compared_step(clause)
    if at is None:
        return _segment(clause.scope, rng), "上一个同类片段"
    step, inner = clause.scope[at], "".join(f"的{_step(part)}" for part in clause.scope[at + 1 :])
    outer = "".join(f"{_step(part)}中，" for part in clause.scope[:at])
    counted = _counted(step.unit)
    if isinstance(step, Each):
        return f"{outer}从第二{counted}起，每{counted}{inner}", f"上一{counted}{inner}"
    return f"{outer}从第二个起，{_step(step)}{inner}", f"上一个这样的{_NAMES[step.unit]}{inner}"
