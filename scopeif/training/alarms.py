"""What a person should look at while a run goes on, from the metrics of its steps.

Pure: the history is that of metrics.jsonl, so that a resumed run knows what was said before. Windows are of
`WINDOW` steps; "before" is everything older.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

PREFIX = "warning/"
WINDOW = 10
IN_A_ROW = 5
COOLDOWN = 20
"""Steps before the same warning is given again."""

TRUNCATED = 0.2
AGREEMENT_DROP = 0.05
MIN_AUDITS = 50
"""Fewer audits on either side tell nothing about a drop of five points."""
REWARD_RISE = 0.02
SLIGHT_AGREEMENT_DROP = 0.03
ESCALATED = 0.1
ESCALATED_GROWTH = 2.0
ESCALATED_GAP = 0.1

Metrics = Mapping[str, Any]


def alarms(history: Sequence[Metrics], now: Metrics, scheme: str) -> dict[str, str]:
    """The warnings of a step: name to text, without those that were given in the last `COOLDOWN` steps.

    Args:
        history: metrics of the earlier steps, the oldest first; a warning that was given is in them as
            ``warning/<name>``.
        now: metrics of this step.
        scheme: the run's reward scheme.
    """
    recent = history[-COOLDOWN:]
    series = _Series([*history, now], f"train/reward/{scheme}")
    said = {name: rule(series) for name, rule in RULES.items() if not any(PREFIX + name in step for step in recent)}
    return {name: text for name, text in said.items() if text}


@dataclass(frozen=True)
class _Series:
    steps: Sequence[Metrics]
    reward: str

    def last(self, name: str, count: int) -> list[float]:
        """The figure in each of the last steps; fewer than `count` where a step has none."""
        values = [step.get(name) for step in self.steps[-count:]]
        return [] if len(values) < count else [float(value) for value in values if value is not None]

    def means(self, name: str, absent: float = math.nan) -> tuple[float, float]:
        """Mean before the window and within it; NaN without any. `absent` is what a step without the figure counts."""
        return _mean(self.steps[:-WINDOW], name, absent), _mean(self.steps[-WINDOW:], name, absent)

    def agreement(self) -> tuple[float, float]:
        """Audit agreement before the window and within it; NaN of too few audits."""
        return _agreement(self.steps[:-WINDOW]), _agreement(self.steps[-WINDOW:])


def _truncated(series: _Series) -> str:
    shares = series.last("train/fault/truncated_frac", IN_A_ROW)
    if len(shares) < IN_A_ROW or min(shares) <= TRUNCATED:
        return ""
    return (
        f"more than {TRUNCATED:.0%} of the responses were truncated in each of {IN_A_ROW} steps, {shares[-1]:.0%} in "
        "the last: their reward is 0; raise data.max_response_length or lower it with reward.overlong_tokens"
    )


def _agreement_drop(series: _Series) -> str:
    before, after = series.agreement()
    if not after < before - AGREEMENT_DROP:
        return ""
    return f"the judge agrees with measuring in {after:.1%} of the audits, before in {before:.1%}: see the rollout log"


def _reward_up_agreement_down(series: _Series) -> str:
    (agreed, agrees), (earned, earns) = series.agreement(), series.means(series.reward)
    if not (agrees < agreed - SLIGHT_AGREEMENT_DROP and earns > earned + REWARD_RISE):
        return ""
    return (
        f"the reward rises ({earned:.3f} to {earns:.3f}) while the judge agrees less with what is measured "
        f"({agreed:.1%} to {agrees:.1%}): the policy may be learning what measuring gets wrong"
    )


def _escalations(series: _Series) -> str:
    before, after = series.means("train/judge/escalated_frac", absent=0.0)  # a step without any does not name it
    if not (after > ESCALATED or (after > ESCALATED / 5 and after > ESCALATED_GROWTH * before)):
        return ""
    rest = "" if math.isnan(before) else f", before {before:.1%}"
    return f"measuring finds {after:.1%} of the constraints ambiguous{rest}: is the policy learning to be ambiguous?"


def _escalated_gap(series: _Series) -> str:
    _, gap = series.means("train/judge/escalated_gap")
    if not gap > ESCALATED_GAP:
        return ""
    return f"ambiguous responses earn more: g of escalated constraints is {gap:.2f} above that of measured ones"


RULES: Mapping[str, Callable[[_Series], str]] = {
    "truncated": _truncated,
    "agreement_drop": _agreement_drop,
    "reward_up_agreement_down": _reward_up_agreement_down,
    "escalations": _escalations,
    "escalated_gap": _escalated_gap,
}
"""By name; each returns the text, or nothing."""


def _mean(steps: Sequence[Metrics], name: str, absent: float) -> float:
    given = (step.get(name) for step in steps)
    values = [value for one in given if not math.isnan(value := absent if one is None else float(one))]
    return math.fsum(values) / len(values) if values else math.nan


def _agreement(steps: Sequence[Metrics]) -> float:
    """Over all audits of the steps together."""
    counts = [(step["train/judge/audit_agreement"], step["train/judge/audits"]) for step in steps if _audited(step)]
    total = math.fsum(audits for _, audits in counts)
    return math.fsum(share * audits for share, audits in counts) / total if total >= MIN_AUDITS else math.nan


def _audited(step: Metrics) -> bool:
    return step.get("train/judge/audit_agreement") is not None and bool(step.get("train/judge/audits"))
