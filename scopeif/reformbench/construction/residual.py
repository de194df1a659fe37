"""Words of a question that ask for a format outright, in English and Chinese.

The rules know only what is said in so many words ("in bullet points", "不超过200字"); what is implied is for the model
that looks after them. They would rather pass a question over than refuse one that speaks of tables as its subject.
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
_FORM = (
    r"(?:bullet(?:ed)?\s*(?:points?|lists?)|bullets|(?:un)?ordered\s+lists?|numbered\s+(?:lists?|steps|points)"
    r"|check\s*lists?|tables?|grids?|markdown|json|yaml|xml|csv|html|latex|(?:sub)?headings?|section\s+headers?"
    r"|code\s+blocks?|bold(?:\s+(?:text|type))?|italics?|emojis?|plain\s+text|prose|paragraphs?)"
)
_ANSWER = (
    r"(?:answers?|respon(?:se|d)s?|repl(?:y|ies)|outputs?|return|results?|format(?:ted)?|present(?:ed)?|write|list)"
)
_FORM_ZH = (
    r"(?:列表|表格|表单|项目符号|编号|小标题|标题|Markdown|JSON|YAML|XML|CSV|HTML|代码块|加粗|粗体|斜体|清单|纯文本"
    r"|表情(?:符号)?|emoji|流程图|段落)"
)
_N_ZH = r"(?:\d+|[一二两三四五六七八九十百]+)"

_RULES: tuple[tuple[str, str], ...] = (
    (
        "length",
        rf"\b(?:in|under|within|at\s+most|at\s+least|no\s+more\s+than|less\s+than|fewer\s+than|exactly|around|about|up\s+to"
        rf"|maximum\s+of|limit(?:ed)?\s+(?:it\s+|yourself\s+)?to)\s+{_N}\s+(?:short\s+|full\s+)?"
        r"(?:words?|sentences?|paragraphs?|lines?|characters?|bullet\s+points?|bullets)\b",
    ),
    ("length", r"\b\d+[\s-](?:word|sentence|paragraph)\s+(?:essay|answer|summary|story|response|text|article|post)\b"),
    (
        "form",
        rf"\b{_ANSWER}\b[^.?!\n]{{0,40}}\b(?:in|as|with|using|into)\s+(?:an?\s+|the\s+|valid\s+|your\s+)*{_FORM}\b",
    ),
    (
        "form",
        rf"\b(?:use|include|add|avoid|without|no|don['’]t\s+use|do\s+not\s+use)\s+(?:any\s+|an?\s+|the\s+)*{_FORM}\b",
    ),
    (
        "form",
        r"\b(?:in|as|with|using)\s+(?:an?\s+)?(?:bullet(?:ed)?\s*(?:points?|lists?)|numbered\s+lists?|markdown)\b",
    ),
    ("form", r"\bformat(?:ted)?\s+(?:it|your|the|this|each|as)\b[^.?!\n]{0,40}"),
    (
        "boundary",
        r"\b(?:start|begin|end|finish)\s+(?:it\s+|your\s+(?:answer|response|reply)\s+|the\s+(?:answer|response)\s+)?with\s+"
        r"(?:the\s+(?:word|phrase|sentence|heading)|an?\s+(?:heading|title|question|summary|table|list))\b",
    ),
    ("length", rf"(?:不超过|不少于|不多于|至少|最多|大约|约|控制在)\s*{_N_ZH}\s*(?:个)?(?:字|词|句|段|行)"),
    ("length", rf"{_N_ZH}\s*(?:个)?(?:字|词|句话|段话|段|行)(?:以内|之内|以上|左右)"),
    ("form", rf"(?:用|以|按照?|采用|使用|做成|整理成|列成|写成)[^。！？\n]{{0,8}}{_FORM_ZH}"),
    ("form", rf"(?:不要|别|请勿|禁止|不得|避免|不能)(?:使用|用|出现)?[^。！？\n]{{0,6}}{_FORM_ZH}"),
    ("form", r"分(?:点|条|段|步骤)(?:列出|说明|回答|作答|阐述|陈述|叙述|输出)"),
    ("form", r"(?:以|按)[^。！？\n]{0,10}(?:格式|形式)(?:输出|回答|作答|给出|呈现|列出|返回)"),
    ("boundary", r"(?:开头|结尾|最后)(?:必须|要|请)?(?:以|用)[^。！？\n]{1,20}(?:开头|结尾|结束|作为)"),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _RULES)


def residual(text: str) -> tuple[Hit, ...]:
    """What asks for a format outright, in the order of the text; of overlapping findings the first."""
    hits = [Hit(name, match[0], match.start()) for name, rule in _COMPILED for match in rule.finditer(text)]
    kept: list[Hit] = []
    for hit in sorted(hits, key=lambda one: (one.start, -len(one.quote))):
        if not kept or hit.start >= kept[-1].start + len(kept[-1].quote):
            kept.append(hit)
    return tuple(kept)
