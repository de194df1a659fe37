"""From baselines to links: which targets of a question oppose the baseline, and in which variants each occurs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Protocol

from scopeif.errors import DataError
from scopeif.reformbench.models import Annotation, Mode
from scopeif.reformbench.scoring.benchmark_shape import ScoredVariant, TargetId


class AnyTarget(Protocol):
    """A feature with a mode: `TargetId`, `models.Target` or `models.Requirement`."""

    @property
    def feature(self) -> str: ...

    @property
    def mode(self) -> Mode: ...


@dataclass(frozen=True)
class QuestionLinks:
    """The links of one question for one model.

    variants: its variants, in order.
    occurrences: V(q, t) of every baseline-opposed target as a set of bits, bit i for `variants[i]`.
    """

    variants: tuple[ScoredVariant, ...]
    occurrences: dict[TargetId, int]


def is_opposed(target: AnyTarget, present: AbstractSet[str]) -> bool:
    """Whether a target asks for the opposite of the baseline: forbids a present feature or requires an absent one."""
    return (target.mode == "forbid") == (target.feature in present)


def link(variants: Sequence[ScoredVariant], present: AbstractSet[str]) -> QuestionLinks:
    """The baseline-opposed targets of a question's variants and where each occurs (section 3.3).

    Args:
        variants: all retained variants of one question.
        present: the features of the model's unconstrained response to it.
    """
    occurrences: dict[TargetId, int] = {}
    for number, variant in enumerate(variants):
        for target in variant.targets:
            if is_opposed(target, present):
                occurrences[target] = occurrences.get(target, 0) | 1 << number
    return QuestionLinks(tuple(variants), occurrences)


def baseline(annotations: Iterable[Annotation], model: str, questions: Collection[str]) -> dict[str, frozenset[str]]:
    """P_mq: the features of a model's unconstrained responses, by question (appendix A.6).

    Every question has an entry, an empty one where nothing is annotated; a feature that several annotations name
    counts once.

    Args:
        annotations: positive annotations; those of other models are passed over.
        model: whose baseline it is.
        questions: ids of all questions that the model answered without constraints and that were annotated.

    Raises:
        DataError: an annotation of the model speaks of a question that is none of `questions`.
    """
    found: dict[str, set[str]] = {question: set() for question in questions}
    for one in annotations:
        if one.model != model:
            continue
        if one.question not in found:
            raise DataError(
                f"feature {one.feature!r} is annotated for question {one.question!r}, which is unknown",
                place=f"annotations of model {model!r}",
                fix="give the id of every question that has an unconstrained response",
            )
        found[one.question].add(one.feature)
    return {question: frozenset(features) for question, features in found.items()}
