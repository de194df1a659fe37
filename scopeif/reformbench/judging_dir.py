"""The folder of one judging: which responses, by which two judges, what they said, and what reviewers said of it.

DIR/judging.json                 `Judging`
DIR/judgments_NAME.jsonl         a judge's labels; its cache beside it
DIR/answers_NAME.jsonl           a reviewer's answers in the terminal
DIR/adjudications.jsonl          `Adjudication`
DIR/adjudications_unmatched.jsonl   those of them that match no disagreement now; they come back when they do
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from scopeif.constraints.atomic import replaced
from scopeif.errors import ConfigError, DataError
from scopeif.reformbench.adjudication.adjudication import Adjudication, Refused, ReviewSet, review_set, reviewable
from scopeif.reformbench.adjudication.review_item import ReviewItem
from scopeif.reformbench.adjudication.strata import Pair, pairs
from scopeif.reformbench.calibration.file import read_adjudications, write_adjudications
from scopeif.reformbench.construction.wording import single_instruction
from scopeif.reformbench.judging.judging import file_of
from scopeif.reformbench.judging.judgment_file import judgments_in
from scopeif.reformbench.judging.prompt import Assessed, assessed
from scopeif.reformbench.ledger import alone_in, written
from scopeif.reformbench.models import Question, Response, Variant
from scopeif.reformbench.rows import objects, parsed


class Judging(BaseModel):
    """What is judged, and by whom."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    judges: tuple[str, str]
    """Names of the first and the second judge."""
    variants: Path
    """File of variants."""
    responses: tuple[Path, ...] = Field(min_length=1)
    """Files of responses to them."""
    questions: Path | None = None
    """File of questions, for responses to one requirement."""
    seed: int = 0
    """Decides which disagreements are reviewed, and which judge a reviewer knows as A."""

    def with_paths(self, change: Callable[[Path], Path]) -> Judging:
        """The same with its paths changed: in the file they are relative to the folder, which may be moved."""
        changed = {"variants": change(self.variants), "responses": tuple(map(change, self.responses))}
        return self.model_copy(update=changed | {"questions": self.questions and change(self.questions)})


