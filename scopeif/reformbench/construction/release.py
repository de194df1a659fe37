"""Stage 10: the screening of the released text, and the benchmark folder (appendix A.7.2).

Questions, instructions and the requirements of single-constraint instructions are looked through. What a pattern
finds is a flag for a person: a record with a flag that nobody has decided, or that was decided to be dropped, is not
released. This stage is made anew every time, since decisions come later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from scopeif.errors import DataError
from scopeif.reformbench.baseline import Baseline, Extraction
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.construction.annotation import ANNOTATIONS_FILE, BASELINES_FILE, EXTRACTIONS_FILE
from scopeif.reformbench.construction.baselines import FILE as RESPONSES_FILE
from scopeif.reformbench.construction.build import (
    ANNOTATION,
    BASELINES,
    BENCHMARK,
    RELEASE,
    REMOVAL,
    SATISFIABILITY,
    Build,
)
from scopeif.reformbench.construction.composition import FILE as VARIANTS_FILE
from scopeif.reformbench.construction.questions import FILE as QUESTIONS_FILE
from scopeif.reformbench.construction.release_patterns import Kind, matches
from scopeif.reformbench.construction.stage import (
    MANIFEST,
    LeftOut,
    Manifest,
    file_hash,
    read_manifest,
    read_rows,
    value_hash,
)
from scopeif.reformbench.models import Annotation, Question, Response, Variant

FLAGS_FILE = "flags.jsonl"
UNDECIDED = "flag undecided"
DROPPED = "dropped by decision"
NO_VARIANT = "no variant"
_ID_DIGITS = 12
_OF_MODELS: tuple[tuple[str, str, type[Annotation | Baseline | Extraction]], ...] = (
    ("annotations", ANNOTATIONS_FILE, Annotation),
    ("baselines", BASELINES_FILE, Baseline),
    ("extractions", EXTRACTIONS_FILE, Extraction),
)


class Place(BaseModel):
    """Where flagged words stand; `start` is their offset in characters."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: str
    """question, instruction, or requirement 1 to 3."""
    id: str
    start: int


class Flag(BaseModel):
    """Words that a person has to look at; the same words of one question and its variants are one flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    flag: str
    question: str
    kind: Kind
    quote: str
    places: tuple[Place, ...]
    decision: Literal["keep", "drop"] | None = None


class Decision(BaseModel):
    """What a person decided about a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    flag: str
    decision: Literal["keep", "drop"]
    by: str
    note: str = ""


def release(build: Build) -> Manifest:
    """Screen the released text, and write the benchmark folder.

    Raises:
        DataError: a decision is about no flag, or two are about the same.
    """
    variants = build.rows(SATISFIABILITY, VARIANTS_FILE, Variant)
    by_id = {question.id: question for question in build.rows(REMOVAL, QUESTIONS_FILE, Question)}
    of_variants = dict.fromkeys(variant.question for variant in variants)
    questions = [question for question in by_id.values() if question.id in of_variants]
    decisions = _decisions(build.settings.release.decisions)
    flags = [_decided(flag, decisions) for flag in flags_of(questions, variants)]
    if unknown := sorted(set(decisions) - {flag.flag for flag in flags}):
        fix = f"see {build.out / RELEASE / FLAGS_FILE}"
        raise DataError(f"there is no flag {unknown[0]!r}", place=str(build.settings.release.decisions), fix=fix)
    withheld = _withheld(flags)
    kept = [one for one in variants if one.id not in withheld and one.question not in withheld]
    with_variants = {one.question for one in kept}
    released = [one for one in questions if one.id not in withheld and one.id in with_variants]
    left_out = [LeftOut(id=id_, reason=reason, detail=detail) for id_, (reason, detail) in withheld.items()]
    left_out += [
        LeftOut(id=one.id, reason=withheld[one.question][0], detail=f"its question {one.question!r}")
        for one in variants
        if one.question in withheld and one.id not in withheld
    ]
    left_out += [
        LeftOut(id=one.id, reason=NO_VARIANT, detail="no variant of it is released")
        for one in by_id.values()
        if one.id not in withheld and one.id not in with_variants
    ]
    given: dict[str, Any] = {
        "inputs": build.inputs((REMOVAL, QUESTIONS_FILE), (SATISFIABILITY, VARIANTS_FILE), (BASELINES, RESPONSES_FILE)),
        "decisions": {name: one.decision for name, one in decisions.items()},
    }
    folder = build.folder(RELEASE)
    manifest = folder.finish(given, {FLAGS_FILE: flags, QUESTIONS_FILE: released, VARIANTS_FILE: kept}, left_out)
    _write(build, released, kept)
    return manifest


