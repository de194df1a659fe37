"""How far the catalog reaches for further models (section 4.5, appendix A.4, Eq. 14, Tables 4 and A4).

    reference = mean_frequencies([frequencies(found, features, questions) for found in construction_models])
    study = coverage(extractions, features, questions, reference)

Two ways of counting: coverage counts extracted instances, a composite one once; frequencies count responses, a
composite instance for every feature that it maps to, and a feature at most once a response.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from scopeif.errors import DataError
from scopeif.reformbench.scoring.levels import ratio
from scopeif.reformbench.studies.ranks import spearman

COVERED = {"exact": (1, 1), "subtype": (1, 1), "composite": (2, None)}
"""Mappings that count as covered, with the least and the greatest number of features that each has."""
OUTSIDE = ("uncovered", "not_format")
"""Mappings without a feature: uncovered instances stay in the denominator, records that are not format are excluded."""


class Extracted(Protocol):
    """One feature that open extraction found in an unconstrained response, mapped to the catalog."""

    @property
    def model(self) -> str: ...

    @property
    def question(self) -> str: ...

    @property
    def mapping(self) -> str: ...

    @property
    def features(self) -> Sequence[str]: ...


@dataclass(frozen=True)
class InstanceCounts:
    """Extracted instances of one model, or of several together (Table A4)."""

    extracted: int
    excluded: int
    uncovered: int

    @property
    def valid(self) -> int:
        """Instances that describe format."""
        return self.extracted - self.excluded

    @property
    def covered(self) -> int:
        """Valid instances that map to the catalog."""
        return self.valid - self.uncovered

    @property
    def coverage(self) -> float | None:
        """Covered over valid instances, in [0, 1]; None without any."""
        return ratio(self.covered, self.valid)

    @classmethod
    def pooled(cls, counts: Iterable[InstanceCounts]) -> InstanceCounts:
        """The sums: pooled coverage divides totals, it does not average the models' coverage."""
        rows = tuple(counts)
        return cls(
            extracted=sum(row.extracted for row in rows),
            excluded=sum(row.excluded for row in rows),
            uncovered=sum(row.uncovered for row in rows),
        )


@dataclass(frozen=True)
class CoverageRow:
    """A row of Table 4: instances, distinct catalog features, and Spearman's coefficient against the reference."""

    counts: InstanceCounts
    features: frozenset[str]
    correlation: float | None


@dataclass(frozen=True)
class CoverageStudy:
    """Table 4: one row a model, and all of them together; `catalog_size` is the denominator of features."""

    models: Mapping[str, CoverageRow]
    pooled: CoverageRow
    catalog_size: int


def frequencies(
    found: Mapping[str, Collection[str]], features: Sequence[str], questions: Collection[str]
) -> dict[str, float]:
    """f_m: in what share of the questions each catalog feature is present in the model's response (Eq. 14).

    Args:
        found: the features of the model's response to each question (`links.baseline`).
        features: ids of the catalog.
        questions: the questions that all models answered.

    Raises:
        DataError: a question without entry, or a feature outside the catalog.
    """
    if not questions:
        raise DataError("there is no question to count responses of")
    if missing := sorted(set(questions) - found.keys()):
        raise DataError(
            f"{len(missing)} of {len(questions)} questions have no features, the first: {missing[0]!r}",
            fix="give an empty set where nothing is annotated, and leave questions out that not all models answered",
        )
    counts = dict.fromkeys(features, 0)
    for question in questions:
        for feature in set(found[question]):
            if feature not in counts:
                raise DataError(f"feature {feature!r} is not in the catalog", place=f"question {question!r}")
            counts[feature] += 1
    return {feature: count / len(questions) for feature, count in counts.items()}


def mean_frequencies(models: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """f_ref and f_extra: the mean over models of the frequency of each feature (Eq. 14).

    Raises:
        DataError: there is no model, or two of them count other features.
    """
    if not models or any(model.keys() != models[0].keys() for model in models):
        raise DataError("frequencies of at least one model are needed, all over the same features")
    return {feature: sum(model[feature] for model in models) / len(models) for feature in models[0]}


def coverage(
    extractions: Iterable[Extracted],
    features: Sequence[str],
    questions: Collection[str],
    reference: Mapping[str, float],
) -> CoverageStudy:
    """Coverage, features and correlation of every model among the extractions, and of all together.

    Args:
        extractions: of all additional models; a model's row comes from its own.
        features: ids of the catalog.
        questions: those whose response was looked through for every model; one without any extracted feature counts.
        reference: f_ref over the same features.

    Raises:
        DataError: an extraction of another question; features outside the catalog or not as many as its mapping has.
    """
    if reference.keys() != set(features):
        raise DataError("the reference counts other features than the catalog has")
    known = frozenset(features)
    by_model: dict[str, list[Extracted]] = {}
    found: dict[str, dict[str, set[str]]] = {}
    for one in extractions:
        by_model.setdefault(one.model, []).append(one)
        of_model = found.setdefault(one.model, {question: set() for question in questions})
        _check(one, known, of_model)
        of_model[one.question].update(one.features)
    counts = {model: _counted(rows) for model, rows in by_model.items()}
    shares = {model: frequencies(found[model], features, questions) for model in by_model}
    rows = {model: _row(counts[model], shares[model], reference) for model in by_model}
    pooled = _row(InstanceCounts.pooled(counts.values()), mean_frequencies(list(shares.values())), reference)
    return CoverageStudy(rows, pooled, len(features))


def _row(counts: InstanceCounts, shares: Mapping[str, float], reference: Mapping[str, float]) -> CoverageRow:
    seen = frozenset(feature for feature, share in shares.items() if share > 0)
    correlation = spearman([shares[feature] for feature in reference], list(reference.values()))
    return CoverageRow(counts, seen, correlation)


def _counted(rows: Sequence[Extracted]) -> InstanceCounts:
    mappings = [row.mapping for row in rows]
    return InstanceCounts(len(rows), mappings.count("not_format"), mappings.count("uncovered"))


def _check(one: Extracted, catalog: frozenset[str], questions: Mapping[str, object]) -> None:
    place = f"model {one.model!r}, question {one.question!r}"
    if one.question not in questions:
        raise DataError("the question is not among those that all models answered", place=place)
    if one.mapping not in COVERED and one.mapping not in OUTSIDE:
        raise DataError(
            f"mapping is {one.mapping!r}", place=place, fix=f"use one of: {', '.join((*COVERED, *OUTSIDE))}"
        )
    least, most = COVERED.get(one.mapping, (0, 0))
    count = len(set(one.features))
    if count < least or (most is not None and count > most):
        raise DataError(f"mapping {one.mapping} does not go with {count} features", place=place)
    if outside := sorted(set(one.features) - catalog):
        raise DataError(f"feature {outside[0]!r} is not in the catalog", place=place)
