"""What is wrong with a row, field by field, in words that help: ``prompt`` for ``promt``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from scopeif.constraints.models import Instruction
from scopeif.errors import DataError

ROW = "(row)"
"""The field of a fault that concerns the row as a whole."""


def fault(place: str, field: str, reason: str, fix: str | None = None) -> DataError:
    """A fault of one field."""
    return DataError(f"{field}: {reason}", place=place, fix=fix)


def validation_faults(error: ValidationError, row: object, place: str) -> list[DataError]:
    """One fault a field, without the "too short" that a faulty item causes in the list around it."""
    reason_of: dict[str, str] = {}
    for found in error.errors(include_url=False):
        field = _field(found["loc"], row, missing=found["type"] == "missing")
        if found["type"] == "too_short" and any(inner.startswith(f"{field}[") for inner in reason_of):
            continue
        reason_of.setdefault(field, _reason(found["type"], found["loc"], found["msg"], found["input"]))
    return [fault(place, field, reason) for field, reason in reason_of.items()]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` (did you mean 'prompt'?)`` where a known name is near, case and separators aside; else nothing."""
    plain = {_plain(one): one for one in known}
    near = difflib.get_close_matches(_plain(name), plain, n=1, cutoff=0.7)
    return f" (did you mean {plain[near[0]]!r}?)" if near else ""


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "", name).casefold()


def _reason(kind: str, loc: tuple[int | str, ...], message: str, value: object) -> str:
    if kind == "extra_forbidden":
        known = _fields_at(loc[:-1])
        return f"unknown field{did_you_mean(str(loc[-1]), known) or ', known are ' + ', '.join(known)}"
    if kind in ("enum", "literal_error") and isinstance(value, str):
        return f"{value!r} is none of {message.removeprefix('Input should be ')}{_near_option(value, message)}"
    return message.removeprefix("Value error, ")


def _near_option(value: str, message: str) -> str:
    return did_you_mean(value, re.findall(r"'([^']*)'", message))


def _field(loc: tuple[int | str, ...], row: object, missing: bool) -> str:
    """The field's path as it stands in the row: pydantic's own path also names the branches of its unions."""
    path, here = "", row
    for position, part in enumerate(loc):
        if isinstance(part, int) and isinstance(here, list):
            path, here = f"{path}[{part}]", here[part]
            continue
        absent = missing and position == len(loc) - 1
        if isinstance(part, str) and isinstance(here, dict) and (part in here or absent):
            path, here = f"{path}.{part}", here.get(part)
    return path.lstrip(".") or ROW


def _fields_at(loc: tuple[int | str, ...]) -> list[str]:
    """The field names of the model that pydantic's path leads to from an instruction."""
    models: list[type[BaseModel]] = [Instruction]
    for part in loc:
        if isinstance(part, int):
            continue
        annotations = [model.model_fields[part].annotation for model in models if part in model.model_fields]
        if annotations:
            models = [model for annotation in annotations for model in _models_in(annotation)]
        else:  # the tag of a union's branch
            models = [model for model in models if part in _tags(model)] or models
    return list(dict.fromkeys(name for model in models for name in model.model_fields))


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    """The models that a type is made of: those of a list's items and of a union's branches."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, Annotated, tuple, list):
        return [model for inner in get_args(annotation) for model in _models_in(inner)]
    return []


def _tags(model: type[BaseModel]) -> set[str]:
    annotations = (field.annotation for field in model.model_fields.values())
    return {str(tag) for annotation in annotations if get_origin(annotation) is Literal for tag in get_args(annotation)}
