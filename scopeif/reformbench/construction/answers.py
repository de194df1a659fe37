"""Stage 7: the screening models answer the candidates (appendix A.7.5)."""

from __future__ import annotations

from scopeif.reformbench.answering import Answered, variant_items
from scopeif.reformbench.construction.baselines import FILE, given_of, responses
from scopeif.reformbench.construction.build import ANSWERS, CHECKS, Build
from scopeif.reformbench.construction.composition import FILE as VARIANTS_FILE
from scopeif.reformbench.construction.stage import Manifest
from scopeif.reformbench.models import Variant


async def answers(build: Build) -> Manifest:
    """Ask the screening models for their responses; where nothing is to be screened out, ask none."""
    variants = build.rows(CHECKS, VARIANTS_FILE, Variant)
    models = build.settings.screening_models if screens(build, len(variants)) else ()
    given = given_of(build, models) | {"inputs": build.inputs((CHECKS, VARIANTS_FILE))}
    folder = build.folder(ANSWERS)
    if (manifest := folder.finished(given)) is not None:
        return manifest
    answered = Answered([], [])
    if models:
        answered = await responses(build, ANSWERS, given, models, variant_items(variants))
    return folder.finish(given, {FILE: answered.responses}, answered.refused)


def screens(build: Build, variants: int) -> bool:
    """Whether there are more candidates than are retained."""
    retain = build.settings.screening.retain
    return retain is not None and variants > retain
