"""Which combinations of requirements are hardest to satisfy together (appendix A.9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.metrics import AnyBenchmark, Unverified
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark, ScoredVariant, TargetId
from scopeif.reformbench.scoring.bootstrap import DEFAULT, Interval, Resampling, Table, clustered, quotient
from scopeif.reformbench.scoring.units import joint_pass

By = Literal["target", "feature", "category"]


@dataclass(frozen=True)
class Combination:
    """Three requirements that occur together, over all variants and models that have them.

    parts: their targets ("forbid table_or_grid"), features or categories, ascending.
    joint_pass: mean product of the three pass probabilities, in [0, 1]; what the combinations are ranked by.
    interval: of it, with questions drawn.
    variants, questions, responses: how many it is the mean of; a variant has a response of every model.
    failures: of each part, the share of the responses in which it is (expected to be) violated.
    """

    parts: tuple[str, ...]
    joint_pass: float
    interval: Interval
    variants: int
    questions: int
    responses: int
    failures: Mapping[str, float]


@dataclass(frozen=True)
class Ranking:
    """The hardest combinations first.

    found: how many distinct combinations there are; rare: how many of them have too few variants to be ranked.
    left_out: responses that are not counted, since a requirement of them is unverified.
    """

    combinations: tuple[Combination, ...]
    found: int
    rare: int
    left_out: int


class _Counted(NamedTuple):
    """One response: its product, and the failure of each part in their order."""

    variant: str
    question: str
    passed: float
    failures: tuple[float, ...]


def hardest(
    benchmarks: Iterable[AnyBenchmark],
    by: By = "target",
    *,
    category_of: Mapping[str, str] | None = None,
    min_variants: int = 3,
    limit: int = 20,
    unverified: Unverified = "error",
    how: Resampling = DEFAULT,
) -> Ranking:
    """Rank the combinations by joint pass, the lowest first; equal ones by their parts.

    Args:
        benchmarks: one for each model whose responses are counted together.
        by: what makes two combinations the same.
        category_of: the category of each feature, for `by="category"`.
        min_variants: combinations with fewer distinct variants are counted as rare and not ranked.
        limit: how many are returned; only these get intervals.

    Raises:
        DataError: a feature without category, two requirements of one category, or an unverified occurrence under
            `unverified="error"`.
        InvalidInputError: an unknown `by`, or "category" without categories.
    """
    if by not in get_args(By) or (by == "category" and category_of is None):
        fix = f"use one of: {', '.join(get_args(By))}; categories need category_of"
        raise InvalidInputError(f"combinations by {by!r} are not possible", fix=fix)
    groups: dict[tuple[str, ...], list[_Counted]] = {}
    left_out = 0
    for benchmark in map(ScoredBenchmark.of, benchmarks):
        for variant in benchmark.variants:
            names = [_name(target, by, category_of or {}, variant) for target in variant.targets]
            if len(set(names)) < len(names):
                raise DataError(f"two of its requirements are of one {by}: {', '.join(names)}", place=variant.id)
            counted = _counted(variant, names)
            if counted is not None:
                groups.setdefault(tuple(sorted(names)), []).append(counted)
            elif unverified == "exclude":
                left_out += 1
            else:
                raise DataError(
                    "a requirement is unverified",
                    place=f"variant {variant.id!r}",
                    fix='judge it again, or rank the others: unverified="exclude"',
                )
    common = {parts: rows for parts, rows in groups.items() if len({row.variant for row in rows}) >= min_variants}
    ordered = sorted(common, key=lambda parts: (_mean_pass(common[parts]), parts))
    ranked = tuple(_combination(parts, common[parts], how) for parts in ordered[:limit])
    return Ranking(ranked, len(groups), len(groups) - len(common), left_out)


def _name(target: TargetId, by: By, category_of: Mapping[str, str], variant: ScoredVariant) -> str:
    if by == "target":
        return f"{target.mode} {target.feature}"
    if by == "feature":
        return target.feature
    if target.feature not in category_of:
        raise DataError(f"feature {target.feature!r} has no category", place=f"variant {variant.id!r}")
    return category_of[target.feature]


def _counted(variant: ScoredVariant, names: list[str]) -> _Counted | None:
    passed = joint_pass(variant.pass_probability)
    if passed is None:
        return None
    failures = {name: 1 - (p or 0) for name, p in zip(names, variant.pass_probability, strict=True)}
    return _Counted(variant.id, variant.question, passed, tuple(failures[name] for name in sorted(names)))


def _mean_pass(rows: list[_Counted]) -> float:
    return sum(row.passed for row in rows) / len(rows)


def _combination(parts: tuple[str, ...], rows: list[_Counted], how: Resampling) -> Combination:
    by_question: dict[str, list[float]] = {}
    for row in rows:
        sums = by_question.setdefault(row.question, [0.0, 0.0])
        sums[0] += 1
        sums[1] += row.passed
    (interval,) = clustered(np.array(list(by_question.values())), _mean, how)
    return Combination(
        parts=parts,
        joint_pass=_mean_pass(rows),
        interval=interval,
        variants=len({row.variant for row in rows}),
        questions=len(by_question),
        responses=len(rows),
        failures={part: sum(row.failures[at] for row in rows) / len(rows) for at, part in enumerate(parts)},
    )


def _mean(sums: Table) -> Table:
    return quotient(sums[:, 1:2], sums[:, 0:1])
