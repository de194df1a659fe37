"""The records of a spec on a written document, from what is known of it: no text is parsed.

`scopeif.measure.evaluate` must come to the same records from the text alone; the tests hold one against the other.
Where a spec presupposes what the document has not, or compares with several, there is nothing to know: `None`.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from itertools import pairwise

from scopeif.constraints import spec as sp
from scopeif.errors import SpecError
from scopeif.reward.record import Record
from scopeif.synthesis import document as doc
from scopeif.synthesis.script import EMOJI, SCRIPTS, is_han
from scopeif.synthesis.writing import Span, Written

_MARKS = {
    "comma": ",，",
    "exclamation_mark": "!！",
    "question_mark": "?？",
    "emoji": "".join(EMOJI),
    "digit": "0123456789",
}


def records(spec: sp.Spec, written: Written) -> list[Record] | None:
    """The records of all clauses, or None where one of them has nothing to measure."""
    if written.titled:
        return None
    found: list[Record] = []
    for clause in spec.clauses:
        some = _clause(clause, written)
        if not some:
            return None
        found += some
    return found


def satisfied(spec: sp.Spec, written: Written) -> bool:
    """Whether there is something to measure and all of it lies in its bounds."""
    found = records(spec, written)
    return found is not None and all(record.satisfied for record in found)


def violation(found: list[Record]) -> float:
    """How far the records lie outside their bounds together."""
    return sum(max(record.lower - record.actual, record.actual - record.upper, 0) for record in found)


def groups(chain: sp.Chain, written: Written) -> list[list[Span]] | None:
    """The selected segments; those of one group are compared with their predecessors. None where one is missing."""
    several = [number for number, step in enumerate(chain) if not isinstance(step, sp.At)]
    at = several[-1] if several else 0
    outer = _walk(chain[:at], [written.whole], written)
    if outer is None:
        return None
    found = [_walk(chain[at:], [span], written) for span in outer]
    return None if any(group is None for group in found) else [group for group in found if group]


def selected(step: sp.Selection, span: Span, written: Written) -> list[Span]:
    """The units that one step selects in a segment."""
    inside = written.inside(step.unit, span)
    match step:
        case sp.Each():
            return inside
        case sp.At(index=index):
            place = index - 1 if index > 0 else len(inside) + index
            return [inside[place]] if 0 <= place < len(inside) else []
        case sp.Where(predicate=predicate):
            return [unit for number, unit in enumerate(inside, 1) if holds(predicate, unit, number, written)]


def value(measure: sp.Measure, span: Span, written: Written) -> int | None:
    """The value of a measure on a segment; None where an order has fewer than two units."""
    text = written.text_of(span)
    match measure:
        case sp.Length(unit="character"):
            return len(text)
        case sp.Count(unit=unit, where=sp.MatchesPattern() as where):
            return sum(holds(where, one, number, written) for number, one in enumerate(written.inside(unit, span), 1))
        case sp.Length():
            return written.words(span)
        case sp.Count(unit=unit, where=None):
            return len(written.inside(unit, span))
        case sp.Occurrences(text=wanted, case_sensitive=cased, whole_word=whole):
            return _occurrences(text, wanted, cased, whole)
        case sp.Present(text=wanted, case_sensitive=cased):
            return int(_occurrences(text, wanted, cased, True) > 0)
        case sp.ClassCount(char_class=name):
            return _class_count(text, name)
        case sp.Starts(text=wanted, case_sensitive=cased):
            return int(_cased(text, cased).startswith(_cased(wanted, cased)))
        case sp.Ends(text=wanted, case_sensitive=cased):
            return int(_cased(text, cased).endswith(_cased(wanted, cased)))
        case sp.Wrapped(by="double_quotes"):
            return int(_wrapped(text))
        case sp.LetterCase(case=case):
            other = str.islower if case == "upper" else str.isupper
            return int(any(char.isalpha() for char in text) and not any(other(char) for char in text))
        case sp.Divided():
            return _parts(span.node)
        case sp.Depth(of=of):
            return _list_depth(span.node) if of == "list" else _json_depth(span.node)
        case sp.Valid(format=format_):
            return int(_valid(span.node, format_))
        case sp.Sorted() | sp.Chained() | sp.Acrostic():
            return _related(measure, [written.text_of(unit) for unit in written.inside(measure.unit, span)])
    raise SpecError(f"nothing is known of {measure!r}")


def holds(predicate: sp.Predicate, span: Span, number: int, written: Written) -> bool:
    """Whether a predicate holds for the unit of a 1-based number."""
    text = written.text_of(span)
    match predicate:
        case sp.Contains(text=wanted, case_sensitive=cased):
            return _occurrences(text, wanted, cased, True) > 0
        case sp.StartsWith(text=wanted, case_sensitive=cased):
            return _cased(text, cased).startswith(_cased(wanted, cased))
        case sp.EndsWith(text=wanted, case_sensitive=cased):
            return _cased(text, cased).endswith(_cased(wanted, cased))
        case sp.IndexIs(modulus=modulus, remainder=remainder):
            return number % modulus == remainder
        case sp.LengthIs(unit=unit, lower=lower, upper=upper):
            size = len(text) if unit == "character" else written.words(span)
            return (lower or 0) <= size and (upper is None or size <= upper)
        case sp.MatchesPattern(pattern=pattern, case_sensitive=cased):
            return bool(re.search(pattern, text, 0 if cased else re.IGNORECASE))
        case sp.UnderHeading(text=wanted):
            sections = written.all_of("section")
            around = [one for one in sections if one.start <= span.start and span.end <= one.end]
            return any(heading_text(one, written) == wanted.lower() for one in around)
        case sp.AllOf(of=inner):
            return all(holds(one, span, number, written) for one in inner)
        case sp.AnyOf(of=inner):
            return any(holds(one, span, number, written) for one in inner)
        case sp.Not(of=one):
            return not holds(one, span, number, written)
    raise SpecError(f"nothing is known of {predicate!r}")


def heading_text(section: Span, written: Written) -> str:
    """The heading of a section, in lower case."""
    return written.text_of(written.inside("heading", section)[0]).lower()


# -- clauses ---------------------------------------------------------------------------------------------


def _walk(chain: tuple[sp.Selection, ...], spans: list[Span], written: Written) -> list[Span] | None:
    for step in chain:
        found: list[Span] = []
        for span in spans:
            inside = selected(step, span, written)
            if not inside and not isinstance(step, sp.Where):
                return None
            found += inside
        spans = found
    return spans


def _clause(clause: sp.Clause, written: Written) -> list[Record] | None:
    several = groups(clause.scope, written)
    if several is None:
        return None
    found: list[Record] = []
    reference: int | None = None
    range_ = clause.range
    if isinstance(range_, sp.Relative) and isinstance(range_.to, sp.Named):
        named = groups(range_.to.scope, written)
        if named is None or [len(group) for group in named] != [1]:
            return None
        reference = value(clause.measure, named[0][0], written)
    for group in several:
        previous: int | None = None
        for span in group:
            actual = value(clause.measure, span, written)
            if actual is None:
                return None
            if isinstance(range_, sp.Bounds):
                bounds: tuple[float, float] | None = _absolute(range_)
            elif isinstance(range_.to, sp.Named):
                bounds = _relative(range_, actual, reference)
            elif isinstance(range_.to, sp.Same):
                bounds = _relative(range_, actual, value(range_.to.measure, span, written))
            elif previous is None:
                previous = actual
                continue
            else:
                bounds = _relative(range_, actual, previous)
                previous = actual
            if bounds is None:
                return None
            found.append(Record(*bounds, actual, clause.object, start=span.start, end=span.end))
    return found


def _absolute(range_: sp.Bounds) -> tuple[float, float]:
    lower = -math.inf if range_.lower is None else range_.lower
    return lower, math.inf if range_.upper is None else range_.upper


def _relative(range_: sp.Relative, actual: int, reference: int | None) -> tuple[float, float] | None:
    if reference is None or (actual == reference == 0 and range_.factor != 1 and not range_.offset):
        return None
    lower, upper = relative_bounds(range_, reference)
    return -math.inf if lower is None else lower, math.inf if upper is None else upper


def relative_bounds(range_: sp.Relative, reference: int) -> tuple[int | None, int | None]:
    """Bounds beside a reference; the factors and offsets of our own specs are whole numbers."""
    right = int(range_.factor) * reference + int(range_.offset)
    bounds: dict[str, tuple[int | None, int | None]] = {
        "more": (right + 1, None),
        "at_least": (right, None),
        "equal": (right, right),
        "at_most": (None, right),
        "fewer": (None, right - 1),
    }
    return bounds[range_.relation]


# -- values ----------------------------------------------------------------------------------------------


def _cased(text: str, case_sensitive: bool) -> str:
    return text if case_sensitive else text.lower()


@lru_cache(maxsize=4096)
def _keyword(wanted: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9]){re.escape(wanted)}(?![A-Za-z0-9])")


def _occurrences(text: str, wanted: str, case_sensitive: bool, whole_word: bool) -> int:
    text, wanted = _cased(text, case_sensitive), _cased(wanted, case_sensitive)
    if not whole_word or any(map(is_han, wanted)) or not any(map(str.isalnum, wanted)):
        return text.count(wanted)
    return len(_keyword(wanted).findall(text)) if wanted in text else 0


def _class_count(text: str, name: str) -> int:
    if name in _MARKS:
        return sum(text.count(mark) for mark in _MARKS[name])
    if name == "uppercase_letter":
        return sum(char.isupper() for char in text)
    raise SpecError(f"nothing is known of the class {name!r}")


def _wrapped(text: str) -> bool:
    for opening, closing in (script.quotes for script in SCRIPTS.values()):
        if len(text) > 2 and text[0] == opening and text[-1] == closing:
            inner = text[1:-1]
            return opening not in inner and closing not in inner
    return False


def _parts(node: doc.Holder) -> int:
    """Stretches of text between dividers."""
    parts, filled = 0, isinstance(node, doc.Section)
    for block in doc.blocks(node):
        if isinstance(block, doc.Divider):
            parts += filled
        filled = not isinstance(block, doc.Divider)
    return parts + filled


def _list_depth(node: doc.Holder) -> int:
    match node:
        case doc.Bullets(items=items):
            return 1 + max((_list_depth(item) for item in items), default=0)
        case doc.Item(items=items):
            return 1 + max(_list_depth(item) for item in items) if items else 0
        case doc.Document(blocks=blocks) | doc.Section(blocks=blocks):
            return max((_list_depth(block) for block in blocks), default=0)
    return 0


def _json_depth(node: doc.Holder) -> int:
    match node:
        case doc.Document(blocks=[doc.Object() as one]) | doc.Code(value=doc.Object() as one):
            return _json_depth(one) if _whole(one) else 0
        case doc.Object(pairs=pairs):
            return 1 + max((_json_depth(pair.value) for pair in pairs), default=0)
    return 0


def _whole(one: doc.Object) -> bool:
    return not one.broken and all(_whole(pair.value) for pair in one.pairs if isinstance(pair.value, doc.Object))


def _valid(node: doc.Holder, format_: str) -> bool:
    match node:
        case doc.Document(blocks=[doc.Object() | doc.Grid() as one]) | doc.Code(value=one):
            if isinstance(one, doc.Grid):
                return format_ == "csv" and not one.broken
            return format_ in ("json", "json_object") and _whole(one)
    return False


def _related(measure: sp.Sorted | sp.Chained | sp.Acrostic, texts: list[str]) -> int | None:
    if isinstance(measure, sp.Acrostic):
        firsts = [next(char for char in text if char.isalnum()) for text in texts]
        return int([char.lower() for char in firsts] == list(measure.text.lower()))
    if len(texts) < 2:
        return None
    if isinstance(measure, sp.Sorted):
        keys = [text.lower().strip('*"“”') for text in texts]
        if any(is_han(key[0]) for key in keys):
            return None  # Chinese has several orders
        return int(all((left >= right) if measure.descending else (left <= right) for left, right in pairwise(keys)))
    return int(all(_last_word(left) == _first_word(right) for left, right in pairwise(texts)))


def _first_word(text: str) -> str:
    found = next(char for char in text if char.isalnum())
    return found if is_han(found) else re.findall(r"[A-Za-z0-9]+", text)[0].lower()


def _last_word(text: str) -> str:
    found = next(char for char in reversed(text) if char.isalnum())
    return found if is_han(found) else re.findall(r"[A-Za-z0-9]+", text)[-1].lower()
