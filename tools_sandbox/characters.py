"""What single characters are: letters, numbers, Han ideographs, separators, marks; and the runs read as a whole."""

from __future__ import annotations

import re
import unicodedata

ZERO_WIDTH = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""Characters that neither count nor separate."""

_URL = r"(?:(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.\-]{1,20}://|(?<![A-Za-z0-9.])www\.)[^\s<>\"“”`|\u3000-\u303f\uff01-\uff60\u4e00-\u9fff]+"
_EMAIL = r"(?<![A-Za-z0-9_.%+\-])[A-Za-z0-9_.%+\-]+@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+"
_ADDRESS = re.compile(f"{_URL}|{_EMAIL}")
_ADDRESS_HINT = re.compile(r"://|@|www\.")
_BRACKETS = {")": "(", "]": "["}

EMOJI = (
    "[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab\u26bd"
    "\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755"
    "\u2757\u2764\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a"
    "\U0001f201\U0001f21a\U0001f22f\U0001f232-\U0001f236\U0001f238-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001faff]"
)
KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")
_ONE_EMOJI = f"(?:{EMOJI}|[\u00a9\u00ae\u203c-\u3299]\ufe0f)\ufe0f?[\U0001f3fb-\U0001f3ff]?"
EMOJI_RUN = re.compile(
    f"[\U0001f1e6-\U0001f1ff]{{2}}|[0-9#*]\ufe0f?\u20e3|{_ONE_EMOJI}(?:\u200d(?:{_ONE_EMOJI}|[\u2190-\u2bff]))*"
)
"""One emoji as a reader sees it: a ZWJ sequence, a flag and a keycap are one."""

_HAN_RANGES = (
    (0x3005, 0x3005), (0x3007, 0x3007), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3347F),
)  # fmt: skip
HAN = "".join(f"{chr(first)}-{chr(last)}" for first, last in _HAN_RANGES)
"""Han ideographs, for the inside of a class of a pattern."""

UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
"""A character of a script that is written without spaces: Thai, Lao, Burmese, Khmer."""

_ALWAYS_SEPARATE = "—―⸺⸻…⋯|｜;!?；！？。、｡､（）［］｛｝【】「」『』《》〈〉〔〕〖〗"
_PAIRED = '"“”„‟‘‚‛«»‹›()[]{}<>'
_HYPHENS = "-‐‑"
_EDGE = "'’*_~`/\\–=^"


def is_han(char: str) -> bool:
    """Whether a character is a Han ideograph: all extensions, compatibility forms, 〇 and 々."""
    code = ord(char)
    return code >= 0x3005 and any(first <= code <= last for first, last in _HAN_RANGES)


def _class_of(char: str) -> str:
    """One letter for what a character does in a word, see `CLASSES`."""
    if char in _HYPHENS:
        return "-"
    if char == ".":
        return "."
    if char in ",:．，：":
        return ","
    if char.isspace() or char in _ALWAYS_SEPARATE:
        return " "
    if char in _PAIRED:
        return "q"
    if ZERO_WIDTH.match(char):
        return "z"
    if is_han(char):
        return "h"
    category = unicodedata.category(char)
    if category[0] == "M":
        return "z"
    if category[0] == "N":
        return "n"
    if category[0] != "L":
        return "e" if char in _EDGE else "p"
    if UNSPACED.match(char):
        return "t"
    return {"Ll": "l", "Lu": "u"}.get(category, "o")


class _Classes(dict[int, str]):
    def __missing__(self, code: int) -> str:
        self[code] = value = _class_of(chr(code))
        return value


CLASSES = _Classes()
"""For `str.translate`: l, u, o letters (lower, upper, other); t letters of scripts without spaces; n number; h Han;
z nothing (zero width, combining); space separates; `,` separates but between digits; q separates between letters;
`-` and `.` separate when doubled; e and p join, but e does not belong to a word that it stands at the edge of."""


def addresses(text: str) -> list[tuple[int, int]]:
    """The places of URLs and e-mail addresses, without the punctuation that closes a sentence behind them."""
    if not _ADDRESS_HINT.search(text):
        return []
    return [(match.start(), match.start() + _address_length(match[0])) for match in _ADDRESS.finditer(text)]


def _address_length(text: str) -> int:
    end = len(text)
    surplus = {close: text.count(close) - text.count(opener) for close, opener in _BRACKETS.items()}
    while end > 1:
        last = text[end - 1]
        if last in surplus and surplus[last] > 0:
            surplus[last] -= 1
        elif last not in ".,;:!?'*_~…’}":
            break
        end -= 1
    return end
