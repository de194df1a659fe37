"""A data set looked through row by row: bad rows, contradictions, duplicates, leaks, over-long prompts, statistics."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from scopeif.constraints.agreement import disagreement
from scopeif.constraints.contradictions import contradictions
from scopeif.constraints.dataset import Row
from scopeif.constraints.models import Instruction
from scopeif.constraints.statistics import Statistics

KEPT = 1000
"""Findings of a kind that are kept; further ones are counted."""


class Kind(str, Enum):
    """What a finding is about."""

    BAD_ROW = "bad row"
    UNSATISFIABLE = "unsatisfiable"
    CONTRADICTION = "contradiction"
    DISAGREEMENT = "text and spec"
    DUPLICATE = "duplicate"
    LEAK = "leak"
    LONG_PROMPT = "long prompt"


class Finding(NamedTuple):
    """One fault of one row.

    place: file and line (or row).
    id: of the instruction, where it has one.
    quotes: the constraint texts that the message is about.
    """

    kind: Kind
    place: str
    id: str | None
    message: str
    fix: str | None = None
    quotes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain values, without what is not known."""
        row = {**self._asdict(), "kind": self.kind.value}
        return {key: value for key, value in row.items() if value}


class _Seen(NamedTuple):
    place: str
    split: str


@dataclass
class Examination:
    """What was found so far; give it every row of every file.

    tokens: the number of tokens of an instruction's prompt; None leaves lengths out.
    max_tokens: a prompt with more is a finding.
    """

    tokens: Callable[[Instruction], int] | None = None
    max_tokens: int | None = None
    statistics: Statistics = field(default_factory=Statistics)
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[Kind] = field(default_factory=Counter)
    """All findings by kind, also those that are not kept."""
    bad_rows: int = 0
    faulty_rows: int = 0
    """Rows with at least one finding."""
    _seen: dict[tuple[str, bytes], list[_Seen]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Look at one row."""
        before = self.counts.total()
        if row.instruction is None:
            self.bad_rows += 1
            for fault in row.faults:
                self._found(Finding(Kind.BAD_ROW, row.place, None, fault.message, fault.fix))
        else:
            self.statistics.add(row.instruction)
            self._look_at(row.instruction, row.place)
        self.faulty_rows += self.counts.total() > before

    def _look_at(self, instruction: Instruction, place: str) -> None:
        for one in contradictions([constraint.spec for constraint in instruction.constraints]):
            fields = {f"constraints[{number}]": instruction.constraints[number].text for number in one.constraints}
            kind = Kind.CONTRADICTION if len(fields) > 1 else Kind.UNSATISFIABLE
            self._found(
                Finding(
                    kind, place, instruction.id, f"{', '.join(fields)}: {one.message}", quotes=tuple(fields.values())
                )
            )
        for number, constraint in enumerate(instruction.constraints):
            if words := disagreement(constraint):
                message = f"constraints[{number}]: {words}"
                self._found(Finding(Kind.DISAGREEMENT, place, instruction.id, message, quotes=(constraint.text,)))
        self._compare(instruction, place)
        if self.tokens is not None:
            self._measure(instruction, place, self.tokens(instruction))

    def _compare(self, instruction: Instruction, place: str) -> None:
        prompt = "\0".join(f"{message['role']}: {message['content']}" for message in instruction.chat())
        keys = {
            "the same prompt as {}": prompt,
            "the prompt of {} but for case, spaces and marks": plain(prompt),
            "the seed and the constraints of {}": _combination(instruction),
        }
        now = _Seen(place, instruction.split)
        told: set[str] = set()
        for what, text in keys.items():
            if text is None:
                continue
            earlier = self._seen.setdefault((what, hashlib.blake2b(text.encode(), digest_size=16).digest()), [])
            for seen in earlier:
                leaks = seen.split != now.split
                if seen.place in told or (not leaks and "but for" in what):
                    continue
                told.add(seen.place)
                message = f"has {what.format(seen.place)}" + (f"; that row is {seen.split} data" if leaks else "")
                self._found(Finding(Kind.LEAK if leaks else Kind.DUPLICATE, place, instruction.id, message))
            if all(seen.split != now.split for seen in earlier):  # one of each split is enough to tell
                earlier.append(now)

    def _measure(self, instruction: Instruction, place: str, tokens: int) -> None:
        self.statistics.longest_prompt_tokens = max(self.statistics.longest_prompt_tokens or 0, tokens)
        if self.max_tokens is not None and tokens > self.max_tokens:
            message = f"the prompt has {tokens} tokens, the limit is {self.max_tokens}"
            fix = f"raise data.max_prompt_length to {tokens}, or take the row out"
            self._found(Finding(Kind.LONG_PROMPT, place, instruction.id, message, fix))

    def _found(self, finding: Finding) -> None:
        self.counts[finding.kind] += 1
        if self.counts[finding.kind] <= KEPT:
            self.findings.append(finding)


def plain(text: str) -> str:
    """A text without what does not tell two prompts apart: case, width, spaces, punctuation and marks."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[^\w\0]|_", "", re.sub(r"(?<=\d)[\W_]+(?=\d)", "\0", folded))  # 1.5 is not 15


def _combination(instruction: Instruction) -> str | None:
    """What the row was made from: its seed and its constraints in any order; None without a seed."""
    seed = instruction.provenance.get("seed")
    if seed is None:
        return None
    made = sorted(one.spec.model_dump_json() if one.spec else one.text for one in instruction.constraints)
    return json.dumps([str(seed), made], ensure_ascii=False)
