"""ReFormBench while a policy trains: its variants as validation rows, labelled by their specs, and the metrics of them.

    rows = validation_rows(Path("data/reform_mini/variants.jsonl"))    # what the policy is asked
    outcome = scored_row(row.text, response)                           # what a reward worker says of a response
    validation_scores(outcomes, read_base(folder))                     # {"tcpr": 0.02, "emcr": 0.1, "k1": ...}

The formatting baseline is the policy's own before training: its unconstrained responses at step 0, whose features are
measured and kept in the run's data folder, or those of a file of baselines. Variants that measuring cannot label, or
whose baseline it cannot tell, take no part. What is undefined is absent, never 0.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from scopeif.errors import DataError
from scopeif.reformbench.baseline import Baseline
from scopeif.reformbench.benchmark_dir import BenchmarkDir
from scopeif.reformbench.calibration.measured import CALIBRATION, fully_measurable
from scopeif.reformbench.catalog.presence import present
from scopeif.reformbench.construction.stage import read_rows
from scopeif.reformbench.judging.third_opinion import opinion
from scopeif.reformbench.metrics import Scores, bounds, score
from scopeif.reformbench.models import Question, Requirement, Variant
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark, ScoredVariant, TargetId

SOURCE = "reformbench"
"""The `data_source` of its rows."""
FILE = "variants.jsonl"
BASE_FILE = "reformbench_base.json"
SELECTABLE = ("tcpr", "emcr", "k1", "k2", "k3")
"""The rates among the metrics, which a checkpoint may be chosen by."""

Base = Mapping[str, Sequence[str]]
"""The features of the baseline by question; a question that has none lacks."""


class ValidationRow(NamedTuple):
    """One prompt; `text` is all that scoring needs, as JSON."""

    id: str
    prompt: str
    text: str


def is_variant(row: Mapping[str, Any]) -> bool:
    """Whether a row of a data file is a variant's."""
    return {"question", "instruction", "requirements"} <= row.keys()


def validation_rows(variants_file: Path, baselines: Path | None = None) -> list[ValidationRow]:
    """The rows of a benchmark: its variants, and their questions where no file gives the baseline.

    Args:
        variants_file: `variants.jsonl` of a benchmark's folder, with `questions.jsonl` beside it.
        baselines: rows as `scopeif reformbench annotate` writes them.

    Raises:
        DataError: a file cannot be read, or no variant can be measured.
    """
    folder = BenchmarkDir(variants_file.parent)
    usable = [one for one in read_rows(variants_file, Variant) if _usable(one, baselines is not None)]
    if not usable:
        raise DataError(
            "measuring can label no variant: each has a requirement without a formal spec",
            place=str(variants_file),
            fix="build one of features that can be measured, as data/reform_mini/build.yaml does",
        )
    rows = [
        ValidationRow(one.id, one.instruction, one.model_dump_json(include={"id", "question", "requirements"}))
        for one in usable
    ]
    if baselines is not None:
        return rows
    features: dict[str, dict[str, None]] = {}
    for one in usable:
        features.setdefault(one.question, {}).update(dict.fromkeys(part.feature for part in one.requirements))
    questions = folder.questions()
    return rows + [_question_row(questions, name, list(used), variants_file) for name, used in features.items()]


def checked_row(text: str, place: str) -> None:
    """Refuse a row that `scored_row` cannot read.

    Raises:
        DataError: the text is none of `validation_rows`.
    """
    try:
        row = json.loads(text)
        for one in row.get("requirements", ()):
            Requirement.model_validate(one)
        if "requirements" not in row and not isinstance(row["features"], list):
            raise ValueError("it has neither requirements nor features")
        if not isinstance(row["question"], str):
            raise ValueError("it names no question")
    except (KeyError, TypeError, ValueError, AttributeError, ValidationError) as error:
        raise DataError(f"this is no row of ReFormBench: {type(error).__name__}: {error}", place=place) from None


def scored_row(text: str, response: str) -> dict[str, Any]:
    """What measuring says of a response, as plain JSON values.

    Args:
        text: the `text` of the row.
        response: as it is scored, without thinking.

    Returns:
        Of a variant `variant`, `question`, `targets` and `labels` (1, 0, or None where it is unverified); of a question
        `question`, `states` (feature to whether it is present, None where that cannot be told), and `states` None for
        an empty response, which has no format.
    """
    row = json.loads(text)
    if "requirements" not in row:
        states = {name: present(name, response) for name in row["features"]} if response.strip() else None
        return {"question": row["question"], "states": states}
    requirements = [Requirement.model_validate(one) for one in row["requirements"]]
    return {
        "variant": row["id"],
        "question": row["question"],
        "targets": [[one.feature, one.mode] for one in requirements],
        "labels": [opinion(one, response) for one in requirements],
    }


