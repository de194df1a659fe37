"""Requirements answered one by one against all in one response (section 4.3, appendix A.8, Eq. 15, Table 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scopeif.errors import DataError
from scopeif.reformbench.metrics import AnyBenchmark, Unverified
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.bootstrap import DEFAULT, Interval, Resampling, Table, clustered, quotient
from scopeif.reformbench.scoring.comparison import Change, paired
from scopeif.reformbench.scoring.links import is_opposed
from scopeif.reformbench.scoring.units import joint_pass

MEASURES = ("all_pass", "opposed", "aligned", "gap")


@dataclass(frozen=True)
class Composition:
    """Table 3: each measure with separate responses (`before`) and with one joint response (`after`), in [0, 1].

    groups, opposed_items, aligned_items: how many instructions and targets are counted, the same in both conditions.
    left_out: instructions that are not, since one of their requirements is unverified in one of the conditions.
    all_pass: mean product of the three pass probabilities (Eq. 15).
    opposed, aligned: mean pass probability of baseline-opposed and of baseline-aligned targets.
    intervals: of the differences joint minus separate, by measure; questions are drawn, both conditions together.
    """

    groups: int
    opposed_items: int
    aligned_items: int
    left_out: int
    all_pass: Change
    opposed: Change
    aligned: Change
    intervals: dict[str, Interval]

    @property
    def gap(self) -> Change:
        """Baseline-opposed minus baseline-aligned target pass."""
        return Change(_less(self.opposed.before, self.aligned.before), _less(self.opposed.after, self.aligned.after))

    def rows(self) -> dict[str, Change]:
        """The rows of Table 3, top to bottom, by measure."""
        return dict(zip(MEASURES, (self.all_pass, self.opposed, self.aligned, self.gap), strict=True))


def composition(
    separate: AnyBenchmark, joint: AnyBenchmark, unverified: Unverified = "error", how: Resampling = DEFAULT
) -> Composition:
    """Compare separate and joint responses on the same instructions.

    Repeated prompts stay in their groups: what counts is the instruction that a single requirement comes from.

    Args:
        separate: the variants with the pass probabilities of the responses to one requirement each.
        joint: the same variants with those of the responses to all three.
        unverified: under "exclude" an instruction counts only if all its requirements are verified in both conditions.

    Raises:
        DataError: variants, targets or baselines differ, or an occurrence is unverified.
        InvalidInputError: the calibrations differ.
    """
    alone, together = paired(separate, joint, unverified)
    by_question: dict[str, list[float]] = {}
    left_out = 0
    for question, sums in _sums(alone, together):
        if sums is not None:
            row = by_question.setdefault(question, [0.0] * len(sums))
            by_question[question] = [old + new for old, new in zip(row, sums, strict=True)]
        elif unverified == "exclude":
            left_out += 1
        else:
            raise DataError(
                f"an occurrence of question {question!r} is unverified",
                fix='judge it again, or compare the others: unverified="exclude"',
            )
    table = np.array(list(by_question.values()), dtype=np.float64).reshape(len(by_question), _COLUMNS)
    before, after = (_known(_measures(table.sum(axis=0, keepdims=True), condition)[0]) for condition in (0, 1))
    changes = [Change(*pair) for pair in zip(before, after, strict=True)]
    intervals = clustered(table, lambda sums: _measures(sums, 1) - _measures(sums, 0), how)
    groups, opposed_items, aligned_items = (int(count) for count in table.sum(axis=0)[:3])
    return Composition(
        groups=groups,
        opposed_items=opposed_items,
        aligned_items=aligned_items,
        left_out=left_out,
        all_pass=changes[0],
        opposed=changes[1],
        aligned=changes[2],
        intervals=dict(zip(MEASURES, intervals, strict=True)),
    )


_COLUMNS = 9
"""Three counts (groups, opposed, aligned), then the sums of each with separate and with joint responses."""


def _sums(alone: ScoredBenchmark, together: ScoredBenchmark) -> Iterator[tuple[str, list[float] | None]]:
    """The columns of each instruction; None where an occurrence is unverified."""
    for single, joint in zip(alone.variants, together.variants, strict=True):
        opposed = [is_opposed(target, alone.baseline_features[single.question]) for target in single.targets]
        row: list[float] = [1, sum(opposed), len(opposed) - sum(opposed)]
        for probabilities in (single.pass_probability, joint.pass_probability):
            product = joint_pass(probabilities)
            known = [one for one in probabilities if one is not None]
            if product is None:
                yield single.question, None
                break
            of_opposed = sum(one for one, against in zip(known, opposed, strict=True) if against)
            row += [product, of_opposed, sum(known) - of_opposed]
        else:
            yield single.question, row


def _measures(sums: Table, condition: int) -> Table:
    """All-pass, opposed, aligned and gap of each row of sums; condition 0 is separate, 1 joint."""
    first = 3 + 3 * condition
    rates = quotient(sums[:, first : first + 3], sums[:, :3])
    return np.hstack([rates, rates[:, 1:2] - rates[:, 2:3]])


def _known(values: Table) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _less(one: float | None, two: float | None) -> float | None:
    return None if one is None or two is None else one - two
