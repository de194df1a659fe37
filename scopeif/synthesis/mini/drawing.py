"""Short instructions: each constraint joins only when a short document still fulfils the plan of all."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from scopeif.constraints.spec import Spec
from scopeif.errors import SpecError
from scopeif.synthesis.document import Document
from scopeif.synthesis.known import satisfied
from scopeif.synthesis.mini.family import Draw, Family
from scopeif.synthesis.mini.layouts import LAID_OUT, OPENERS
from scopeif.synthesis.mini.plan import Layout, Plan
from scopeif.synthesis.mini.sentences import SCOPED
from scopeif.synthesis.mini.whole import WHOLE
from scopeif.synthesis.mini.witness import write
from scopeif.synthesis.seeds import Seed
from scopeif.synthesis.writing import Written

_T = TypeVar("_T")
_SIZES = {1: 8, 2: 26, 3: 32, 4: 20, 5: 9, 6: 5}
"""Weights of the number of constraints; the mean is 3.1."""
_LAYOUTS: dict[Layout, int] = {"prose": 52, "lines": 15, "list": 14, "paragraphs": 12, "json": 7}
"""Weights of the layouts of scope-aware instructions; easy ones are prose."""
_EASY_SHARE = {"en": 0.6, "zh": 0.3}
_SCOPED_SHARE = 0.75
"""Of the constraints of a scope-aware instruction."""
_TRIES = 40


@dataclass
class Short:
    """An instruction in the making: constraints, and a short document that meets them."""

    level: str
    draw: Draw
    specs: list[Spec] = field(default_factory=list)
    aspects: frozenset[str] = frozenset()
    used: set[Family] = field(default_factory=set)
    witness: Written = field(default_factory=lambda: Written(Document("en", "prose", [])))


def drawn(rng: random.Random, seeds: Iterator[Seed], language: str) -> Short:
    """The constraints of one instruction: easy ones on the whole response, or scope-aware ones."""
    level = "easy" if rng.random() < _EASY_SHARE[language] else "scoped"
    seed = next(seeds)
    layout = _weighted(rng, _LAYOUTS) if level == "scoped" else "prose"
    if layout == "json" and language == "zh":
        layout = "prose"
    short = Short(level, Draw(rng, seed, Plan(language, layout)))
    size = _weighted(rng, _SIZES)
    opening: Sequence[Family] = OPENERS[layout] or (SCOPED if level == "scoped" else WHOLE)
    for _ in range(_TRIES):
        if len(short.specs) == size:
            break
        families = opening
        if short.specs:
            scoped = level == "scoped" and rng.random() < _SCOPED_SHARE
            families = (SCOPED if layout == "prose" else LAID_OUT) if scoped else WHOLE
        short = _extended(rng, short, families)
    return short


def _extended(rng: random.Random, short: Short, families: Sequence[Family]) -> Short:
    """The instruction with one constraint more, or as it is where the one drawn does not fit."""
    plan = short.draw.plan
    fitting = [
        family
        for family in families
        if plan.layout in family.layouts
        and plan.language in family.languages
        and not family.aspects & short.aspects
        and family not in short.used
    ]
    if not fitting:
        return short
    family = _weighted(rng, {family: family.weight for family in fitting})
    draw = Draw(rng, short.draw.seed, copy.deepcopy(plan), set(short.draw.taken))
    try:
        specs = [*short.specs, Spec(clauses=family.build(draw))]
        witness = write(draw.plan)
    except SpecError:
        return short
    if not all(satisfied(spec, witness) for spec in specs):
        return short
    return Short(short.level, draw, specs, short.aspects | family.aspects, short.used | {family}, witness)


def _weighted(rng: random.Random, weights: dict[_T, int]) -> _T:
    return rng.choices(list(weights), list(weights.values()))[0]
