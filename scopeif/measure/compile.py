"""Write a formal spec as the source of a verification tool.

The source is one function `measure(response)`. It calls the functions of `tools_sandbox.text`, which the sandbox
gives as globals, imports nothing, and returns a list of
``[lower | None, upper | None, actual, object, vacuous, start | None, end | None]``; None as a bound is infinite.
For the spec of `scopeif.constraints.spec`'s docstring:

    def measure(response):
        whole = units("response", response)[0]
        records = []

        # sentences in each paragraph
        thing = "sentences in each paragraph"
        rows = []
        paragraphs = units("paragraph", response, whole)
        if not paragraphs:
            rows.append([1, None, 0, "existence of paragraph: " + thing, False, whole.start, whole.end])
        for paragraph in paragraphs:
            actual = count("sentence", response, paragraph)
            rows.append([None, 3, actual, thing, False, paragraph.start, paragraph.end])
        records += rows or [[0, None, 0, thing, True, None, None]]

        return records
"""

from __future__ import annotations

import math
from typing import Any

from scopeif.constraints.spec import (
    Acrostic,
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
from scopeif.errors import RecordError
from scopeif.measure.evaluate import compared_step, missing_text, multiplies
from scopeif.measure.expressions import literal, predicate_source, value_source
from scopeif.reward.record import Record

ENTRY = "measure"
"""The name of the public function of every compiled tool."""

_TAKEN = {"list": "list_block", "lists": "list_blocks", "response": "answer", "responses": "answers"}
"""Unit names that mean something else in a tool."""


def compile_spec(spec: Spec) -> str:
    """The source of a tool whose result `records_from` reads as the records that `evaluate` gives.

    A response that `evaluate` finds ambiguous makes the tool raise `Ambiguous`.
    """
    out = _Writer()
    out.open(f"def {ENTRY}(response):")
    out.line('whole = units("response", response)[0]')
    out.line("records = []")
    for clause in spec.clauses:
        _ClauseWriter(out, clause).write()
    out.line()
    out.line("return records")
    return out.source()


def records_from(value: Any) -> list[Record]:
    """The records of a compiled tool's result, as JSON carries it.

    Raises:
        RecordError: the value is no list of such rows, or one of them is no record.
    """
    if not isinstance(value, list) or not value:
        raise RecordError(f"a compiled tool gives a list of records, not {value!r:.80}")
    return [_record(row) for row in value]


def _record(row: Any) -> Record:
    if not isinstance(row, list) or len(row) != 7:
        raise RecordError(f"a row is [lower, upper, actual, object, vacuous, start, end], not {row!r:.80}")
    lower, upper, actual, object_, vacuous, start, end = row
    if not isinstance(object_, str) or not isinstance(vacuous, bool):
        raise RecordError(f"object text or vacuous flag of row {row!r:.80} has the wrong type")
    lower = -math.inf if lower is None else lower
    upper = math.inf if upper is None else upper
    return Record(lower, upper, actual, object_, vacuous, start, end)


class _Writer:
    """Lines of source with their indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str = "") -> None:
        self.lines.append("    " * self.depth + text if text else "")

    def open(self, head: str) -> None:
        self.line(head)
        self.depth += 1

    def source(self) -> str:
        return "\n".join(self.lines) + "\n"


class _ClauseWriter:
    """Writes one clause; `names` are the variables that it uses."""

    def __init__(self, out: _Writer, clause: Clause) -> None:
        self.out = out
        self.clause = clause
        self.compared_step = compared_step(clause)
        self.names: list[str] = []

    def write(self) -> None:
        out, range_ = self.out, self.clause.range
        out.line()
        out.line(f"# {_one_line(self.clause.object)}")
        out.line(f"thing = {literal(self.clause.object)}")
        out.line("rows = []")
        start = out.depth
        if isinstance(range_, Relative) and isinstance(range_.to, Named):
            self._reference(range_.to)
        elif isinstance(range_, Relative) and self.compared_step is None:
            out.line("previous = None")
        self._step("whole", 0)
        out.depth = start
        out.line("records += rows or [[0, None, 0, thing, True, None, None]]")

    def _reference(self, named: Named) -> None:
        """Find the segment that is referred to; what follows stands where it was found."""
        out, segment = self.out, "whole"
        for step in named.scope:
            found = self._found(step, segment)
            if isinstance(step, Where):
                out.open(f"if len({found}) > 1:")
                message = f'f"{{len({found})}} {step.unit} units are what the constraint compares with"'
                out.line(f"raise Ambiguous({message})")
                out.depth -= 1
            else:
                self._missing_if_none(found, step, segment)
            segment = self._name(step.unit)
            out.open(f"for {segment} in {found}:")
        out.line(f"reference = {value_source(self.clause.measure, segment)}")

    def _found(self, step: Selection, parent: str) -> str:
        """Assign the selected units of a step to a variable; its name is given back."""
        units = f'units("{step.unit}", response, {parent})'
        plural = self._name(step.unit + "s")
        match step:
            case Each():
                self.out.line(f"{plural} = {units}")
            case At():
                self.out.line(f"{plural} = pick({units}, {step.index})")
            case Where():
                test = predicate_source(step.predicate, "unit", "index")
                self.out.line(f"{plural} = [")
                self.out.line("    unit")
                self.out.line(f"    for index, unit in enumerate({units}, 1)")
                self.out.line(f"    if {test}")
                self.out.line("]")
        return plural

    def _missing_if_none(self, found: str, step: Selection, parent: str) -> None:
        self.out.open(f"if not {found}:")
        self._append_missing(step.unit, parent)
        self.out.depth -= 1

    def _step(self, parent: str, depth: int) -> None:
        if depth == len(self.clause.scope):
            self._measure(parent)
            return
        step = self.clause.scope[depth]
        found = self._found(step, parent)
        if not isinstance(step, Where):
            self._missing_if_none(found, step, parent)
        if depth == self.compared_step and self._compares_previous():
            self.out.line("previous = None")
        name = self._name(step.unit)
        self.out.open(f"for {name} in {found}:")
        self._step(name, depth + 1)

    def _compares_previous(self) -> bool:
        return isinstance(self.clause.range, Relative) and isinstance(self.clause.range.to, Previous)

    def _measure(self, segment: str) -> None:
        out, measure = self.out, self.clause.measure
        if isinstance(measure, Sorted | Chained | Acrostic):
            out.line(f'texts = [unit.text for unit in units("{measure.unit}", response, {segment})]')
        if isinstance(measure, Sorted | Chained):
            out.open("if not texts:")
            self._append_missing(measure.unit, segment)
            out.depth -= 1
            out.open("elif len(texts) == 1:")
            self._append_vacuous(segment)
            out.depth -= 1
            out.open("else:")
        out.line(f"actual = {value_source(measure, segment)}")
        range_ = self.clause.range
        if isinstance(range_, Bounds):
            self._append(f"{range_.lower}, {range_.upper}", segment)
        else:
            self._compare(range_, segment)

    def _compare(self, range_: Relative, segment: str) -> None:
        out = self.out
        if isinstance(range_.to, Same):
            out.line(f"reference = {value_source(range_.to.measure, segment)}")
        if isinstance(range_.to, Previous):
            out.line("reference, previous = previous, actual")
            out.open("if reference is not None:")
        arguments = f'"{range_.relation}", {range_.factor!r}, {range_.offset!r}, "{range_.rounding}"'
        if multiplies(range_):
            out.open("if actual == reference == 0:")
            self._append_vacuous(segment)
            out.depth -= 1
            out.open("else:")
        out.line(f"lower, upper = relative_bounds(reference, {arguments})")
        self._append("lower, upper", segment)

    def _append(self, bounds: str, segment: str) -> None:
        self.out.line(f"rows.append([{bounds}, actual, thing, False, {segment}.start, {segment}.end])")

    def _append_missing(self, unit: str, parent: str) -> None:
        text = missing_text(unit, "")
        self.out.line(f"rows.append([1, None, 0, {literal(text)} + thing, False, {parent}.start, {parent}.end])")

    def _append_vacuous(self, segment: str) -> None:
        self.out.line(f"rows.append([0, None, 0, thing, True, {segment}.start, {segment}.end])")

    def _name(self, wanted: str) -> str:
        """A variable of this name, numbered where the clause has one already."""
        wanted = _TAKEN.get(wanted, wanted)
        same = self.names.count(wanted)
        self.names.append(wanted)
        return f"{wanted}_{same + 1}" if same else wanted


def _one_line(text: str) -> str:
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())
