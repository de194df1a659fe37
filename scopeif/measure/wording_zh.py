"""Chinese sentences for the clauses of a formal spec."""

from __future__ import annotations

import random

from scopeif.constraints.spec import (
    Acrostic,
    Bounds,
    Chained,
    ClassCount,
    Clause,
    Count,
    Depth,
    Divided,
    Ends,
    Length,
    LetterCase,
    Matches,
    Measure,
    Occurrences,
    Present,
    Relative,
    Repeats,
    Sorted,
    Starts,
    Valid,
    Wrapped,
)
from scopeif.measure import relations_zh
from scopeif.measure.nouns_zh import (
    Thing,
    amount,
    case_note,
    counter,
    interval,
    name,
    number,
    pattern_name,
    remark,
    segment,
    string_name,
)
from scopeif.measure.voice import Voice, figures

_DELIMITERS = {
    "double_quotes": "双引号",
    "parentheses": "圆括号",
    "square_brackets": "方括号",
    "angle_brackets": "尖括号",
}
_FORMATS = {
    "json": "合法的JSON",
    "json_object": "一个合法的JSON对象",
    "json_array": "一个合法的JSON数组",
    "csv": "合法的CSV（至少两列且各行列数相同）",
    "yaml": "合法的YAML映射或列表",
    "integer": "用数字写出的整数",
    "decimal": "带小数点的数字",
    "date": "YYYY-MM-DD 格式的日期",
}


def sentence(clause: Clause, rng: random.Random) -> str:
    """One Chinese sentence that says what a clause asks."""
    return f"{_text(clause, Voice(rng))}。"


def _text(clause: Clause, voice: Voice) -> str:
    range_, measure = clause.range, clause.measure
    if isinstance(range_, Relative):
        return relations_zh.text(clause, range_, voice)
    subject = segment(clause.scope, voice)
    match measure:
        case Length():
            return _length(subject, range_, Thing.of(measure.unit), voice)
        case Count():
            return _count(subject, range_, Thing.counted(measure, clause.scope), voice)
        case ClassCount():
            return _count(subject, range_, Thing.of(measure.char_class), voice)
        case Occurrences():
            return _occurrences(subject, range_, measure, voice)
        case Repeats():
            return _repeats(clause, subject, range_, measure, voice)
        case Divided():
            lead, size = amount(range_, Thing("部分"), voice)
            return f"{subject}{voice.pick('必须', '应当', '要')}由仅含 {measure.by} 的分隔行{lead}分成{size}"
        case Depth():
            return _depth(subject, range_, measure, voice)
        case Sorted() | Chained() | Acrostic():
            return _related(clause, range_, measure, voice)
        case _:
            return _yes_or_no(subject, range_, measure, voice)


def _must(voice: Voice) -> str:
    return voice.pick("必须", "应当", "应", "要", "需要")


def _length(subject: str, range_: Bounds, thing: Thing, voice: Voice) -> str:
    if range_.upper == 0:
        return _none(subject, thing, voice)
    must = _must(voice)
    lead, size = amount(range_, thing, voice)
    forms = [f"{subject}的{thing.quantity}{_be(voice)}{interval(range_, voice)}", f"{subject}{must}{lead}有{size}"]
    if range_.upper is not None:
        forms.append(f"请将{subject}的{thing.quantity}控制在{_limits(range_, voice)}")
    if range_.lower is None and range_.upper is not None:
        forms += [
            f"{subject}不得超过{thing.after(range_.upper, voice)}",
            f"{subject}不要超过{thing.after(range_.upper, voice)}",
        ]
    elif range_.upper is None and range_.lower is not None:
        forms += [f"{subject}不得少于{thing.after(range_.lower, voice)}", f"{subject}{must}{lead}写{size}"]
    return voice.pick(*forms)


def _be(voice: Voice) -> str:
    """The verb before 不超过, 在 and the like."""
    return voice.pick("必须", "应当", "应")


def _limits(range_: Bounds, voice: Voice) -> str:
    lower, upper = range_.lower, figures(range_.upper or 0)
    if lower is None:
        return f"{upper}个以内（含{upper}）"
    low = figures(lower)
    return f"{low}个，不多不少" if low == upper else f"{low}到{upper}个之间（含{low}和{upper}）"


def _count(subject: str, range_: Bounds, thing: Thing, voice: Voice) -> str:
    if range_.upper == 0:
        return _none(subject, thing, voice)
    must = _must(voice)
    lead, size = amount(range_, thing, voice)
    forms = [f"{subject}{must}{lead}包含{size}", f"{subject}{must}{lead}有{size}", f"请确保{subject}{lead}包含{size}"]
    forms += [f"请在{subject}中{lead}使用{size}", f"{subject}中的{thing.quantity}{_be(voice)}{interval(range_, voice)}"]
    unit = f"{thing.measure or '行'}{remark(thing.note)}"
    if range_.lower is None and range_.upper is not None:
        forms.append(f"{subject}包含的{thing.full}不得超过{number(range_.upper, voice)}{unit}")
    elif range_.upper is None and range_.lower is not None:
        forms.append(f"{subject}包含的{thing.full}不得少于{number(range_.lower, voice)}{unit}")
    return voice.pick(*forms)


def _none(subject: str, thing: Thing, voice: Voice) -> str:
    forms = [
        f"{subject}不得包含任何{thing.full}",
        f"{subject}中不要出现任何{thing.full}",
        f"{subject}不能有{thing.full}",
    ]
    return voice.pick(*forms, f"请不要在{subject}中使用任何{thing.full}", f"{subject}中不得出现{thing.full}")


