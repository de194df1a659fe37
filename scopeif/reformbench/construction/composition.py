"""Stage 5: three-constraint variants of every question (section 3.3, appendix A.7.4).

The plan is this program's own and depends on nothing but the seed, the baselines, and which features the writer says
suit the question; the words of the instruction are the writer's, or a template's.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from pydantic import BaseModel

from scopeif.constraints.contradictions import contradictions
from scopeif.reformbench.baseline import Baseline
from scopeif.reformbench.catalog.compatibility import conflict
from scopeif.reformbench.catalog.features import WORDINGS, Catalog, catalog
from scopeif.reformbench.catalog.templates import draw_parameters, instantiate
from scopeif.reformbench.construction.annotating import catalog_hash, catalog_text, known_features
from scopeif.reformbench.construction.annotation import BASELINES_FILE
from scopeif.reformbench.construction.build import ANNOTATION, COMPOSITION, REMOVAL, Build, who
from scopeif.reformbench.construction.calls import Caller, each
from scopeif.reformbench.construction.composing import PROMPTS, Composer, Draft
from scopeif.reformbench.construction.plan import Choice, Triple, combine, pool
from scopeif.reformbench.construction.questions import FILE as QUESTIONS_FILE
from scopeif.reformbench.construction.stage import LeftOut, Manifest
from scopeif.reformbench.models import Language, Mode, Question, Requirement, Variant
from scopeif.reformbench.prompt_file import hashes, prompt

FILE = "variants.jsonl"
NO_BASELINE = "no baseline"
NO_COMBINATION = "no combination"
NO_CHOICE = "no usable answer about suitable features"
DRAWS = 8
"""How often parameters are drawn for a triple before it counts as contradictory."""


class Suitable(BaseModel):
    """Features that a question can be asked to have."""

    features: list[str]


class States(NamedTuple):
    """What the unconstrained responses to a question show.

    shares: by feature, the share of the models with a baseline that show it; features that none shows lack.
    unknown: features that nobody looked for.
    """

    shares: Mapping[str, float]
    unknown: frozenset[str]


class _Planned(NamedTuple):
    drafts: list[Draft]
    left_out: LeftOut | None = None


async def compose(build: Build) -> Manifest:
    """Plan the variants of every question, and write their instructions."""
    settings = build.settings.composition
    writer = build.settings.writer if settings.composer == "writer" else None
    known_features(settings.features, catalog(), "composition.features")
    given: dict[str, Any] = {
        "inputs": build.inputs((REMOVAL, QUESTIONS_FILE), (ANNOTATION, BASELINES_FILE)),
        "seed": build.settings.seed,
        "writer": who(writer),
        "composition": settings.model_dump(mode="json"),
        "attempts": build.settings.attempts,
        "prompts": hashes("suit", *PROMPTS) if writer else {},
        "catalog": catalog_hash(catalog()),
    }
    folder = build.folder(COMPOSITION)
    if (manifest := folder.finished(given)) is not None:
        return manifest
    questions = build.rows(REMOVAL, QUESTIONS_FILE, Question)
    states = states_of(build.rows(ANNOTATION, BASELINES_FILE, Baseline))
    async with build.callers(COMPOSITION, given, writer) as (caller,):
        planner = Planner(build, catalog(), states, caller if settings.choose else None)
        with build.show("plans", len(questions)) as tick:
            planned = await each(questions, planner.plan, build.settings.concurrency, tick)
        drafts = [draft for one in planned for draft in one.drafts]
        composer = Composer(caller, who(writer), settings.rounds, build.settings.seed)
        with build.show("instructions", len(drafts)) as tick:
            results = await each(drafts, composer.compose, build.settings.concurrency, tick)
    left_out = [one.left_out for one in planned if one.left_out is not None]
    left_out += [one for one in results if isinstance(one, LeftOut)]
    return folder.finish(given, {FILE: [one for one in results if isinstance(one, Variant)]}, left_out)


def states_of(baselines: Sequence[Baseline]) -> dict[str, States]:
    """The states of features by question; a question without a baseline lacks."""
    of_question: dict[str, list[Baseline]] = {}
    for one in baselines:
        of_question.setdefault(one.question, []).append(one)
    return {
        question: States(
            {
                feature: count / len(rows)
                for feature, count in Counter(name for row in rows for name in row.features).items()
            },
            frozenset(name for row in rows for name in row.unmeasured),
        )
        for question, rows in of_question.items()
    }


class Planner:
    """Plans the variants of questions.

    Args:
        states: as `states_of` gives them.
        caller: the model that says which features suit a question; None takes all for suitable.
    """

    def __init__(self, build: Build, catalog: Catalog, states: Mapping[str, States], caller: Caller | None) -> None:
        self._seed, self._settings = build.settings.seed, build.settings.composition
        self._catalog, self._states, self._caller = catalog, states, caller

    async def plan(self, question: Question) -> _Planned:
        """The drafts of a question, or why there are none."""
        states = self._states.get(question.id)
        if states is None:
            return _Planned([], LeftOut(id=question.id, reason=NO_BASELINE, detail="no response of it is annotated"))
        requirable: Collection[str] | None = None
        if self._caller is not None:
            pieces = {"question": question.text, "catalog": catalog_text(self._catalog)}
            asked = await self._caller.json(
                prompt("suit").filled(**pieces), Suitable, question.id, lambda one: self._known(one.features)
            )
            if asked.usable is None:
                return _Planned([], LeftOut(id=question.id, reason=NO_CHOICE, detail=asked.fault))
            requirable = asked.usable.features
        drafts = self._drafts(question, states, requirable)
        if not drafts:
            return _Planned([], LeftOut(id=question.id, reason=NO_COMBINATION, detail="no triple is compatible"))
        return _Planned(drafts)

    def _known(self, features: list[str]) -> None:
        known_features(features, self._catalog)

    def _drafts(self, question: Question, states: States, requirable: Collection[str] | None) -> list[Draft]:
        allowed = set(self._settings.features or (one.id for one in self._catalog.features))
        if not self._settings.unmeasured:
            allowed -= states.unknown
        choices = [
            Choice(one.id, one.category, states.shares.get(one.id, 0.0))
            for one in self._catalog.features
            if one.id in allowed
        ]
        seed, wanted = f"{self._seed} {question.id}", self._settings.variants
        targets = pool(choices, wanted, self._settings.recurrence, requirable, seed)
        drawn: dict[int, tuple[Requirement, ...]] = {}

        def accept(triple: Triple, number: int) -> bool:
            found = _requirements(triple, question, f"{seed} {number}")
            if found is not None:
                drawn[number] = found
            return found is not None

        plan = combine(targets, wanted, accept, seed)
        return [
            Draft(
                id=f"{question.id}-v{number + 1:02d}",
                question=question,
                requirements=drawn[number],
                provenance={"plan": {"seed": self._seed, "opposed": [one.opposed for one in triple]}},
            )
            for number, triple in enumerate(plan)
        ]


def _requirements(triple: Triple, question: Question, seed: str) -> tuple[Requirement, ...] | None:
    """Requirements of a triple that do not contradict each other; None where none were found."""
    chance = random.Random(f"parameters {seed} {[one.feature for one in triple]}")
    for _ in range(DRAWS):
        found = tuple(_draw(one.feature, one.mode, question.language, chance) for one in triple)
        if _compatible(found):
            return found
    return None


def _compatible(requirements: Sequence[Requirement]) -> bool:
    """Whether neither two of them contradict each other, nor all of them together."""
    if any(conflict(a, b) is not None for a, b in combinations(requirements, 2)):
        return False
    return not contradictions([one.spec for one in requirements])


def _draw(feature: str, mode: Mode, language: Language, chance: random.Random) -> Requirement:
    parameters = draw_parameters(feature, mode, chance, language)
    return instantiate(feature, mode, parameters, language, chance.randrange(WORDINGS))
