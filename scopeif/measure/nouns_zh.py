"""Chinese names: units, amounts, predicates, selected segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scopeif.constraints.spec import (
    AllOf,
    AnyOf,
    At,
    Bounds,
    Contains,
    Count,
    Each,
    EndsWith,
    IndexIs,
    LengthIs,
    MatchesPattern,
    Not,
    Predicate,
    Selection,
    StartsWith,
    UnderHeading,
    Where,
)
from scopeif.measure.voice import Voice, figures

_NAMES = {
    "response": "回复", "section": "小节", "heading": "标题", "paragraph": "段落", "sentence": "句子", "line": "行",
    "word": "字", "character": "字符", "list": "列表", "list_item": "列表项", "table": "表格",
    "table_row": "表格数据行", "table_cell": "单元格", "code_block": "代码块", "json_value": "JSON值",
    "json_pair": "JSON键值对", "quote": "引用块",
    "highlight": "强调文本（粗体或斜体）", "placeholder": "方括号占位符", "comma": "逗号", "exclamation_mark": "感叹号",
    "question_mark": "问号", "digit": "数字字符", "uppercase_letter": "大写字母", "lowercase_letter": "小写字母",
    "punctuation_mark": "标点符号", "emoji": "表情符号", "part": "部分",
}  # fmt: skip
_NESTED = {"section": "下级小节", "list": "嵌套列表", "list_item": "下级列表项", "quote": "嵌套引用块"}
_SHORT = {"paragraph": "段", "sentence": "句", "line": "行"}
_NOTES = {"word": "标点不计", "character": "含空格和标点"}
_NUMERALS = "零一二三四五六七八九十"


class Thing(NamedTuple):
    """What is counted: its name, what is said of it before its name, and a remark on how it is counted."""

    name: str
    measure: str = "个"
    condition: str = ""
    note: str = ""

    @classmethod
    def of(cls, unit: str, inside: str | None = None, where: Predicate | None = None) -> Thing:
        name = _NESTED.get(unit, f"其中的{_NAMES[unit]}") if unit == inside else _NAMES[unit]
        measure = "" if unit == "line" and where is None else "个"
        said = f"{condition(where)}的" if where is not None else ""
        return cls(name, measure, said, _NOTES.get(unit, ""))

    @classmethod
    def counted(cls, measure: Count, scope: Sequence[Selection]) -> Thing:
        return cls.of(measure.unit, scope[-1].unit if scope else None, measure.where)

    @property
    def full(self) -> str:
        """The name alone: 以“我”开头的句子."""
        return f"{self.condition}{self.name}"

    @property
    def quantity(self) -> str:
        """字数（标点不计）, 逗号数量, 以“我”开头的句子的数量."""
        short = {"字": "字数", "行": "行数", "字符": "字符数"}.get(self.name, f"{self.name}数量")
        return (f"{self.full}的数量" if self.condition else short) + remark(self.note)

    def after(self, size: float, voice: Voice, *notes: str) -> str:
        """3个句子; 100个字（标点不计）."""
        return f"{number(size, voice)}{self.measure}{self.full}{remark(*notes, self.note)}"


def remark(*notes: str) -> str:
    """The notes in one pair of brackets."""
    said = "，".join(note for note in notes if note)
    return f"（{said}）" if said else ""


class Amount(NamedTuple):
    """Before and behind the verb: 至多(包含)3个句子."""

    lead: str
    size: str


def number(value: float, voice: Voice) -> str:
    """In figures or numerals; two before a measure word is 两."""
    if voice.spells and value == int(value) and 0 <= value < len(_NUMERALS):
        return "两" if value == 2 else _NUMERALS[int(value)]
    return figures(value)


def amount(bounds: Bounds, thing: Thing, voice: Voice) -> Amount:
    lower, upper = bounds.lower, bounds.upper
    if lower is not None and upper is not None:
        if lower == upper:
            return Amount(voice.pick("恰好", "正好", "刚好"), thing.after(lower, voice))
        low = number(lower, voice)
        if voice.pick("to", "ends") == "ends":
            return Amount("至少", f"{low}{thing.measure}、至多{thing.after(upper, voice)}")
        return Amount("", f"{low}到{thing.after(upper, voice, inclusive(lower, upper, voice))}")
    if upper is not None:
        return Amount(voice.pick("至多", "最多"), thing.after(upper, voice))
    return Amount(voice.pick("至少", "最少"), thing.after(lower or 0, voice))


def inclusive(lower: float, upper: float, voice: Voice) -> str:
    return "含首尾" if voice.spells else f"含{figures(lower)}和{figures(upper)}"


def interval(bounds: Bounds, voice: Voice) -> str:
    """What a quantity must be: 不超过20, 在80到120之间（含80和120）."""
    lower, upper = bounds.lower, bounds.upper
    if lower is not None and upper is not None:
        if lower == upper:
            return f"{voice.pick('恰好为', '正好为', '等于')}{figures(lower)}"
        low, high = figures(lower), figures(upper)
        return voice.pick(f"在{low}到{high}之间（含{low}和{high}）", f"不少于{low}且不超过{high}")
    if upper is not None:
        return f"{voice.pick('不超过', '不多于', '最多为')}{figures(upper)}"
    return f"{voice.pick('不少于', '不低于', '至少为')}{figures(lower or 0)}"


def case_note(text: str, case_sensitive: bool) -> str:
    """How a text's letters are read; what has no case needs no note."""
    return "（区分大小写）" if case_sensitive and text.lower() != text.upper() else ""


