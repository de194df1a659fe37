"""Measure a response against a formal spec: clause by clause, selected segment by selected segment.

>>> from scopeif.constraints.spec import Spec
>>> spec = Spec.model_validate({"clauses": [{
...     "object": "sentences in each paragraph",
...     "scope": [{"select": "each", "unit": "paragraph"}],
...     "measure": {"kind": "count", "unit": "sentence"},
...     "range": {"kind": "bounds", "upper": 1}}]})
>>> [(record.upper, record.actual) for record in evaluate(spec, "One. Two.\\n\\nThree.")]
[(1, 2), (1, 1)]
"""

from __future__ import annotations

import math

from scopeif.constraints.spec import (
    At,
    Bounds,
    Chained,
    Clause,
    Each,
    Named,
    Previous,
    Relative,
    Same,
    Selection,
    Sorted,
    Spec,
    Where,
)
from scopeif.measure.ambiguity import ambiguity_raised
from scopeif.measure.values import holds, value_of
from scopeif.reward.record import Record
from tools_sandbox.text import Ambiguous, Segment, pick, relative_bounds, units


def evaluate(spec: Spec, response: str) -> list[Record]:
    """The quantitative records of a response, those of the clauses one after the other; at least one a clause.

    Where a selected unit is missing, or nothing is there to compare, the record says so (see "Nothing to measure" in
    the measuring rules).

    Args:
        spec: the formal spec of one constraint.
        response: the answer, without thinking text.

    Raises:
        AmbiguousResponse: the rules can fairly read the response in two ways.
    """
    with ambiguity_raised():
        found: list[Record] = []
        for clause in spec.clauses:
            found += _Measurement(clause, response).records()
        return found


def compared_step(clause: Clause) -> int | None:
    """The step whose units are compared one with the one before: the innermost that selects several."""
    several = [number for number, step in enumerate(clause.scope) if not isinstance(step, At)]
    return several[-1] if several else None


def missing_text(unit: str, object_: str) -> str:
    """The object text of an existence record."""
    return f"existence of {unit.replace('_', ' ')}: {object_}"


class _Measurement:
    """The records of one clause, collected depth first along the selector chain."""

    def __init__(self, clause: Clause, response: str) -> None:
        self.clause = clause
        self.response = response
        self.whole = units("response", response)[0]
        self.compared_step = compared_step(clause)
        self.unit_of_order = clause.measure.unit if isinstance(clause.measure, Sorted | Chained) else None
        self.bounds = (-math.inf, math.inf)
        if isinstance(clause.range, Bounds):
            self.bounds = _as_floats(clause.range.lower, clause.range.upper)
        self.previous: int | None = None
        self.reference: int | None = None
        self.found: list[Record] = []

    def records(self) -> list[Record]:
        range_ = self.clause.range
        if isinstance(range_, Relative) and isinstance(range_.to, Named):
            segment = self._named(range_.to)
            if segment is None:
                return self.found
            self.reference = value_of(self.clause.measure, self.response, segment)
        self._descend(self.whole, 0)
        if not self.found:
            self._add_vacuous(None)
        return self.found

    def _named(self, named: Named) -> Segment | None:
        """The segment that is referred to; None, with a record of it, where there is none."""
        segment = self.whole
        for step in named.scope:
            selected = self._selected(step, segment)
            if len(selected) > 1:
                raise Ambiguous(f"{len(selected)} {step.unit} units are what the constraint compares with")
            if not selected:
                if isinstance(step, Where):
                    self._add_vacuous(None)
                else:
                    self._add_missing(step.unit, segment)
                return None
            segment = selected[0]
        return segment

    def _descend(self, segment: Segment, depth: int) -> None:
        if depth == len(self.clause.scope):
            self._measure(segment)
            return
        step = self.clause.scope[depth]
        selected = self._selected(step, segment)
        if not selected and not isinstance(step, Where):
            self._add_missing(step.unit, segment)
        if depth == self.compared_step:
            self.previous = None
        for inner in selected:
            self._descend(inner, depth + 1)

    def _selected(self, step: Selection, segment: Segment) -> list[Segment]:
        found = units(step.unit, self.response, segment)
        match step:
            case Each():
                return found
            case At():
                return pick(found, step.index)
            case Where():
                return [
                    unit for index, unit in enumerate(found, 1) if holds(step.predicate, self.response, unit, index)
                ]

    def _measure(self, segment: Segment) -> None:
        if self.unit_of_order is not None:
            amount = len(units(self.unit_of_order, self.response, segment))
            if amount == 0:
                self._add_missing(self.unit_of_order, segment)
                return
            if amount == 1:
                self._add_vacuous(segment)
                return
        actual, range_ = value_of(self.clause.measure, self.response, segment), self.clause.range
        if isinstance(range_, Bounds):
            self._add(self.bounds, actual, segment)
            return
        reference = self.reference
        if isinstance(range_.to, Previous):
            reference, self.previous = self.previous, actual
        elif isinstance(range_.to, Same):
            reference = value_of(range_.to.measure, self.response, segment)
        if reference is not None:
            self._compare(range_, actual, reference, segment)

    def _compare(self, range_: Relative, actual: int, reference: int, segment: Segment) -> None:
        if multiplies(range_) and actual == 0 == reference:
            self._add_vacuous(segment)
            return
        lower, upper = relative_bounds(reference, range_.relation, range_.factor, range_.offset, range_.rounding)
        self._add(_as_floats(lower, upper), actual, segment)

    def _add(self, bounds: tuple[float, float], actual: int, segment: Segment) -> None:
        lower, upper = bounds
        self.found.append(Record(lower, upper, actual, self.clause.object, start=segment.start, end=segment.end))

    def _add_missing(self, unit: str, segment: Segment) -> None:
        text = missing_text(unit, self.clause.object)
        self.found.append(Record(1, math.inf, 0, text, start=segment.start, end=segment.end))

    def _add_vacuous(self, segment: Segment | None) -> None:
        start, end = (segment.start, segment.end) if segment else (None, None)
        self.found.append(Record(0, math.inf, 0, self.clause.object, vacuous=True, start=start, end=end))


def _as_floats(lower: float | None, upper: float | None) -> tuple[float, float]:
    return -math.inf if lower is None else lower, math.inf if upper is None else upper


def multiplies(range_: Relative) -> bool:
    """Whether a multiple is asked for, which nothing has: zero is no answer to "twice as many as"."""
    return range_.relation == "equal" and range_.factor != 1 and range_.offset == 0