def _occurrences(subject: str, range_: Bounds, measure: Occurrences, voice: Voice) -> str:
    said = string_name(measure.text, measure.whole_word, measure.case_sensitive)
    if range_.upper == 0:
        forms = [f"{subject}不得出现{said}", f"{subject}中不要使用{said}", f"{subject}不能包含{said}"]
        return voice.pick(*forms, f"请避免在{subject}中使用{said}")
    must = _must(voice)
    if range_.lower == 1 and range_.upper is None:
        forms = [f"{subject}{must}包含{said}", f"{subject}中{must}出现{said}", f"请在{subject}中用到{said}"]
        return voice.pick(*forms, f"{said}在{subject}中{must}至少出现{number(1, voice)}次")
    lead, size = amount(range_, Thing("", "次"), voice)
    forms = [f"{said}在{subject}中{must}{lead}出现{size}", f"{subject}中{must}{lead}出现{size}{said}"]
    return voice.pick(*forms, f"请在{subject}中{lead}使用{size}{said}")


def _repeats(clause: Clause, subject: str, range_: Bounds, measure: Repeats, voice: Voice) -> str:
    unit = name(measure.unit)
    if range_.upper == 0:
        forms = [f"{subject}中的{unit}不得重复（不区分大小写）", f"{subject}中的{unit}必须各不相同（不区分大小写）"]
        return voice.pick(*forms)
    lead, size = amount(range_, Thing.of(measure.unit)._replace(measure="个", condition="与前面重复的"), voice)
    return f"{subject}{_must(voice)}{lead}包含{size}"


def _depth(subject: str, range_: Bounds, measure: Depth, voice: Voice) -> str:
    what = "列表" if measure.of == "list" else "JSON对象或数组"
    if range_.upper == 0:
        return f"{subject}{voice.pick('不得包含', '中不要出现')}{what}"
    note = "不嵌套的列表算一层" if measure.of == "list" else ""
    lead, size = amount(range_, Thing("", "层", note=note), voice)
    forms = [f"{subject}中的{what}{_be(voice)}{lead}嵌套{size}"]
    if range_.lower is None or range_.upper is None or range_.lower == range_.upper:
        forms.append(f"{subject}中的{what}的嵌套层数{_be(voice)}{interval(range_, voice)}{remark(note)}")
    return voice.pick(*forms)


def _yes_or_no(subject: str, range_: Bounds, measure: Measure, voice: Voice) -> str:
    wanted = range_.upper is None or range_.upper >= 1
    must = _must(voice) if wanted else voice.pick("不得", "不能", "不要")
    match measure:
        case Starts() | Ends():
            side = voice.pick("开头", "开始") if isinstance(measure, Starts) else voice.pick("结尾", "结束")
            return f"{subject}{must}以“{measure.text}”{side}{'' if measure.case_sensitive else '（不区分大小写）'}"
        case Matches():
            said = pattern_name(measure.pattern, measure.case_sensitive)
            if measure.pattern.startswith("^") and measure.pattern.endswith("$") and "|" not in measure.pattern:
                return f"{subject}{must}整体匹配{said}".rstrip()
            return f"{subject}中{must}{voice.pick('有', '出现')}匹配{said}的内容"
        case Present():
            verb = voice.pick("包含", "提到", "出现")
            return f"{subject}{must}{verb}“{measure.text}”{case_note(measure.text, measure.case_sensitive)}"
        case Valid():
            fence = "" if measure.fence else "，且外面不加代码围栏"
            return f"{subject}{_be(voice) if wanted else '不得'}是{_FORMATS[measure.format]}{fence}"
        case Wrapped():
            verb = voice.pick("括起来", "括住", "包起来")
            return f"{subject}{must}整体用一对{_DELIMITERS[measure.by]}{verb}"
        case LetterCase():
            case = "大写" if measure.case == "upper" else "小写"
            forms = [f"{subject}中的字母{must}全部为{case}"]
            forms += [f"{subject}中的字母{must}一律{case}", f"{subject}中的字母只能用{case}"] if wanted else []
            return voice.pick(*forms)
    raise TypeError(f"no wording for {measure!r}")


def _related(clause: Clause, range_: Bounds, measure: Sorted | Chained | Acrostic, voice: Voice) -> str:
    wanted = range_.upper is None or range_.upper >= 1
    must = _must(voice) if wanted else voice.pick("不得", "不能")
    subject, counted = segment(clause.scope, voice), counter(measure.unit)
    match measure:
        case Sorted():
            order = voice.pick("字母逆序", "字母从 Z 到 A 的顺序")
            order = order if measure.descending else voice.pick("字母顺序", "字母从 A 到 Z 的顺序", "字母表顺序")
            forms = [f"{subject}中的各{counted}{must}按{order}排列"]
            forms += [f"请将{subject}中的各{counted}按{order}排列"] if wanted else []
            return voice.pick(*forms)
        case Chained():
            link = f"以{voice.pick('上一', '前一')}{counted}的最后一个词开头（中文为最后一个字）"
            lead = f"{subject}中，从第二{counted}起，"
            return f"{lead}每{counted}{must}{link}" if wanted else f"{lead}至少有一{counted}{must}{link}"
        case Acrostic():
            first = "首字母" if measure.text.isascii() else voice.pick("首字", "第一个字")
            return f"{subject}中各{counted}的{first}{voice.pick('依次', '按顺序')}{must}组成“{measure.text}”"
    raise TypeError(f"no wording for {measure!r}")
