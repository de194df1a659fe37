"""Stage 9: the satisfiability review of the retained variants (appendix A.7.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from scopeif.errors import DataError
from scopeif.reformbench.construction.build import SATISFIABILITY, SCREENING, Build, who
from scopeif.reformbench.construction.calls import each
from scopeif.reformbench.construction.composition import FILE
from scopeif.reformbench.construction.stage import LeftOut, Manifest, file_hash, read_rows
from scopeif.reformbench.construction.witnessing import PROMPTS, Reviewer, Witness
from scopeif.reformbench.models import Variant
from scopeif.reformbench.prompt_file import hashes

REVIEWS_FILE = "reviews.jsonl"


async def review(build: Build) -> Manifest:
    """Review the variants; those without a verified answer are left out."""
    settings = build.settings.satisfiability
    provenance: dict[str, Any] = {"reviewer": who(build.settings.reviewer), "prompts": hashes(*PROMPTS)}
    given: dict[str, Any] = {
        "inputs": build.inputs((SCREENING, FILE)),
        "rounds": settings.rounds,
        "attempts": build.settings.attempts,
        **provenance,
    }
    if settings.witnesses is not None:
        given["inputs"] |= {str(settings.witnesses): file_hash(settings.witnesses)}
    folder = build.folder(SATISFIABILITY)
    if (manifest := folder.finished(given)) is not None:
        return manifest
    variants = build.rows(SCREENING, FILE, Variant)
    witnesses = _witnesses(build, {variant.id for variant in variants})
    with build.show("satisfiability", len(variants)) as tick:
        async with build.callers(SATISFIABILITY, given, build.settings.reviewer) as (caller,):
            reviewer = Reviewer(caller, provenance, settings.rounds, witnesses)
            results = await each(variants, reviewer.review, build.settings.concurrency, tick)
    kept = [one.result for one in results if isinstance(one.result, Variant)]
    files: dict[str, Sequence[BaseModel]] = {FILE: kept, REVIEWS_FILE: [row for one in results for row in one.reviews]}
    return folder.finish(given, files, [one.result for one in results if isinstance(one.result, LeftOut)])


def _witnesses(build: Build, variants: set[str]) -> dict[str, Witness]:
    path = build.settings.satisfiability.witnesses
    found: dict[str, Witness] = {}
    for row in read_rows(path, Witness) if path else []:
        if row.variant in found:
            raise DataError(f"variant {row.variant!r} has two witnesses", place=str(path))
        found[row.variant] = row
    return {name: row for name, row in found.items() if name in variants}
