"""Stage 8: difficulty screening (section 3.3, appendix A.7.5).

A candidate's score is the mean over the screening models of the probability that all three requirements are
satisfied, the product of their calibrated pass probabilities. The lowest scores are retained, ties by id.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from scopeif.errors import DataError
from scopeif.reformbench.calibration.calibration import Calibrated
from scopeif.reformbench.calibration.file import read_calibrated
from scopeif.reformbench.construction.answers import screens
from scopeif.reformbench.construction.baselines import FILE as RESPONSES_FILE
from scopeif.reformbench.construction.build import ANSWERS, CHECKS, SCREENING, Build
from scopeif.reformbench.construction.composition import FILE
from scopeif.reformbench.construction.stage import LeftOut, Manifest, file_hash
from scopeif.reformbench.models import CONSTRAINTS_PER_VARIANT, Variant

SCORES_FILE = "scores.jsonl"
TOO_EASY = "screened out"
NO_PROBABILITY = "no probability"

Probabilities = Mapping[str, Mapping[str, Sequence[float | None]]]
"""By model and variant: one calibrated pass probability a requirement, in their order; None where it is unverified."""


class Waiting(Exception):
    """The construction cannot go on before a person has done something; the message says what."""


class Score(BaseModel):
    """The place of a candidate in the ranking."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    variant: str
    score: float
    by_model: dict[str, float]
    rank: int
    """From 1, the hardest first."""
    retained: bool


def rank(probabilities: Probabilities, variants: Iterable[str], retain: int) -> list[Score]:
    """The ranking of candidates, the hardest first.

    Args:
        probabilities: of every screening model; a variant that a model has no three probabilities of is not ranked: its
            score is undefined.
        variants: the candidates.
        retain: how many are retained.
    """
    scored: list[tuple[float, str, dict[str, float]]] = []
    for variant in variants:
        by_model = {model: _product(of_model.get(variant, ())) for model, of_model in probabilities.items()}
        known = {model: value for model, value in by_model.items() if value is not None}
        if known and len(known) == len(by_model):
            scored.append((math.fsum(known.values()) / len(known), variant, known))
    scored.sort(key=lambda one: one[:2])
    return [
        Score(variant=variant, score=score, by_model=by_model, rank=number, retained=number <= retain)
        for number, (score, variant, by_model) in enumerate(scored, start=1)
    ]


def _product(values: Sequence[float | None]) -> float | None:
    """Eq. 9's product of one variant; None where a factor is not known."""
    known = [value for value in values if value is not None]
    return math.prod(known) if len(known) == CONSTRAINTS_PER_VARIANT == len(values) else None


def screen(build: Build) -> Manifest:
    """Retain the hardest candidates; all of them where there are no more than are retained.

    Raises:
        Waiting: the calibrated probabilities are not there yet.
        DataError: they lack a screening model altogether.
    """
    variants = build.rows(CHECKS, FILE, Variant)
    settings = build.settings.screening
    needed = screens(build, len(variants))
    given: dict[str, Any] = {
        "inputs": build.inputs((CHECKS, FILE)),
        "retain": settings.retain,
        "models": [model.label for model in build.settings.screening_models] if needed else [],
    }
    folder = build.folder(SCREENING)
    if not needed or settings.retain is None:
        if (manifest := folder.finished(given)) is not None:
            return manifest
        return folder.finish(given, {FILE: variants, SCORES_FILE: []}, [])
    path = _there(build, settings.probabilities, len(variants), settings.retain)
    given["inputs"] |= {str(path): file_hash(path)}
    if (manifest := folder.finished(given)) is not None:
        return manifest
    probabilities = probabilities_of(read_calibrated(path), given["models"], str(path))
    ranking = rank(probabilities, [variant.id for variant in variants], settings.retain)
    score_of = {score.variant: score for score in ranking}
    kept = [one for one in variants if one.id in score_of and score_of[one.id].retained]
    names = {one.id for one in kept}
    left_out = [_left_out(one, score_of.get(one.id)) for one in variants if one.id not in names]
    return folder.finish(given, {FILE: kept, SCORES_FILE: ranking}, left_out)


def probabilities_of(
    calibrated: Calibrated, models: Sequence[str], place: str
) -> dict[str, dict[str, list[float | None]]]:
    """Calibrated probabilities by model and variant.

    Raises:
        DataError: a screening model has none at all.
    """
    found: dict[str, dict[str, list[float | None]]] = {model: {} for model in models}
    for instance, probability in calibrated.probabilities.items():
        if instance.model in found:
            of_variant = found[instance.model].setdefault(instance.variant, [None] * CONSTRAINTS_PER_VARIANT)
            of_variant[instance.position] = probability.value
    if missing := [model for model in models if not found[model]]:
        fix = "judge its responses and calibrate, or leave it out of screening.models"
        raise DataError(f"there is no probability of model {missing[0]!r}", place=place, fix=fix)
    return found


def _there(build: Build, path: Path | None, variants: int, retain: int) -> Path:
    if path is not None and path.is_file():
        return path
    where = f"{path} is not there" if path else "screening.probabilities names no file"
    files = f"--variants {build.out / CHECKS / FILE} --responses {build.out / ANSWERS / RESPONSES_FILE}"
    raise Waiting(
        f"{variants} candidates are answered, {retain} are to be retained by calibrated probabilities, and {where}.\n"
        f"Judge:      scopeif reformbench judge JUDGING --judges JUDGES.yaml {files}\n"
        "Adjudicate: scopeif reformbench review JUDGING\n"
        f"Calibrate:  scopeif reformbench calibrate JUDGING --out {path or 'PROBABILITIES.jsonl'}\n"
        "Then name that file in screening.probabilities and give the same command again."
    )


def _left_out(variant: Variant, score: Score | None) -> LeftOut:
    if score is None:
        detail = "a screening model has no probability of it: a judge left it unverified, or there is no response"
        return LeftOut(id=variant.id, reason=NO_PROBABILITY, detail=detail)
    return LeftOut(id=variant.id, reason=TOO_EASY, detail=f"rank {score.rank}, score {score.score:.6f}")
