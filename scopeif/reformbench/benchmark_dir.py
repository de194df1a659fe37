"""The folder of a benchmark: what is shared by all evaluated models, and what each of them said.

BENCHMARK/questions.jsonl                        `Question`
BENCHMARK/variants.jsonl                         `Variant`
BENCHMARK/responses/unconstrained/MODEL.jsonl    `Response`; also variant/, single/ and variant-meta_prompt/
BENCHMARK/annotations/MODEL.jsonl                `Annotation`, one feature present in one unconstrained response
BENCHMARK/baselines/MODEL.jsonl                  `Baseline`, one annotated response; without it, no baseline
BENCHMARK/extractions/MODEL.jsonl                `Extraction`, one feature as open extraction found it
BENCHMARK/manifest.json                          hashes of what is released, counts, licences

Of a model's name a file's name keeps letters, digits and `._-`; two models of which it would be the same are refused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from scopeif.constraints.atomic import replaced
from scopeif.constraints.files import raw_rows
from scopeif.errors import DataError
from scopeif.reformbench.baseline import Baseline, Extraction
from scopeif.reformbench.construction.stage import file_hash, read_rows, write_rows
from scopeif.reformbench.models import Annotation, Question, Response, ResponseKind, Variant

T = TypeVar("T", bound=BaseModel)
_OfModel = Response | Annotation | Baseline | Extraction
_UNSAFE = re.compile(r"[^\w.-]+")


class BenchmarkDir:
    """Reads and writes one benchmark folder. Responses and annotations of models that come later are added to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._written: list[Path] = []

    def questions(self) -> dict[str, Question]:
        """The questions by id, in their order.

        Raises:
            DataError: the file is not there or holds a bad row, or an id stands twice.
        """
        return _unique(read_rows(self.path / "questions.jsonl", Question), self.path / "questions.jsonl")

    def variants(self) -> dict[str, Variant]:
        """The variants by id, in their order.

        Raises:
            DataError: as for `questions`; or a variant is of no question of the benchmark.
        """
        path = self.path / "variants.jsonl"
        found = _unique(read_rows(path, Variant), path)
        known = self.questions()
        for variant in found.values():
            if variant.question not in known:
                raise DataError(
                    f"variant {variant.id!r} is of no known question: {variant.question!r}", place=str(path)
                )
        return found

    def annotations(self) -> list[Annotation]:
        """The features that are present in unconstrained responses, of all models."""
        return self._of_all_models("annotations", Annotation)

    def baselines(self) -> list[Baseline]:
        """The annotated responses of all models with their feature sets."""
        return self._of_all_models("baselines", Baseline)

    def extractions(self) -> list[Extraction]:
        """What open extraction found in the responses of all models."""
        return self._of_all_models("extractions", Extraction)

    def file_of(self, folder: str, model: str) -> Path:
        """The file of a model in a folder, such as `annotations`."""
        return self.path / folder / f"{_UNSAFE.sub('_', model)}.jsonl"

    def responses_path(self, kind: ResponseKind, model: str, condition: str = "plain") -> Path:
        """The file of a model's responses of a kind, under a prompt condition."""
        return self.file_of(f"responses/{kind if condition == 'plain' else f'{kind}-{condition}'}", model)

    def responses(self, kind: ResponseKind, model: str, condition: str = "plain") -> list[Response]:
        """A model's responses, by its name or by that of its file.

        Raises:
            DataError: there is no such file, a row of it is bad, or two models are in it.
        """
        path = self.responses_path(kind, model, condition)
        rows = read_rows(path, Response)
        if other := next((row.model for row in rows if row.model != rows[0].model), None):
            raise _shared(path, rows[0].model, other)
        return rows

    def write_shared(self, questions: Sequence[Question], variants: Sequence[Variant]) -> None:
        """Write what all models share."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._write(self.path / "questions.jsonl", questions)
        self._write(self.path / "variants.jsonl", variants)

    def write_of_models(self, folder: str, rows: Iterable[_OfModel], models: Iterable[str] = ()) -> None:
        """Write rows of several models, each model's into its file in a folder.

        Args:
            models: models that get a file though they may have no row.

        Raises:
            DataError: two models share a file; no file is written then.
        """
        by_model: dict[str, list[_OfModel]] = {model: [] for model in models}
        for row in rows:
            by_model.setdefault(row.model, []).append(row)
        refuse_shared(by_model)
        for model in by_model:
            self.require_own(folder, model)
        for model, of_model in by_model.items():
            path = self.file_of(folder, model)
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write(path, of_model)

    def require_own(self, folder: str, model: str) -> None:
        """Make sure that a model's file in a folder, where there is one, is not of another model.

        Raises:
            DataError: it is.
        """
        path = self.file_of(folder, model)
        first = next(raw_rows(path), None) if path.exists() and path.stat().st_size else None
        other = (first.value or {}).get("model", model) if first else model
        if other != model:
            raise _shared(path, str(other), model)

    def write_manifest(self, made_by: Mapping[str, Any]) -> None:
        """Write hashes, counts and licences of what this object wrote.

        Args:
            made_by: by stage of the construction, the hash of its manifest, what it kept and what it left out.
        """
        questions, variants = self.questions(), self.variants()
        manifest: dict[str, Any] = {
            "questions": len(questions),
            "variants": len(variants),
            "languages": _counts(one.language for one in questions.values()),
            "tasks": _counts(one.task for one in questions.values()),
            "domains": _counts(one.domain for one in questions.values()),
            "sources": _counts(f"{one.source} ({one.licence})" for one in questions.values()),
            "files": {str(path.relative_to(self.path)): file_hash(path) for path in self._written},
            "made_by": dict(made_by),
        }
        with replaced(self.path / "manifest.json") as new:
            new.write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")

    def _write(self, path: Path, rows: Iterable[BaseModel]) -> None:
        write_rows(path, rows)
        self._written.append(path)

    def _of_all_models(self, folder: str, model: type[T]) -> list[T]:
        paths = sorted((self.path / folder).glob("*.jsonl"))
        return [row for path in paths if path.stat().st_size for row in read_rows(path, model)]


def refuse_shared(models: Iterable[str]) -> None:
    """Refuse models of which a benchmark would put two into one file.

    Raises:
        DataError: two names give the same file.
    """
    named: dict[str, str] = {}
    for model in models:
        path = BenchmarkDir(Path()).file_of("", model)
        if (other := named.setdefault(path.name, model)) != model:
            raise _shared(path, other, model)


def _shared(path: Path, one: str, other: str) -> DataError:
    fix = "give names that differ in letters or digits"
    return DataError(f"the models {one!r} and {other!r} share a file", place=str(path), fix=fix)


def _counts(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _unique(rows: Sequence[Any], path: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in rows:
        if row.id in found:
            raise DataError(f"id {row.id!r} stands twice", place=str(path))
        found[row.id] = row
    return found
