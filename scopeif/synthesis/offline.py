"""Instructions composed of task seeds and specs, without a model.

    generator = Generator(seed=7)
    for made in generator.make(100, "en", "train"):
        made.instruction, made.witness, made.mutants

Each instruction comes with a witness, a text that was made to satisfy all its constraints, and with mutants in which
one of them alone is violated by a known amount. So constraints never contradict each other. No text is parsed here:
what a witness and a mutant measure is known from how they were written, and `scopeif.measure` is the independent
check that the tests make.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from typing import Any, Literal, NamedTuple

from scopeif.constraints.categories import category
from scopeif.constraints.compatibility import Combination
from scopeif.constraints.models import Constraint, CountingObject, Instruction
from scopeif.constraints.spec import Each, Spec, Where
from scopeif.measure import describe
from scopeif.synthesis.full import drawn as drawn_full
from scopeif.synthesis.menu import combination_of
from scopeif.synthesis.mini.drawing import drawn as drawn_mini
from scopeif.synthesis.mutants import Mutant, mutant
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.prompt import join
from scopeif.synthesis.seeds import Seed, seeds
from scopeif.synthesis.writing import Written

Split = Literal["train", "test"]
Preset = Literal["full", "mini"]


class Made(NamedTuple):
    """An instruction, a text that satisfies all its constraints, and texts that violate one of them alone.

    Every constraint of the preset `full` has a mutant. In `mini` a few have none: what they ask follows from others.
    """

    instruction: Instruction
    witness: str
    mutants: tuple[Mutant, ...]


class Drawn(NamedTuple):
    """A task with its specs, the document that meets them, and what provenance says of it."""

    seed: Seed
    specs: list[Spec]
    witness: Written
    provenance: dict[str, Any]


class Generator:
    """Draws instructions that differ from all that it drew before, in prompt and in seed x specs.

    The same seed number and the same calls give the same instructions.

    Args:
        seed: the random seed.
        preset: ``full`` has 1 to 12 constraints of all categories; ``mini`` has 1 to 6, for answers of a few sentences.
    """

    def __init__(self, seed: int, preset: Preset = "full") -> None:
        self._seed = seed
        self._preset = preset
        self._rng = random.Random(seed)
        self._prompts: set[str] = set()
        self._combinations: set[tuple[str, frozenset[Spec]]] = set()
        self._seeds: dict[str, Iterator[Seed]] = {}
        self._numbers: Counter[tuple[str, Split]] = Counter()
        self._covered: Counter[Combination] = Counter()

    def make(self, count: int, language: str, split: Split) -> Iterator[Made]:
        """Draw `count` instructions of a language (`en` or `zh`) for a split."""
        made = 0
        while made < count:
            one = self._one(language, split)
            if one is not None:
                made += 1
                yield one

    def _one(self, language: str, split: Split) -> Made | None:
        id_ = f"{language}-{split}-{self._numbers[language, split]:04d}"
        drawn, mutants = self._drawn(language, id_)
        if not drawn.specs:
            return None
        instruction = self._worded(drawn, language, split, id_)
        combination, prompt = (drawn.seed.id, frozenset(drawn.specs)), instruction.prompt or ""
        if combination in self._combinations or prompt in self._prompts:
            return None
        self._combinations.add(combination)
        self._prompts.add(prompt)
        self._numbers[language, split] += 1
        self._covered.update(map(combination_of, drawn.specs))
        return Made(instruction, drawn.witness.text, mutants)

    def _drawn(self, language: str, id_: str) -> tuple[Drawn, tuple[Mutant, ...]]:
        tasks = self._tasks(language)
        if self._preset == "mini":
            short = drawn_mini(self._rng, tasks, language)
            seed = short.draw.seed
            pen = Pen(language, random.Random(f"{self._seed} {id_} mutants"), seed.words)
            found = [mutant(short.specs, index, short.witness, pen) for index in range(len(short.specs))]
            provenance = {"generator": "offline", "seed": seed.id, "kind": seed.kind, "level": short.level}
            return Drawn(seed, short.specs, short.witness, provenance), tuple(one for one in found if one is not None)
        seed = next(tasks)
        draft, mutants = drawn_full(self._rng, seed, language, self._covered)
        provenance = {
            "generator": "offline", "seed": seed.id, "kind": seed.kind, "genre": seed.genre,
            "form": draft.document.form,
        }  # fmt: skip
        return Drawn(seed, draft.specs, draft.written, provenance), mutants

    def _tasks(self, language: str) -> Iterator[Seed]:
        """Seeds in a random order, over and over: each is used as often as any other."""
        while True:
            if language not in self._seeds:
                order = [seed for seed in seeds(language) if seed.mini or self._preset == "full"]
                self._rng.shuffle(order)
                self._seeds[language] = cycle(order)
            yield next(self._seeds[language])

    def _worded(self, drawn: Drawn, language: str, split: Split, id_: str) -> Instruction:
        wording = random.Random(f"{self._seed} {id_}")  # its own: new wordings leave the specs as they are
        constraints = tuple(worded(spec, language, wording) for spec in drawn.specs)
        return Instruction(
            id=id_,
            prompt=join(drawn.seed.task, [constraint.text for constraint in constraints], language, wording),
            language=language,
            constraints=constraints,
            provenance=drawn.provenance,
            split=split,
        )


def worded(spec: Spec, language: str, rng: random.Random) -> Constraint:
    """A spec as a constraint, in words and with its categories."""
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
