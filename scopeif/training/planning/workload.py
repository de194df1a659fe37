"""How much a step and a run have to do: prompts, responses, constraints, tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scopeif.constraints.dataset import iter_rows

PAPER_INSTRUCTIONS, PAPER_CONSTRAINTS = 16_968, 4.83
"""Training instructions of ScopeInstruct and constraints of each (paper, appendix C)."""


@dataclass(frozen=True)
class DataSize:
    """What the data files hold."""

    instructions: int
    constraints: float
    """Mean number in an instruction."""
    with_spec: float
    """Share of the constraints that have a formal spec."""
    assumed: bool = False
    """Whether the figures are the paper's, since the files are not there."""


PAPER_DATA = DataSize(PAPER_INSTRUCTIONS, PAPER_CONSTRAINTS, 0.0, assumed=True)


def data_size(files: Sequence[Path], max_samples: int = -1) -> DataSize:
    """Count the good rows of the files; where one is missing, the paper's data is assumed."""
    if not files or not all(path.is_file() for path in files):
        return PAPER_DATA
    instructions = [row.instruction for path in files for row in iter_rows(path) if row.instruction is not None]
    constraints = [one for instruction in instructions for one in instruction.constraints]
    count = len(instructions) if max_samples < 0 else min(max_samples, len(instructions))
    if not constraints:
        return DataSize(0, 0.0, 0.0)
    specs = sum(one.spec is not None for one in constraints)
    return DataSize(count, len(constraints) / len(instructions), specs / len(constraints))


@dataclass(frozen=True)
class Workload:
    """One run in numbers."""

    prompts: int
    """In a step."""
    rollouts: int
    """Of a prompt."""
    steps: int
    prompt_tokens: int
    """The longest prompt."""
    response_tokens: int
    """The longest response."""
    constraints: float
    with_spec: float

    @property
    def responses(self) -> int:
        """In a step."""
        return self.prompts * self.rollouts

    @property
    def sequence_tokens(self) -> int:
        """The longest sequence."""
        return self.prompt_tokens + self.response_tokens


def workload(config: Any, data: DataSize) -> Workload:
    """The workload of a composed config on that data."""
    batch = config.data.train_batch_size
    steps = config.trainer.total_training_steps
    if steps is None:
        steps = data.instructions // batch * config.trainer.total_epochs
    return Workload(
        prompts=batch,
        rollouts=config.actor_rollout_ref.rollout.n,
        steps=steps,
        prompt_tokens=config.data.max_prompt_length,
        response_tokens=config.data.max_response_length,
        constraints=data.constraints,
        with_spec=data.with_spec,
    )
