"""The formal spec of a constraint: what is selected, what is measured, which values are permissible.

A spec is a list of clauses, one per counting object; each clause is ⟨selector chain, measure, range⟩ and JSON:

    {"clauses": [{
        "object": "sentences in each paragraph",
        "scope": [{"select": "each", "unit": "paragraph"}],
        "measure": {"kind": "count", "unit": "sentence"},
        "range": {"kind": "bounds", "upper": 3}}]}

`scopeif.measure.evaluate` measures a response against it, `scopeif.measure.compile_spec` writes the same spec as
the source of a verification tool. What a spec cannot express stands in ``docs/constraints.md``.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Union

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from tools_sandbox.patterns import compiled

MAX_DEPTH = 3
"""Longest selector chain that a spec may hold."""

Unit = Literal[
    "response", "section", "heading", "paragraph", "sentence", "line", "word", "character", "list", "list_item",
    "table", "table_row", "table_cell", "code_block", "json_value", "json_pair", "quote", "highlight", "placeholder",
]  # fmt: skip


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


def _readable(pattern: str) -> str:
    compiled(pattern)
    return pattern


Pattern = Annotated[str, Field(min_length=1), AfterValidator(_readable)]
"""A regular expression without groups (`tools_sandbox.patterns`); it is matched in linear time."""


# -- predicates of Condition -------------------------------------------------------------------------------------


class Contains(_Model):
    """The unit holds `text` as a keyword (measuring rules, "Strings")."""

    test: Literal["contains"] = "contains"
    text: str = Field(min_length=1)
    case_sensitive: bool = False


class StartsWith(_Model):
    """The unit, stripped, starts with `text`."""

    test: Literal["starts"] = "starts"
    text: str = Field(min_length=1)
    case_sensitive: bool = False


class EndsWith(_Model):
    """The unit, stripped, ends with `text`."""

    test: Literal["ends"] = "ends"
    text: str = Field(min_length=1)
    case_sensitive: bool = False


class IndexIs(_Model):
    """The unit's 1-based index leaves `remainder` when divided by `modulus` (odd: 2 and 1; every third: 3 and 0)."""

    test: Literal["index"] = "index"
    modulus: int = Field(ge=2)
    remainder: int = Field(ge=0)

    @model_validator(mode="after")
    def _remainder_below_modulus(self) -> IndexIs:
        if self.remainder >= self.modulus:
            raise ValueError(f"no index leaves {self.remainder} when divided by {self.modulus}")
        return self


class LengthIs(_Model):
    """The unit's length in words or characters lies in [lower, upper]."""

    test: Literal["length"] = "length"
    unit: Literal["word", "character"] = "word"
    lower: int | None = Field(default=None, ge=0)
    upper: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _bounded(self) -> LengthIs:
        if self.lower is None and self.upper is None:
            raise ValueError("a length needs a lower or an upper value")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower length {self.lower} is above upper length {self.upper}")
        return self


class MatchesPattern(_Model):
    """The unit, stripped, matches the regular expression `pattern` somewhere; ``^`` and ``$`` are the unit's ends."""

    test: Literal["matches"] = "matches"
    pattern: Pattern
    case_sensitive: bool = True


class UnderHeading(_Model):
    """The unit stands in the section of a heading that reads `text` (number, marks and colon of the heading aside)."""

    test: Literal["under_heading"] = "under_heading"
    text: str = Field(min_length=1)
    case_sensitive: bool = False


class AllOf(_Model):
    """Every inner predicate holds."""

    test: Literal["all_of"] = "all_of"
    of: tuple[Predicate, ...] = Field(min_length=1)


class AnyOf(_Model):
    """At least one inner predicate holds."""

    test: Literal["any_of"] = "any_of"
    of: tuple[Predicate, ...] = Field(min_length=1)


class Not(_Model):
    """The inner predicate does not hold."""

    test: Literal["not"] = "not"
    of: Predicate


Predicate = Annotated[
    Union[Contains, StartsWith, EndsWith, IndexIs, LengthIs, MatchesPattern, UnderHeading, AllOf, AnyOf, Not],
    Field(discriminator="test"),
]


# -- selectors ---------------------------------------------------------------------------------------------------


