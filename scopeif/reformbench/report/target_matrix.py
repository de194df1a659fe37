"""Target x variant matrices of one model, a question each (the layout of Table A1).

Columns are the baseline-opposed targets of the question, those in most variants first; a cell is the calibrated pass
probability, a dash where the variant does not have the target. "Other passes" adds up those of the aligned constraints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scopeif.errors import DataError
from scopeif.reformbench.report.evaluated import Labelled
from scopeif.reformbench.report.table import DASH, Table, Value
from scopeif.reformbench.scoring.benchmark_shape import ScoredVariant, TargetId
from scopeif.reformbench.scoring.links import is_opposed, link
from scopeif.reformbench.scoring.units import LEVELS, Unit, outcomes

UNVERIFIED = "unverified"
_FITTING = 8
"""Columns of targets that fit a page."""


class _Cell(NamedTuple):
    probability: float | None
    origin: str


@dataclass(frozen=True)
class Matrix:
    """One question of one model.

    targets: baseline-opposed ones, by letter in the printed table.
    rows: by variant, the cell of each target that it has.
    aligned: by variant, the cells of its other constraints.
    units: the eligible units with their joint success, None where one is unverified.
    """

    model: str
    question: str
    targets: tuple[TargetId, ...]
    rows: dict[str, dict[TargetId, _Cell]]
    aligned: dict[str, dict[TargetId, _Cell]]
    units: tuple[tuple[Unit, float | None], ...]

    @property
    def levels(self) -> int:
        """At how many levels K it has eligible units."""
        return len({len(unit.targets) for unit, _ in self.units})

    def table(self, title: str = "") -> Table:
        """The printed matrix with a legend, and its cells in rows."""
        letters = {target: _letter(number) for number, target in enumerate(self.targets)}
        head = ["Variant", *letters.values(), "Other passes"]
        rows = [
            [variant, *(_shown(cells.get(target)) for target in self.targets), _sum(self.aligned[variant])]
            for variant, cells in self.rows.items()
        ]
        legend = "; ".join(f"{letter}: {target.mode} {target.feature}" for target, letter in letters.items())
        return Table(
            name="table_a1",
            title=title or f"Question {self.question}, {self.model}",
            head=head,
            rows=rows,
            data_head=MATRIX_HEAD,
            data=self.data(),
            notes=[f"{legend}." if legend else "No target opposes the baseline.", *self._levels(letters)],
        )

    def data(self) -> list[list[Value]]:
        """One row a cell, those of aligned constraints too."""
        return [
            [self.model, self.question, variant, target.feature, target.mode, group, *cell]
            for group, found in (("opposed", self.rows), ("aligned", self.aligned))
            for variant, cells in found.items()
            for target, cell in cells.items()
        ]

    def _levels(self, letters: dict[TargetId, str]) -> list[str]:
        lines = []
        for level in LEVELS:
            units = [(unit, success) for unit, success in self.units if len(unit.targets) == level]
            if units:
                said = ", ".join(
                    f"{{{','.join(sorted(letters[target] for target in unit.targets))}}}: {_number(success)}"
                    for unit, success in units
                )
                lines.append(f"Units of K={level}: {said}.")
        return lines


MATRIX_HEAD = ("model", "question", "variant", "feature", "mode", "group", "probability", "origin")


def matrices(model: Labelled) -> list[Matrix]:
    """The matrices of all questions that have a baseline, in their order."""
    by_question = dict(model.benchmark.by_question())
    return [
        _matrix(model, question, by_question[question], baseline)
        for question, baseline in model.questions()
        if baseline is not None
    ]


def most_telling(found: Sequence[Matrix]) -> Matrix:
    """A question that fits a page and has units of every level, if there is one; of several that with the most units.

    Raises:
        DataError: there is none.
    """
    if not found:
        raise DataError("no question has a baseline")
    return max(found, key=lambda one: (one.levels, len(one.targets) <= _FITTING, len(one.units)))


def _matrix(model: Labelled, question: str, variants: list[ScoredVariant], baseline: frozenset[str]) -> Matrix:
    links = link(variants, baseline)
    targets = sorted(links.occurrences, key=lambda target: (-links.occurrences[target].bit_count(), target))
    rows: dict[str, dict[TargetId, _Cell]] = {}
    aligned: dict[str, dict[TargetId, _Cell]] = {}
    for variant in variants:
        cells = {
            target: _Cell(probability, model.origins[variant.id, position])
            for position, (target, probability) in enumerate(
                zip(variant.targets, variant.pass_probability, strict=True)
            )
        }
        rows[variant.id] = {target: cell for target, cell in cells.items() if is_opposed(target, baseline)}
        aligned[variant.id] = {target: cell for target, cell in cells.items() if target not in rows[variant.id]}
    units = tuple((one.unit, one.corrected) for one in outcomes(links))
    return Matrix(model.model, question, tuple(targets), rows, aligned, units)


def _letter(number: int) -> str:
    return chr(ord("a") + number) if number < 26 else f"t{number + 1}"


def _shown(cell: _Cell | None) -> str:
    return DASH if cell is None else _number(cell.probability)


def _number(value: float | None) -> str:
    if value is None:
        return UNVERIFIED
    return f"{value:.0f}" if value in (0, 1) else f"{value:.2f}"


def _sum(cells: dict[TargetId, _Cell]) -> str:
    if not cells:
        return DASH
    known = [cell.probability for cell in cells.values() if cell.probability is not None]
    total = f"{sum(known):g}" if all(one in (0, 1) for one in known) else f"{sum(known):.2f}"
    return total if len(known) == len(cells) else f"{total} ({len(cells) - len(known)} {UNVERIFIED})"
