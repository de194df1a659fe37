"""What a data set is made of: rows, constraints, and their categories."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from scopeif.constraints.compatibility import compatible, key_of
from scopeif.constraints.models import Constraint, Instruction
from scopeif.constraints.taxonomy import PrimaryTarget, RangeCategory, Scope, SecondaryTarget, Selector

SCOPES = (*(selector.value for selector in Selector), "Nested")
"""The Scope categories by which the paper reports (section 6.3)."""


@dataclass
class Statistics:
    """Counts over the instructions given to `add`; each counter is by name."""

    rows: Counter[str] = field(default_factory=Counter)
    """Instructions by split."""
    languages: Counter[str] = field(default_factory=Counter)
    constraints_per_row: Counter[int] = field(default_factory=Counter)
    scopes: Counter[str] = field(default_factory=Counter)
    targets: Counter[str] = field(default_factory=Counter)
    subtargets: Counter[str] = field(default_factory=Counter)
    ranges: Counter[str] = field(default_factory=Counter)
    objects: Counter[str] = field(default_factory=Counter)
    """Counting objects by type."""
    with_spec: int = 0
    uncommon: int = 0
    """Constraints whose categories `scopeif.constraints.compatibility` excludes."""
    longest_prompt: int = 0
    """In characters."""
    longest_prompt_tokens: int | None = None

    @property
    def instructions(self) -> int:
        """All instructions."""
        return self.rows.total()

    @property
    def constraints(self) -> int:
        """All constraints."""
        return self.scopes.total()

    @property
    def mean_constraints(self) -> float | None:
        """Constraints of an instruction on average; None without instructions."""
        return self.constraints / self.instructions if self.instructions else None

    def add(self, instruction: Instruction) -> None:
        """Count one instruction."""
        self.rows[instruction.split] += 1
        self.languages[instruction.language] += 1
        self.constraints_per_row[len(instruction.constraints)] += 1
        length = sum(len(message["content"]) for message in instruction.chat())
        self.longest_prompt = max(self.longest_prompt, length)
        for constraint in instruction.constraints:
            self._add_constraint(constraint)

    def _add_constraint(self, constraint: Constraint) -> None:
        target = constraint.target
        self.scopes[constraint.scope_category] += 1
        self.targets[target.primary.value] += 1
        self.subtargets[target.secondary.value] += 1
        self.ranges[constraint.range.value] += 1
        self.objects.update(one.type for one in constraint.counting_objects)
        self.with_spec += constraint.spec is not None
        key = key_of(Scope.parse(constraint.scope), target.secondary, constraint.range)
        self.uncommon += not compatible(*key)

    def to_json(self) -> dict[str, Any]:
        """As plain values; every category is there, also those without a constraint."""
        return {
            "rows": self.instructions,
            "rows_by_split": dict(self.rows),
            "rows_by_language": dict(self.languages),
            "constraints": self.constraints,
            "constraints_per_row": {
                str(size): self.constraints_per_row[size] for size in sorted(self.constraints_per_row)
            },
            "mean_constraints_per_row": self.mean_constraints,
            "scope": {name: self.scopes[name] for name in SCOPES},
            "target": {one.value: self.targets[one.value] for one in PrimaryTarget},
            "secondary_target": {one.value: self.subtargets[one.value] for one in SecondaryTarget},
            "range": {one.value: self.ranges[one.value] for one in RangeCategory},
            "counting_objects": dict(self.objects),
            "with_spec": self.with_spec,
            "without_spec": self.constraints - self.with_spec,
            "uncommon_categories": self.uncommon,
            "longest_prompt_characters": self.longest_prompt,
            "longest_prompt_tokens": self.longest_prompt_tokens,
        }
