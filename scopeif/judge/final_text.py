"""The part of a judge's answer that is meant to be read: without its thinking and without channel marks."""

from __future__ import annotations

import re

from scopeif.errors import JudgeFormatError
from scopeif.judge.loose_json import blocks

MAX_TEXT = 262_144
"""Longer texts are refused, in characters."""

_PAIRS = (("<think>", "</think>"), ("<thinking>", "</thinking>"), ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"))
_FINAL_MARK = re.compile(r"<\|channel\|>\s*final\b[^<]*<\|message\|>")
_OTHER_MARK = re.compile(r"<\|(?:start|end|return|channel|message|call)\|>")
_LEAKED_START = re.compile(r"\s*(?:assistant)?\s*analysis")
_LEAKED_FINAL = re.compile(r"assistant\s*final")


def final_text(text: object) -> str:
    """The judge's own final text: what follows its thinking.

    Raises:
        JudgeFormatError: nothing is left: no text, or thinking that never closed; or it is no text, or too long.
    """
    if not isinstance(text, str):
        raise JudgeFormatError(f"the judge's answer is {text!r:.40}, not text")
    for opening, closing in _PAIRS:
        if text.lstrip().startswith(opening) and closing not in text:
            raise JudgeFormatError("the judge's thinking never closed")
    final = _final_channel(text)
    if len(final) > MAX_TEXT:
        raise JudgeFormatError(f"the text has {len(final)} characters, more than {MAX_TEXT}")
    cut = 0
    if any(closing in final for _, closing in _PAIRS):
        cut = _end_of_thinking(final)
    if not final[cut:].strip():
        raise JudgeFormatError("the judge's answer is empty")
    return final[cut:]


def _end_of_thinking(final: str) -> int:
    """Behind the last closing tag, those apart that are quoted inside a JSON list or object; 0 where all are."""
    quoting = [block for block in blocks(final) if block.fault is None]
    cut = 0
    for opening, closing in _PAIRS:
        places = [match.start() for match in re.finditer(re.escape(closing), final)]
        ends = [place for place in places if not any(block.start < place < block.end for block in quoting)]
        if ends:
            cut = max(cut, ends[-1] + len(closing))
        elif final.lstrip().startswith(opening):
            raise JudgeFormatError("the judge's thinking never closed")
    return cut


def _final_channel(text: str) -> str:
    """The final channel of gpt-oss models, whose marks, or what is left of them, may leak into the content."""
    marks = list(_FINAL_MARK.finditer(text))
    if marks:
        return _OTHER_MARK.split(text[marks[-1].end() :], maxsplit=1)[0]
    if _OTHER_MARK.search(text):
        raise JudgeFormatError("the judge's answer has no final channel")
    if _LEAKED_START.match(text) and (leaked := _LEAKED_FINAL.search(text)):
        return text[leaked.end() :]
    return text
