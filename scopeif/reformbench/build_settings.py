"""The keys of a construction's YAML file, typed and bounded.

questions: [data/questions.jsonl]
writer: {model: gpt-5.4, endpoints: [https://api.example.com/v1], api_key_env: KEY}
reviewer: {model: gemini-3.1-flash-lite, endpoints: [https://other.example.com/v1], api_key_env: OTHER_KEY}
models:
  - {model: Qwen/Qwen3.5-9B, endpoints: [http://node7:8000/v1], extra_body: {top_p: 1, top_k: 0}}
screening: {retain: 5000, probabilities: judging/probabilities.jsonl}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError, model_validator

from scopeif.constraints.faults import did_you_mean
from scopeif.errors import ConfigError
from scopeif.judge.settings import JudgeSettings, Sampling, SamplingSettings
from scopeif.reformbench.benchmark_dir import refuse_shared

PAPER_VARIANTS = 5000
"""Instruction variants that the paper's difficulty screening retains (section 3.3)."""
_IDENTITY = ("model", "reasoning_effort", "extra_body")


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ModelSettings(JudgeSettings):
    """A model that answers: one user message, no system prompt, greedy, at most 65,536 tokens (Table A13)."""

    name: str = ""
    """What records call it; its model name by default."""
    reasoning_effort: str | None = None
    """Sent as `reasoning_effort`; null leaves it to the server."""
    sampling: SamplingSettings = SamplingSettings(judgment=Sampling(temperature=0.0, max_tokens=65_536))
    """Temperature and token cap: those of `judgment`; null leaves the cap to the server."""

    @property
    def label(self) -> str:
        """What records call the model."""
        return self.name or self.model


def identity(settings: JudgeSettings) -> dict[str, Any]:
    """What of a model's settings its answers depend on: not where it is, nor how patiently it is asked."""
    plain: dict[str, Any] = settings.model_dump(mode="json", include=set(_IDENTITY))
    first = settings.sampling.of("judgment")
    step = settings.sampling.temperature_step
    return plain | {"temperature": first.temperature, "temperature_step": step, "max_tokens": first.max_tokens}


class RemovalSettings(_Section):
    """Removing the formatting requirements of a question."""

    rounds: int = Field(default=2, strict=True, ge=1, le=5)
    """How often the writer is asked; from the second on it is told what was wrong."""


class AnnotationSettings(_Section):
    """Which features an unconstrained response has."""

    measured: bool = Field(default=False, strict=True)
    """Also annotate features that can be measured without a model; without a writer they are all there is."""


class CompositionSettings(_Section):
    """Candidates of a question: how many, of what, and who writes them."""

    variants: int = Field(default=8, strict=True, ge=2, le=60)
    """Candidates planned for a question; the paper does not say its own number."""
    recurrence: float = Field(default=2.5, strict=True, ge=2.0, le=10.0)
    """Variants that a target occurs in, on average, as planned."""
    features: tuple[str, ...] = ()
    """Features that may be used; empty is the whole catalog."""
    unmeasured: bool = Field(default=False, strict=True)
    """Whether features may be used that nobody looked for in the unconstrained responses, as without a writer."""
    composer: str = Field(default="writer", pattern="^(writer|offline)$")
    """writer: the model integrates the requirements into the question. offline: they are put after it."""
    choose: bool = Field(default=True, strict=True)
    """Whether the writer says which features suit a question."""
    rounds: int = Field(default=2, strict=True, ge=1, le=5)
    """How often the writer is asked for an instruction; from the second on it is told what was wrong."""


class CheckSettings(_Section):
    """Bounds of the automatic checks."""

    max_characters: int = Field(default=12_000, strict=True, ge=100)
    """Longest instruction."""
    max_added_characters: int = Field(default=3_000, strict=True, ge=50)
    """Most that an instruction may be longer than its question."""


class ScreeningSettings(_Section):
    """Difficulty screening."""

    retain: StrictInt | None = Field(default=PAPER_VARIANTS, ge=1)
    """How many variants are retained, those with the lowest probability; null retains all and asks no model."""
    models: tuple[str, ...] = ()
    """The screening models among `models`; empty is all of them (the paper's ten)."""
    probabilities: Path | None = None
    """Calibrated pass probabilities of their responses, a file that `scopeif reformbench calibrate` writes."""


class SatisfiabilitySettings(_Section):
    """The review of the retained variants."""

    rounds: int = Field(default=2, strict=True, ge=1, le=4)
    """Witness answers that are tried; from the second on the acceptance criteria may be clarified."""
    witnesses: Path | None = None
    """Answers that are tried first, JSON Lines {"variant", "text", "by"}."""


