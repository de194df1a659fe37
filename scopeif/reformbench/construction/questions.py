"""Stage 1: the source questions, from files that say where each of them comes from (section 3.2, Table A10)."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from pydantic import ValidationError

from scopeif.constraints.faults import fault, validation_faults
from scopeif.constraints.files import raw_rows
from scopeif.errors import DataError
from scopeif.reformbench.construction.build import QUESTIONS, Build
from scopeif.reformbench.construction.stage import LeftOut, Manifest, file_hash
from scopeif.reformbench.models import Question, text_hash

FILE = "questions.jsonl"
DUPLICATE = "duplicate"


def collect(build: Build) -> Manifest:
    """Read the questions; one whose text was there before, case, width and white space aside, is left out.

    Raises:
        DataError: a row is no question (one without `licence`, say), or two have the same id; a file holds no row.
    """
    folder = build.folder(QUESTIONS)
    paths = build.settings.questions
    found = [(str(path), place, question) for path in paths for place, question in _read(path)]
    given = {"inputs": {str(path): file_hash(path) for path in paths}}
    if (manifest := folder.finished(given)) is not None:
        return manifest
    kept: dict[str, Question] = {}
    place_of: dict[str, str] = {}
    same: dict[str, str] = {}
    left_out: list[LeftOut] = []
    for file, place, question in found:
        if question.id in place_of:
            raise fault(place, "id", f"{question.id!r} stands at {place_of[question.id]} too", "give each its own id")
        place_of[question.id] = place
        earlier = same.setdefault(_folded(question.text), question.id)
        if earlier != question.id:
            detail = f"the same text as {earlier!r}"
            left_out.append(LeftOut(id=question.id, reason=DUPLICATE, detail=detail, record=question.model_dump()))
            continue
        origin = {"file": Path(file).name, "file_hash": given["inputs"][file], "text_hash": text_hash(question.text)}
        provenance = question.provenance | {"collected": origin}
        kept[question.id] = question.model_copy(update={"provenance": provenance})
    return folder.finish(given, {FILE: list(kept.values())}, left_out)


def _folded(text: str) -> str:
    """A text without what does not tell two questions apart; marks do: C is not C++, and 5 not -5."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _read(path: Path) -> list[tuple[str, Question]]:
    rows: list[tuple[str, Question]] = []
    for raw in raw_rows(path):
        if raw.value is None:
            raise fault(raw.place, "(row)", raw.reason or "", raw.fix)
        try:
            rows.append((raw.place, Question.model_validate(raw.value)))
        except ValidationError as error:
            first = validation_faults(error, raw.value, raw.place)[0]
            if first.message.startswith("licence:"):
                first = fault(raw.place, "licence", "missing", "name it, or the documented use where there is none")
            raise first from None
    if not rows:
        raise DataError("the file holds no question", place=str(path), fix="write one object a line")
    return rows
