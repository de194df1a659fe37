"""How each language is written, and the words that witnesses are filled with.

The filler answers no task: it makes texts whose counts are known. Its words open no sentence by accident, abbreviate
nothing, and hold no verb of speech, so that every reader splits the text in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Script:
    """Marks and words of a language.

    Attributes:
        gap: what stands between words.
        spare: a word for places that no constraint speaks of.
        scale: how many counted words say what one English word says.
        fill: filler; each English entry is one counted word, each Chinese one as many as it has characters.
        openings: words or phrases that a response may be asked to start with.
        starts: the same for a paragraph or a sentence.
        every_start: words that every sentence or paragraph may be asked to start with.
        item_starts: the same for list items.
        verse_starts: the same for lines of verse.
        ends: phrases that a unit may be asked to end with, without their mark.
        limited: common words that a constraint may limit or forbid.
        capitals: abbreviations for Chinese text, so that letter case means something there.
        ordered: first words in alphabetical order.
        by_letter: a first word for each letter of `acrostics`.
        acrostics: what first letters may spell.
        slots: placeholders.
        keys: keys of JSON objects.
        headings: headings that a constraint may name.
    """

    gap: str
    stop: str
    comma: str
    exclamation: str
    question: str
    quotes: tuple[str, str]
    spare: str
    scale: float
    fill: tuple[str, ...]
    openings: tuple[str, ...]
    starts: tuple[str, ...]
    every_start: tuple[str, ...]
    verse_starts: tuple[str, ...]
    item_starts: tuple[str, ...]
    ends: tuple[str, ...]
    limited: tuple[str, ...]
    capitals: tuple[str, ...]
    ordered: tuple[str, ...]
    by_letter: dict[str, str]
    acrostics: tuple[str, ...]
    slots: tuple[str, ...]
    keys: tuple[str, ...]
    headings: tuple[str, ...]

    def size(self, text: str) -> int:
        """Counted words of a phrase without marks."""
        return len(text.split()) if self.gap else len(text)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


EMOJI = ("🙂", "🌟", "🎉", "🌿", "☕", "📌")
NUMBERS = ("3", "5", "7", "12", "24", "60")

SCRIPTS: dict[str, Script] = {
    "en": Script(
        gap=" ", stop=".", comma=",", exclamation="!", question="?", quotes=('"', '"'), spare="more", scale=1.0,
        fill=_words(
            "we so to be us it up you our all new way day can see for and who how find here that many look feel time "
            "keep take make each both near much gives often small still place again world point quite since whole "
            "calls seems always simple little around change gently mostly follow nearly another without between "
            "against nothing usually whether together remember anything possible probably everyone sometimes "
            "important different beautiful wonderful everything throughout especially approaches comfortable "
            "remembering surrounding considerate neighborhood conversation understanding extraordinary"
        ),
        openings=("Today", "Imagine", "Sometimes", "At first", "Perhaps", "These days", "Picture this", "Here"),
        starts=("However", "Sometimes", "At first", "Perhaps", "Finally", "Still", "In the end", "Even so"),
        every_start=("We", "The", "It", "You", "This", "Most"),
        verse_starts=("Beneath", "Somewhere", "Remember", "Tonight", "Beyond", "Softly"),
        item_starts=("Try", "Keep", "Use", "Choose", "Check", "Remember", "Make", "Bring"),
        ends=(
            "every day", "in the end", "for everyone", "at last", "once again", "from now on", "step by step",
            "after all", "in good time",
        ),
        limited=("very", "really", "just", "maybe", "things", "good", "actually", "amazing", "basically", "nice"),
        capitals=(),
        ordered=_words(
            "above bring close dozens early fresh given having ideas just kindly large might never older plain quick "
            "reach share three under value where young"
        ),
        by_letter={
            "a": "above", "b": "bring", "c": "close", "d": "dozens", "e": "early", "f": "fresh", "g": "given",
            "h": "having", "i": "ideas", "j": "just", "k": "kindly", "l": "large", "m": "might", "n": "never",
            "o": "older", "p": "plain", "q": "quick", "r": "reach", "s": "share", "t": "three", "u": "under",
            "v": "value", "w": "where", "y": "young",
        },
        acrostics=(
            "SUN", "TEA", "JOY", "CAT", "SKY", "ART", "SEA", "MAP", "HOPE", "STAR", "CALM", "WIND", "LEAF", "KIND",
            "BOLD", "PLAN", "LIGHT", "RIVER", "SMILE",
        ),
        slots=("[name]", "[date]", "[city]", "[price]", "[phone]", "[company]"),
        headings=(
            "Overview", "Background", "Key points", "Examples", "Tips", "Next steps", "Summary", "Common mistakes",
            "Details", "Questions", "Getting started", "Looking ahead",
        ),
        keys=("title", "summary", "author", "topic", "reason", "audience", "status", "category", "note", "source"),
    ),
    "zh": Script(
        gap="", stop="。", comma="，", exclamation="！", question="？", quotes=("“", "”"), spare="另外", scale=1.7,
        fill=(
            "我们", "常常", "觉得", "这样", "很", "也", "都", "会", "大家", "有", "那么", "可以", "看到", "因此",
            "许多", "一样", "还", "在", "这里", "慢慢", "变得", "更", "真正", "重要", "需要", "如果", "能够", "非凡",
            "它", "于是", "让", "并", "再", "就",
        ),
        openings=("今天", "其实", "首先", "想象一下", "有时候", "如今"),
        starts=("然而", "后来", "最后", "其实", "有时候", "当然", "不过"),
        every_start=("我们", "这", "它", "大家"),
        verse_starts=("今夜", "远方", "记得", "风中", "轻轻"),
        item_starts=("请", "尽量", "记得", "务必", "先", "及时"),
        ends=("就是这样", "一步一步来", "从今往后", "直到最后", "值得期待", "大有不同"),
        limited=("非常", "可能", "然后", "十分", "似乎", "东西"),
        capitals=("AI", "APP", "PDF", "GPS", "VIP"),
        ordered=_words(
            "Alpha Beta Coral Delta Echo Flora Gala Halo Iris Jazz Kiwi Lotus Mint Nova Opal Pixel Quest Rover Sunny "
            "Tango Ultra Vista Windy Yoga"
        ),
        by_letter={char: char for char in "春夏秋冬花好月圆平安喜乐山高水长福如海心想事成万里无云天道酬勤"},
        acrostics=("春夏秋冬", "花好月圆", "平安喜乐", "山高水长", "心想事成", "福如海", "好山水", "天高海"),
        slots=("[姓名]", "[日期]", "[地点]", "[价格]", "[电话]", "[公司]"),
        headings=("概述", "背景", "要点", "举例", "小结", "下一步", "常见误区", "注意事项", "答疑", "展望"),
        keys=("标题", "摘要", "作者", "主题", "理由", "对象", "状态", "类别", "备注", "来源"),
    ),
}  # fmt: skip
"""The scripts by language."""


def is_han(char: str) -> bool:
    """Whether a character of our own words is Chinese."""
    return "\u4e00" <= char <= "\u9fff"


class Fill:
    """Filler words of a language without those that a task speaks of."""

    def __init__(self, language: str, avoid: Sequence[str]) -> None:
        script = SCRIPTS[language]
        if script.gap:
            banned = {word.lower() for word in avoid}
            self.words = [word for word in script.fill if word not in banned]
        else:
            chars = set("".join(avoid))
            self.words = [word for word in script.fill if not chars & set(word)]
        self.by_length: dict[int, list[str]] = {}
        for word in self.words:
            self.by_length.setdefault(len(word), []).append(word)
