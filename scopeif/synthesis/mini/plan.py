"""What the constraints of one instruction ask of a response together: the plan of its witness.

A response is blocks (paragraphs; one block otherwise) of pieces: sentences, lines, or list items, as the
layout says. Each constraint narrows the plan; one that contradicts the earlier ones leaves an empty interval
or a second value where one fits, and is a `SpecError`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scopeif.errors import SpecError

Layout = Literal["prose", "paragraphs", "lines", "list", "json"]
LONGEST_RESPONSE = {"en": 45, "zh": 80}
"""Words (Chinese: characters) that no instruction may demand to exceed."""


class Interval(NamedTuple):
    """Whole numbers from `lower` to `upper`."""

    lower: int
    upper: int

    def meet(self, lower: int = 0, upper: int = 10_000) -> Interval:
        """The common part.

        Raises:
            SpecError: there is none.
        """
        met = Interval(max(self.lower, lower), min(self.upper, upper))
        if met.lower > met.upper:
            raise SpecError(f"[{lower}, {upper}] contradicts [{self.lower}, {self.upper}]")
        return met


ANY, SOME, UP_TO_THREE, UP_TO_FOUR = Interval(0, 10_000), Interval(1, 10_000), Interval(1, 3), Interval(1, 4)


def _one(mine: str | None, other: str | None) -> str | None:
    if mine is not None and other is not None and mine != other:
        raise SpecError(f"{other!r} contradicts {mine!r}")
    return mine if other is None else other


@dataclass(frozen=True)
class Demand:
    """What one piece must be like: length in words, topic words, first and last text, marks, letters."""

    words: Interval = SOME
    needs: tuple[str, ...] = ()
    start: str | None = None
    end: str | None = None
    commas: Interval = ANY
    longest_word: int = 10_000
    shout: bool = False
    """The first word is in capitals."""

    def merge(self, other: Demand) -> Demand:
        """Both demands at once.

        Raises:
            SpecError: they contradict each other.
        """
        return Demand(
            words=self.words.meet(*other.words),
            needs=self.needs + tuple(word for word in other.needs if word not in self.needs),
            start=_one(self.start, other.start),
            end=_one(self.end, other.end),
            commas=self.commas.meet(*other.commas),
            longest_word=min(self.longest_word, other.longest_word),
            shout=self.shout or other.shout,
        )


class Place(NamedTuple):
    """Which pieces: 1-based, negative from the end, 0 for every one; `odd` leaves out the even ones."""

    piece: int = 0
    block: int = 0
    odd: bool = False

    def holds(self, piece: int, pieces: int, block: int, blocks: int) -> bool:
        """Whether the piece (1-based) of the block (1-based) is one of these."""
        in_block = self.block in (0, block, block - blocks - 1)
        return in_block and self.piece in (0, piece, piece - pieces - 1) and (not self.odd or piece % 2 == 1)


class LengthRelation(NamedTuple):
    """Words of piece `left` are (at least) factor x words of piece `right` + offset.

    Piece 0 stands for each piece and the one before it.
    """

    left: int
    right: int
    factor: int = 1
    offset: int = 0
    exact: bool = False


@dataclass
class Plan:
    """The demands gathered so far."""

    language: str
    layout: Layout = "prose"
    blocks: Interval = UP_TO_THREE
    pieces: Interval = UP_TO_FOUR
    """Of each block."""
    pieces_of_block: dict[int, Interval] = field(default_factory=dict)
    words: Interval = SOME
    characters: Interval = SOME
    demands: list[tuple[Place, Demand]] = field(default_factory=list)
    needs: dict[str, Interval] = field(default_factory=dict)
    """How often a topic word must stand anywhere; (0, 0) forbids it."""
    where: dict[str, Demand] = field(default_factory=dict)
    """Demands on the pieces that hold a word."""
    marks: dict[str, Interval] = field(default_factory=dict)
    """How many of a character class (`comma`, `question_mark`, ...) may stand in the whole."""
    relations: list[LengthRelation] = field(default_factory=list)
    case: str | None = None
    wrapped: bool = False
    acrostic: str | None = None
    chained: bool = False
    sorted: bool = False
    keys: tuple[str, ...] = ()
    """Keys of the JSON object."""

    def __post_init__(self) -> None:
        self.words = self.words.meet(upper=LONGEST_RESPONSE[self.language])

    def at(self, place: Place, demand: Demand) -> None:
        """Ask for more at a place; a position makes the pieces up to it necessary."""
        self.demands.append((place, demand))
        self.pieces = self.pieces.meet(lower=abs(place.piece))
        self.blocks = self.blocks.meet(lower=abs(place.block))
        for word in demand.needs:
            self.need(word, 1)

    def need(self, word: str, lower: int = 0, upper: int = 10_000) -> None:
        """A topic word stands between `lower` and `upper` times."""
        self.needs[word] = self.needs.get(word, ANY).meet(lower, upper)

    def mark(self, char_class: str, lower: int = 0, upper: int = 10_000) -> None:
        """Between `lower` and `upper` characters of the class stand in the whole response."""
        self.marks[char_class] = self.marks.get(char_class, ANY).meet(lower, upper)

    def write_in(self, case: str) -> None:
        """All letters are of this case."""
        self.case = _one(self.case, case)
