"""Labels and baselines by measuring alone, where the formal specs of requirements and features suffice.

    calibrated = measured(benchmark.variants().values(), benchmark.responses("variant", "mine"))
    score(scored("mine", variants, calibrated, baseline_features))

No judge takes part: a requirement is satisfied when its spec is, and unverified where it has no spec or where the
measuring rules can fairly read the response in two ways. These labels are a calibration of their own, so that they are
never compared with those of judges. The paper judges by models alone; this is ours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from scopeif.errors import DataError
from scopeif.reformbench.adjudication.strata import Instance
from scopeif.reformbench.baseline import Baseline
from scopeif.reformbench.calibration.calibration import Calibrated, Probability
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.catalog.presence import presence_specs
from scopeif.reformbench.construction.annotating import Annotator
from scopeif.reformbench.construction.annotation import annotated_rows
from scopeif.reformbench.judging.third_opinion import opinion
from scopeif.reformbench.models import Response, Variant

CALIBRATION = "measured"


def measured(variants: Iterable[Variant], responses: Iterable[Response]) -> Calibrated:
    """A probability of 0 or 1 for every requirement of every response, by its spec; None where it is unverified.

    Args:
        variants: what the responses answer.
        responses: of any models, to whole variants or to one requirement each.

    Raises:
        DataError: a response is unconstrained, or answers an unknown variant.
    """
    known = {variant.id: variant for variant in variants}
    found: dict[Instance, Probability] = {}
    for response in responses:
        variant = _answered(response, known)
        positions = range(len(variant.requirements)) if response.position is None else (response.position,)
        for position in positions:
            label = opinion(variant.requirements[position], response.text)
            probability = Probability(None, "unverified") if label is None else Probability(float(label), "measured")
            found[Instance(response.model, variant.id, position, response.id)] = probability
    return Calibrated(CALIBRATION, found, {})


def added(earlier: Calibrated, later: Calibrated) -> Calibrated:
    """Measured probabilities of several models in one; those of a model that both have are the later ones.

    Raises:
        DataError: the earlier ones are of another calibration.
    """
    if earlier.calibration != CALIBRATION:
        raise DataError(f"the probabilities are of calibration {earlier.calibration!r}", fix="name another file")
    again = set(later.models())
    kept = {instance: one for instance, one in earlier.probabilities.items() if instance.model not in again}
    return Calibrated(CALIBRATION, {**kept, **later.probabilities}, {})


def fully_measurable(variant: Variant) -> bool:
    """Whether every requirement has a spec, and the presence of every feature can be measured."""
    return all(one.spec is not None and presence_specs(one.feature) for one in variant.requirements)


async def measured_baselines(responses: Sequence[Response]) -> list[Baseline]:
    """The feature sets of unconstrained responses; an empty response has none.

    A feature that cannot be measured, or that the measuring rules can fairly read in two ways, is named in `unmeasured`
    and counts as absent, as all that is not annotated does (appendix A.6).
    """
    annotator = Annotator(None, catalog())
    return annotated_rows(responses, [await annotator.annotate(one) for one in responses]).baselines


def not_looked_for(baselines: Iterable[Baseline], variants: Iterable[Variant]) -> Mapping[str, int]:
    """The features of variants that baselines did not look for, with the number of questions that this concerns.

    Whether the targets of these features are opposed is not known: they count as if the feature were absent.
    """
    used: dict[str, set[str]] = {}
    for variant in variants:
        used.setdefault(variant.question, set()).update(one.feature for one in variant.requirements)
    return Counter(name for one in baselines for name in one.unmeasured if name in used.get(one.question, ()))


def _answered(response: Response, known: Mapping[str, Variant]) -> Variant:
    place = f"response {response.id!r} of model {response.model!r}"
    if response.kind == "unconstrained":
        raise DataError("it is unconstrained", place=place, fix="give responses to variants")
    if response.item not in known:
        raise DataError(f"it answers the unknown variant {response.item!r}", place=place)
    return known[response.item]
