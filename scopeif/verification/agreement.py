"""How often the judge agrees with measuring, by category: what `auto` routes by.

scopeif verify --verifier auto --audit 1 --agreement agreement.json ...     # measure it
verification.agreement_file=agreement.json verification.min_agreement=0.95  # route by it
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scopeif.constraints.atomic import replaced
from scopeif.constraints.models import Constraint
from scopeif.errors import ConfigError
from scopeif.measure import MEASURE_VERSION


class Category(NamedTuple):
    """Constraints that are measured alike: of one Scope category and one secondary Target."""

    scope: str
    target: str

    @classmethod
    def of(cls, constraint: Constraint) -> Category:
        return cls(constraint.scope_category, constraint.target.secondary.value)


@dataclass
class Agreement:
    """Counts of audited constraints and of those where judge and measuring had the same outcome."""

    audited: Counter[Category] = field(default_factory=Counter)
    agreed: Counter[Category] = field(default_factory=Counter)

    def add(self, constraint: Constraint, audit: bool | None) -> None:
        """Count one outcome; None was not audited, or one of the two was unverified."""
        if audit is not None:
            category = Category.of(constraint)
            self.audited[category] += 1
            self.agreed[category] += audit

    def trusts(self, constraint: Constraint, minimum: float, min_audited: int) -> bool:
        """Whether measuring decides such constraints: the judge agreed often enough, or was asked too seldom to say."""
        category = Category.of(constraint)
        audited = self.audited[category]
        return audited < min_audited or self.agreed[category] >= minimum * audited

    def fraction(self) -> float | None:
        """Agreement over all categories; None where nothing was audited."""
        return self.agreed.total() / self.audited.total() if self.audited else None

    def rows(self) -> list[dict[str, Any]]:
        """One row a category, the lowest agreement first."""
        ordered = sorted(self.audited, key=lambda one: (self.agreed[one] / self.audited[one], one))
        return [{**one._asdict(), "audited": self.audited[one], "agreed": self.agreed[one]} for one in ordered]

    def write(self, path: Path) -> None:
        """Write the table, whole or not at all."""
        with replaced(path) as whole:
            table = {"measure_version": MEASURE_VERSION, "categories": self.rows()}
            whole.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Agreement:
        """The table of a file.

        Raises:
            ConfigError: it cannot be read, or was measured by other measuring rules.
        """
        place, fix = f"verification.agreement_file {path}", "measure it: scopeif verify --audit 1 --agreement FILE ..."
        try:
            table = json.loads(path.read_text(encoding="utf-8"))
            if table["measure_version"] != MEASURE_VERSION:
                raise ConfigError("the agreement was measured by other measuring rules", place=place, fix=fix)
            found = cls()
            for row in table["categories"]:
                found._add_row(row)
        except (OSError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ConfigError(f"this is no table of agreement: {error}", place=place, fix=fix) from None
        return found

    def _add_row(self, row: Mapping[str, Any]) -> None:
        category, audited, agreed = Category(row["scope"], row["target"]), int(row["audited"]), int(row["agreed"])
        if not 0 <= agreed <= audited:
            raise ValueError(f"{agreed} of {audited} agreed")
        self.audited[category] += audited
        self.agreed[category] += agreed
