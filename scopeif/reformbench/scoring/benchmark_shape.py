"""What the metrics score: one model's pass probabilities on the shared variants, and its formatting baseline.

    benchmark = ScoredBenchmark.from_json({
        "variants": [
            {
                "id": "v1",
                "question": "q",
                "targets": [{"feature": "bullet_list", "mode": "forbid"}, ...],   # three, distinct
                "pass_probability": [1, 0.94, 0],                                 # one a target; null is unverified
            },
        ],
        "baseline_features": {"q": ["bullet_list"]},    # features present in the unconstrained response (P_mq)
    })

Other keys of the object (a name, a comment, what is expected) are left alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, get_args

from scopeif.errors import DataError
from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Mode, Variant

MODES: tuple[Mode, ...] = get_args(Mode)


class TargetId(NamedTuple):
    """The identity of a target: a feature and a mode (section 3.3). Hashable and ordered, unlike a data row."""

    feature: str
    mode: Mode


class ScoredVariant(NamedTuple):
    """One variant: its targets and, in the same order, their calibrated pass probabilities (None: unverified)."""

    id: str
    question: str
    targets: tuple[TargetId, ...]
    pass_probability: tuple[float | None, ...]


@dataclass(frozen=True)
class ScoredBenchmark:
    """One model's scored variants and baseline.

    variants: in the order given; ids are unique.
    baseline_features: features present in the unconstrained response, by question; every variant's question has an
        entry, and one without any feature an empty set.
    calibration: which calibration the probabilities come from; two different ones are never compared.
    model: whose responses they are; empty where it is not said.

    Raises:
        DataError: a duplicate variant id; not three targets; a feature that occurs twice in a variant; not one
            probability a target, one outside [0, 1] or NaN; a question without baseline.
    """

    variants: tuple[ScoredVariant, ...]
    baseline_features: Mapping[str, frozenset[str]]
    calibration: str = ""
    model: str = ""

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for number, variant in enumerate(self.variants):
            if variant.id in seen:
                raise DataError(f"variant id {variant.id!r} occurs twice", place=f"variants[{number}]")
            seen.add(variant.id)
            _check(variant, f"variants[{number}] ({variant.id!r})", self.baseline_features)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ScoredBenchmark:
        """The benchmark of a JSON object in the shape above, with `calibration` and `model` where it has them.

        Raises:
            DataError: it has another shape, or one of the faults named above.
        """
        variants = _field(data, "variants", list, "")
        baselines = _field(data, "baseline_features", Mapping, "")
        return cls(
            variants=tuple(_variant(row, f"variants[{number}]") for number, row in enumerate(variants)),
            baseline_features={
                question: frozenset(_names(features, f"baseline_features[{question!r}]"))
                for question, features in baselines.items()
            },
            calibration=_optional(data, "calibration"),
            model=_optional(data, "model"),
        )

    @classmethod
    def of(cls, benchmark: ScoredBenchmark | Mapping[str, Any]) -> ScoredBenchmark:
        """A parsed benchmark as it is, a JSON object parsed."""
        return benchmark if isinstance(benchmark, ScoredBenchmark) else cls.from_json(benchmark)

    @classmethod
    def of_variants(
        cls,
        variants: Iterable[Variant],
        pass_probability: Mapping[tuple[str, int], float | None],
        baseline_features: Mapping[str, Collection[str]],
        *,
        calibration: str = "",
        model: str = "",
    ) -> ScoredBenchmark:
        """From data rows and the probabilities by variant id and position of the requirement (from 0).

        Raises:
            DataError: an occurrence without an entry (an unverified one has the entry None), or a fault named above.
        """
        scored = []
        for variant in variants:
            missing = [at for at in range(CONSTRAINTS_PER_VARIANT) if (variant.id, at) not in pass_probability]
            if missing:
                raise DataError(
                    f"requirement {missing[0]} of variant {variant.id!r} has no pass probability",
                    place=f"model {model!r}" if model else None,
                    fix="judge it, or give None for an unverified one",
                )
            scored.append(
                ScoredVariant(
                    id=variant.id,
                    question=variant.question,
                    targets=tuple(TargetId(one.feature, one.mode) for one in variant.requirements),
                    pass_probability=tuple(
                        pass_probability[variant.id, position] for position in range(CONSTRAINTS_PER_VARIANT)
                    ),
                )
            )
        baselines = {question: frozenset(features) for question, features in baseline_features.items()}
        return cls(tuple(scored), baselines, calibration, model)

    def by_question(self) -> Iterator[tuple[str, list[ScoredVariant]]]:
        """The variants of each question, in the order in which questions and variants first occur."""
        grouped: dict[str, list[ScoredVariant]] = {}
        for variant in self.variants:
            grouped.setdefault(variant.question, []).append(variant)
        yield from grouped.items()

    @property
    def positive_annotations(self) -> int:
        """Features annotated as present, over all questions of the baseline (Table A8)."""
        return sum(map(len, self.baseline_features.values()))

    def to_json(self) -> dict[str, Any]:
        """The JSON shape above."""
        named = {"model": self.model, "calibration": self.calibration}
        return {
            **{key: value for key, value in named.items() if value},
            "variants": [
                {
                    "id": variant.id,
                    "question": variant.question,
                    "targets": [target._asdict() for target in variant.targets],
                    "pass_probability": list(variant.pass_probability),
                }
                for variant in self.variants
            ],
            "baseline_features": {question: sorted(found) for question, found in self.baseline_features.items()},
        }


def _check(variant: ScoredVariant, place: str, baselines: Mapping[str, frozenset[str]]) -> None:
    if len(variant.targets) != CONSTRAINTS_PER_VARIANT:
        raise DataError(f"it has {len(variant.targets)} targets, not {CONSTRAINTS_PER_VARIANT}", place=place)
    features = [target.feature for target in variant.targets]
    if len(set(features)) < len(features):
        again = next(feature for feature in features if features.count(feature) > 1)
        raise DataError(
            f"feature {again!r} occurs twice among its targets", place=place, fix="a variant asks for three features"
        )
    if len(variant.pass_probability) != len(variant.targets):
        raise DataError(
            f"it has {len(variant.pass_probability)} pass probabilities for {len(variant.targets)} targets", place=place
        )
    for position, value in enumerate(variant.pass_probability):
        # `not` of the whole comparison, so that NaN is refused too
        if value is not None and not 0 <= value <= 1:
            raise DataError(f"pass_probability[{position}] is {value}; it must lie in [0, 1]", place=place)
    if variant.question not in baselines:
        raise DataError(
            f"question {variant.question!r} has no baseline",
            place=place,
            fix="give its features in baseline_features; an empty list where none is present",
        )


def _variant(row: object, place: str) -> ScoredVariant:
    if not isinstance(row, Mapping):
        raise DataError(f"it is {row!r}, not an object", place=place)
    name = _field(row, "id", str, place)
    place = f"{place} ({name!r})"
    targets = _field(row, "targets", list | tuple, place)
    probabilities = _field(row, "pass_probability", list | tuple, place)
    return ScoredVariant(
        id=name,
        question=_field(row, "question", str, place),
        targets=tuple(_target(one, f"{place}: targets[{number}]") for number, one in enumerate(targets)),
        pass_probability=tuple(
            _probability(one, f"{place}: pass_probability[{number}]") for number, one in enumerate(probabilities)
        ),
    )


def _target(row: object, place: str) -> TargetId:
    if not isinstance(row, Mapping):
        raise DataError(f"it is {row!r}, not an object", place=place)
    mode = _field(row, "mode", str, place)
    if mode not in MODES:
        raise DataError(f"mode is {mode!r}; it must be one of: {', '.join(MODES)}", place=place)
    return TargetId(_field(row, "feature", str, place), mode)


def _probability(value: object, place: str) -> float | None:
    if value is None:
        return None
    if not isinstance(value, Real) or isinstance(value, bool):
        raise DataError(f"it is {value!r}, not a number", place=place, fix="null stands for an unverified one")
    number = float(value)
    if math.isnan(number):
        raise DataError("it is NaN", place=place, fix="null stands for an unverified one")
    return number


def _names(value: object, place: str) -> Sequence[str]:
    if not isinstance(value, list | tuple | set | frozenset) or not all(isinstance(one, str) for one in value):
        raise DataError(f"it is {value!r}, not a list of features", place=place)
    return tuple(value)


def _optional(data: Mapping[str, Any], key: str) -> str:
    return str(_field(data, key, str, "")) if key in data else ""


def _field(row: Mapping[str, Any], key: str, kind: Any, place: str) -> Any:
    if key not in row:
        raise DataError(f"{key} is missing", place=place or None)
    if not isinstance(row[key], kind):
        raise DataError(f"{key} is {row[key]!r}, of another type than expected", place=place or None)
    return row[key]
