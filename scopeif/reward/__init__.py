"""Reward modelling: pure functions from quantitative records to rewards (paper, section 5.2 and appendix D)."""

from scopeif.reward.aggregate import SCHEMES, Scheme, aggregate, hierarchical
from scopeif.reward.answer import Answer, split_answer
from scopeif.reward.graded import deviation, graded_reward, magnitude, satisfied, violation
from scopeif.reward.groups import identical_pair_fraction, zero_std
from scopeif.reward.length import overlong_penalty
from scopeif.reward.record import Record

__all__ = [
    "SCHEMES",
    "Answer",
    "Record",
    "Scheme",
    "aggregate",
    "deviation",
    "graded_reward",
    "hierarchical",
    "identical_pair_fraction",
    "magnitude",
    "overlong_penalty",
    "satisfied",
    "split_answer",
    "violation",
    "zero_std",
]
