"""The core labels of annotation, and the features of the catalog that each stands for (appendix A.6).

The paper has 37 of them and does not list them: these are this project's. A composite label maps to every feature
that it includes; three labels, which the paper names, have no mapping.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict

from scopeif.reformbench.models import text_hash


class CoreLabel(BaseModel):
    """One core label; `features` is empty where it has no mapping."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: dict[str, str]
    """By language."""
    definition: str
    features: tuple[str, ...]


class _Labels(BaseModel):
    origin: str
    labels: tuple[CoreLabel, ...]


@cache
def core_labels() -> tuple[CoreLabel, ...]:
    """All of them."""
    return _Labels.model_validate_json(_text()).labels


def labels_hash() -> str:
    """Of the file: which labels an annotation was made with."""
    return text_hash(_text())


def _text() -> str:
    return files("scopeif.reformbench.construction").joinpath("core_labels.json").read_text(encoding="utf-8")
