"""Where two judges disagree, and the strata of these places: model, direction, category, mode (appendix A.3.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scopeif.errors import DataError
from scopeif.reformbench.models import Judgment, Mode, Requirement, Variant

Direction = Literal["first_passes", "second_passes"]
"""Which of the two judges gives a pass where the other gives a failure."""


class Instance(NamedTuple):
    """A response-constraint instance u: what one label of a judge is about."""

    model: str
    variant: str
    position: int
    response: str


class Stratum(NamedTuple):
    """A cell of the disagreements, within one evaluated model."""

    model: str
    direction: Direction
    category: str
    mode: Mode

    def __str__(self) -> str:
        words = self.direction.replace("_", " ")
        return f"model {self.model!r}, {words}, category {self.category!r}, {self.mode}"


@dataclass(frozen=True)
class Pair:
    """The answers of both judges about one instance, g_u and m_u of section 3.5."""

    instance: Instance
    requirement: Requirement
    first: Judgment
    second: Judgment

    @property
    def unverified(self) -> str:
        """Why the instance has no two labels; empty where it has."""
        missing = [one for one in (self.first, self.second) if one.label is None]
        return "; ".join(f"judge {one.judge!r}: {one.reason}" for one in missing)

    @property
    def agreed(self) -> Literal[0, 1] | None:
        """The label that both judges give; None where they disagree or one of them gives none."""
        return self.first.label if self.first.label == self.second.label else None

    @property
    def stratum(self) -> Stratum | None:
        """The stratum of a disagreement; None where there is none, or no two labels to disagree."""
        if self.unverified or self.agreed is not None:
            return None
        direction: Direction = "first_passes" if self.first.label else "second_passes"
        return Stratum(self.instance.model, direction, self.requirement.category, self.requirement.mode)


def pairs(variants: Iterable[Variant], first: Iterable[Judgment], second: Iterable[Judgment]) -> list[Pair]:
    """The judgments of two judges, brought together by instance; in the order of the first judge.

    Raises:
        DataError: an instance that only one of them judged, or that one judged twice; different texts of one response;
            a variant that is unknown; more than one judge on a side, or the same on both.
    """
    requirements = {one.id: one.requirements for one in variants}
    sides = _by_instance(first), _by_instance(second)
    names = [{one.judge for one in side.values()} for side in sides]
    if any(len(side) > 1 for side in names) or (names[0] and names[0] == names[1]):
        said = " and ".join(", ".join(map(repr, sorted(side))) for side in names)
        raise DataError(f"the judgments are by {said}; two judges are needed, one on each side")
    if alone := sides[0].keys() ^ sides[1].keys():
        raise DataError(
            f"only one judge has judged {len(alone)} instances, such as {_said(min(alone))}",
            fix="let both judges go on until they are done",
        )
    found = []
    for instance, one in sides[0].items():
        other = sides[1][instance]
        if one.response_hash != other.response_hash:
            raise DataError(f"the judges have read different texts of {_said(instance)}")
        if instance.variant not in requirements:
            raise DataError(f"variant {instance.variant!r} is unknown", fix="give the variants that were judged")
        found.append(Pair(instance, requirements[instance.variant][instance.position], one, other))
    return found


def strata(population: Iterable[Pair]) -> dict[Stratum, list[Pair]]:
    """The disagreements by stratum, strata and members in a fixed order; the others are left out."""
    found: defaultdict[Stratum, list[Pair]] = defaultdict(list)
    for one in population:
        if (stratum := one.stratum) is not None:
            found[stratum].append(one)
    return {stratum: sorted(found[stratum], key=lambda one: one.instance) for stratum in sorted(found)}


class AgreementRow(NamedTuple):
    """A row of Table A3's first columns: a model's instances that both judges labelled, and how many differ."""

    model: str
    judged: int
    disagreements: int
    unverified: int

    @property
    def agreement(self) -> float | None:
        """Share of equal labels; None where nothing was labelled by both."""
        return 1 - self.disagreements / self.judged if self.judged else None


def agreement(population: Sequence[Pair]) -> list[AgreementRow]:
    """Agreement of the judges by model, in the order in which models first occur."""
    models = list(dict.fromkeys(one.instance.model for one in population))
    unverified = Counter(one.instance.model for one in population if one.unverified)
    disagreeing = Counter(one.instance.model for one in population if one.stratum is not None)
    total = Counter(one.instance.model for one in population)
    return [
        AgreementRow(model, total[model] - unverified[model], disagreeing[model], unverified[model]) for model in models
    ]


def _by_instance(judgments: Iterable[Judgment]) -> Mapping[Instance, Judgment]:
    found: dict[Instance, Judgment] = {}
    for one in judgments:
        instance = Instance(one.model, one.variant, one.position, one.response)
        if instance in found:
            raise DataError(f"judge {one.judge!r} has judged {_said(instance)} twice")
        found[instance] = one
    return found


def _said(instance: Instance) -> str:
    return f"constraint {instance.position} of variant {instance.variant!r} in response {instance.response!r}"