class Each(_Model):
    """Traversal: every `unit` of the segment at hand."""

    select: Literal["each"] = "each"
    unit: Unit


class At(_Model):
    """Position: the `unit` number `index` (1-based; negative counts from the end) of the segment at hand."""

    select: Literal["at"] = "at"
    unit: Unit
    index: int

    @model_validator(mode="after")
    def _index_is_not_zero(self) -> At:
        if self.index == 0:
            raise ValueError("index is 1-based; negative counts from the end; 0 is no position")
        return self


class Where(_Model):
    """Condition: every `unit` of the segment at hand for which the predicate holds."""

    select: Literal["where"] = "where"
    unit: Unit
    predicate: Predicate


Selection = Annotated[Union[Each, At, Where], Field(discriminator="select")]
Chain = Annotated[tuple[Selection, ...], Field(max_length=MAX_DEPTH)]


# -- measures (the secondary Targets of appendix A.2) ------------------------------------------------------------


class Length(_Model):
    """Capacity, Text Length: the segment's words or characters."""

    kind: Literal["length"] = "length"
    unit: Literal["word", "character"]


class Count(_Model):
    """Capacity, Unit Count, or Structure, Containers and Members: how many `unit` the segment holds.

    With `where`, how many of them the predicate holds for (their index is that within the segment). Counting what
    matches a pattern, such as words in capitals, is Pattern, Surface.
    """

    kind: Literal["count"] = "count"
    unit: Unit
    where: Predicate | None = None


class Occurrences(_Model):
    """Literals, Specific Strings: occurrences of `text`, without overlaps, as a keyword or anywhere (a letter, say)."""

    kind: Literal["occurrences"] = "occurrences"
    text: str = Field(min_length=1)
    case_sensitive: bool = False
    whole_word: bool = True


CharacterClass = Literal[
    "comma", "exclamation_mark", "question_mark", "digit", "uppercase_letter", "lowercase_letter", "punctuation_mark",
    "emoji",
]  # fmt: skip


class ClassCount(_Model):
    """Literals, Literal Classes: characters of a class (full-width forms included)."""

    kind: Literal["class_count"] = "class_count"
    char_class: CharacterClass


class Repeats(_Model):
    """Literals, Literal Classes: how many `unit` say the same as an earlier one of the segment (case ignored)."""

    kind: Literal["repeats"] = "repeats"
    unit: Unit


class Starts(_Model):
    """Pattern, Skeleton: 1 when the stripped segment starts with `text`, else 0."""

    kind: Literal["starts"] = "starts"
    text: str = Field(min_length=1)
    case_sensitive: bool = True


class Ends(_Model):
    """Pattern, Skeleton: 1 when the stripped segment ends with `text`, else 0."""

    kind: Literal["ends"] = "ends"
    text: str = Field(min_length=1)
    case_sensitive: bool = True


class Matches(_Model):
    """Pattern, Skeleton: 1 when the stripped segment matches the regular expression `pattern` somewhere, else 0."""

    kind: Literal["matches"] = "matches"
    pattern: Pattern
    case_sensitive: bool = True


class Wrapped(_Model):
    """Pattern, Boundary: 1 when one pair of delimiters opens first and closes last, else 0."""

    kind: Literal["wrapped"] = "wrapped"
    by: Literal["double_quotes", "parentheses", "square_brackets", "angle_brackets"]


class Divided(_Model):
    """Pattern, Boundary: how many pieces that hold text the lines of a divider make of the segment."""

    kind: Literal["divided"] = "divided"
    by: Literal["***", "---", "___"] = "***"


class LetterCase(_Model):
    """Pattern, Surface: 1 when the segment has letters and all cased ones are of this case, else 0."""

    kind: Literal["letter_case"] = "letter_case"
    case: Literal["upper", "lower"]


class Present(_Model):
    """Checklist, Presence: 1 when the segment holds the element `text` as a keyword, else 0."""

    kind: Literal["present"] = "present"
    text: str = Field(min_length=1)
    case_sensitive: bool = False


class Valid(_Model):
    """Checklist, Validity: 1 when the segment is one value of the format, a fence around it allowed or not, else 0.

    ``integer``, ``decimal`` (with a decimal point) and ``date`` (``2026-03-31``, in quotes or not) are for fields such
    as table cells and JSON values.
    """

    kind: Literal["valid"] = "valid"
    format: Literal["json", "json_object", "json_array", "csv", "yaml", "integer", "decimal", "date"]
    fence: bool = True


class Depth(_Model):
    """Structure, Nesting Depth: levels of nested lists, or of JSON objects and arrays."""

    kind: Literal["depth"] = "depth"
    of: Literal["list", "json"]


class Sorted(_Model):
    """Relations, Ordering: 1 when the `unit` texts stand in alphabetical order (case ignored), else 0."""

    kind: Literal["sorted"] = "sorted"
    unit: Unit
    descending: bool = False


class Chained(_Model):
    """Relations, Chaining: 1 when each `unit` starts with the last word of the one before it, else 0."""

    kind: Literal["chained"] = "chained"
    unit: Unit


class Acrostic(_Model):
    """Relations, Positional: 1 when the first letters of the `unit` texts spell `text` (case ignored), else 0."""

    kind: Literal["acrostic"] = "acrostic"
    unit: Unit
    text: str = Field(min_length=2)


AMOUNTS = (Length, Count, Occurrences, ClassCount, Repeats, Divided, Depth)
"""The measures whose values are amounts; the others are 1 or 0."""

Amount = Annotated[Union[Length, Count, Occurrences, ClassCount, Repeats, Divided, Depth], Field(discriminator="kind")]
Measure = Annotated[
    Union[
        Length, Count, Occurrences, ClassCount, Repeats, Starts, Ends, Matches, Wrapped, Divided, LetterCase, Present,
        Valid, Depth, Sorted, Chained, Acrostic,
    ],
    Field(discriminator="kind"),
]  # fmt: skip


# -- ranges ------------------------------------------------------------------------------------------------------


class Bounds(_Model):
    """Absolute: the value lies in [lower, upper]; a missing bound is infinite."""

    kind: Literal["bounds"] = "bounds"
    lower: int | float | None = None
    upper: int | float | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Bounds:
        if self.lower is None and self.upper is None:
            raise ValueError("bounds need a lower or an upper value")
        if any(bound is not None and not math.isfinite(bound) for bound in (self.lower, self.upper)):
            raise ValueError("leave a bound out instead of making it infinite")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"lower bound {self.lower} is above upper bound {self.upper}")
        return self


class Previous(_Model):
    """The reference is the same measure of the segment before (the first segment has none)."""

    to: Literal["previous"] = "previous"


class Named(_Model):
    """The reference is the same measure of another segment of the response; the chain selects one, or all of it."""

    to: Literal["segment"] = "segment"
    scope: Chain

    @model_validator(mode="after")
    def _selects_one(self) -> Named:
        if any(isinstance(step, Each) for step in self.scope):
            raise ValueError("a reference is one segment; `each` selects several")
        return self


class Same(_Model):
    """The reference is another measure of the segment itself (twice as many statements as questions)."""

    to: Literal["same"] = "same"
    measure: Amount


class Relative(_Model):
    """Relative: value `relation` round(factor x reference + offset).

    Strict relations over whole numbers are bounds one further. `rounding` applies when the right side is no whole
    number; ``none`` keeps the fraction.
    """

    kind: Literal["relative"] = "relative"
    relation: Literal["more", "at_least", "equal", "at_most", "fewer"]
    to: Annotated[Union[Previous, Named, Same], Field(discriminator="to")]
    factor: float = Field(default=1.0, gt=0)
    offset: float = 0.0
    rounding: Literal["none", "floor", "ceil", "nearest"] = "none"


Range = Annotated[Union[Bounds, Relative], Field(discriminator="kind")]


class Clause(_Model):
    """One counting object: where it is looked for, how it is measured, which values are permissible."""

    object: str = Field(min_length=1)
    scope: Chain = ()
    measure: Measure
    range: Range

    @model_validator(mode="after")
    def _comparable(self) -> Clause:
        if isinstance(self.range, Relative) and not isinstance(self.measure, AMOUNTS):
            raise ValueError(f"{self.measure.kind} answers yes or no; only amounts stand in a relation to another")
        return self


class Spec(_Model):
    """A constraint in formal form; its records are those of its clauses, in order."""

    clauses: tuple[Clause, ...] = Field(min_length=1)
