"""Units of a text with their places: `units` lists them, `count` says how many.

    >>> [segment.text for segment in units("sentence", "One here. Two here.\\n\\nThree.")]
    ['One here.', 'Two here.', 'Three.']
    >>> paragraph = units("paragraph", "One here. Two here.\\n\\nThree.")[0]
    >>> count("sentence", "One here. Two here.\\n\\nThree.", paragraph)
    2

A text is read once: units inside a segment are those units of the whole text that lie in it.
"""

from __future__ import annotations

import difflib
import re
from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import NamedTuple

from tools_sandbox import json_text
from tools_sandbox.characters import UNSPACED
from tools_sandbox.inlines import Markup, markup
from tools_sandbox.markdown import Markdown, Node, parse
from tools_sandbox.sentences import sentence_spans
from tools_sandbox.source import Ambiguous, Segment, Source
from tools_sandbox.words import Span, hide, silent_spans, word_spans, words_of

BLOCK_UNITS = (
    "heading",
    "paragraph",
    "list",
    "list_item",
    "table",
    "table_row",
    "table_cell",
    "code_block",
    "quote",
)
UNITS = (
    "response", "section", *BLOCK_UNITS, "sentence", "line", "word", "character", "json_value", "json_pair",
    "highlight", "placeholder",
)  # fmt: skip
_OUTERMOST = frozenset({"section", "list", "quote", "json_value", "json_pair"})
_NESTED = _OUTERMOST | {"list_item"}
_APART = frozenset(UNITS) - _NESTED
_COUNTED = _APART - {"paragraph"}
PARSED = re.compile(r"`|~~~|\]\(|\]:")  # code, links and definitions hold words apart
_JSON_HINT = re.compile(r"[\[{]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def units(unit: str, text: str, within: Segment | None = None) -> list[Segment]:
    """The units of a kind in a text, in order, or those that lie in a segment of it.

    Of sections, lists, quotes and JSON the outermost ones count, seen from the segment. List items count at all
    depths, but a list has its own items only.

    Raises:
        ValueError: an unknown unit.
        Ambiguous: the text can fairly be read two ways.
    """
    document = read(text)
    if unit == "response":
        return [document.whole] if within is None or within.unit == "response" else []
    return document.segments(unit, within)


def count(unit: str, text: str, within: Segment | None = None) -> int:
    """How many units of a kind a text, or a segment of it, holds; raises as `units` does."""
    document = read(text)
    if unit == "response":
        return len(units(unit, text, within))
    return document.amount(unit, within)


class Headed(NamedTuple):
    """A heading with what stands under it, as indices of the source: its words, its line, and [body, end)."""

    name: Span
    start: int
    body: int
    end: int


class Document:
    """One text with everything that was found in it; each kind is found when first asked for."""

    def __init__(self, original: str) -> None:
        self.source = Source(original)
        text = self.source.text
        self.bounds: Span = self.source.trim(0, len(text)) if text.strip() else (0, 0)
        self._spans: dict[str, list[Span]] = {}
        self._segments: dict[str, dict[Span, Segment]] = {}
        self._under: dict[Callable[[str], str], dict[str, list[Headed]]] = {}

    @cached_property
    def whole(self) -> Segment:
        return self.source.segment(*self.bounds, "response")

    @cached_property
    def markdown(self) -> Markdown:
        return parse(self.source)

    @cached_property
    def markups(self) -> list[Markup]:
        """Inline markup by its place in the text, in order."""
        found = []
        for run in self.markdown.inlines:
            for kind, start, end in markup(run, self.markdown.references):
                found.append(Markup(kind, run.place(start), run.end_index(end)))
        return sorted(found, key=lambda span: (span.start, span.end))

    def segments(self, unit: str, within: Segment | None) -> list[Segment]:
        """The units of a kind with their texts; each is made once."""
        spans = self.spans(unit, within)
        if unit == "character":
            return [self.source.segment(start, end, unit) for start, end in spans]
        if unit not in self._segments:
            self._segments[unit] = self.source.segments(self._all(unit), unit)
        made = self._segments[unit]
        return [made[span] for span in spans]

    def spans(self, unit: str, within: Segment | None) -> list[Span]:
        """Where the units of a kind stand in the source's text."""
        if within is None or within.unit == "response":
            found = self._all(unit)
            return self._checked(unit, _outermost(found) if unit in _OUTERMOST else found, self.bounds)
        start, end = self._place(within)
        if unit == "character":
            return [(at, at + 1) for at in range(start, end)]
        if unit in _APART and unit != within.unit:
            first, beyond = self._range(unit, start, end)
            return self._checked(unit, self._all(unit)[first:beyond], (start, end))
        found = self._all(unit)
        started = found[bisect_left(found, (start, -1)) : bisect_left(found, (end + 1, -1))]
        inside = [span for span in started if span[1] <= end]
        if unit == within.unit:
            inside = [span for span in inside if span != (start, end)]
        own = unit in _OUTERMOST or (unit == "list_item" and within.unit == "list")
        return self._checked(unit, _outermost(inside) if own else inside, (start, end))

    def amount(self, unit: str, within: Segment | None) -> int:
        """How many units of a kind there are."""
        if unit == "character":
            start, end = self.bounds if within is None else self._place(within)
            return end - start
        if within is None or unit not in _COUNTED or unit == within.unit or within.unit == "response":
            return len(self.spans(unit, within))
        start, end = self._place(within)
        if unit == "word":
            self._checked(unit, [], (start, end))
        first, beyond = self._range(unit, start, end)
        return beyond - first

    def _place(self, segment: Segment) -> Span:
        if self.source.keeps_offsets:
            return segment.start, segment.end
        return self.source.index(segment.start), self.source.index(segment.end)

    def _range(self, unit: str, start: int, end: int) -> tuple[int, int]:
        """First and last number of the units that lie in [start, end), for a kind whose units lie apart."""
        found = self._all(unit)
        first = bisect_left(found, (start, -1))
        beyond = bisect_left(found, (end + 1, -1), first)
        while beyond > first and found[beyond - 1][1] > end:
            beyond -= 1
        return first, beyond

    def _all(self, unit: str) -> list[Span]:
        found = self._spans.get(unit)
        if found is None:
            found = self._spans[unit] = self._find(unit)
        return found

    def _find(self, unit: str) -> list[Span]:
        if unit in BLOCK_UNITS:
            nodes = [node for node in self.markdown.nodes if node.kind == unit]
            return [(node.start, node.end) for node in nodes if unit != "table_row" or node.info == "body"]
        if unit in ("highlight", "placeholder"):
            return [(span.start, span.end) for span in self.markups if span.kind == unit]
        match unit:
            case "character":
                return [(at, at + 1) for at in range(*self.bounds)]
            case "word":
                return self._words()
            case "sentence":
                return self._sentences()
            case "line":
                starts = self.source.line_starts
                trimmed = [self.source.trim(start, self.source.line_end(at)) for at, start in enumerate(starts)]
                return [span for span in trimmed if span[0] < span[1]]
            case "section":
                return self._sections()
            case "json_value" | "json_pair":
                return self._json(unit)
        close = difflib.get_close_matches(unit, UNITS, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(UNITS)}"
        raise ValueError(f"unit {unit!r} is unknown{hint}")

    def _words(self) -> list[Span]:
        text = self.source.text
        if not PARSED.search(text):
            return words_of(text)
        code = sorted([*self.markdown.code, *(span[1:] for span in self.markups if span.kind == "code")])
        silent = self.markdown.silent + [span[1:] for span in self.markups if span.kind == "target"]
        return word_spans(text, hide(text, silent + silent_spans(text, code)))

    def _sentences(self) -> list[Span]:
        opaque = [span for span in self.markups if span.kind in ("code", "target")] if self._has_opaque else []
        starts = [span.start for span in opaque]
        found = []
        for kind, run in self.markdown.prose:
            first, last = run.place(0), run.end_index(len(run.content))
            held = opaque[bisect_left(starts, first) : bisect_left(starts, last)]
            places = [(run.offset(span.start), run.offset(span.end)) for span in held]
            for start, end in sentence_spans(run.content, places, needs_mark=kind == "list_item"):
                found.append((run.place(start), run.end_index(end)))
        return sorted(found)

    @property
    def _has_opaque(self) -> bool:
        return "`" in self.source.text or "](" in self.source.text or bool(self.markdown.references)

    def _sections(self) -> list[Span]:
        """From each heading to the next of its level or above; a lone title over deeper headings opens none."""
        levels = [node.level for node in self._top_headings]
        lone_title = len(levels) > 1 and levels[0] < min(levels[1:])
        return [self.source.trim(headed.start, headed.end) for headed in self.headed[lone_title:]]

    @cached_property
    def headed(self) -> list[Headed]:
        """The headings outside quotes and lists, in order, each with what stands under it."""
        found: list[Headed] = []
        open_: list[tuple[int, int]] = []
        for node in self._top_headings:
            start = self.source.text.rfind("\n", 0, node.start) + 1
            while open_ and open_[-1][0] >= node.level:
                number = open_.pop()[1]
                found[number] = found[number]._replace(end=start)
            open_.append((node.level, len(found)))
            body = self.source.text.find("\n", node.end)
            if body >= 0 and "#" not in self.source.text[start : node.start]:
                body = self.source.text.find("\n", body + 1)  # behind the line that underlines it
            found.append(Headed((node.start, node.end), start, body if body >= 0 else self.bounds[1], self.bounds[1]))
        return found

    def under(self, heading: str, key: Callable[[str], str]) -> list[Headed]:
        """The headings that read like `heading` by a key, without those that stand under another one of them."""
        if key not in self._under:
            named: dict[str, list[Headed]] = {}
            for headed in self.headed:
                same = named.setdefault(key(self.source.text[slice(*headed.name)]), [])
                if not same or headed.start >= same[-1].end:
                    same.append(headed)
            self._under[key] = named
        return self._under[key].get(key(heading), [])

    @cached_property
    def _top_headings(self) -> list[Node]:
        return [node for node in self.markdown.nodes if node.kind == "heading" and node.info == "top"]

    def _json(self, unit: str) -> list[Span]:
        """Values or pairs of the response, or else of its code blocks, where they are a JSON object or array."""
        if not _JSON_HINT.search(self.source.text):
            return []
        places = [
            self.bounds,
            *((node.start, node.end) for node in self.markdown.nodes if node.kind == "code_block"),
        ]
        found: list[Span] = []
        for start, end in places:
            inner = json_text.spans(self.source.text[start:end])
            found += [(start + span.start, start + span.end) for span in inner if "json_" + span.kind == unit]
        return sorted(found, key=lambda span: (span[0], -span[1]))

    @cached_property
    def _unspaced(self) -> list[int]:
        if self.source.text.isascii():
            return []
        return [match.start() for match in UNSPACED.finditer(self.source.text) if match[0].isalpha()]

    def _unspaced_in(self, bounds: Span) -> bool:
        if not self._unspaced:
            return False
        at = bisect_left(self._unspaced, bounds[0])
        return at < len(self._unspaced) and self._unspaced[at] < bounds[1]

    def _checked(self, unit: str, spans: list[Span], bounds: Span) -> list[Span]:
        if unit == "word" and self._unspaced_in(bounds):
            raise Ambiguous("words of a script that is written without spaces cannot be counted")
        if unit == "paragraph" and not self._split.isdisjoint(spans):
            raise Ambiguous("sentences on lines of their own, with no blank line: one paragraph or several")
        return spans

    @cached_property
    def _split(self) -> frozenset[Span]:
        """Paragraphs that read as several, where no blank line shows how the text parts paragraphs."""
        if _BLANK_LINE.search(self.source.text, *self.bounds):
            return frozenset()
        nodes = self.markdown.nodes
        return frozenset((node.start, node.end) for node in nodes if node.kind == "paragraph" and node.info == "split")

    @cached_property
    def _lists(self) -> list[Node]:
        return [node for node in self.markdown.nodes if node.kind == "list"]

    @cached_property
    def _list_starts(self) -> list[int]:
        return [node.start for node in self._lists]

    def list_depth(self, within: Segment | None) -> int:
        """Levels of nested lists in the text or a segment."""
        start, end = self.bounds
        if within is not None:
            start, end = self.source.index(within.start), self.source.index(within.end)
        first = bisect_left(self._list_starts, start)
        last = bisect_left(self._list_starts, end + 1, first)
        levels = [node.level for node in self._lists[first:last] if node.end <= end]
        return max(levels) - min(levels) + 1 if levels else 0


@lru_cache(maxsize=8)
def read(text: str) -> Document:
    """The document of a text; the last few are kept."""
    return Document(text)


def list_depth(text: str, within: Segment | None = None) -> int:
    """Levels of nested lists in a text or in a segment of it; a flat list is 1."""
    return read(text).list_depth(within)


def _outermost(spans: list[Span]) -> list[Span]:
    """Without those inside another one; the spans are nested or apart, outer ones first."""
    kept: list[Span] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept
