"""Parameters of a requirement: counts, names, texts and choices, with bounds, defaults and what a seed may draw.

>>> count = CountParameter(name="items", lower=2, upper=8, default=4)
>>> count.checked(3, "bullet_list/require")
3
>>> count.worded(3, "en")
'3'
"""

from __future__ import annotations

import random
import re
from typing import Annotated, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, model_validator

from scopeif.errors import DataError
from scopeif.reformbench.models import Language

Value = int | str | tuple[str, ...]
"""What a parameter holds: a count, a text or the key of a choice, or names in order."""
ByLanguage = dict[Language, str]
"""The same words in English and Chinese."""

LONGEST = 40
"""Most characters of a name or a text."""
_ONE_LINE = re.compile(r"[^\n\r|`{}]+")


class _Parameter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z][a-z_]*$")

    def _refused(self, value: object, place: str, allowed: str) -> DataError:
        return DataError(f"parameter {self.name!r} is {value!r}", place=place, fix=f"give {allowed}")


class CountParameter(_Parameter):
    """A whole number from `lower` to `upper`."""

    kind: Literal["count"] = "count"
    lower: int = Field(ge=1)
    upper: int
    default: int

    @model_validator(mode="after")
    def _ordered(self) -> CountParameter:
        if not self.lower <= self.default <= self.upper:
            raise ValueError(f"{self.name}: the default {self.default} is not within {self.lower} to {self.upper}")
        return self

    def value(self, language: Language) -> int:
        """The default."""
        return self.default

    def draw(self, rng: random.Random, language: Language) -> int:
        """Any value, all alike."""
        return rng.randint(self.lower, self.upper)

    def checked(self, value: object, place: str) -> int:
        """The value itself; DataError where it is none of this parameter."""
        if type(value) is not int or not self.lower <= value <= self.upper:
            raise self._refused(value, place, self.allowed)
        return value

    def worded(self, value: Value, language: Language) -> str:
        """As it stands in a sentence."""
        return str(value)

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return f"a whole number from {self.lower} to {self.upper}"


class NamesParameter(_Parameter):
    """From `lower` to `upper` distinct names, in an order that counts; `pool` holds ours."""

    kind: Literal["names"] = "names"
    lower: int = Field(ge=1)
    upper: int
    default: int
    """How many of the pool, from its start, are the default."""
    pool: dict[Language, tuple[str, ...]]

    @model_validator(mode="after")
    def _enough(self) -> NamesParameter:
        if not self.lower <= self.default <= self.upper:
            raise ValueError(f"{self.name}: the default {self.default} is not within {self.lower} to {self.upper}")
        for language in ("en", "zh"):
            names = self.pool[language]
            if len({name.casefold() for name in names}) < len(names) or len(names) < self.upper:
                raise ValueError(f"{self.name}: {self.upper} distinct names are needed in {language!r}")
        return self

    def value(self, language: Language) -> tuple[str, ...]:
        """The default."""
        return self.pool[language][: self.default]

    def draw(self, rng: random.Random, language: Language) -> tuple[str, ...]:
        """As many names as are allowed, from the pool and in its order, which is one in which they make sense."""
        names = self.pool[language]
        chosen = rng.sample(range(len(names)), rng.randint(self.lower, self.upper))
        return tuple(names[number] for number in sorted(chosen))

    def checked(self, value: object, place: str) -> tuple[str, ...]:
        """The names as a tuple; DataError where they are none of this parameter."""
        if not isinstance(value, tuple | list) or not self.lower <= len(value) <= self.upper:
            raise self._refused(value, place, self.allowed)
        names = [_one_line(name) for name in value]
        found = tuple(name for name in names if name is not None)
        if len({name.casefold() for name in found}) < len(value):
            raise self._refused(value, place, self.allowed)
        return found

    def worded(self, value: Value, language: Language) -> str:
        """As it stands in a sentence."""
        return listed(value if isinstance(value, tuple) else (str(value),), language)

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        many = str(self.lower) if self.lower == self.upper else f"{self.lower} to {self.upper}"
        return f"{many} distinct names of one line and at most {LONGEST} characters each, without | ` {{ }}"


class TextParameter(_Parameter):
    """A short text of one line; `pool` holds ours, the first is the default."""

    kind: Literal["text"] = "text"
    pool: dict[Language, tuple[str, ...]]

    def value(self, language: Language) -> str:
        """The default."""
        return self.pool[language][0]

    def draw(self, rng: random.Random, language: Language) -> str:
        """One of the pool."""
        return rng.choice(self.pool[language])

    def checked(self, value: object, place: str) -> str:
        """The text itself; DataError where it is none of this parameter."""
        text = _one_line(value)
        if text is None:
            raise self._refused(value, place, self.allowed)
        return text

    def worded(self, value: Value, language: Language) -> str:
        """As it stands in a sentence."""
        return str(value)

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return f"one line of at most {LONGEST} characters, without | ` {{ }}"


class ChoiceParameter(_Parameter):
    """One of several keys, each with its words; the first is the default."""

    kind: Literal["choice"] = "choice"
    options: dict[str, ByLanguage] = Field(min_length=2)

    def value(self, language: Language) -> str:
        """The default."""
        return next(iter(self.options))

    def draw(self, rng: random.Random, language: Language) -> str:
        """Any key, all alike."""
        return rng.choice(list(self.options))

    def checked(self, value: object, place: str) -> str:
        """The key itself; DataError where it is none of this parameter."""
        if not isinstance(value, str) or value not in self.options:
            raise self._refused(value, place, self.allowed)
        return value

    def worded(self, value: Value, language: Language) -> str:
        """As it stands in a sentence."""
        return self.options[str(value)][language]

    @property
    def allowed(self) -> str:
        """What it may be, in words."""
        return f"one of: {', '.join(self.options)}"


Parameter = Annotated[
    Union[CountParameter, NamesParameter, TextParameter, ChoiceParameter], Field(discriminator="kind")
]


def listed(names: tuple[str, ...], language: Language) -> str:
    """Names in quotation marks, as a list within a sentence."""
    if language == "zh":
        marked = [f"“{name}”" for name in names]
        return "和".join(filter(None, ["、".join(marked[:-1]), marked[-1]]))
    marked = [f'"{name}"' for name in names]
    return " and ".join(filter(None, [", ".join(marked[:-1]), marked[-1]]))


def _one_line(value: object) -> str | None:
    """The text where it is one that may stand within a line; else None."""
    if not isinstance(value, str) or value.strip() != value or len(value) > LONGEST:
        return None
    return value if _ONE_LINE.fullmatch(value) else None