def verified(outcome: Mapping[str, Any]) -> bool:
    """Whether nothing of an outcome is unverified."""
    return None not in outcome.get("labels", ())


def base_of(outcomes: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The baseline that unconstrained responses show; a feature whose state cannot be told counts as absent."""
    return {
        one["question"]: [name for name, state in one["states"].items() if state]
        for one in outcomes
        if one.get("states") is not None
    }


def validation_scores(outcomes: Sequence[Mapping[str, Any]], base: Base | None) -> dict[str, float]:
    """The metrics of one validation.

    Args:
        outcomes: as `scored_row` gives them, of variants and of questions.
        base: the formatting baseline; None where there is none yet.

    Returns:
        `tcpr`; and where there is a baseline `emcr` and the correction rates `k1`, `k2`, `k3` with their eligible
        units `k1_units` ... and the `questions` that they come from; `tcpr` and `emcr` with `_low` and `_high`, which
        read what is unverified as violated and as satisfied; `variants`, `unverified_frac` (of the variants), and
        `changed_frac`: the share of feature states that an unconstrained response shows otherwise than the baseline.
        A rate that is undefined is absent.
    """
    variants = [_scored(one) for one in outcomes if "labels" in one]
    base = base or {}
    whole = _benchmark(variants, {variant.question: () for variant in variants})
    found: dict[str, float | None] = {"tcpr": score(whole, "exclude").tcpr}
    found["tcpr_low"], found["tcpr_high"] = (one.tcpr for one in bounds(whole))
    based = _benchmark([one for one in variants if one.question in base], base)
    if based.variants:
        found |= _rates(score(based, "exclude"))
        found["emcr_low"], found["emcr_high"] = (one.emcr for one in bounds(based))
    found["variants"] = len(variants)
    found["unverified_frac"] = sum(None in one.pass_probability for one in variants) / len(variants)
    found["changed_frac"] = _changed(outcomes, base)
    return {name: float(value) for name, value in found.items() if value is not None}


def read_base(folder: Path) -> dict[str, list[str]] | None:
    """The baseline in a run's data folder, if any."""
    file = folder / BASE_FILE
    if not file.is_file():
        return None
    base: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
    return base


def write_base(folder: Path, base: Base) -> None:
    """Keep the baseline of the policy before training."""
    partial = folder / f".{BASE_FILE}.partial"
    partial.write_text(json.dumps(base, ensure_ascii=False), encoding="utf-8")
    partial.replace(folder / BASE_FILE)


def copy_base(earlier: Path, folder: Path) -> None:
    """Take over the baseline from the data folder of a run that this one extends."""
    if (base := earlier / BASE_FILE).is_file():
        shutil.copyfile(base, folder / BASE_FILE)


def base_of_file(file: Path) -> dict[str, list[str]]:
    """The baseline of a file that `scopeif reformbench annotate` wrote.

    Raises:
        DataError: it cannot be read, holds several models, or a question twice.
    """
    rows = read_rows(file, Baseline)
    base = {row.question: list(row.features) for row in rows}
    if len(base) < len(rows) or len({row.model for row in rows}) > 1:
        raise DataError("a baseline is of one model, each question once", place=str(file))
    return base


def _usable(variant: Variant, baseline_given: bool) -> bool:
    return all(one.spec is not None for one in variant.requirements) if baseline_given else fully_measurable(variant)


def _question_row(questions: Mapping[str, Question], name: str, features: list[str], file: Path) -> ValidationRow:
    if name not in questions:
        raise DataError(f"question {name!r} is not in questions.jsonl", place=str(file))
    text = json.dumps({"question": name, "features": features}, ensure_ascii=False)
    return ValidationRow(f"{name}/unconstrained", questions[name].text, text)


def _scored(outcome: Mapping[str, Any]) -> ScoredVariant:
    return ScoredVariant(
        outcome["variant"],
        outcome["question"],
        tuple(TargetId(feature, mode) for feature, mode in outcome["targets"]),
        tuple(outcome["labels"]),
    )


def _benchmark(variants: Sequence[ScoredVariant], base: Base) -> ScoredBenchmark:
    used = {one.question for one in variants}
    features = {question: frozenset(names) for question, names in base.items() if question in used}
    return ScoredBenchmark(tuple(variants), features, CALIBRATION)


def _rates(scores: Scores) -> dict[str, float | None]:
    found: dict[str, float | None] = {"emcr": scores.emcr, "questions": scores.questions}
    for level, one in scores.levels.items():
        found |= {f"k{level}": one.correction_rate, f"k{level}_units": one.eligible_units}
    return found


def _changed(outcomes: Iterable[Mapping[str, Any]], base: Base) -> float | None:
    changed = [
        state != (name in base[one["question"]])
        for one in outcomes
        if one.get("states") is not None and one["question"] in base
        for name, state in one["states"].items()
        if state is not None
    ]
    return sum(changed) / len(changed) if changed else None
