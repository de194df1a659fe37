"""One more constraint for a draft: a scope, a measure and a range, with the document changed where it must be.

A proposal is tried on a copy of the document; it holds when every constraint of the draft, the new one included, is
known to be satisfied there.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from scopeif.constraints import spec as sp
from scopeif.constraints.compatibility import Combination
from scopeif.constraints.taxonomy import RangeCategory, SecondaryTarget, Selector
from scopeif.synthesis import document as doc
from scopeif.synthesis.adjust import adjust
from scopeif.synthesis.asks import TOP, WITHIN, Ask, Context, Words
from scopeif.synthesis.document import Document
from scopeif.synthesis.known import groups, satisfied, selected, value
from scopeif.synthesis.menu import Menu, Option, menu
from scopeif.synthesis.naming import counting_object
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.predicates import predicate
from scopeif.synthesis.ranges import Chooser, Goal
from scopeif.synthesis.writing import Written

_R = RangeCategory
_MOST_STRINGS = {"response": 4, "section": 3, "paragraph": 2, "sentence": 1, "line": 1, "list_item": 1, "table_row": 1}
"""How often one word can stand in a part before the text reads oddly."""
_SHORTEST = 20
"""Words of the shortest response that is asked for by length."""
_PARTS = frozenset(
    {"section", "paragraph", "sentence", "line", "list", "list_item", "table", "table_row", "code_block"}
)
"""What the whole response may be compared with."""
_RELATIVE = (_R.COMPARISON, _R.ARITHMETIC_RELATIONS)


@dataclass
class Draft:
    """An instruction in the making."""

    document: Document
    written: Written
    pen: Pen
    words: Words
    specs: list[sp.Spec] = field(default_factory=list)
    aspects: set[str] = field(default_factory=set)
    traits: frozenset[str] = frozenset()
    longest: int = 260
    """Words of the witness; more would ask for more than the task does."""

    @property
    def rng(self) -> random.Random:
        return self.pen.rng

    def present(self) -> frozenset[str]:
        """The units that the document holds."""
        return frozenset(filter(self.written.has, TOP))

    def menu(self) -> Menu:
        """What can be asked of it."""
        return menu(self.document.form, self.present(), self.language, self.traits)

    @property
    def language(self) -> str:
        return self.document.language


def propose(draft: Draft, option: Option) -> Draft | None:
    """The draft with one constraint more, or None where this draw does not fit."""
    combination, ask = option
    chain = _chain(draft, ask, combination)
    if chain is None:
        return None
    written = draft.written.copy()
    trial = written.document
    words = Words(draft.rng, draft.words.script, list(draft.words.topics), list(draft.words.limited))
    settled = _settle(chain, written, words, draft.pen)
    if settled is None:
        return None
    if settled != chain:
        written = Written(trial)  # a predicate may have changed it
    sizes: frozenset[int] = frozenset()
    if ask.spells is not None:
        written, sizes = _evened(settled, ask.spells, written, draft.pen)
    unit = settled[-1].unit if settled else "response"
    several = bool(settled) and isinstance(settled[-1], sp.Each)
    context = Context(words, trial.form, unit, several, combination.range, _keys(trial, settled), sizes)
    measure = ask.make(context)
    if measure is None or _clashes(settled, measure) or (aspect := _aspect(settled, measure)) in draft.aspects:
        return None
    found = _ranged(settled, measure, option, written, draft)
    if found is None:
        return None
    range_, final = found
    clause = sp.Clause(object=counting_object(measure, settled), scope=settled, measure=measure, range=range_)
    spec = sp.Spec(clauses=(clause,))
    if final.words(final.whole) > draft.longest:
        return None
    if not all(satisfied(one, final) for one in (*draft.specs, spec)):
        return None
    return Draft(
        trial, final, draft.pen, words, [*draft.specs, spec], draft.aspects | {aspect}, draft.traits, draft.longest
    )


def _clashes(chain: sp.Chain, measure: sp.Measure) -> bool:
    """Whether a condition speaks of what is measured: "sentences of at least 9 words must have at most 12 words"."""
    predicates = {step.predicate.test for step in chain if isinstance(step, sp.Where)}
    match measure:
        case sp.Length():
            return "length" in predicates
        case sp.Ends() | sp.ClassCount(char_class="question_mark" | "exclamation_mark"):
            return "ends" in predicates
        case sp.Starts():
            return "starts" in predicates
    return False


def _aspect(chain: sp.Chain, measure: sp.Measure) -> str:
    """What one instruction asks at most once: a measure of a kind of segment, in whatever number."""
    where = ">".join(f"{step.select}{getattr(step, 'index', '')}{step.unit}" for step in chain)
    what = getattr(measure, "unit", "") or getattr(measure, "char_class", "")
    return f"{where} {measure.kind} {what}" + (str(len(str(measure))) if measure.kind in ("occurrences",) else "")


# -- scopes ----------------------------------------------------------------------------------------------


def _chain(draft: Draft, ask: Ask, combination: Combination) -> sp.Chain | None:
    """Selections that end in a unit of the ask; a Condition has a predicate to be filled in."""
    if combination.selector is Selector.GLOBAL:
        return ()
    rng = draft.rng
    present = [unit for unit in TOP if unit in draft.present()]
    last = _KINDS[combination.selector]
    if not combination.nested:
        units = [unit for unit in present if unit in ask.units and not (unit == "word" and last == "each")]
        return (_step(last, rng.choice(units), rng),) if units else None
    pairs = [
        (outer, unit) for outer in present for unit in WITHIN.get(outer, ()) if unit in ask.units and unit in present
    ]
    if not pairs:
        return None
    outer, unit = rng.choice(pairs)
    above = [top for top in present if outer in WITHIN.get(top, ()) and top != outer]
    if unit == "word" and last == "where":
        return None
    steps: list[tuple[str, str]] = [(rng.choice(_OUTER[last]), outer), (last, unit)]
    if above and rng.random() < 0.15:
        steps.insert(0, (rng.choice(("each", "at")), rng.choice(above)))
        steps[1] = ("at", outer)
    if last == "each" and steps[0][0] == "each" and combination.range not in _RELATIVE:
        steps[0] = (rng.choice(("at", "at", "where")), steps[0][1])
    return tuple(_step(kind, name, rng) for kind, name in steps)


_KINDS = {Selector.TRAVERSAL: "each", Selector.POSITION: "at", Selector.CONDITION: "where"}
_OUTER = {"each": ("each", "at", "at"), "at": ("each", "each", "each", "at", "at", "where"), "where": ("each", "at")}
"""What a last selection may stand in: a condition within a condition is hard to read."""
_OPEN = sp.IndexIs(modulus=2, remainder=1)
"""Stands where the predicate is still to be drawn."""


def _step(kind: str, unit: str, rng: random.Random) -> sp.Selection:
    if kind == "each":
        return sp.Each(unit=unit)
    if kind == "at":
        indices = (1, -1) if unit == "word" else (1, 1, 2, 3, -1, -1)
        return sp.At(unit=unit, index=rng.choice(indices))
    return sp.Where(unit=unit, predicate=_OPEN)


def _settle(chain: sp.Chain, written: Written, words: Words, pen: Pen) -> sp.Chain | None:
    """Fill in the predicates, and see to it that some units meet them (but not all, where there are several)."""
    steps: list[sp.Selection] = []
    spans = [written.whole]
    for step in chain:
        if isinstance(step, sp.Where):
            units = [unit for span in spans for unit in written.inside(step.unit, span)]
            chosen = predicate(step.unit, units, written, words, pen)
            if chosen is None:
                return None
            step = sp.Where(unit=step.unit, predicate=chosen)
            steps.append(step)
            written = Written(written.document)
            found = groups(tuple(steps), written)
            spans = [span for group in found or [] for span in group]
        else:
            steps.append(step)
            inside = [selected(step, span, written) for span in spans]
            if not all(inside):
                return None
            spans = [span for some in inside for span in some]
        if not spans:
            return None
    return tuple(steps)


def _evened(chain: sp.Chain, unit: sp.Unit, written: Written, pen: Pen) -> tuple[Written, frozenset[int]]:
    """The segments with equally many units, so that the same word can be spelt in each; and how many they are."""
    spans = [span for group in groups(chain, written) or [] for span in group]
    numbers = [len(written.inside(unit, span)) for span in spans]
    lengths = {len(text) for text in pen.script.acrostics}
    wanted = min(lengths, key=lambda length: abs(length - sum(numbers) // max(len(numbers), 1)))
    for span, number in zip(spans, numbers, strict=True):
        adjust(span, sp.Count(unit=unit), number, wanted, written, pen)
    if set(numbers) != {wanted}:
        written = Written(written.document)
        spans = [span for group in groups(chain, written) or [] for span in group]
    return written, frozenset(len(written.inside(unit, span)) for span in spans)


def _keys(document: Document, chain: sp.Chain) -> tuple[str, ...]:
    if document.form == "json" and not chain:
        one = document.blocks[0]
        return tuple(pair.key for pair in one.pairs) if isinstance(one, doc.Object) else ()
    if chain and chain[-1].unit == "code_block":
        codes = [block.value for block in doc.blocks(document) if isinstance(block, doc.Code)]
        keys = [{pair.key for pair in one.pairs} for one in codes if isinstance(one, doc.Object)]
        return tuple(sorted(set.union(*keys))) if keys else ()
    return ()


# -- ranges ----------------------------------------------------------------------------------------------


def _ranged(
    chain: sp.Chain, measure: sp.Measure, option: Option, written: Written, draft: Draft
) -> tuple[sp.Range, Written] | None:
    """A range and the document that meets it."""
    range_ = option.combination.range
    several = any(not isinstance(step, sp.At) for step in chain)
    other: sp.Chain | None = None
    turn_first = several and (option.combination.selector is not Selector.CONDITION or draft.rng.random() < 0.4)
    if range_ in _RELATIVE and not turn_first:
        other = _other(chain, option.ask, written, draft.rng)
        if other is None:
            return None
        written = _with_reference(other, measure, written, draft.pen)
    if isinstance(measure, sp.Sorted):
        written = _with_order(chain, measure, written, draft.pen)
    spans = groups(chain, written)
    if not spans:
        return None
    values: list[list[int]] = []
    for group in spans:
        some = [value(measure, span, written) for span in group]
        if any(one is None for one in some):
            return None
        values.append([one for one in some if one is not None])
    goal = _goal(chain, other, measure, option, values, written, draft)
    if goal is None:
        return None
    if goal.targets == values:
        return goal.range, written
    for group, have, want in zip(spans, values, goal.targets, strict=True):
        for span, actual, target in zip(group, have, want, strict=True):
            if not adjust(span, measure, actual, target, written, draft.pen):
                return None
    return goal.range, Written(written.document)


def _with_reference(other: sp.Chain, measure: sp.Measure, written: Written, pen: Pen) -> Written:
    """The document with something to compare with: "as many commas as" says little where there are none."""
    spans = groups(other, written)
    if spans and spans[0] and value(measure, spans[0][0], written) == 0:
        adjust(spans[0][0], measure, 0, pen.rng.choice((1, 1, 2)), written, pen)
        return Written(written.document)
    return written


def _with_order(chain: sp.Chain, measure: sp.Sorted, written: Written, pen: Pen) -> Written:
    """The document with first words that have an order; Chinese ones have several."""
    for span in (span for group in groups(chain, written) or [] for span in group):
        if value(measure, span, written) is None:
            adjust(span, measure, 0, 1, written, pen)
    return Written(written.document)


def _goal(
    chain: sp.Chain,
    other: sp.Chain | None,
    measure: sp.Measure,
    option: Option,
    values: list[list[int]],
    written: Written,
    draft: Draft,
) -> Goal | None:
    (_, _, target, range_), ask = option
    unit = chain[-1].unit if chain else "response"
    most = min(ask.most, _MOST_STRINGS.get(unit, 2)) if target is SecondaryTarget.SPECIFIC_STRINGS else ask.most
    length = target is SecondaryTarget.TEXT_LENGTH
    least = round(_SHORTEST * draft.pen.script.scale) if length and not chain else ask.least
    chooser = Chooser(draft.rng, most, least, length)
    if unit == "word" and isinstance(measure, sp.Length) and len(values[0]) > 1:
        return _capped(values) if range_ is _R.ONE_SIDED_BOUNDS else None
    if range_ not in _RELATIVE:
        return chooser.absolute(range_, values, not isinstance(measure, sp.AMOUNTS))
    if other is None:
        return chooser.in_turn(range_, values)
    named = groups(other, written)
    if named is None or [len(group) for group in named] != [1]:
        return None
    reference = value(measure, named[0][0], written)
    return chooser.beside(range_, values, reference, other, whole=not chain) if reference else None


def _capped(values: list[list[int]]) -> Goal:
    longest = max(value for group in values for value in group)
    return Goal(sp.Bounds(upper=max(longest, 8)), values)


def _other(chain: sp.Chain, ask: Ask, written: Written, rng: random.Random) -> sp.Chain | None:
    """One segment of the response to compare with."""
    if not chain:
        units = [unit for unit in ask.units & _PARTS if len(written.inside(unit, written.whole)) > 1]
        return (sp.At(unit=rng.choice(sorted(units)), index=rng.choice((1, -1))),) if units else None
    last = chain[-1]
    if any(not isinstance(step, sp.At) for step in chain[:-1]):
        return None
    if not isinstance(last, sp.At):
        return (*chain[:-1], sp.At(unit=last.unit, index=rng.choice((1, -1))))
    index = rng.choice([index for index in (1, 2, 3, -1) if index != last.index])
    return (*chain[:-1], sp.At(unit=last.unit, index=index))