@dataclass(frozen=True)
class JudgingDir:
    """Reads and writes one such folder."""

    path: Path

    def begin(self, judging: Judging, fewer: bool = False) -> None:
        """Make the folder; one that exists goes on, and may get more responses.

        Args:
            fewer: files of responses that the folder had may be left out; their adjudications are set aside.

        Raises:
            ConfigError: it was begun with other judges or another seed, or with a file of responses that is left out.
            DataError: the folder cannot be made.
        """
        if self._file.exists():
            begun = self.judging()
            for name in ("judges", "seed"):
                if getattr(begun, name) != getattr(judging, name):
                    what = f"{name} was {getattr(begun, name)!r}, is {getattr(judging, name)!r}"
                    raise ConfigError(f"the folder was begun otherwise: {what}", place=str(self._file))
            left_out = [path for path in begun.responses if path not in judging.responses]
            if left_out and not fewer:
                what = f"the folder judges the responses in {left_out[0]} too, and they are not named now"
                fix = "name all files of responses; to leave one out, or where it has moved, say --fewer"
                raise ConfigError(what, place=str(self._file), fix=fix)
        with written(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        with replaced(self._file) as whole:
            relative = judging.with_paths(lambda path: Path(os.path.relpath(path, self.path)))
            whole.write_text(relative.model_dump_json(indent=1) + "\n", encoding="utf-8")

    def judging(self) -> Judging:
        """What is judged.

        Raises:
            DataError: the folder is none of a judging.
        """
        try:
            value = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            what = f"this is no folder of a judging: {error}"
            raise DataError(what, place=str(self.path), fix="begin one: scopeif reformbench judge") from None
        relative = parsed(Judging, value, str(self._file))
        return relative.with_paths(lambda path: (self.path / path).resolve())

    def variants(self) -> list[Variant]:
        """The variants.

        Raises:
            DataError: the file cannot be read, or a row is none.
        """
        return [parsed(Variant, *row) for row in objects(self.judging().variants)]

    def items(self) -> Iterator[Assessed]:
        """The responses, one by one.

        Raises:
            DataError: a file cannot be read, a row is none, or what a response answers is unknown.
        """
        judging, variants = self.judging(), self.variants()
        singles = {}
        if judging.questions is not None:
            questions = {one.id: one for one in (parsed(Question, *row) for row in objects(judging.questions))}
            singles = dict(_singles(variants, questions))
        rows = (row for file in judging.responses for row in objects(file))
        yield from assessed(variants, (parsed(Response, *row) for row in rows), singles)

    def pairs(self) -> list[Pair]:
        """Both judges' labels of all responses.

        Raises:
            DataError: a judge is not done.
        """
        first, second = (judgments_in(file_of(self.path, name), self.items()) for name in self.judging().judges)
        return pairs(self.variants(), first, second)

    def records(self) -> list[Adjudication]:
        """The adjudications so far that match a disagreement."""
        return read_adjudications(self._records) if self._records.exists() else []

    def unmatched(self) -> list[Adjudication]:
        """The adjudications that were set aside: of responses that are not judged here now, or were then otherwise."""
        return read_adjudications(self.unmatched_path) if self.unmatched_path.exists() else []

    def review_set(
        self, population: list[Pair], earlier: Iterable[Adjudication] = (), margin: float = 0.03
    ) -> ReviewSet:
        """What is to be reviewed still: the folder's adjudications and earlier ones that match count."""
        known = [*self.records(), *earlier]
        return review_set(population, self.items(), known, self.judging().seed, margin)

    def reviewable(self, population: list[Pair]) -> list[ReviewItem]:
        """Every disagreement as a reviewer sees it."""
        return list(reviewable(population, self.items(), self.judging().seed).values())

    def keep(self, population: list[Pair], new: Iterable[Adjudication]) -> tuple[int, list[Refused]]:
        """Add adjudications to the folder; those that it has already, with the same label, are passed over.

        None that the folder has is ever lost: one that does not match any more is set aside in `unmatched_path`, and
        comes back when it matches again.

        Returns:
            How many match now, and the ones that do not or came second: new ones, and those set aside by this call.

        Raises:
            DataError: another process is at work in the folder.
        """
        with alone_in(self.path):
            records, aside = self.records(), self.unmatched()
            known = [*records, *aside, *new]
            checked = review_set(population, self.items(), known, self.judging().seed)
            why = {id(one.record): one for one in checked.refused}
            standing = [record for record in known if id(record) not in why]
            kept = [record for record in (*records, *aside) if id(record) in why]
            # What changes places stands in both files between the two writes: a kill costs nothing.
            self._set_aside([*aside, *kept])
            write_adjudications(self._records, standing)
            placed = set(standing)
            self._set_aside(record for record in kept if record not in placed)
        on_disk = {id(record) for record in (*records, *aside)}
        there = {(record.instance, record.label) for record in standing if id(record) in on_disk}
        told = [why[id(record)] for record in records if id(record) in why]
        for record in known[len(on_disk) :]:
            if id(record) in why and (record.instance, record.label) not in there:
                told.append(why[id(record)])
        return len(standing), told

    def _set_aside(self, records: Iterable[Adjudication]) -> None:
        rows = list(dict.fromkeys(records))
        if rows or self.unmatched_path.exists():
            write_adjudications(self.unmatched_path, rows)

    @property
    def unmatched_path(self) -> Path:
        """Where adjudications stand that match no disagreement now."""
        return self.path / "adjudications_unmatched.jsonl"

    @property
    def _file(self) -> Path:
        return self.path / "judging.json"

    @property
    def _records(self) -> Path:
        return self.path / "adjudications.jsonl"


def _singles(variants: Iterable[Variant], questions: dict[str, Question]) -> Iterator[tuple[tuple[str, int], str]]:
    for variant in variants:
        if (question := questions.get(variant.question)) is None:
            raise DataError(f"question {variant.question!r} of variant {variant.id!r} is unknown")
        for position, requirement in enumerate(variant.requirements):
            yield (variant.id, position), single_instruction(question, requirement)
