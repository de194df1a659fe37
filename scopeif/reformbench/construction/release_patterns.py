"""What may not be released unseen: e-mail addresses, US and Chinese phone numbers, words of harm (appendix A.7.2).

The patterns point at text for a person to look at; they say nothing about whether it may be released. The paper does
not list its own.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Kind = Literal["email", "phone_us", "phone_cn", "harm"]


class Match(NamedTuple):
    """What a pattern found; `start` is its offset in characters."""

    kind: Kind
    quote: str
    start: int


_EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}\s?(?:@|＠|\[at\]|\(at\))\s?(?:[\w-]+\.)+[A-Za-z]{2,}(?![\w-])"
_PHONE_US = (
    r"(?<![\d.-])(?:\+?1[\s.-]?)?(?:\([2-9]\d{2}\)\s?|[2-9]\d{2}[\s.-])[2-9]\d{2}[\s.-]\d{4}(?![\d-])"
    r"|(?<![\d.-])\+1[2-9]\d{2}[2-9]\d{6}(?!\d)"
)
_PHONE_CN = (
    r"(?<!\d)(?:\+?86[\s-]?)?1[3-9]\d(?:\d{8}|[\s-]\d{4}[\s-]\d{4})(?!\d)"
    r"|(?<!\d)(?:\(0\d{2,3}\)\s?|（0\d{2,3}）\s?|0\d{2,3}[\s-])[2-9]\d{6,7}(?!\d)"
)
_HARM_EN = (
    r"\b(?:(?:build|make|assemble|detonate|construct)\s+(?:a\s+|an\s+)?(?:pipe\s+|dirty\s+|nail\s+)?(?:bomb|explosive|ied)s?"
    r"|(?:synthesi[sz]e|cook|manufacture)\s+(?:meth(?:amphetamine)?|fentanyl|ricin|sarin|nerve\s+agents?)"
    r"|nerve\s+agent|bioweapons?|chemical\s+weapons?"
    r"|kill\s+(?:yourself|myself)|commit(?:ting)?\s+suicide|suicide\s+methods?|self[\s-]harm"
    r"|child\s+porn\w*|sexual(?:ize|ise)?\s+(?:a\s+)?(?:minor|child)(?:ren|s)?"
    r"|(?:write|create|develop|deploy)\s+(?:a\s+|an\s+)?(?:ransomware|malware|keylogger|computer\s+virus)"
    r"|(?:ethnic\s+cleansing|genocide)\s+(?:is|was)\s+(?:good|right|justified)|gas\s+the\s+\w+"
    r"|(?:steal|forge|counterfeit)\s+(?:\w+\s+)?(?:credit\s+cards?|passports?|identit(?:y|ies)|banknotes?))\b"
)
_HARM_ZH = (
    r"(?:制造|制作|自制|引爆)[^。！？\n]{0,6}(?:炸弹|炸药|爆炸物|毒气)|(?:合成|制造|提炼)[^。！？\n]{0,6}(?:冰毒|海洛因|芬太尼|毒品)"
    r"|自杀(?:方法|方式|教程)|自残|儿童色情|(?:编写|制作|植入)[^。！？\n]{0,6}(?:木马|勒索软件|病毒程序)"
    r"|(?:伪造|盗刷|盗取)[^。！？\n]{0,6}(?:身份证|护照|银行卡|信用卡)|生化武器|化学武器"
)
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("email", re.compile(_EMAIL)),
    ("phone_us", re.compile(_PHONE_US)),
    ("phone_cn", re.compile(_PHONE_CN)),
    ("harm", re.compile(f"{_HARM_EN}|{_HARM_ZH}", re.IGNORECASE)),
)


def matches(text: str) -> tuple[Match, ...]:
    """All that the patterns find, by kind and place."""
    return tuple(
        Match(kind, found[0], found.start()) for kind, pattern in _PATTERNS for found in pattern.finditer(text)
    )
