"""Data rows read as their models, with the place and the field of what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from scopeif.constraints.faults import did_you_mean
from scopeif.constraints.files import raw_rows
from scopeif.errors import DataError

M = TypeVar("M", bound=BaseModel)


def parsed(model: type[M], value: object, place: str) -> M:
    """A row as a model.

    Raises:
        DataError: the first field that is wrong, and why.
    """
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
            reason = f"unknown field{did_you_mean(field, model.model_fields)}"
        raise DataError(f"{field}: {reason}" if field else reason, place=place) from None


def objects(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """The JSON objects of a file with their places.

    Raises:
        DataError: the file, or one of its rows, cannot be read.
    """
    for row in raw_rows(path):
        if row.value is None:
            raise DataError(row.reason or "no JSON object", place=row.place, fix=row.fix)
        yield row.value, row.place