class ReleaseSettings(_Section):
    """The screening of the released text."""

    decisions: Path | None = None
    """What a person decided about flags, JSON Lines {"flag", "decision": "keep" or "drop", "by", "note"}."""


class BuildSettings(_Section):
    """One construction, from questions to a benchmark folder."""

    seed: int = Field(default=7, strict=True)
    """Decides the plan of combinations, parameters and wordings."""
    questions: tuple[Path, ...] = Field(min_length=1)
    """Files of questions, any format that `scopeif data` reads."""
    writer: JudgeSettings | None = None
    """The model that removes requirements, annotates and composes; null leaves that to rules and templates."""
    checker: JudgeSettings | None = None
    """The model that looks for residual requirements; null is the writer."""
    reviewer: JudgeSettings | None = None
    """The model that reviews satisfiability, not the writer if that can be helped; null leaves it to specs."""
    models: tuple[ModelSettings, ...] = ()
    """The models whose unconstrained responses are the baselines."""
    responses: tuple[Path, ...] = ()
    """Responses that are there already, rows as this command writes them; what they answer is not asked again."""
    attempts: int = Field(default=3, strict=True, ge=1, le=10)
    """How often a model is asked until its answer can be used."""
    concurrency: int = Field(default=64, strict=True, ge=1, le=4096)
    """Items under way at a time."""
    removal: RemovalSettings = RemovalSettings()
    annotation: AnnotationSettings = AnnotationSettings()
    composition: CompositionSettings = CompositionSettings()
    checks: CheckSettings = CheckSettings()
    screening: ScreeningSettings = ScreeningSettings()
    satisfiability: SatisfiabilitySettings = SatisfiabilitySettings()
    release: ReleaseSettings = ReleaseSettings()

    @model_validator(mode="after")
    def _fits(self) -> BuildSettings:
        labels = [model.label for model in self.models]
        if len(set(labels)) < len(labels):
            raise ValueError("models: two have the same name; give each a name of its own")
        refuse_shared(labels)
        if unknown := sorted(set(self.screening.models) - set(labels)):
            raise ValueError(f"screening.models: {unknown[0]!r} is not among models")
        if self.writer is None and self.composition.composer == "writer":
            raise ValueError("composition.composer: writer needs a writer; without one set it to offline")
        return self

    @property
    def screening_models(self) -> tuple[ModelSettings, ...]:
        """The models that difficulty screening asks."""
        names = self.screening.models or tuple(model.label for model in self.models)
        return tuple(model for model in self.models if model.label in names)


def read_settings(path: Path) -> BuildSettings:
    """The settings of a YAML file.

    Raises:
        ConfigError: the file cannot be read, or a key or value of it is wrong.
    """
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"the file cannot be read: {error}", place=str(path)) from None
    if not isinstance(given, dict):
        raise ConfigError("the file holds no settings", place=str(path), fix="see docs/reformbench.md")
    try:
        return BuildSettings.model_validate(given)
    except ValidationError as error:
        raise settings_fault(error, str(path), _keys) from None


def settings_fault(
    error: ValidationError, place: str, known: Callable[[tuple[int | str, ...]], Iterable[str]]
) -> ConfigError:
    """What is wrong with settings: a misspelt key before one that is missing, since that is the same fault.

    Args:
        place: where the settings stand.
        known: gives the keys that there are at a place within them.
    """
    found = sorted(error.errors(include_url=False), key=lambda one: one["type"] != "extra_forbidden")
    first = found[0]
    key = ".".join(str(part) for part in first["loc"])
    message = first["msg"].removeprefix("Value error, ").replace("valid tuple", "list")
    if first["type"] == "extra_forbidden":
        message = f"unknown key{did_you_mean(str(first['loc'][-1]), known(first['loc'][:-1]))}"
    elif first["type"] != "missing" and not isinstance(first["input"], dict):
        message = f"{message}, not {first['input']!r}"
    return ConfigError(message, place=f"{place}: {key}" if key else place)


def _keys(place: tuple[int | str, ...]) -> list[str]:
    """The keys that are known at a place."""
    roles: dict[str, type[BaseModel]] = {"models": ModelSettings} | dict.fromkeys(
        ("writer", "checker", "reviewer"), JudgeSettings
    )
    model: type[BaseModel] = BuildSettings
    for part in place:
        if not isinstance(part, str):
            continue
        inner = roles.get(part) or model.model_fields[part].annotation
        model = inner if isinstance(inner, type) and issubclass(inner, BaseModel) else model
    return list(model.model_fields)
