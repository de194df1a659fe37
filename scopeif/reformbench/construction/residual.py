"""Words of a question that ask for a format outright, in English and Chinese.

The rules know only what is said in so many words ("in bullet points", "不超过200字"); what is implied is for the model
that looks after them. A form counts where the answer is told to have it ("Use bullet points", "请用表格列出"), and not
where it is the subject ("Is it ok to use a checklist?", "Use the table below", "a function that returns JSON"); the
rules would rather pass a question over than refuse one that speaks of tables.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Hit(NamedTuple):
    """A rule and the words that it found; `start` is their offset in characters."""

    rule: str
    quote: str
    start: int


_N = r"(?:\d[\d,]*|one|two|three|four|five|six|seven|eight|nine|ten|a\s+single)"
_LISTS = r"bullet(?:ed)?\s*(?:points?|lists?)|bullets|numbered\s+(?:lists?|steps|points)"
_CODE = r"json|yaml|xml|csv|html|latex|markdown"
_FORM = (
    rf"(?:{_LISTS}|(?:un)?ordered\s+lists?|check\s*lists?|tables?|grids?|(?:sub)?headings?|section\s+headers?"
    r"|code\s+blocks?|bold(?:\s+(?:text|type)|(?=\s*(?:[.,;!?]|$)))|italics?|emojis?|plain\s+text|prose|paragraphs?)"
)
_ANY_FORM = rf"(?:{_FORM}|(?:{_CODE})(?:\s+(?:format|code|table))?)"
_UNIT = r"(?:words?|sentences?|paragraphs?|lines?|characters?|bullet\s+points?|bullets)"
_REPLY = r"(?:answers?|responses?|repl(?:y|ies)|outputs?|results?)"
_SAY = (
    r"(?:answer|respond|reply|return|output|present|show|write|list|give|provide|put|structure|organi[sz]e|explain"
    r"|describe|summari[sz]e|compare)"
)
_TOLD = (
    r"(?:^|[.!?;:,\n(]\s*|\b(?:and|but|then|please|kindly|also|just|always|can\s+you|could\s+you|would\s+you|you\s+to)"
    r"\s+)"
)
"""Where an order begins."""
_NOT_A_TOOL = r"(?:(?!\b(?:that|which|who|how|to|if)\b)[^.?!\n])"

_FORM_ZH = (
    r"(?:列表|表格|表单|项目符号|编号|小标题|标题|代码块|加粗|粗体|斜体|清单|纯文本|表情(?:符号)?|emoji|流程图|段落)"
)
_CODE_ZH = r"(?:Markdown|JSON|YAML|XML|CSV|HTML)"
_FORM_ENDS_ZH = (
    r"(?=\s*(?:的?(?:形式|格式|方式)|[，。！？、；,.!?;]|$|来|列|回答|作答|给出|说明|总结|呈现|展示|输出|整理|对比|比较|概括"
    r"|介绍|解释|描述|分[析段点]|写|表示|和|或|与|及))"
)
_ANY_FORM_ZH = rf"(?:{_FORM_ZH}{_FORM_ENDS_ZH}|{_CODE_ZH}\s*(?:格式|形式)?\s*(?:来)?(?:回答|作答|输出|返回|给出|呈现))"
_N_ZH = r"(?:\d+|[一二两三四五六七八九十百]+)"

_RULES: tuple[tuple[str, str], ...] = (
    (
        "length",
        r"\b(?:in|under|within|at\s+most|at\s+least|no\s+more\s+than|less\s+than|fewer\s+than|exactly|up\s+to|maximum\s+of"
        rf"|limit(?:ed)?\s+(?:it\s+|yourself\s+|(?:your|the)\s+{_REPLY}\s+)?to|(?:around|about)(?=\s+\d\d))\s+{_N}\s+"
        rf"(?:short\s+|full\s+)?{_UNIT}\b",
    ),
    ("length", r"\b\d+[\s-](?:word|sentence|paragraph)\s+(?:essay|answer|summary|story|response|text|article|post)\b"),
    (
        "length",
        rf"{_TOLD}(?P<hit>{_SAY}\b{_NOT_A_TOOL}{{0,30}}?\b{_N}\s+(?:short\s+|brief\s+|concise\s+|key\s+|main\s+|full\s+)?"
        r"(?:bullet\s*points?|bullets|sentences|paragraphs?)\b)",
    ),
    (
        "form",
        rf"{_TOLD}(?P<hit>{_SAY}\b{_NOT_A_TOOL}{{0,40}}\b(?:in|as|with|using|into)\s+(?:an?\s+|valid\s+|your\s+)*{_ANY_FORM}\b)",
    ),
    (
        "form",
        rf"\byour\s+{_REPLY}\s+(?:should|must|has\s+to|needs?\s+to|in|as)\b[^.?!\n]{{0,30}}\b{_ANY_FORM}\b",
    ),
    ("form", rf"{_TOLD}(?P<hit>(?:use|include|add)\s+(?:an?\s+)?(?:{_FORM}|(?:{_CODE})\s+format)\b)"),
    ("form", rf"{_TOLD}(?P<hit>(?:avoid|do\s+not\s+use|don['’]t\s+use)\s+(?:any\s+|an?\s+)?(?:{_FORM}|{_CODE})\b)"),
    ("form", rf"(?:^|[.!?;:,\n(]\s*|\bwith\s+)(?P<hit>no\s+{_FORM})\s*(?=[.,;!)]|$|\bor\b|\band\b)"),
    ("form", rf"\bwithout\s+(?:any\s+)?{_FORM}\b"),
    ("form", rf"\b(?:in|as|with|using)\s+(?:an?\s+)?(?:{_LISTS}|markdown)\b"),
    (
        "form",
        rf"\b(?:formatted|presented|laid\s+out|organi[sz]ed|structured)\s+(?:as|in|into|with|using)\s+(?:an?\s+)?{_ANY_FORM}\b",
    ),
    ("form", rf"{_TOLD}(?P<hit>format\s+(?:it|(?:your|the|each)\s+{_REPLY}|as)\b[^.?!\n]{{0,40}})"),
    (
        "boundary",
        r"\b(?:start|begin|end|finish)\s+(?:it\s+|your\s+(?:answer|response|reply)\s+|the\s+(?:answer|response)\s+)?with\s+"
        r"(?:the\s+(?:word|phrase|sentence|heading)|an?\s+(?:heading|title|question|summary|table|list))\b",
    ),
    ("length", rf"(?:不超过|不少于|不多于|至少|最多|大约|约|控制在)\s*{_N_ZH}\s*(?:个)?(?:字|词|句|段|行)"),
    ("length", rf"{_N_ZH}\s*(?:个)?(?:字|词|句话|段话|段|行)(?:以内|之内|以上|左右)"),
    ("length", rf"(?:用|以)\s*{_N_ZH}\s*(?:个)?(?:句话|段话|句子|段落|个字|句|段|行)"),
    ("form", rf"(?:用|以|按照?|采用|使用|做成|整理成|列成|写成)[^。！？，\n]{{0,8}}?{_ANY_FORM_ZH}"),
    ("form", rf"(?:不要|别|请勿|禁止|不得|避免|不能)(?:使用|用|出现)?[^。！？，\n]{{0,6}}?{_ANY_FORM_ZH}"),
    ("form", r"分(?:点|条|段|步骤)(?:列出|说明|回答|作答|阐述|陈述|叙述|输出)"),
    ("form", r"(?:以|按)[^。！？，\n]{0,10}(?:格式|形式)(?:输出|回答|作答|给出|呈现|列出|返回)"),
    ("boundary", r"(?:开头|结尾|最后)(?:必须|要|请)?(?:以|用)[^。！？\n]{1,20}(?:开头|结尾|结束|作为)"),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _RULES)

_SENTENCE_ENDS = re.compile(r"[.?!。！？\n]")
_CLAUSE_ENDS = re.compile(r"[，；,;]")
_ASKING = re.compile(
    r"\s*(?:how|why|when|where|is|are|was|were|do|does|did|should|has|have|(?:can|could|may|must|would)\s+(?!you\b)\w+)\b",
    re.IGNORECASE,
)
_ASKING_ZH = re.compile(r"怎么|如何|怎样|为什么|为何|是否|能否|可以|可不可以|能不能")
_PROGRAM = re.compile(
    r"\b(?:function|program|script|code|method|class|api|endpoint|query|app|server|command|macro|parser|tool|website)s?\b"
    r"|函数|程序|脚本|代码|接口|网页|网站",
    re.IGNORECASE,
)
_OF_THE_ANSWER = re.compile(rf"please|\b(?:your\s+{_REPLY}|answer|respond|reply)\b|回答|作答", re.IGNORECASE)


def residual(text: str) -> tuple[Hit, ...]:
    """What asks for a format outright, in the order of the text; of overlapping findings the first."""
    found = [(name, match) for name, rule in _COMPILED for match in rule.finditer(text)]
    spans = [(name, *match.span("hit" if "hit" in match.re.groupindex else 0)) for name, match in found]
    hits = [Hit(name, text[start:end], start) for name, start, end in spans]
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda one: (one.start, -len(one.quote))):
        clear = not kept or hit.start >= kept[-1].start + len(kept[-1].quote)
        if clear and not (hit.rule == "form" and _is_subject(text, hit)):
            kept.append(hit)
    return tuple(kept)


def _is_subject(text: str, hit: Hit) -> bool:
    """Whether a sentence asks about a form, or speaks of a program that makes it, rather than asks for it."""
    if _OF_THE_ANSWER.search(hit.quote):
        return False
    before = _SENTENCE_ENDS.split(text[: hit.start])[-1]
    clause = _CLAUSE_ENDS.split(before)[-1]
    asks = _ASKING.match(before) or _ASKING_ZH.search(clause)
    return bool(asks or _PROGRAM.search(before + hit.quote))
