"""Names of the taxonomy in the spellings that people and language models give them."""

from __future__ import annotations

import re
import unicodedata
from enum import Enum
from functools import lru_cache
from typing import TypeVar

from scopeif.constraints.taxonomy import ResponseUnit, Scope, ScopeStep, Selector
from scopeif.errors import ScopeTextError

_E = TypeVar("_E", bound=Enum)
_STEP = re.compile(r"\s*([A-Za-z]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ARROW = re.compile(r"\s*(?:-+>|=+>|→|⟶|⇒)\s*|(?<=\))\s*>\s*")


@lru_cache(maxsize=4096)
def read_scope(text: str) -> str:
    """Scope text of any spelling in the notation of `Scope`; text that is in it already comes back unchanged.

    Raises:
        ScopeTextError: a step without a selector, or without exactly one unit.
    """
    try:
        Scope.parse(text)
    except ScopeTextError:
        plain = unicodedata.normalize("NFKC", text)
        return str(Scope(tuple(_scope_step(part, text) for part in _ARROW.split(plain))))
    return text


def _scope_step(part: str, text: str) -> ScopeStep:
    match = _STEP.fullmatch(part)
    selector = member_of(Selector, match[1]) if match else None
    if match is None or selector is None:
        raise ScopeTextError(
            f"{part!r} in scope {text!r} names no selector", fix=f"use {', '.join(one.value for one in Selector)}"
        )
    if match[2] is None and selector is Selector.GLOBAL:
        return ScopeStep(selector, ResponseUnit.ENTIRE_RESPONSE)
    units = _units_in(match[2] or "")
    if len(units) != 1:
        found = f"names {len(units)} units" if units else "names no unit"
        known = ", ".join(one.value for one in ResponseUnit)
        raise ScopeTextError(f"{part!r} in scope {text!r} {found}", fix=f"use one of: {known}")
    return ScopeStep(selector, units[0])


def _units_in(text: str) -> list[ResponseUnit]:
    exact = member_of(ResponseUnit, text)
    if exact is not None:
        return [exact]
    words = [_singular(word) for word in re.findall(r"[a-z]+", text.casefold())]
    joined = f" {' '.join(words)} "
    return [unit for unit in ResponseUnit if f" {unit.value.casefold()} " in joined]


@lru_cache(maxsize=4096)
def member_of(kind: type[_E], name: str) -> _E | None:
    """The one member whose name it is, or whose name begins with these words."""
    words = _words(name)
    named = {member: _words(str(member.value)) for member in kind}
    exact = [member for member, its in named.items() if its == words]
    beginning = [member for member, its in named.items() if words and its[: len(words)] == words]
    found = exact or beginning
    return found[0] if len(found) == 1 else None


def _words(name: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", name).casefold()
    return [_singular(word) for word in re.findall(r"[a-z]+", plain)]


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


@lru_cache
def plain_keys(names: tuple[str, ...]) -> frozenset[str]:
    """`plain_key` each name."""
    return frozenset(map(plain_key, names))


@lru_cache(maxsize=256)
def plain_key(name: str) -> str:
    """What is the same in every spelling of a key: ``counting_object``, ``Counting Object``, ``countingObject``."""
    return re.sub(r"[\W_]+", "", name).casefold()
