"""What it does to scores that the evaluated models also screened the variants (appendix A.7.5).

Difficulty screening keeps the candidates on which the screening models fail most. A model that is among them has helped
to choose variants that it fails, so that its score is lower than on variants that the others chose; this study screens
once more without each model.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.metrics import AnyBenchmark, Scores, score
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.comparison import Change
from scopeif.reformbench.scoring.units import joint_pass
from scopeif.reformbench.studies.ranks import average_ranks


@dataclass(frozen=True)
class ModelSelection:
    """One model's scores on differently screened variants; each set has its own eligible units.

    candidates: on all candidates, none discarded.
    without_it: on the variants that the other models retain.
    with_it: on the variants that all models retain, itself included.
    shared: share of the retained variants that both sets have, in [0, 1].
    """

    candidates: Scores
    without_it: Scores
    with_it: Scores
    shared: float

    @property
    def tcpr(self) -> Change:
        """What its taking part changes in its TCPR: without it, with it."""
        return Change(self.without_it.tcpr, self.with_it.tcpr)

    @property
    def emcr(self) -> Change:
        """What its taking part changes in its EMCR: without it, with it."""
        return Change(self.without_it.emcr, self.with_it.emcr)


@dataclass(frozen=True)
class SelectionEffect:
    """All models; `retained` are the ids of the variants that all of them together retain, the hardest first."""

    retained: tuple[str, ...]
    models: Mapping[str, ModelSelection]

    def ranks(self, metric: str, *, with_it: bool) -> dict[str, float]:
        """Each model's rank, 1 the highest score, ties shared; every model on its own set where `with_it` is false.

        Args:
            metric: "tcpr" or "emcr"; models whose score is undefined have no rank.
        """
        scores = {
            name: getattr(one.with_it if with_it else one.without_it, metric) for name, one in self.models.items()
        }
        known = {name: value for name, value in scores.items() if value is not None}
        return dict(zip(known, average_ranks([-value for value in known.values()]), strict=True))


def selection_effect(candidates: Mapping[str, AnyBenchmark], retain: int) -> SelectionEffect:
    """Screen with all models and without each, and score each model on both sets.

    Args:
        candidates: by model, its probabilities on all candidate variants, those that screening discards included.
        retain: how many variants screening keeps.

    Raises:
        DataError: the models have different candidates, or an occurrence is unverified.
        InvalidInputError: fewer than two models, or more variants to retain than there are.
    """
    benchmarks = {model: ScoredBenchmark.of(benchmark) for model, benchmark in candidates.items()}
    if len(benchmarks) < 2:
        raise InvalidInputError("screening without a model needs at least two models")
    passes = {model: _passes(model, benchmark) for model, benchmark in benchmarks.items()}
    ids = next(iter(passes.values())).keys()
    for model, of_model in passes.items():
        if differing := sorted(of_model.keys() ^ ids):
            raise DataError(f"model {model!r} has other candidates than the first model, such as {differing[0]!r}")
    if not 0 < retain <= len(ids):
        raise InvalidInputError(f"{retain} of {len(ids)} candidates cannot be retained")
    everyone = hardest_variants(passes.values(), retain)
    models = {}
    for model, benchmark in benchmarks.items():
        others = hardest_variants((of for name, of in passes.items() if name != model), retain)
        models[model] = ModelSelection(
            candidates=score(benchmark),
            without_it=score(_only(benchmark, others)),
            with_it=score(_only(benchmark, everyone)),
            shared=len(set(others) & set(everyone)) / retain,
        )
    return SelectionEffect(tuple(everyone), models)


def hardest_variants(passes: Iterable[Mapping[str, float]], retain: int) -> list[str]:
    """Ids of the variants with the lowest mean joint pass over models, the hardest first; ties by id.

    Args:
        passes: for each screening model, the product of the three pass probabilities by variant id.
    """
    models = list(passes)
    # fsum: the order of the models must not decide a tie
    means = {name: math.fsum(model[name] for model in models) / len(models) for name in models[0]}
    return sorted(means, key=lambda name: (means[name], name))[:retain]


def _passes(model: str, benchmark: ScoredBenchmark) -> dict[str, float]:
    found = {}
    for variant in benchmark.variants:
        passed = joint_pass(variant.pass_probability)
        if passed is None:
            raise DataError(f"a requirement of variant {variant.id!r} is unverified", place=f"model {model!r}")
        found[variant.id] = passed
    return found


def _only(benchmark: ScoredBenchmark, ids: Sequence[str]) -> ScoredBenchmark:
    kept = set(ids)
    return replace(benchmark, variants=tuple(variant for variant in benchmark.variants if variant.id in kept))
