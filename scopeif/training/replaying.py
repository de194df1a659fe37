"""Rewards, advantages and metrics of a run computed again from its rollout log, under the same or another reward.

Needs neither GPU nor torch: the records in the log are what was measured, and everything after them is arithmetic.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from scopeif.errors import DataError
from scopeif.reward import SCHEMES, Scheme
from scopeif.training import rollout_log
from scopeif.training.advantages import Trajectory, shuffle_seed
from scopeif.training.group_advantages import group_advantages, rounding
from scopeif.training.metrics import Sample, group_metrics, outcome_metrics
from scopeif.training.step_log import read_metrics
from scopeif.verification.outcome import ResponseOutcome, outcome_from_json

_STEP_FILE = re.compile(r"\d{6,}\.jsonl\.zst")


@dataclass(frozen=True)
class RewardRule:
    """Everything that records become a reward by."""

    scheme: Scheme
    alpha: float
    object_floor: float


@dataclass(frozen=True)
class LoggedRun:
    """A run directory, and what of its config the arithmetic needs."""

    path: Path
    rule: RewardRule
    min_verified_per_group: int
    by_std: bool
    shuffled: bool
    seed: int

    @classmethod
    def open(cls, path: Path) -> LoggedRun:
        """Read the config of a run directory.

        Raises:
            DataError: it is no run directory, or its config lacks something.
        """
        try:
            config = yaml.safe_load((path / "config.yaml").read_text(encoding="utf-8"))
            reward = config["reward"]
            return cls(
                path,
                RewardRule(reward["scheme"], float(reward["alpha"]), float(reward["object_floor"])),
                config["unverified"]["min_verified_per_group"],
                config["algorithm"]["norm_adv_by_std_in_grpo"],
                reward["shuffle"],
                config["run"]["seed"],
            )
        except (OSError, yaml.YAMLError, KeyError, TypeError) as error:
            raise DataError(
                f"this is no run directory: {type(error).__name__}: {error}",
                place=str(path),
                fix="name one such as runs/smoke/001",
            ) from None

    def step_files(self) -> list[Path]:
        """The rollout log's training steps, in order.

        Raises:
            DataError: there are none.
        """
        files = sorted(path for path in (self.path / "rollouts").glob("*") if _STEP_FILE.fullmatch(path.name))
        if not files:
            raise DataError(
                "the run has no rollout log", place=str(self.path), fix="train with rollout_log.enabled=true"
            )
        return files


@dataclass(frozen=True)
class ReplayedStep:
    """One step under the replayed rule, beside what was logged.

    Attributes:
        reward, logged_reward: mean over verified samples; None where there is none.
        reward_difference: largest over the samples, 0 to 1.
        advantage_difference: the same; what verl's float32 cannot tell apart counts as 0.
        metrics: the step's `train/` and `group/` metrics under the replayed rule.
        metric_differences: of metrics that differ from the logged ones, ``[logged, replayed]``.
    """

    step: int
    samples: int
    unverified: int
    reward: float | None
    logged_reward: float | None
    reward_difference: float
    advantage_difference: float
    metrics: dict[str, float]
    metric_differences: dict[str, tuple[float | None, float]] = field(default_factory=dict)

    @property
    def same(self) -> bool:
        """Whether nothing differs from the log."""
        return not (self.reward_difference or self.advantage_difference or self.metric_differences)


def replay(run: LoggedRun, rule: RewardRule) -> Iterator[ReplayedStep]:
    """The steps of a run under a reward rule.

    Raises:
        DataError: a file of the log that cannot be used.
    """
    logged = read_metrics(run.path, "train")
    for file in run.step_files():
        try:
            rows = list(rollout_log.read(file))
            yield _step(run, rule, rows, logged.get(int(file.name.partition(".")[0]), {}))
        except (KeyError, TypeError, ValueError) as error:
            raise DataError(f"a row cannot be used: {type(error).__name__}: {error}", place=str(file)) from error


def _step(
    run: LoggedRun, rule: RewardRule, rows: Sequence[Mapping[str, Any]], logged: Mapping[str, float | None]
) -> ReplayedStep:
    rewards = [_rewards(row, rule) for row in rows]
    chosen = [reward[rule.scheme] for reward in rewards]
    before = [row["reward"][run.rule.scheme] for row in rows]
    samples = [Sample.from_log(row, reward) for row, reward in zip(rows, rewards, strict=True)]
    metrics = outcome_metrics(samples, "train") | group_metrics(samples)
    return ReplayedStep(
        step=rows[0]["step"],
        samples=len(rows),
        unverified=sum(reward is None for reward in chosen),
        reward=_mean(chosen),
        logged_reward=_mean(before),
        reward_difference=max(_apart(a, b) for a, b in zip(chosen, before, strict=True)),
        advantage_difference=_advantage_difference(run, rows, chosen),
        metrics=metrics,
        metric_differences={
            name: (logged[name], value)
            for name, value in metrics.items()
            if name in logged and _apart(logged[name], value) > 1e-12
        },
    )


def _rewards(row: Mapping[str, Any], rule: RewardRule) -> dict[str, float | None]:
    """The rewards of a logged response under every scheme; one that a function of the user gave stays."""
    sample = Sample.from_log(row, {})
    if not sample.measured:
        return dict(row["reward"])
    outcome = ResponseOutcome(sample.answer, tuple(outcome_from_json(fields) for fields in row["constraints"]))
    rewards = outcome.rewards(rule.alpha, rule.object_floor)
    return {scheme: None if known is None else known - row["length_penalty"] for scheme, known in rewards.items()}


def _advantage_difference(run: LoggedRun, rows: Sequence[Mapping[str, Any]], rewards: Sequence[float | None]) -> float:
    trajectories = [
        Trajectory(f"{row['group']}_{index}_0", reward is not None, reward=math.nan if reward is None else reward)
        for index, (row, reward) in enumerate(zip(rows, rewards, strict=True))
    ]
    seed = shuffle_seed(run.seed, rows[0]["step"]) if run.shuffled else None
    advantages = group_advantages(trajectories, run.min_verified_per_group, run.by_std, seed)
    groups: dict[str, list[float]] = defaultdict(list)
    for trajectory in trajectories:
        if trajectory.verified:
            groups[trajectory.group].append(trajectory.reward)
    differences = [0.0]
    for row, trajectory, advantage in zip(rows, trajectories, advantages, strict=True):
        apart = _apart(advantage, row["advantage"])
        if advantage is None or apart > rounding(groups[trajectory.group], advantage, run.by_std):
            differences.append(apart)
    return max(differences)


def _apart(one: float | None, other: float | None) -> float:
    """The distance of two figures; one that only one side has is infinitely far."""
    if one is None or other is None:
        return 0.0 if one is other else math.inf
    return abs(one - other)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


def known_scheme(name: str) -> Scheme | None:
    """The reward scheme of that name."""
    return next((scheme for scheme in SCHEMES if scheme == name), None)
