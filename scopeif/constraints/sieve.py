"""The good rows of a file, for a new one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scopeif.constraints.dataset import Row
from scopeif.constraints.models import Instruction
from scopeif.errors import DataError

_SHOWN = 10
"""Faults in the message that refuses a file."""


class Sieve:
    """The instructions of rows, in order; bad rows are counted, and refused at the end unless they may be left out.

    Args:
        rows: good and bad rows of one file.
        skip_bad: whether bad rows may be left out.
    """

    def __init__(self, rows: Iterable[Row], skip_bad: bool) -> None:
        self._rows, self._skip_bad = rows, skip_bad
        self.bad = self.constraints = 0
        self.refused = False

    def __iter__(self) -> Iterator[Instruction]:
        """One pass.

        Raises:
            DataError: there are bad rows; the message shows the first faults.
        """
        faults: list[DataError] = []
        for row in self._rows:
            if row.instruction is None:
                self.bad += 1
                faults += row.faults[: _SHOWN - len(faults)]
            elif self._skip_bad or not faults:
                self.constraints += len(row.instruction.constraints)
                yield row.instruction
        if self.bad and not self._skip_bad:
            self.refused = True
            shown = "\n".join(f"  {fault.place}: {fault.message}" for fault in faults)
            fix = "correct them (`scopeif data check` shows all), or leave them out with --skip-bad"
            raise DataError(f"{self.bad:,} bad row{'s'[: self.bad > 1]}, nothing is written\n{shown}", fix=fix)
