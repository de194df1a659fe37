"""Instructions composed of task seeds and constraint families, without a model.

Every instruction comes with a witness: a constraint joins only when the writer still finds a text that
`scopeif.measure` judges to satisfy it and all the earlier ones, none of them vacuously. So constraints never
contradict each other, and a rule that the measuring changed is met at generation, not in training.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Literal, NamedTuple, TypeVar

from scopeif.constraints.categories import category
from scopeif.constraints.models import Constraint, CountingObject, Instruction
from scopeif.constraints.spec import Each, Spec, Where
from scopeif.errors import AmbiguousResponse, SpecError
from scopeif.measure import describe, evaluate
from scopeif.synthesis.family import Draw, Family
from scopeif.synthesis.layouts import LAID_OUT, OPENERS
from scopeif.synthesis.plan import Layout, Plan
from scopeif.synthesis.prompt import join
from scopeif.synthesis.scoped import SCOPED
from scopeif.synthesis.seeds import Seed, seeds
from scopeif.synthesis.whole import WHOLE
from scopeif.synthesis.witness import write

_T = TypeVar("_T")
_SIZES = {1: 8, 2: 26, 3: 32, 4: 20, 5: 9, 6: 5}
"""Weights of the number of constraints; the mean is 3.1."""
_LAYOUTS: dict[Layout, int] = {"prose": 52, "lines": 15, "list": 14, "paragraphs": 12, "json": 7}
"""Weights of the layouts of scope-aware instructions; easy ones are prose."""
_EASY_SHARE = {"en": 0.6, "zh": 0.3}
_SCOPED_SHARE = 0.75
"""Of the constraints of a scope-aware instruction."""
_TRIES = 40
Level = Literal["easy", "scoped"]
Split = Literal["train", "test"]


class Made(NamedTuple):
    """An instruction, and a text that satisfies all its constraints."""

    instruction: Instruction
    witness: str


@dataclass
class _Draft:
    draw: Draw
    specs: list[Spec] = field(default_factory=list)
    aspects: frozenset[str] = frozenset()
    used: set[Family] = field(default_factory=set)
    witness: str = ""


class Generator:
    """Draws instructions that differ from all that it drew before, in prompt and in seed x specs.

    The same seed number and the same calls give the same instructions.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._rng = random.Random(seed)
        self._prompts: set[str] = set()
        self._combinations: set[tuple[str, frozenset[str]]] = set()
        self._seeds: dict[str, Iterator[Seed]] = {}
        self._made: Counter[tuple[str, Split]] = Counter()

    def make(self, count: int, language: str, split: Split) -> list[Made]:
        """Draw `count` instructions of a language (`en` or `zh`) for a split."""
        made: list[Made] = []
        while len(made) < count:
            level: Level = "easy" if self._rng.random() < _EASY_SHARE[language] else "scoped"
            draft = self._draft(self._next_seed(language), level, language)
            if not draft.specs:
                continue
            combination = draft.draw.seed.id, frozenset(spec.model_dump_json() for spec in draft.specs)
            id_ = f"{language}-{split}-{self._made[language, split]:04d}"
            one = self._finish(draft, level, split, id_)
            prompt = one.instruction.prompt or ""
            if combination not in self._combinations and prompt not in self._prompts:
                self._combinations.add(combination)
                self._prompts.add(prompt)
                self._made[language, split] += 1
                made.append(one)
        return made

    def _next_seed(self, language: str) -> Seed:
        """Seeds in a random order, over and over: each is used as often as any other."""
        if language not in self._seeds:
            order = list(seeds(language))
            self._rng.shuffle(order)
            self._seeds[language] = cycle(order)
        return next(self._seeds[language])

    def _draft(self, seed: Seed, level: Level, language: str) -> _Draft:
        layout = self._weighted(_LAYOUTS) if level == "scoped" else "prose"
        if layout == "json" and language == "zh":
            layout = "prose"
        draft = _Draft(Draw(self._rng, seed, Plan(language, layout)))
        size = self._weighted(_SIZES)
        opening: Sequence[Family] = OPENERS[layout] or (SCOPED if level == "scoped" else WHOLE)
        for _ in range(_TRIES):
            if len(draft.specs) == size:
                break
            families = opening
            if draft.specs:
                scoped = level == "scoped" and self._rng.random() < _SCOPED_SHARE
                families = (SCOPED if layout == "prose" else LAID_OUT) if scoped else WHOLE
            draft = self._extended(draft, families)
        return draft

    def _extended(self, draft: _Draft, families: Sequence[Family]) -> _Draft:
        """The draft with one constraint more, or as it is where the one drawn does not fit."""
        plan = draft.draw.plan
        fitting = [
            family
            for family in families
            if plan.layout in family.layouts
            and plan.language in family.languages
            and not family.aspects & draft.aspects
            and family not in draft.used
        ]
        if not fitting:
            return draft
        family = self._weighted({family: family.weight for family in fitting})
        draw = Draw(self._rng, draft.draw.seed, copy.deepcopy(plan), set(draft.draw.taken))
        try:
            specs = [*draft.specs, Spec(clauses=family.build(draw))]
            witness = write(draw.plan)
        except SpecError:
            return draft
        if not all(_proves(witness, spec) for spec in specs):
            return draft
        return _Draft(draw, specs, draft.aspects | family.aspects, draft.used | {family}, witness)

    def _finish(self, draft: _Draft, level: Level, split: Split, id_: str) -> Made:
        seed, language = draft.draw.seed, draft.draw.plan.language
        wording = random.Random(f"{self._seed} {id_}")  # its own: new wordings leave the specs as they are
        constraints = tuple(_constraint(spec, language, wording) for spec in draft.specs)
        instruction = Instruction(
            id=id_,
            prompt=join(seed.task, [constraint.text for constraint in constraints], language, wording),
            language=language,
            constraints=constraints,
            provenance={"generator": "offline", "seed": seed.id, "kind": seed.kind, "level": level},
            split=split,
        )
        return Made(instruction, draft.witness)

    def _weighted(self, weights: dict[_T, int]) -> _T:
        return self._rng.choices(list(weights), list(weights.values()))[0]


def _proves(witness: str, spec: Spec) -> bool:
    try:
        records = evaluate(spec, witness)
    except AmbiguousResponse:
        return False
    return all(record.satisfied and not record.vacuous for record in records)


def _constraint(spec: Spec, language: str, rng: random.Random) -> Constraint:
    categories = category(spec)
    objects = tuple(
        CountingObject(
            object=clause.object,
            type="universal" if any(isinstance(step, (Each, Where)) for step in clause.scope) else "specific",
        )
        for clause in spec.clauses
    )
    return Constraint(
        text=describe(spec, language, rng),
        scope=categories.scope,
        target=categories.target,
        range=categories.range,
        counting_objects=objects,
        spec=spec,
    )
