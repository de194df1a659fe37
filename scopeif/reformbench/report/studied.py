"""The studies that a benchmark folder has the responses for: composition and prompting, under pooled calibration.

Both compare the main responses with others to the same variants, and both sides have the same fixed pool.
"""

from __future__ import annotations

from scopeif.errors import DataError
from scopeif.reformbench.report.evaluated import Labelled, labelled, missing
from scopeif.reformbench.report.material import Material
from scopeif.reformbench.report.places import MAIN, PROMPTED, SINGLE, Asked
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.comparison import Comparison, compare
from scopeif.reformbench.studies.composition import Composition, composition


def compositions(material: Material) -> dict[str, Composition]:
    """Separate against joint responses, by model (section 4.3).

    Raises:
        DataError: a part is missing; the fix is the command that makes it.
        InvalidInputError: the calibrations differ.
    """
    return {
        model: composition(other, main, "exclude", material.how)
        for model in study_models(material, SINGLE)
        for main, other in [_both(material, model, SINGLE)]
    }


def comparisons(material: Material) -> dict[str, Comparison]:
    """The plain instruction against the one with the meta-prompt, by model (section 4.4); errors as `compositions`."""
    return {
        model: compare(main, other, "exclude", material.how)
        for model in study_models(material, PROMPTED)
        for main, other in [_both(material, model, PROMPTED)]
    }


def study_models(material: Material, asked: Asked) -> list[str]:
    """The models that a study can compare: those with pooled probabilities of all variants on both sides.

    Raises:
        DataError: there are no probabilities, or no such model.
    """
    other, main = material.calibrated(asked, "pooled"), material.calibrated(MAIN, "pooled")
    models = [
        name for name in other.models() if not any(missing(name, material.variants, one) for one in (other, main))
    ]
    if not models:
        what = f"no model has pooled probabilities of all variants in {asked.folder} and in {MAIN.folder}"
        raise DataError(what, fix=material.places.judge(asked))
    return models


def study_labels(material: Material, model: str, asked: Asked) -> Labelled:
    """One side of a study.

    Raises:
        DataError: a question of the variants has no baseline.
    """
    calibrated = material.calibrated(asked, "pooled")
    found = labelled(model, material.variants, calibrated, material.baselines.get(model, {}))
    if found.unannotated:
        what = f"{len(found.unannotated)} questions have no baseline of model {model!r}"
        raise DataError(what, fix=material.places.annotate(model))
    return found


def _both(material: Material, model: str, asked: Asked) -> tuple[ScoredBenchmark, ScoredBenchmark]:
    main, other = (study_labels(material, model, one).benchmark for one in (MAIN, asked))
    return main, other