def what_to_decide(build: Build, undecided: int) -> str:
    """What a person has to do about flags that nobody has decided."""
    return (
        f"{undecided} records are withheld by flags that nobody has decided: see {build.out / RELEASE / FLAGS_FILE}.\n"
        'Write a line {"flag": "f-...", "decision": "keep" or "drop", "by": "...", "note": "..."} for each flag into a '
        "file, name it in release.decisions and give the same command again."
    )


def flags_of(questions: Sequence[Question], variants: Sequence[Variant]) -> list[Flag]:
    """What the patterns find, in the order of the questions."""
    found: dict[tuple[str, Kind, str], list[Place]] = {}
    texts = [(one.id, Place(record="question", id=one.id, start=0), one.text) for one in questions]
    texts += [(one.question, place, text) for one in variants for place, text in _texts(one)]
    for question, place, text in texts:
        for match in matches(text):
            key = (question, match.kind, match.quote)
            found.setdefault(key, []).append(place.model_copy(update={"start": match.start}))
    return [
        Flag(flag=f"f-{value_hash(key)[:_ID_DIGITS]}", question=key[0], kind=key[1], quote=key[2], places=tuple(places))
        for key, places in found.items()
    ]


def _texts(variant: Variant) -> Iterator[tuple[Place, str]]:
    yield Place(record="instruction", id=variant.id, start=0), variant.instruction
    for number, requirement in enumerate(variant.requirements, start=1):
        yield Place(record=f"requirement {number}", id=variant.id, start=0), requirement.text


def _decisions(path: Path | None) -> dict[str, Decision]:
    found: dict[str, Decision] = {}
    for row in read_rows(path, Decision) if path is not None else []:
        if row.flag in found:
            raise DataError(f"flag {row.flag!r} is decided twice", place=str(path))
        found[row.flag] = row
    return found


def _decided(flag: Flag, decisions: dict[str, Decision]) -> Flag:
    decision = decisions.get(flag.flag)
    return flag if decision is None else flag.model_copy(update={"decision": decision.decision})


def _withheld(flags: Sequence[Flag]) -> dict[str, tuple[str, str]]:
    """The records that are not released, with reason and detail."""
    withheld: dict[str, tuple[str, str]] = {}
    for flag in flags:
        if flag.decision != "keep":
            reason = DROPPED if flag.decision == "drop" else UNDECIDED
            for place in flag.places:
                withheld.setdefault(place.id, (reason, f"{flag.flag}: {flag.kind} {flag.quote!r} in {place.record}"))
    return withheld


def _write(build: Build, questions: Sequence[Question], variants: Sequence[Variant]) -> None:
    names = {question.id for question in questions}
    folder = BenchmarkDir(build.out / BENCHMARK)
    folder.write_shared(questions, variants)
    responses = build.rows(BASELINES, RESPONSES_FILE, Response)
    models = dict.fromkeys(row.model for row in responses)  # one whose rows are all withheld has an empty file
    folder.write_of_models("responses/unconstrained", [row for row in responses if row.item in names], models)
    for name, file, model in _OF_MODELS:
        rows = build.rows(ANNOTATION, file, model)
        folder.write_of_models(name, [row for row in rows if row.question in names], models)
    folder.write_manifest({stage: _made(build.out / stage / MANIFEST) for stage in build.finished()})


def _made(path: Path) -> dict[str, Any]:
    manifest = read_manifest(path)
    return {"manifest": file_hash(path), "kept": manifest.counts, "left_out": manifest.left_out}
