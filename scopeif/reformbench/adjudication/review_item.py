"""One disagreement as a reviewer sees it: the texts, and both judges' labels and evidence as A and B, in random order.

Neither the judges nor the evaluated model are named; the seed of the review decides who is A.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Literal, NamedTuple

from scopeif.errors import InvalidInputError
from scopeif.reformbench.adjudication.strata import Pair, Stratum
from scopeif.reformbench.judging.prompt import Assessed
from scopeif.reformbench.models import Requirement, text_hash

Side = Literal["a", "b"]
"""A judge, blinded."""
Judge = Literal["first", "second"]
"""A judge, by its place in the pair."""


class TextHashes(NamedTuple):
    """Hashes of what an adjudication rests on."""

    instruction_hash: str
    requirement_hash: str
    response_hash: str


class Opinion(NamedTuple):
    """A judge's label with its evidence."""

    label: Literal[0, 1]
    evidence: str


@dataclass(frozen=True)
class ReviewItem:
    """A disagreement to be reviewed.

    Args:
        pair: both judges' labels, which differ.
        item: the response with its instruction, as the judges read it.
        seed: of the review.

    Raises:
        InvalidInputError: the judges agree, or have read another response.
    """

    pair: Pair
    item: Assessed
    seed: int

    def __post_init__(self) -> None:
        if self.pair.stratum is None:
            raise InvalidInputError(f"the judges do not disagree about {self.pair.instance}")
        of = self.pair.instance
        if (of.response, of.variant) != (self.item.response.id, self.item.variant.id):
            raise InvalidInputError(f"response {self.item.response.id!r} is not the one of {of}")
        if self.pair.first.response_hash != self.item.response.hash:
            raise InvalidInputError(f"the judges have read another text of response {of.response!r}")

    @property
    def stratum(self) -> Stratum:
        """The stratum that the disagreement belongs to."""
        stratum = self.pair.stratum
        assert stratum is not None  # checked when it was made
        return stratum

    @property
    def requirement(self) -> Requirement:
        """The constraint that the judges disagree about."""
        return self.pair.requirement

    @property
    def hashes(self) -> TextHashes:
        """Hashes of the instruction, the requirement with its criterion, and the response."""
        asked = json.dumps([self.requirement.text, self.requirement.acceptance])
        return TextHashes(text_hash(self.item.instruction), text_hash(asked), self.item.response.hash)

    @property
    def id(self) -> str:
        """A name that tells a reviewer nothing, and changes with any of the texts."""
        return f"item-{_hash([*self.pair.instance, *self.hashes])[:16]}"

    @property
    def a(self) -> Opinion:
        """What judge A says."""
        return self._opinion("a")

    @property
    def b(self) -> Opinion:
        """What judge B says."""
        return self._opinion("b")

    def judge(self, side: Side) -> Judge:
        """Which judge stands on a side."""
        first_is_a = int(_hash([self.seed, self.id])[:8], 16) % 2 == 0
        return "first" if (side == "a") == first_is_a else "second"

    def _opinion(self, side: Side) -> Opinion:
        said = self.pair.first if self.judge(side) == "first" else self.pair.second
        return Opinion(1 if said.label else 0, said.evidence)


def _hash(values: list[str | int]) -> str:
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()
