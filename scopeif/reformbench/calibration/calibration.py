"""From two judges' labels and the adjudications to calibrated pass probabilities (section 3.5, appendix A.3).

    main = stratified(pairs, records)                       # Eqs. 7 and 8
    auxiliary = pooled(pairs, Pool.of(records))             # Eq. 13
    require_same_calibration(main, auxiliary)               # raises: the two are never compared

An instance that a judge left unverified has no label of that judge and gets no probability: by default it is an error,
and with ``unverified="exclude"`` its probability is None and it is counted.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from scopeif.errors import DataError, InvalidInputError
from scopeif.reformbench.adjudication.adjudication import Adjudication
from scopeif.reformbench.adjudication.strata import Instance, Pair, Stratum
from scopeif.reformbench.calibration.pool import Pool
from scopeif.reformbench.models import Variant
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark

Origin = Literal["agreed", "reviewed", "stratum", "pooled", "measured", "unverified"]
"""Where a probability comes from; `unverified` has none."""
Unverified = Literal["error", "exclude"]
"""What is done about instances that a judge left unverified."""


class Probability(NamedTuple):
    """p_u of one instance in [0, 1], None where it is unverified; and where it comes from."""

    value: float | None
    origin: Origin
    stratum: Stratum | None = None


@dataclass(frozen=True)
class Calibrated:
    """Calibrated pass probabilities.

    calibration: what they may be compared with: the rule, its pool, and the judges.
    probabilities: by instance.
    estimates: the pass probability of each reviewed stratum (Eq. 7); empty for pooled calibration.
    """

    calibration: str
    probabilities: Mapping[Instance, Probability]
    estimates: Mapping[Stratum, float]

    def counts(self) -> Counter[Origin]:
        """Instances by where their probability comes from."""
        return Counter(one.origin for one in self.probabilities.values())

    def models(self) -> list[str]:
        """The evaluated models, in the order in which they first occur."""
        return list(dict.fromkeys(instance.model for instance in self.probabilities))


class HasCalibration(Protocol):
    """Whatever says which calibration its numbers come from: `Calibrated`, `ScoredBenchmark`."""

    @property
    def calibration(self) -> str: ...


def require_same_calibration(a: HasCalibration, b: HasCalibration) -> None:
    """Refuse to compare numbers of two calibrations.

    Raises:
        InvalidInputError: they differ, or one of the two does not say its calibration.
    """
    if not a.calibration or a.calibration != b.calibration:
        said = " and ".join(repr(one.calibration) if one.calibration else "an unnamed one" for one in (a, b))
        raise InvalidInputError(
            f"the numbers come from different calibrations: {said}", fix="calibrate both in the same way"
        )


def stratum_estimates(records: Iterable[Adjudication]) -> dict[Stratum, float]:
    """The mean adjudicated label of every reviewed stratum (Eq. 7), in order."""
    labels: defaultdict[Stratum, list[int]] = defaultdict(list)
    for record in records:
        labels[record.stratum].append(record.label)
    return {stratum: sum(labels[stratum]) / len(labels[stratum]) for stratum in sorted(labels)}


def stratified(
    population: Sequence[Pair],
    records: Sequence[Adjudication],
    *,
    fallback: Literal["pooled"] | None = None,
    pool: Pool | None = None,
    unverified: Unverified = "error",
) -> Calibrated:
    """Equation 8: agreed and reviewed labels as they are, the estimate of its stratum for every other disagreement.

    Args:
        population: all pairs of labels.
        records: adjudications of disagreements among them.
        fallback: what an unreviewed stratum gets; `pooled` is Eq. 13.
        pool: of the fallback; that of all records where it is left out.

    Raises:
        DataError: a stratum without any reviewed item and no fallback; a record that is none of the population's; an
            instance that a judge left unverified, unless they are excluded.
        InvalidInputError: a pool without a fallback, or a stratum that needs the fallback without any record.
    """
    reviewed = _by_instance(records, population)
    estimates = stratum_estimates(reviewed.values())
    if fallback == "pooled":
        pool = pool or (Pool.of(records) if records else None)
    elif pool is not None:
        raise InvalidInputError(
            "a pool is given, and no fallback that uses it", fix='say --fallback-pooled (fallback="pooled")'
        )

    def of(pair: Pair, stratum: Stratum) -> Probability:
        if (record := reviewed.get(pair.instance)) is not None:
            return Probability(float(record.label), "reviewed", stratum)
        if stratum in estimates:
            return Probability(estimates[stratum], "stratum", stratum)
        if fallback is None:
            raise DataError(
                f"no disagreement of a stratum is reviewed: {stratum}",
                fix='review one of them, or name the fallback: --fallback-pooled (fallback="pooled")',
            )
        return Probability(_pooled(pair, pool or Pool.of(records)), "pooled", stratum)

    rule = f"stratified, else {pool}" if pool is not None else "stratified"
    return Calibrated(_identity(rule, population), _probabilities(population, of, unverified), estimates)


def pooled(population: Sequence[Pair], pool: Pool, *, unverified: Unverified = "error") -> Calibrated:
    """Equation 13: agreed labels as they are, the pool's weight of the judge that gives a pass for every disagreement.

    Raises:
        DataError: an instance that a judge left unverified, unless they are excluded.
    """

    def of(pair: Pair, stratum: Stratum) -> Probability:
        return Probability(_pooled(pair, pool), "pooled", stratum)

    return Calibrated(_identity(str(pool), population), _probabilities(population, of, unverified), {})


def scored(
    model: str,
    variants: Iterable[Variant],
    calibrated: Calibrated,
    baseline_features: Mapping[str, Iterable[str]],
) -> ScoredBenchmark:
    """What the metrics take, for one model: its probabilities on the variants, with its formatting baseline.

    Args:
        variants: the shared set.
        calibrated: probabilities of the model's responses to them; other models' are left alone.
        baseline_features: P_mq by question, as `links.baselines` gives it; a question that the model answered without
            any feature has an empty entry.

    Raises:
        DataError: a requirement without a probability, several responses to one variant, a question without baseline.
    """
    found: dict[tuple[str, int], float | None] = {}
    for instance, probability in calibrated.probabilities.items():
        if instance.model != model:
            continue
        place = instance.variant, instance.position
        if place in found:
            raise DataError(
                f"model {model!r} has several responses to variant {instance.variant!r}",
                fix="calibrate the responses of one condition at a time",
            )
        found[place] = probability.value
    baselines = {question: frozenset(features) for question, features in baseline_features.items()}
    return ScoredBenchmark.of_variants(variants, found, baselines, calibration=calibrated.calibration, model=model)


def _probabilities(
    population: Sequence[Pair], disagreement: Callable[[Pair, Stratum], Probability], unverified: Unverified
) -> dict[Instance, Probability]:
    found: dict[Instance, Probability] = {}
    for pair in population:
        if pair.unverified:
            if unverified == "error":
                raise _unverified(population)
            found[pair.instance] = Probability(None, "unverified")
        elif pair.stratum is None:
            found[pair.instance] = Probability(float(pair.first.label or 0), "agreed")
        else:
            found[pair.instance] = disagreement(pair, pair.stratum)
    return found


def _pooled(pair: Pair, pool: Pool) -> float:
    return pool.probability(1 if pair.first.label else 0, 1 if pair.second.label else 0)


def _by_instance(records: Iterable[Adjudication], population: Iterable[Pair]) -> dict[Instance, Adjudication]:
    known = {pair.instance: pair for pair in population if pair.stratum is not None}
    found: dict[Instance, Adjudication] = {}
    for record in records:
        pair = known.get(record.instance)
        if pair is None or pair.stratum != record.stratum or pair.first.response_hash != record.response_hash:
            what = f"the adjudication of {record.instance} speaks of no disagreement of these judgments"
            raise DataError(what, fix="match it first: adjudication.review_set")
        if record.instance in found:
            raise DataError(f"{record.instance} is adjudicated twice")
        found[record.instance] = record
    return found


def _identity(rule: str, population: Sequence[Pair]) -> str:
    judges = {(pair.first.judge, pair.second.judge) for pair in population}
    if len(judges) != 1:
        raise DataError(f"the labels are by {len(judges)} pairs of judges; a calibration is of one pair")
    first, second = judges.pop()
    return f"{rule}; judges {first}, {second}"


def _unverified(population: Iterable[Pair]) -> DataError:
    missing = [pair for pair in population if pair.unverified]
    first = missing[0]
    return DataError(
        f"{len(missing)} instances have no two labels, such as {first.instance}: {first.unverified}",
        fix='judge them again, or leave them out by name: --exclude-unverified (unverified="exclude")',
    )
