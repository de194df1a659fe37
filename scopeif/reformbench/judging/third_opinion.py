"""A third opinion, by measuring: requirements with a formal spec, and how often each judge agrees with it.

It is reported beside the judges' labels and replaces none of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scopeif.errors import AmbiguousResponse
from scopeif.measure import evaluate
from scopeif.reformbench.judging.prompt import Assessed
from scopeif.reformbench.models import Judgment, Mode, Requirement
from scopeif.reward import satisfied

NoOpinion = Literal["no spec", "ambiguous", "unverified"]
"""Why a label is not compared: nothing to measure by, a response that can be read in two ways, no label."""


class Confusion(NamedTuple):
    """Labels of a judge against measured outcomes: both pass, only the judge, only measuring, both fail."""

    both_pass: int = 0
    judge_only: int = 0
    measured_only: int = 0
    both_fail: int = 0

    @property
    def n(self) -> int:
        """Instances compared."""
        return sum(self)

    @property
    def agreement(self) -> float | None:
        """Share of equal labels; None where nothing was compared."""
        return (self.both_pass + self.both_fail) / self.n if self.n else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None where nothing was compared, or where both always say the same one thing."""
        if not self.n:
            return None
        judged, measured = self.both_pass + self.judge_only, self.both_pass + self.measured_only
        # in whole numbers, so that an expected agreement of exactly 1 is seen as that
        expected = judged * measured + (self.n - judged) * (self.n - measured)
        observed = (self.both_pass + self.both_fail) * self.n
        return (observed - expected) / (self.n**2 - expected) if expected != self.n**2 else None


class OpinionRow(NamedTuple):
    """A judge against measuring on one target; feature and mode are None in the row of all targets."""

    judge: str
    feature: str | None
    mode: Mode | None
    confusion: Confusion


@dataclass(frozen=True)
class ThirdOpinion:
    """The agreement by judge, feature and mode, each judge's total first; and what was not compared, by judge."""

    rows: tuple[OpinionRow, ...]
    left_out: Mapping[str, Mapping[NoOpinion, int]]


def opinion(requirement: Requirement, text: str) -> Literal[0, 1] | None:
    """Whether a response satisfies a requirement, measured; None without a spec or where the rules are ambiguous."""
    if requirement.spec is None:
        return None
    try:
        return 1 if satisfied(evaluate(requirement.spec, text)) else 0
    except AmbiguousResponse:
        return None


def third_opinion(items: Iterable[Assessed], judgments: Iterable[Judgment]) -> ThirdOpinion:
    """Measure the responses and compare.

    Args:
        items: the responses; they are taken one by one.
        judgments: labels of any number of judges; those of other responses are left alone.
    """
    labels: defaultdict[tuple[str, str, int], list[Judgment]] = defaultdict(list)
    for judgment in judgments:
        labels[judgment.response, judgment.response_hash, judgment.position].append(judgment)
    cells: defaultdict[tuple[str, str | None, Mode | None], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    left_out: defaultdict[str, Counter[NoOpinion]] = defaultdict(Counter)
    for item in items:
        response = item.response
        for position, requirement in zip(item.positions, item.requirements, strict=True):
            given = labels.get((response.id, response.hash, position), ())
            measured = opinion(requirement, response.text) if given else None
            for one in given:
                if measured is None or one.label is None:
                    left_out[one.judge][_why(requirement, measured)] += 1
                    continue
                place = {(1, 1): 0, (1, 0): 1, (0, 1): 2, (0, 0): 3}[one.label, measured]
                for feature, mode in ((None, None), (requirement.feature, requirement.mode)):
                    cells[one.judge, feature, mode][place] += 1
    rows = [OpinionRow(*key, Confusion(*counts)) for key, counts in cells.items()]
    ordered = sorted(rows, key=lambda row: (row.judge, row.feature or "", row.mode or ""))
    return ThirdOpinion(tuple(ordered), left_out)


def _why(requirement: Requirement, measured: Literal[0, 1] | None) -> NoOpinion:
    if measured is not None:
        return "unverified"
    return "no spec" if requirement.spec is None else "ambiguous"
