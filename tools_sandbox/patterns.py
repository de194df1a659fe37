r"""Patterns without backtracking: a subset of regular expressions that is matched in one pass over the text.

>>> matches("Question 12: Why? Answer: 4", r"^Question \d+: .+ Answer: .+$")
True
>>> matches("see <<>> or <<>> here", "<<[^<>]+>>")
False

Written as in Python's `re`: literals, ``.`` (any character, line breaks too), classes such as ``[a-z_]`` and
``[^<>]``, ``\d \D \w \W \s \S \n \t``, a backslash before a sign, the quantifiers ``? * + {n} {n,} {n,m}`` behind one
character or class, ``^`` and ``$`` at the ends, and ``|`` between whole alternatives. Groups, back references,
look-arounds, ``\b`` and lazy quantifiers are refused: without them a pattern is a row of positions, and the positions
that are reached after each character are the bits of one integer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache

from tools_sandbox.characters import ZERO_WIDTH

MAX_LENGTH = 500
"""Longest pattern, in characters."""

MAX_POSITIONS = 1000
"""Most characters that the alternatives of a pattern may spell out, repetitions included."""

_Test = Callable[[str], bool]
_CONTROLS = {"n": "\n", "t": "\t"}


class PatternError(ValueError):
    """A pattern that is not of the subset; the message says where and why."""


def matches(text: str, pattern: str, case_sensitive: bool = True) -> bool:
    r"""Whether a regular expression without groups matches somewhere in the text; ``^`` and ``$`` are its ends.

    White space around the text and zero-width characters do not count; ``\r\n`` is one line end.

    Raises:
        PatternError: the pattern is not of the subset that this module describes.
    """
    return _short_matches(text, pattern, case_sensitive) if len(text) <= 40 else _matches(text, pattern, case_sensitive)


def _matches(text: str, pattern: str, case_sensitive: bool) -> bool:
    if not text.isascii():
        text = ZERO_WIDTH.sub("", unicodedata.normalize("NFC", text))
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    return any(branch.found_in(text) for branch in compiled(pattern, case_sensitive))


_short_matches = lru_cache(maxsize=4096)(_matches)  # words, which recur


@lru_cache(maxsize=256)
def compiled(pattern: str, case_sensitive: bool = True) -> tuple[Branch, ...]:
    """The alternatives of a pattern.

    Raises:
        PatternError: the pattern is not of the subset.
    """
    return _Reader(unicodedata.normalize("NFC", pattern), case_sensitive).read()


class Branch:
    """One alternative: positions in a row, each with what it takes, whether it repeats, whether it may be left out.

    Bit `n` of a state says that the first `n` positions are passed.
    """

    def __init__(self, at_start: bool) -> None:
        self.at_start = at_start
        self.at_end = False
        self.tests: list[_Test] = []
        self.repeating = 0
        self.optional = 0
        self._masks = _Masks(self.tests)

    def add(self, test: _Test, low: int, high: int | None) -> None:
        """Positions for one character or class from `low` to `high` times; None is any number."""
        for number in range(max(low, 1) if high is None else high):
            self.tests.append(test)
            bit = 1 << len(self.tests)
            self.optional |= bit if number >= low else 0
            self.repeating |= bit if high is None and number == max(low, 1) - 1 else 0

    def found_in(self, text: str) -> bool:
        """Whether the alternative matches somewhere in the text."""
        masks, repeating, optional, start = self._masks, self.repeating, self.optional, 0 if self.at_start else 1
        accepted = 1 << len(self.tests)
        enough = 0 if self.at_end else accepted
        state = self._skipping(1)
        for char in text:
            if state & enough:
                return True
            state = ((state << 1 | state & repeating) & masks[char]) | start
            first = state << 1 & optional
            if first:  # a carry runs over the optional positions behind those that are passed
                state |= ((optional + first) ^ optional | first) & optional
            elif not state:
                return False
        return bool(state & accepted)

    def _skipping(self, state: int) -> int:
        first = state << 1 & self.optional
        return state | (((self.optional + first) ^ self.optional | first) & self.optional)


class _Masks(dict[str, int]):
    """The positions that take a character, as bits."""

    def __init__(self, tests: list[_Test]) -> None:
        self.tests = tests

    def __missing__(self, char: str) -> int:
        self[char] = mask = sum(1 << number for number, test in enumerate(self.tests, 1) if test(char))
        return mask


class _Reader:
    """Reads a pattern from left to right."""

    def __init__(self, pattern: str, case_sensitive: bool) -> None:
        if len(pattern) > MAX_LENGTH:
            raise PatternError(f"the pattern has {len(pattern)} characters; at most {MAX_LENGTH} are read")
        self.pattern = pattern
        self.case_sensitive = case_sensitive
        self.at = 0

    def read(self) -> tuple[Branch, ...]:
        branches = [self._branch()]
        while self._take("|"):
            branches.append(self._branch())
        positions = sum(len(branch.tests) for branch in branches)
        if positions > MAX_POSITIONS:
            raise PatternError(f"pattern {self.pattern!r} spells out {positions} characters; at most {MAX_POSITIONS}")
        if not all(branch.tests for branch in branches):
            raise PatternError(f"pattern {self.pattern!r} has an alternative that asks for nothing")
        return tuple(branches)

    def _branch(self) -> Branch:
        branch = Branch(self._take("^"))
        while self.at < len(self.pattern) and self.pattern[self.at] != "|":
            if self._take("$"):
                if self.at < len(self.pattern) and self.pattern[self.at] != "|":
                    raise self._error(self.at - 1, "$ stands at the end of an alternative only; write \\$ for the sign")
                branch.at_end = True
            else:
                branch.add(self._test(), *self._times())
        return branch

    def _take(self, sign: str) -> bool:
        found = self.pattern.startswith(sign, self.at)
        self.at += found
        return found

    def _next(self, missing: str) -> str:
        if self.at == len(self.pattern):
            raise self._error(self.at, missing)
        self.at += 1
        return self.pattern[self.at - 1]

    def _error(self, at: int, reason: str) -> PatternError:
        return PatternError(f"pattern {self.pattern!r}, character {at + 1}: {reason}")

    def _test(self) -> _Test:
        start, char = self.at, self._next("something is missing")
        if char == ".":
            return lambda _: True
        if char == "\\":
            return self._escaped()
        if char == "[":
            return self._class()
        if char in "()":
            raise self._error(start, f"groups are not read; write \\{char} for the sign")
        if char in "^*+?{":
            raise self._error(start, f"{char} has nothing to work on; write \\{char} for the sign")
        return self._folded(char.__eq__)

    def _folded(self, test: _Test) -> _Test:
        if self.case_sensitive:
            return test
        return lambda char: any(test(other) for other in (char, char.lower(), char.upper()) if len(other) == 1)

    def _escaped(self) -> _Test:
        start, char = self.at - 1, self._next("nothing follows the backslash")
        if char.lower() in "dws":
            test = {"d": str.isdecimal, "s": str.isspace, "w": _is_word}[char.lower()]
            return test if char.islower() else _not(test)
        if char in _CONTROLS:
            return _CONTROLS[char].__eq__
        if char.isalnum():
            raise self._error(start, f"\\{char} is not read")
        return char.__eq__

    def _class(self) -> _Test:
        start, negated = self.at - 1, self._take("^")
        tests: list[_Test] = []
        while not (tests and self._take("]")):
            first = self._member(start)
            if isinstance(first, str) and self.pattern[self.at : self.at + 1] == "-":
                if self.pattern[self.at + 1 : self.at + 2] in ("]", ""):
                    tests.append(first.__eq__)
                    continue
                self.at += 1
                last = self._member(start)
                if not isinstance(last, str) or last < first:
                    raise self._error(start, "a range in the class goes from a character to a later one")
                tests.append(_between(first, last))
            else:
                tests.append(first.__eq__ if isinstance(first, str) else first)
        test = self._folded(lambda char: any(member(char) for member in tests))
        return _not(test) if negated else test

    def _member(self, start: int) -> str | _Test:
        """A character of a class, or the test of a class within it."""
        char = self._next(f"the class that opens at character {start + 1} does not close")
        if char == "[" and self.pattern[self.at : self.at + 1] == ":":
            raise self._error(self.at - 1, "names of classes such as [:alpha:] are not read")
        if char != "\\":
            return char
        following = self.pattern[self.at : self.at + 1]
        if following and following.lower() in "dws":
            return self._escaped()
        char = self._next("nothing follows the backslash")
        if char.isalnum() and char not in _CONTROLS:
            raise self._error(self.at - 2, f"\\{char} is not read")
        return _CONTROLS.get(char, char)

    def _times(self) -> tuple[int, int | None]:
        """How often what was read may stand there."""
        start, low, high = self.at, 1, 1
        times: tuple[int, int | None] = (low, high)
        for sign, wanted in (("?", (0, 1)), ("*", (0, None)), ("+", (1, None))):
            if self._take(sign):
                times = wanted
                break
        else:
            if self._take("{"):
                times = self._braces(start)
        if self.at > start and self.pattern[self.at : self.at + 1] in ("?", "*", "+", "{"):
            raise self._error(self.at, "a second quantifier is not read; a match is found in any case")
        return times

    def _braces(self, start: int) -> tuple[int, int | None]:
        end = self.pattern.find("}", self.at)
        low, comma, high = self.pattern[self.at : max(end, self.at)].partition(",")
        numbers = [low, *([high] if high else [])]
        if end < 0 or not all(number.isascii() and number.isdigit() and len(number) < 5 for number in numbers):
            raise self._error(start, "a number of times is {3}, {2,} or {2,4}; write \\{ for the sign")
        self.at = end + 1
        if comma and not high:
            return int(low), None
        least, most = int(low), int(high or low)
        if most < least or most == 0:
            raise self._error(start, f"{least} to {most} times is never")
        if most > MAX_POSITIONS:
            raise self._error(start, f"at most {MAX_POSITIONS} times can be asked for")
        return least, most


def _between(first: str, last: str) -> _Test:
    return lambda char: first <= char <= last


def _not(test: _Test) -> _Test:
    return lambda char: not test(char)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
