"""Adjudications: which judge a reviewer found better supported; which disagreements are reviewed (appendix A.3.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scopeif.errors import DataError
from scopeif.reformbench.adjudication.review_item import Judge, ReviewItem, Side
from scopeif.reformbench.adjudication.sampling import allocate, draw, sample_size
from scopeif.reformbench.adjudication.strata import Direction, Instance, Pair, Stratum, strata
from scopeif.reformbench.judging.prompt import Assessed
from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Mode


class Adjudication(BaseModel):
    """A reviewed disagreement: the judge that was found better supported, and its label a_u."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(min_length=1)
    variant: str = Field(min_length=1)
    position: int = Field(ge=0, lt=CONSTRAINTS_PER_VARIANT)
    response: str = Field(min_length=1)
    instruction_hash: str
    requirement_hash: str
    response_hash: str
    direction: Direction
    category: str = Field(min_length=1)
    mode: Mode
    first: str = Field(min_length=1)
    """Name of the first judge."""
    second: str = Field(min_length=1)
    """Name of the second judge."""
    chosen: Judge
    label: Literal[0, 1]
    reviewer: str = ""
    note: str = ""
    matched: bool = False
    """Whether it comes from an earlier review, and not from this review's sample."""

    @model_validator(mode="after")
    def _label_of_the_chosen(self) -> Self:
        passes = (self.chosen == "first") == (self.direction == "first_passes")
        if self.label != passes:
            raise ValueError(f"the label of the {self.chosen} judge is {int(passes)} ({self.direction})")
        return self

    @property
    def instance(self) -> Instance:
        """What was reviewed."""
        return Instance(self.model, self.variant, self.position, self.response)

    @property
    def stratum(self) -> Stratum:
        """The stratum that it speaks for."""
        return Stratum(self.model, self.direction, self.category, self.mode)


class Refused(NamedTuple):
    """An earlier record that does not match, and why."""

    record: Adjudication
    reason: str


class StratumRow(NamedTuple):
    """How a stratum is covered: its disagreements, earlier records that match, further ones to review."""

    stratum: Stratum
    size: int
    matched: int
    drawn: int

    @property
    def fraction(self) -> float:
        """The sampling fraction."""
        return (self.matched + self.drawn) / self.size


@dataclass(frozen=True)
class ReviewSet:
    """What is reviewed.

    drawn: the disagreements still to be reviewed, in random order.
    matched: earlier records that stand, flagged as such.
    refused: earlier records that do not.
    table: one row a stratum.
    """

    drawn: tuple[ReviewItem, ...]
    matched: tuple[Adjudication, ...]
    refused: tuple[Refused, ...]
    table: tuple[StratumRow, ...]


def adjudicated(item: ReviewItem, side: Side, reviewer: str = "", note: str = "") -> Adjudication:
    """The record of a reviewer's choice of A or B."""
    chosen = item.judge(side)
    return Adjudication(
        **item.pair.instance._asdict(),
        **item.hashes._asdict(),
        direction=item.stratum.direction,
        category=item.stratum.category,
        mode=item.stratum.mode,
        first=item.pair.first.judge,
        second=item.pair.second.judge,
        chosen=chosen,
        label=(item.a if side == "a" else item.b).label,
        reviewer=reviewer,
        note=note,
    )


def reviewable(population: Iterable[Pair], items: Iterable[Assessed], seed: int = 0) -> dict[Instance, ReviewItem]:
    """Every disagreement as a reviewer would see it, by instance.

    Args:
        population: all pairs of judgments.
        items: the responses that were judged, at least those with a disagreement.
        seed: decides who is A.

    Raises:
        DataError: a response with a disagreement is not among the items.
    """
    wanted: defaultdict[tuple[str, str], list[Pair]] = defaultdict(list)
    for pair in population:
        if pair.stratum is not None:
            wanted[pair.instance.response, pair.instance.variant].append(pair)
    found: dict[Instance, ReviewItem] = {}
    for item in items:
        for pair in wanted.pop((item.response.id, item.variant.id), ()):
            found[pair.instance] = ReviewItem(pair, item, seed)
    if wanted:
        response, variant = min(wanted)
        what = f"{len(wanted)} responses with a disagreement are not given, such as {response!r} to variant {variant!r}"
        raise DataError(what, fix="give the responses that were judged")
    return found


def review_set(
    population: Sequence[Pair],
    items: Iterable[Assessed],
    earlier: Iterable[Adjudication] = (),
    seed: int = 0,
    margin: float = 0.03,
) -> ReviewSet:
    """The disagreements to review: earlier records that match first, then random ones of the least sampled strata.

    Args:
        population: all pairs of judgments, agreed ones included, of one model or several.
        items: the responses that were judged, at least those with a disagreement.
        earlier: records of earlier reviews.
        seed: decides which members of a stratum are drawn, and who is A.
        margin: of `sample_size`, for each model.

    Raises:
        DataError: a response with a disagreement is not among the items.
    """
    members = strata(population)
    known = reviewable(population, items, seed)
    matched, refused = _matched(known, earlier)
    have = Counter(record.stratum for record in matched.values())
    rows: list[StratumRow] = []
    drawn: list[Instance] = []
    for sizes in _by_model(members).values():
        counts = allocate(sizes, sample_size(sum(sizes.values()), margin=margin), have)
        for stratum, size in sizes.items():
            rest = [one.instance for one in members[stratum] if one.instance not in matched]
            more = draw(rest, counts[stratum] - have[stratum], seed)
            drawn += more
            rows.append(StratumRow(stratum, size, have[stratum], len(more)))
    return ReviewSet(
        drawn=tuple(known[instance] for instance in draw(drawn, len(drawn), seed)),
        matched=tuple(matched.values()),
        refused=tuple(refused),
        table=tuple(rows),
    )


def _matched(
    known: dict[Instance, ReviewItem], earlier: Iterable[Adjudication]
) -> tuple[dict[Instance, Adjudication], list[Refused]]:
    matched: dict[Instance, Adjudication] = {}
    refused: list[Refused] = []
    for record in earlier:
        if reason := _mismatch(record, known.get(record.instance), matched.get(record.instance)):
            refused.append(Refused(record, reason))
        else:
            matched[record.instance] = record.model_copy(update={"matched": True})
    return matched, refused


def _mismatch(record: Adjudication, item: ReviewItem | None, taken: Adjudication | None) -> str:
    """Why an earlier record does not speak of a disagreement; empty where it does."""
    if item is None:
        return "the judges do not disagree about this instance, or it is unknown"
    if taken is not None:
        what = "says the same" if taken.label == record.label else "says otherwise"
        return f"an earlier record of the same instance stands, and {what}"
    for name, now in item.hashes._asdict().items():
        if getattr(record, name) != now:
            return f"the {name.removesuffix('_hash')} has changed since"
    if record.stratum != item.stratum:
        return f"its stratum was {record.stratum} and is {item.stratum}"
    judges = item.pair.first.judge, item.pair.second.judge
    if (record.first, record.second) != judges:
        return f"the judges were {record.first!r} and {record.second!r}, and are {judges[0]!r} and {judges[1]!r}"
    return ""


def _by_model(members: dict[Stratum, list[Pair]]) -> dict[str, dict[Stratum, int]]:
    found: dict[str, dict[Stratum, int]] = {}
    for stratum, pairs in members.items():
        found.setdefault(stratum.model, {})[stratum] = len(pairs)
    return found
