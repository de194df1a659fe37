"""How much a step, a validation and a run have to do: prompts, responses, constraints, tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scopeif.constraints.dataset import iter_rows
from scopeif.evaluation import ifeval

PAPER_INSTRUCTIONS, PAPER_TESTS, PAPER_CONSTRAINTS = 16_968, 1_000, 4.83
"""Training and test instructions of ScopeInstruct and constraints of each (paper, appendix C)."""
FILL = 0.4
"""Mean length of prompts, and of responses that think, as a share of the longest; not measured."""
ANSWER_TOKENS = 800
"""Mean length of a response that does not think, where the cap leaves it so long; not measured."""
LONGEST_ANSWER = 4
"""The longest such response of a step, in mean ones; not measured."""


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
PAPER_TEST_DATA = DataSize(PAPER_TESTS, PAPER_CONSTRAINTS, 0.0, assumed=True)


def data_size(files: Sequence[Path], max_samples: int = -1, missing: DataSize = PAPER_DATA) -> DataSize:
    """Count the good rows of the files; where one is missing, the paper's data is assumed."""
    if not files or not all(path.is_file() for path in files):
        return missing
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
    """The longest response that is allowed."""
    constraints: float
    with_spec: float
    thinking: bool = True

    @property
    def responses(self) -> int:
        """In a step."""
        return self.prompts * self.rollouts

    @property
    def sequence_tokens(self) -> int:
        """The longest sequence."""
        return self.prompt_tokens + self.response_tokens

    @property
    def mean_prompt_tokens(self) -> float:
        """Assumed."""
        return FILL * self.prompt_tokens

    @property
    def mean_response_tokens(self) -> float:
        """Assumed."""
        filled = FILL * self.response_tokens
        return filled if self.thinking else min(filled, ANSWER_TOKENS)

    @property
    def longest_response_tokens(self) -> int:
        """Of a step; assumed."""
        return self.response_tokens if self.thinking else min(self.response_tokens, LONGEST_ANSWER * ANSWER_TOKENS)


@dataclass(frozen=True)
class Validations:
    """What validation generates of instructions, IFEval's and the guard's prompts apart: those ask no judge."""

    count: int
    instructions: int
    """Of one validation."""
    constraints: float
    with_spec: float

    def workload(self) -> Workload:
        """Of one validation, as far as the judge's load goes."""
        return Workload(self.instructions, 1, 1, 0, 0, self.constraints, self.with_spec)


def validations(config: Any, files: Sequence[Path], max_samples: int | None, steps: int) -> Validations:
    """The validations of a run of so many steps.

    Args:
        config: the composed config.
        files: of `data.val_files`; a missing one is IFEval's by its name, else of the paper's size.
        max_samples: instructions drawn from each.
        steps: of the run.
    """
    count = bool(config.trainer.val_before_train)
    if config.trainer.test_freq > 0 and steps:
        count += steps // config.trainer.test_freq + bool(steps % config.trainer.test_freq)
    sizes = [
        data_size([path], missing=PAPER_TEST_DATA)
        for path in files
        if path.is_file() or ifeval.SOURCE not in path.as_posix()
    ]
    rows = [size.instructions if max_samples is None else min(size.instructions, max_samples) for size in sizes]
    constraints = [row * size.constraints for row, size in zip(rows, sizes, strict=True)]
    specs = sum(number * size.with_spec for number, size in zip(constraints, sizes, strict=True))
    total = sum(constraints)
    return Validations(count, sum(rows), total / sum(rows) if total else 0.0, specs / total if total else 0.0)


def workload(config: Any, data: DataSize, thinking: bool) -> Workload:
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
        thinking=thinking,
    )
