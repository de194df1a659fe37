"""Stage 4: the formatting baseline of every model and question (section 3.3, appendix A.6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pydantic import BaseModel

from scopeif.reformbench.baseline import Baseline, Extraction
from scopeif.reformbench.catalog.features import catalog
from scopeif.reformbench.construction.annotating import Annotated, Annotator, catalog_hash
from scopeif.reformbench.construction.baselines import FILE as RESPONSES_FILE
from scopeif.reformbench.construction.build import ANNOTATION, BASELINES, Build, who
from scopeif.reformbench.construction.calls import each
from scopeif.reformbench.construction.stage import LeftOut, Manifest
from scopeif.reformbench.models import Annotation, Response

ANNOTATIONS_FILE = "annotations.jsonl"
EXTRACTIONS_FILE = "extractions.jsonl"
BASELINES_FILE = "baselines.jsonl"
UNVERIFIED = "unverified"


async def annotate(build: Build) -> Manifest:
    """Annotate the unconstrained responses."""
    settings = build.settings
    given: dict[str, Any] = {
        "inputs": build.inputs((BASELINES, RESPONSES_FILE)),
        "writer": who(settings.writer),
        "measured": settings.annotation.measured,
        "attempts": settings.attempts,
        "prompts": Annotator.prompts(),
        "catalog": catalog_hash(catalog()),
    }
    folder = build.folder(ANNOTATION)
    if (manifest := folder.finished(given)) is not None:
        return manifest
    responses = build.rows(BASELINES, RESPONSES_FILE, Response)
    with build.show("annotation", len(responses)) as tick:
        async with build.callers(ANNOTATION, given, settings.writer) as (caller,):
            annotator = Annotator(caller, catalog(), settings.annotation.measured)
            results = await each(responses, annotator.annotate, settings.concurrency, tick)
    found = annotated_rows(responses, results)
    files: dict[str, Sequence[BaseModel]] = {
        ANNOTATIONS_FILE: found.annotations,
        EXTRACTIONS_FILE: found.extractions,
        BASELINES_FILE: found.baselines,
    }
    return folder.finish(given, files, found.unverified)


class AnnotatedRows(NamedTuple):
    """What annotation found, as rows, and the responses of which nothing is known."""

    annotations: list[Annotation]
    extractions: list[Extraction]
    baselines: list[Baseline]
    unverified: list[LeftOut]


def annotated_rows(responses: Sequence[Response], results: Sequence[Annotated]) -> AnnotatedRows:
    """The rows of annotated responses, in their order."""
    found = list(zip(responses, results, strict=True))
    return AnnotatedRows(
        [row for _, result in found for row in result.annotations],
        [row for _, result in found for row in result.extractions],
        [_baseline(response, result) for response, result in found if not result.unverified],
        [_left_out(response, result) for response, result in found if result.unverified],
    )


def _baseline(response: Response, result: Annotated) -> Baseline:
    return Baseline(
        model=response.model,
        question=response.item,
        response=response.id,
        response_hash=response.hash,
        features=tuple(one.feature for one in result.annotations),
        unmeasured=result.unmeasured,
    )


def _left_out(response: Response, result: Annotated) -> LeftOut:
    detail = f"{response.model}, question {response.item!r}: {result.unverified}"
    return LeftOut(id=response.id, reason=UNVERIFIED, detail=detail)
