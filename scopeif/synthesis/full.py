"""Instructions of the full profile: constraints of all categories that grow around a document of known counts."""

from __future__ import annotations

import random
from collections import Counter
from typing import TypeVar

from scopeif.constraints.compatibility import Combination
from scopeif.constraints.spec import Spec
from scopeif.synthesis.asks import TOP, Words
from scopeif.synthesis.forms import FORM_WEIGHTS, draft
from scopeif.synthesis.menu import combination_of, wishes
from scopeif.synthesis.mutants import Mutant, least_harm
from scopeif.synthesis.pen import Pen
from scopeif.synthesis.proposals import Draft, propose
from scopeif.synthesis.script import SCRIPTS
from scopeif.synthesis.seeds import Seed
from scopeif.synthesis.writing import Written

_T = TypeVar("_T")
SIZES = {1: 7, 2: 9, 3: 10, 4: 14, 5: 17, 6: 15, 7: 12, 8: 8, 9: 6, 10: 4, 11: 3, 12: 5}
"""Weights of the number of constraints that is aimed at; what is reached is 4.8 in the mean, as in ScopeInstruct."""
LONGEST = {"en": 300, "zh": 520}
"""Words of a witness (Chinese: characters)."""
_TRIES = 8
"""Proposals for each constraint that is aimed at."""
_WISHES = 0.25
"""Share of the instructions that are to hold a combination which was not made yet."""
_WISH_TRIES = 12
_DOCUMENTS = 4
"""Documents among which one is looked for that can hold the wish."""


def drawn(
    rng: random.Random, seed: Seed, language: str, covered: Counter[Combination]
) -> tuple[Draft, tuple[Mutant, ...]]:
    """The constraints of one instruction with the document that meets them, and a mutant for each.

    Args:
        covered: how often each combination was made.
    """
    size = _weighted(rng, SIZES)
    wish = _wish(rng, seed, language, covered)
    grown = _grown(rng, seed, language, wish, size + (size + 1) // 3)  # some will say nothing new
    return _breakable(grown, size, wish)


def _grown(rng: random.Random, seed: Seed, language: str, wish: Combination | None, size: int) -> Draft:
    """A document with as many constraints as fit, up to `size`."""
    grown = _first_draft(rng, seed, language, wish)
    for turn in range(_TRIES * size):
        if len(grown.specs) == size:
            break
        options = grown.menu()
        if wish is not None and turn < _WISH_TRIES and wish in options.asks:
            option = options.option(wish, rng)
        elif not grown.specs and options.openers and (size > 1 or rng.random() < 0.6):
            option = rng.choice(options.openers)
        else:
            option = options.draw(rng)
        proposal = propose(grown, option)
        if proposal is not None:
            grown = proposal
            wish = None if option.combination == wish else wish
    return grown


def _wish(rng: random.Random, seed: Seed, language: str, covered: Counter[Combination]) -> Combination | None:
    """Now and then: a combination that was not made yet, and that a form of the task can hold."""
    if rng.random() >= _WISHES:
        return None
    forms = set(seed.forms)
    possible = wishes(language, seed.traits)
    missing = [name for name, some in possible.items() if not covered[name] and forms & some]
    special = [name for name in missing if name not in wishes(language, frozenset())]  # few tasks can have these
    return rng.choice(special or missing) if missing else None


def _first_draft(rng: random.Random, seed: Seed, language: str, wish: Combination | None) -> Draft:
    script = SCRIPTS[language]
    forms = [form for form in seed.forms if wish is None or form in wishes(language, seed.traits)[wish]]
    pen = Pen(language, rng, seed.words)
    words = Words(rng, script, list(seed.words), [word for word in script.limited if word not in seed.task])
    for _ in range(_DOCUMENTS):
        form = _weighted(rng, {form: FORM_WEIGHTS[form] for form in forms})
        document = draft(form, language, pen, "code" in seed.traits, rich=wish is not None)
        first = Draft(document, Written(document), pen, words, traits=seed.traits, longest=LONGEST[language])
        if wish is None or wish in first.menu().asks:
            break
    return first


def _breakable(grown: Draft, size: int, wish: Combination | None) -> tuple[Draft, tuple[Mutant, ...]]:
    """The first `size` constraints that can be violated alone, in reading order, and their mutants.

    A constraint that cannot says nothing that the others do not say; it is dropped. But what asks for the form, and
    the wish, stay: there the others go that would be violated too. The mutants of those before stay what they are:
    with fewer constraints they still violate one alone.
    """
    specs, mutants = list(grown.specs), list[Mutant]()
    while len(mutants) < min(len(specs), size):
        at = len(mutants)
        found = least_harm(specs, at, grown.written, grown.pen)
        stays = combination_of(specs[at]) == wish or _opens(specs[at], grown)
        if found is None or (found.harmed and (not stays or min(found.harmed) < at)):
            specs.pop(at)
        else:
            specs = [spec for number, spec in enumerate(specs) if number not in found.harmed]
            mutants.append(found.mutant)
    order = sorted(range(len(mutants)), key=lambda index: _reading_order(specs[index]))
    grown.specs = [specs[index] for index in order]
    return grown, tuple(mutants[index]._replace(constraint=place) for place, index in enumerate(order))


def _opens(spec: Spec, grown: Draft) -> bool:
    """Whether a constraint asks for the form of the document."""
    clause = spec.clauses[0]
    if clause.scope or clause.measure.kind not in ("count", "valid"):
        return False
    return any(option.combination == combination_of(spec) for option in grown.menu().openers)


_RANKS = {unit: rank for rank, unit in enumerate(("response", *TOP))}


def _reading_order(spec: Spec) -> tuple[int, int, int]:
    """The whole response first, then large parts before small ones, and counts of parts before what is in them."""
    clause = spec.clauses[0]
    counts = clause.measure.kind in ("count", "valid")
    outer = clause.scope[0] if clause.scope else None
    return (_RANKS[outer.unit] if outer else 0, len(clause.scope), 0 if counts else 1)


def _weighted(rng: random.Random, weights: dict[_T, int]) -> _T:
    return rng.choices(list(weights), list(weights.values()))[0]