def string_name(text: str, whole_word: bool, case_sensitive: bool) -> str:
    """“大海”; 字母“e”（不论大小写）."""
    if len(text) == 1 and text.isascii() and text.isalpha() and not whole_word:
        return f"字母“{text}”{'（区分大小写）' if case_sensitive else '（不论大小写）'}"
    return f"“{text}”{case_note(text, case_sensitive)}"


def pattern_name(pattern: str, case_sensitive: bool) -> str:
    mark = '"' if "`" in pattern else "`"
    return f"正则表达式 {mark}{pattern}{mark} {'' if case_sensitive else '（不区分大小写）'}"


# -- selected segments -------------------------------------------------------------------------------------------


def whole(voice: Voice) -> str:
    return voice.pick("整个回复", "你的回复", "全文", "回复")


def segment(chain: Sequence[Selection], voice: Voice, one: bool = False) -> str:
    """每个段落的最后一句; 整个回复; with `one`, what a condition selects is a single segment."""
    steps = [step for step in chain if step.unit != "response"]
    if not steps:
        return whole(voice)
    return "的".join(_step(step, voice, one) for step in steps)


def _step(step: Selection, voice: Voice, one: bool) -> str:
    match step:
        case Each():
            return every(step.unit, voice)
        case At():
            return position(step, voice)
        case Where():
            lead = "" if one else voice.pick("每个", "每一个")
            return f"{lead}{condition(step.predicate)}的{_NAMES[step.unit]}"


def every(unit: str, voice: Voice) -> str:
    """每个段落, 每段, 每一段."""
    short = _SHORT.get(unit)
    if unit == "line" or (short and voice.pick("short", "long") == "short"):
        return f"{voice.pick('每', '每一')}{short}"
    return f"{voice.pick('每个', '每一个')}{_NAMES[unit]}"


def position(step: At, voice: Voice) -> str:
    short = _SHORT.get(step.unit)
    name = (
        short if short and (step.unit == "line" or voice.pick("short", "long") == "short") else f"个{_NAMES[step.unit]}"
    )
    if step.index == -1:
        return f"最后一{name}"
    return f"{'倒数' if step.index < 0 else ''}第{_ordinal(abs(step.index))}{name}"


def _ordinal(index: int) -> str:
    return _NUMERALS[index] if index < len(_NUMERALS) else str(index)


def counter(unit: str) -> str:
    """What stands behind 每, 上一 and 第二: 个段落, 行."""
    return "行" if unit == "line" else f"个{_NAMES[unit]}"


def name(unit: str) -> str:
    return _NAMES[unit]


def condition(predicate: Predicate, negated: bool = False) -> str:
    """What a predicate asks, as it stands before 的."""
    no = "不" if negated else ""
    match predicate:
        case Not():
            return condition(predicate.of, not negated)
        case AllOf() | AnyOf():
            parts = [condition(inner, negated) for inner in predicate.of]
            if isinstance(predicate, AllOf) != negated:
                return "且".join(parts)
            return parts[0] if len(parts) == 1 else f"满足下列条件之一（{'；'.join(parts)}）"
        case Contains():
            return f"{no}包含“{predicate.text}”{case_note(predicate.text, predicate.case_sensitive)}"
        case StartsWith() | EndsWith():
            side = "开头" if isinstance(predicate, StartsWith) else "结尾"
            return f"{no}以“{predicate.text}”{side}{case_note(predicate.text, predicate.case_sensitive)}"
        case MatchesPattern():
            return f"{no}匹配{pattern_name(predicate.pattern, predicate.case_sensitive)}"
        case UnderHeading():
            return f"{no}位于标题“{predicate.text}”{case_note(predicate.text, predicate.case_sensitive)}之下"
        case IndexIs():
            return _turn(predicate, negated)
        case LengthIs():
            return _length(predicate, negated)


def _turn(predicate: IndexIs, negated: bool) -> str:
    if predicate.modulus == 2:
        return f"序号为{'奇数' if bool(predicate.remainder) != negated else '偶数'}"
    if predicate.remainder == 0:
        return f"序号{'不是' if negated else '为'}{predicate.modulus}的倍数"
    if negated:
        return f"序号除以{predicate.modulus}不余{predicate.remainder}"
    named = "、".join(str(predicate.remainder + predicate.modulus * turn) for turn in (0, 1, 2))
    return f"序号为{named}……（每{predicate.modulus}个取一个）"


def _length(predicate: LengthIs, negated: bool) -> str:
    lower, upper, unit = predicate.lower, predicate.upper, f"个{_NAMES[predicate.unit]}"
    note = _NOTES[predicate.unit]
    if negated:
        outside = [f"少于{lower}{unit}"] if lower is not None else []
        outside += [f"多于{upper}{unit}"] if upper is not None else []
        return "或".join(outside) + remark(note)
    if lower is not None and upper is not None:
        if lower == upper:
            return f"恰好有{lower}{unit}{remark(note)}"
        return f"有{lower}到{upper}{unit}{remark(f'含{lower}和{upper}', note)}"
    return (f"至多有{upper}{unit}" if upper is not None else f"至少有{lower}{unit}") + remark(note)
