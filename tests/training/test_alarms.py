"""Each warning comes when it should, not before, and not again at once."""

import pytest

from scopeif.training.alarms import COOLDOWN, IN_A_ROW, PREFIX, RULES, WINDOW, alarms


def truncated(share):
    return {"train/fault/truncated_frac": share}


def audited(agreement, reward=0.3, audits=10):
    counts = {"train/judge/audit_agreement": agreement, "train/judge/audits": audits}
    return {"train/reward/scopeif": reward, **counts}


def names(steps):
    return set(alarms(steps[:-1], steps[-1], "scopeif"))


@pytest.mark.parametrize(
    "shares, expected",
    [
        ([0.3] * IN_A_ROW, {"truncated"}),
        ([0.3] * (IN_A_ROW - 1), set()),
        ([0.3] * 4 + [0.2], set()),
        ([0.3, None] + [0.3] * 3, set()),
    ],
)
def test_truncated_in_five_steps_in_a_row(shares, expected):
    assert names([truncated(share) if share is not None else {} for share in shares]) == expected


def test_a_warning_is_given_again_after_its_cooldown():
    steps, given = [], []
    for step in range(60):
        now = truncated(0.5)
        said = alarms(steps, now, "scopeif")
        given += [step] if said else []
        steps.append(now | {PREFIX + name: 1.0 for name in said})
    first = IN_A_ROW - 1
    assert given == [first, first + COOLDOWN + 1, first + 2 * (COOLDOWN + 1)]


@pytest.mark.parametrize(
    "before, after, expected",
    [
        (audited(0.98), audited(0.90), {"agreement_drop"}),
        (audited(0.98), audited(0.94), set()),
        (audited(0.98, 0.3), audited(0.94, 0.4), {"reward_up_agreement_down"}),
        (audited(0.98, 0.3), audited(0.90, 0.4), {"agreement_drop", "reward_up_agreement_down"}),
        (audited(0.94, 0.3), audited(0.98, 0.4), set()),
        (audited(0.98, audits=1), audited(0.0, audits=1), set()),  # too few to tell
        (audited(0.98), {}, set()),  # no audits any more
    ],
)
def test_agreement(before, after, expected):
    assert names([before] * WINDOW + [after] * WINDOW) == expected


def escalated(share, gap):
    return {"train/judge/escalated_frac": share, "train/judge/escalated_gap": gap}


@pytest.mark.parametrize(
    "before, after, expected",
    [
        (escalated(0.01, 0.0), escalated(0.03, 0.0), {"escalations"}),
        (escalated(0.02, 0.0), escalated(0.03, 0.0), set()),
        ({}, escalated(0.15, 0.0), {"escalations"}),
        ({}, escalated(0.09, 0.0), {"escalations"}),
        ({}, escalated(0.01, 0.0), set()),
        (escalated(0.05, 0.0), escalated(0.05, 0.2), {"escalated_gap"}),
        (escalated(0.05, 0.2), escalated(0.05, -0.2), set()),
    ],
)
def test_a_policy_that_learns_to_be_ambiguous(before, after, expected):
    assert names([before] * WINDOW + [after] * WINDOW) == expected


def test_a_quiet_run_and_the_first_step():
    assert alarms([], {"train/csr": 0.5}, "scopeif") == {}
    assert names([audited(0.98) | truncated(0.0)] * 40) == set()


def test_every_rule_is_tested_and_documented():
    from pathlib import Path

    text = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()
    assert all(f"`{PREFIX}{name}`" in text for name in RULES)
