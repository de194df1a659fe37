"""Adjudications and calibrated probabilities on disk, JSON Lines both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from scopeif.constraints.atomic import replaced
from scopeif.errors import DataError
from scopeif.reformbench.adjudication.adjudication import Adjudication
from scopeif.reformbench.adjudication.strata import Instance, Stratum
from scopeif.reformbench.calibration.calibration import Calibrated, Origin, Probability
from scopeif.reformbench.rows import objects, parsed


class _Head(BaseModel):
    """The first row of a file of probabilities."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calibration: str = Field(min_length=1)
    estimates: tuple[tuple[Stratum, float], ...] = ()


class _Row(BaseModel):
    """A probability with its instance."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    instance: Instance
    value: float | None = Field(ge=0, le=1)
    origin: Origin
    stratum: Stratum | None = None


def write_adjudications(path: Path, records: Iterable[Adjudication]) -> None:
    """Write records, whole or not at all.

    Raises:
        DataError: the file cannot be written.
    """
    _write(path, (record.model_dump(mode="json") for record in records))


def read_adjudications(path: Path) -> list[Adjudication]:
    """The records of a file.

    Raises:
        DataError: it cannot be read, or a row is no adjudication.
    """
    return [parsed(Adjudication, row, place) for row, place in objects(path)]


def write_calibrated(path: Path, calibrated: Calibrated) -> None:
    """Write calibrated probabilities with their calibration and where each comes from.

    Raises:
        DataError: the file cannot be written.
    """

    def rows() -> Iterator[Mapping[str, Any]]:
        estimates = [[list(stratum), estimate] for stratum, estimate in calibrated.estimates.items()]
        yield {"calibration": calibrated.calibration, "estimates": estimates}
        for instance, probability in calibrated.probabilities.items():
            yield {"instance": list(instance), **probability._asdict()}

    _write(path, rows())


def read_calibrated(path: Path) -> Calibrated:
    """The calibrated probabilities of a file.

    Raises:
        DataError: it cannot be read, a row is none, or an instance stands twice.
    """
    rows = iter(objects(path))
    head = parsed(_Head, *next(rows, ({}, str(path))))
    found: dict[Instance, Probability] = {}
    for value, place in rows:
        row = parsed(_Row, value, place)
        if row.instance in found:
            raise DataError(f"{row.instance} stands twice", place=place)
        if (row.value is None) != (row.origin == "unverified"):
            raise DataError(f"origin {row.origin!r} does not go with the value {row.value}", place=place)
        found[row.instance] = Probability(row.value, row.origin, row.stratum)
    return Calibrated(head.calibration, found, dict(head.estimates))


def _write(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with replaced(path) as whole, whole.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
