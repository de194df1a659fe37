"""The folders of a construction: one for each stage, with what it kept, what it left out, and under what it was made.

OUT/02_removal/calls.jsonl       every answer of a model, appended as it comes (`scopeif.reformbench.ledger`)
OUT/02_removal/questions.jsonl   what goes on, written whole at the end, in the order of the stage before
OUT/02_removal/left_out.jsonl    what does not, each with its reason
OUT/02_removal/manifest.json     settings, hashes of inputs and files, counts; it says that the stage is finished
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from scopeif.constraints.atomic import replaced
from scopeif.constraints.faults import fault, validation_faults
from scopeif.constraints.files import raw_rows
from scopeif.errors import DataError
from scopeif.reformbench.ledger import refuse_other

T = TypeVar("T", bound=BaseModel)
LEFT_OUT = "left_out.jsonl"
MANIFEST = "manifest.json"
CALLS = "calls.jsonl"


class LeftOut(BaseModel):
    """Something that does not go on to the next stage: a question, a response or a variant."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    reason: str
    """Of a few fixed words, so that it can be counted."""
    detail: str = ""
    record: dict[str, Any] | None = None
    """What was made of it so far."""


class Manifest(BaseModel):
    """How a finished stage came about."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    given: dict[str, Any]
    """Settings of this stage, hashes of its inputs and prompts."""
    files: dict[str, str]
    """SHA-256 of each file that it wrote."""
    counts: dict[str, int]
    """Rows of each file."""
    left_out: dict[str, int]
    """What was left out, by reason."""


class StageFolder:
    """The folder of one stage.

    Args:
        out: the folder of the construction.
        name: the stage's name with its number, such as ``02_removal``.
    """

    def __init__(self, out: Path, name: str) -> None:
        self.name = name
        self.path = out / name

    def finished(self, given: Mapping[str, Any]) -> Manifest | None:
        """The manifest, where the stage is finished; None where it is not.

        Raises:
            ConfigError: it was made under other settings or from other inputs.
            DataError: a file of it was changed since.
        """
        path = self.path / MANIFEST
        if not path.exists():
            return None
        manifest = read_manifest(path)
        refuse_other(manifest.given, json.loads(json.dumps(dict(given))), path)
        for name, digest in manifest.files.items():
            if not (self.path / name).is_file() or file_hash(self.path / name) != digest:
                fix = "restore it, or remove the folders of this stage and of later ones"
                raise DataError("the file is not as the stage left it", place=str(self.path / name), fix=fix)
        return manifest

    def finish(
        self, given: Mapping[str, Any], files: Mapping[str, Sequence[BaseModel]], left_out: Sequence[LeftOut]
    ) -> Manifest:
        """Write what came of the stage; the manifest comes last."""
        self.path.mkdir(parents=True, exist_ok=True)
        written = {**files, LEFT_OUT: left_out}
        for name, rows in written.items():
            write_rows(self.path / name, rows)
        manifest = Manifest(
            stage=self.name,
            given=json.loads(json.dumps(dict(given))),
            files={name: file_hash(self.path / name) for name in written},
            counts={name: len(rows) for name, rows in files.items()},
            left_out=dict(sorted(Counter(one.reason for one in left_out).items())),
        )
        with replaced(self.path / MANIFEST) as new:
            new.write_text(json.dumps(manifest.model_dump(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return manifest


def read_manifest(path: Path) -> Manifest:
    """The manifest of a finished stage.

    Raises:
        DataError: the file is none.
    """
    try:
        return Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = validation_faults(error, {}, str(path))[0]
        raise DataError(f"no manifest: {first.message}", place=str(path), fix="remove the stage's folder") from None


def write_rows(path: Path, rows: Iterable[BaseModel]) -> None:
    """Write a JSON Lines file whole, or not at all."""
    with replaced(path) as new, new.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(row.model_dump_json() + "\n")


def read_rows(path: Path, model: type[T]) -> list[T]:
    """The rows of a file, all of which are good.

    Raises:
        DataError: the file or a row of it cannot be read; it names the line and the field.
    """
    rows: list[T] = []
    for raw in raw_rows(path):
        if raw.value is None:
            raise fault(raw.place, "(row)", raw.reason or "", raw.fix)
        try:
            rows.append(model.model_validate(raw.value))
        except ValidationError as error:
            raise validation_faults(error, raw.value, raw.place)[0] from None
    return rows


def file_hash(path: Path) -> str:
    """SHA-256 of a file's bytes as hexadecimal digits.

    Raises:
        DataError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", place=str(path), fix="check the path") from None


def value_hash(value: object) -> str:
    """SHA-256 of a plain JSON value, whatever the order of its keys."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
