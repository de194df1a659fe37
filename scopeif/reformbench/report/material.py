"""What a report is made from: a benchmark folder with the judgings below it, read as far as it is there.

What is not there is a `DataError` whose fix is the command that makes it; a report turns it into a line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from scopeif.errors import DataError
from scopeif.reformbench.adjudication.adjudication import Adjudication
from scopeif.reformbench.adjudication.strata import Pair, pairs
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.calibration.calibration import Calibrated
from scopeif.reformbench.calibration.file import read_calibrated
from scopeif.reformbench.construction.wording import single_instruction
from scopeif.reformbench.judging.judging import file_of
from scopeif.reformbench.judging.judgment_file import judgments_in
from scopeif.reformbench.judging.prompt import Assessed, assessed
from scopeif.reformbench.judging_dir import JudgingDir
from scopeif.reformbench.models import Question, Response, Variant
from scopeif.reformbench.report.evaluated import Evaluated, evaluate, labelled, missing
from scopeif.reformbench.report.places import MAIN, Asked, Places, Rule
from scopeif.reformbench.report.table import Absent
from scopeif.reformbench.scoring.bootstrap import DEFAULT, Resampling


@dataclass(frozen=True)
class Material:
    """A benchmark, read when it is asked for.

    how: how intervals are drawn.
    """

    places: Places
    how: Resampling = DEFAULT
    _responses: dict[Asked, list[Response]] = field(default_factory=dict, init=False, compare=False)
    _read: dict[Path, Calibrated] = field(default_factory=dict, init=False, compare=False)

    @classmethod
    def of(cls, benchmark: Path, judging: Path | None = None, how: Resampling = DEFAULT) -> Material:
        """The material of a benchmark's folder; its judgings are in its folder `judging` where none is named."""
        return cls(Places(benchmark, judging or benchmark / "judging"), how)

    @cached_property
    def folder(self) -> BenchmarkDir:
        """The benchmark's folder."""
        return BenchmarkDir(self.places.benchmark)

    @cached_property
    def questions(self) -> dict[str, Question]:
        """The questions by id."""
        return self.folder.questions()

    @cached_property
    def variants(self) -> dict[str, Variant]:
        """The variants by id."""
        return self.folder.variants()

    @cached_property
    def baselines(self) -> dict[str, dict[str, frozenset[str]]]:
        """Features by model and question, of what is annotated."""
        found: dict[str, dict[str, frozenset[str]]] = {}
        for row in self.folder.baselines():
            found.setdefault(row.model, {})[row.question] = frozenset(row.features)
        return found

    def calibrated(self, asked: Asked, rule: Rule) -> Calibrated:
        """Calibrated probabilities.

        Raises:
            DataError: there are none, or the file is broken.
        """
        path = self.places.probabilities(asked, rule)
        if path in self._read:
            return self._read[path]
        if path.exists():
            self._read[path] = read_calibrated(path)
            return self._read[path]
        if self.places.judging_of(asked).is_dir():
            raise DataError(f"{path} does not exist", fix=self.places.calibrate(asked, rule))
        if self.responding(asked):
            raise DataError(f"the responses are not judged ({path})", fix=self.places.judge(asked))
        raise DataError(f"there are no responses ({asked.folder})", fix=self.places.answer(asked))

    @cached_property
    def main(self) -> Calibrated:
        """The probabilities of the main results; errors as `calibrated`."""
        return self.calibrated(MAIN, "probabilities")

    @cached_property
    def evaluated(self) -> tuple[Evaluated, ...]:
        """The models of the main results, the highest TCPR first; ties and undefined ones by name.

        Raises:
            DataError: there are no probabilities, or no model has those of all variants.
        """
        models = self._complete
        if not models:
            raise DataError("no model has probabilities of all variants", fix=self.places.judge(MAIN))
        tasks = {question.id: question.task for question in self.questions.values()}
        found = [
            evaluate(labelled(model, self.variants, self.main, self.baselines.get(model, {})), tasks, self.how)
            for model in models
        ]
        return tuple(sorted(found, key=lambda one: (one.scores.tcpr is None, -(one.scores.tcpr or 0), one.model)))

    @cached_property
    def _complete(self) -> list[str]:
        return [model for model in self.main.models() if not missing(model, self.variants, self.main)]

    @property
    def order(self) -> Mapping[str, int]:
        """The place of each evaluated model in tables."""
        return {one.model: place for place, one in enumerate(self.evaluated)}

    def left_out(self) -> list[Absent]:
        """Models that the main results do not have, or have in part, and why."""
        found = []
        for model in self.main.models():
            if places := missing(model, self.variants, self.main):
                why = f"{len(places)} requirements have no entry among the probabilities, the first {places[0]}"
                command = self.places.judge(MAIN, self._stem(model))
                found.append(Absent("models", f"Model {model}", why, command))
        known = {self._stem(model) for model in self.main.models()}
        for model in sorted(set(self.responding(MAIN)) - known):
            why = "its responses have no probabilities"
            found.append(Absent("models", f"Model {model}", why, self.places.judge(MAIN, model)))
        for one in self.evaluated if self._complete else ():
            if one.unannotated:
                why = f"{len(one.unannotated)} of {one.scores.questions} questions have no baseline and no unit"
                found.append(Absent("models", f"EMCR of {one.model} in part", why, self.places.annotate(one.model)))
        return found

    def _stem(self, model: str) -> str:
        return self.folder.file_of("responses", model).stem

    def responding(self, asked: Asked) -> list[str]:
        """The models that have a file of such responses, by name of the file."""
        folder = self.places.benchmark / "responses" / asked.folder
        return sorted(path.stem for path in folder.glob("*.jsonl"))

    def responses(self, asked: Asked) -> list[Response]:
        """All models' responses.

        Raises:
            DataError: a row is bad.
        """
        if asked not in self._responses:
            names = self.responding(asked)
            rows = [one for name in names for one in self.folder.responses(asked.kind, name, asked.condition)]
            self._responses[asked] = rows
        return self._responses[asked]

    def items(self, asked: Asked, models: frozenset[str]) -> list[Assessed]:
        """The responses of models with what they were asked."""
        singles = {}
        if asked.kind == "single":
            singles = {
                (variant.id, position): single_instruction(self.questions[variant.question], requirement)
                for variant in self.variants.values()
                for position, requirement in enumerate(variant.requirements)
            }
        responses = (one for one in self.responses(asked) if one.model in models)
        return list(assessed(self.variants.values(), responses, singles))

    @cached_property
    def main_items(self) -> list[Assessed]:
        """The responses that the main results rest on."""
        return self.items(MAIN, frozenset(self.main.models()))

    def judges(self, asked: Asked) -> tuple[str, str]:
        """The names of the two judges.

        Raises:
            DataError: there is no such judging.
        """
        path = self.places.judging_of(asked)
        if not (path / "judging.json").exists():
            raise DataError(f"there is no judging in {path}", fix=self.places.judge(asked))
        return JudgingDir(path).judging().judges

    @cached_property
    def main_pairs(self) -> list[Pair]:
        """Both judges' labels of the responses that the main results rest on.

        Raises:
            DataError: there is no judging, or a response is not judged as it now stands.
        """
        names = self.judges(MAIN)
        first, second = (judgments_in(file_of(self.places.judging_of(MAIN), name), self.main_items) for name in names)
        return pairs(self.variants.values(), first, second)

    @cached_property
    def adjudications(self) -> list[Adjudication]:
        """The adjudications of the main judging; none where nothing was reviewed."""
        return JudgingDir(self.places.judging_of(MAIN)).records()
