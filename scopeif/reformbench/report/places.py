"""Where the parts of a benchmark's results stand, and the commands that make them.

BENCHMARK/judging/variant/                        the judging of the main responses
BENCHMARK/judging/variant/probabilities.jsonl     their calibrated probabilities, for the main results
BENCHMARK/judging/variant/pooled.jsonl            the same by the fixed pool, for the studies (appendix A.3.2)
BENCHMARK/judging/single/pooled.jsonl             of responses to one requirement each
BENCHMARK/judging/variant-meta_prompt/pooled.jsonl    of responses to instructions with the meta-prompt
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from scopeif.reformbench.models import ResponseKind

Rule = Literal["probabilities", "pooled"]
"""Stem of a file of probabilities."""
_PROGRAM = "scopeif reformbench"


class Asked(NamedTuple):
    """What models were asked: a kind of item under a prompt condition."""

    kind: ResponseKind
    condition: str = "plain"

    @property
    def folder(self) -> str:
        """The name of its folder, below `responses` and below `judging`."""
        return self.kind if self.condition == "plain" else f"{self.kind}-{self.condition}"


MAIN = Asked("variant")
SINGLE = Asked("single")
PROMPTED = Asked("variant", "meta_prompt")
UNCONSTRAINED = Asked("unconstrained")


@dataclass(frozen=True)
class Places:
    """The paths of one benchmark.

    judging: the folder with one judging for each of what was asked.
    """

    benchmark: Path
    judging: Path

    def judging_of(self, asked: Asked) -> Path:
        """The folder of a judging."""
        return self.judging / asked.folder

    def probabilities(self, asked: Asked, rule: Rule) -> Path:
        """A file of calibrated probabilities."""
        return self.judging_of(asked) / f"{rule}.jsonl"

    def answer(self, asked: Asked) -> str:
        """The command that has a model answer."""
        condition = "" if asked.condition == "plain" else f" --condition {asked.condition}"
        where = f"{_said(self.benchmark)} --kind {asked.kind}{condition}"
        return f"{_PROGRAM} answer {where} --model MODEL --endpoint URL"

    def judge(self, asked: Asked, model: str = "MODEL") -> str:
        """The command that has both judges label responses."""
        files = [("--variants", self.benchmark / "variants.jsonl")]
        if asked.kind == "single":
            files.append(("--questions", self.benchmark / "questions.jsonl"))
        files.append(("--responses", self.benchmark / "responses" / asked.folder / f"{model}.jsonl"))
        options = " ".join(f"{name} {_said(path)}" for name, path in files)
        return f"{_PROGRAM} judge {_said(self.judging_of(asked))} --judges JUDGES.yaml {options}"

    def calibrate(self, asked: Asked, rule: Rule) -> str:
        """The command that calibrates a judging."""
        rules = " --rule pooled" if rule == "pooled" else ""
        out = _said(self.probabilities(asked, rule))
        return f"{_PROGRAM} calibrate {_said(self.judging_of(asked))}{rules} --out {out}"

    def annotate(self, model: str = "MODEL") -> str:
        """The command that annotates a model's unconstrained responses."""
        return f"{_PROGRAM} annotate {_said(self.benchmark)} {shlex.quote(model)} --annotator ANNOTATOR.yaml"


def _said(path: Path) -> str:
    return shlex.quote(str(path))
