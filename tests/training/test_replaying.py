"""A rollout log replays to what was logged, and to what another scheme would have given."""

import json
import math

import pytest
import yaml
from typer.testing import CliRunner

from scopeif.reward import SCHEMES, Answer, Record
from scopeif.training import rollout_log
from scopeif.training.metrics import Sample, group_metrics, outcome_metrics
from scopeif.training.replaying import LoggedRun, RewardRule, replay
from scopeif.training.step_log import StepLog
from scopeif.verification.outcome import Outcome, Reason, ResponseOutcome

SCOPES = ["Global", "Nested"]
CONFIG = {
    "reward": {"scheme": "scopeif", "alpha": 3.0, "object_floor": 0.0, "shuffle": False},
    "unverified": {"min_verified_per_group": 2},
    "algorithm": {"norm_adv_by_std_in_grpo": True},
    "run": {"seed": 7},
}


def response(*actuals, fault=None):
    """A response of two constraints "at most 4"; None is unverified."""
    outcomes = [
        Outcome(reason=Reason.PARSE)
        if actual is None
        else Outcome((Record(-math.inf, 4, actual),), verifier="compiled")
        for actual in actuals
    ]
    return ResponseOutcome(Answer("text", int(fault is None), fault), tuple(outcomes))


GROUPS = [
    [response(4, 4), response(8, 4), response(8, 9), response(None, 4)],
    [response(5, 4), response(5, 4), response(fault="empty"), response(4, 6)],
    [response(None, 4), response(4, 4), response(None, 4), response(None, 4)],
]
# Of each response its reward and advantage, worked out by hand: mean and standard deviation (n - 1) of the verified.
G = {n: math.exp(-3 * (n - 4) / 2) for n in (4, 5, 6, 8, 9)}  # d / s = (n - 4) / 2
REWARDS = [
    [1, (1 + G[8]) / 2, (G[8] + G[9]) / 4, None],
    [(1 + G[5]) / 2, (1 + G[5]) / 2, 0, (1 + G[6]) / 2],
    [None, 1, None, None],
]


def normalised(rewards):
    known = [r for r in rewards if r is not None]
    if len(known) < 2:
        return [None] * len(rewards)
    mean = sum(known) / len(known)
    std = math.sqrt(sum((r - mean) ** 2 for r in known) / (len(known) - 1))
    return [None if r is None else (r - mean) / (std + 1e-6) for r in rewards]


@pytest.fixture
def run(tmp_path):
    rows = []
    for group, responses in enumerate(GROUPS):
        advantages = normalised(REWARDS[group])
        for member, outcome in enumerate(responses):
            rewards = outcome.rewards() | {"scopeif": REWARDS[group][member]}
            rows.append(
                {
                    "step": 1, "group": f"u{group}", "scopes": SCOPES, "source": "mini", "length_penalty": 0.0,
                    "response_tokens": 3, "rollout_ended": 1.0, "rewarded": 2.5, "reward": rewards,
                    "advantage": advantages[member], **outcome.to_json(),
                }
            )  # fmt: skip
    rollout_log.write(tmp_path / "rollouts", 1, rows)
    samples = [Sample.from_log(row, row["reward"]) for row in rows]
    StepLog(tmp_path).step(1, outcome_metrics(samples, "train") | group_metrics(samples) | {"actor/kl_loss": 0.1})
    (tmp_path / "config.yaml").write_text(yaml.safe_dump(CONFIG))
    return tmp_path


def only(run, scheme="scopeif", alpha=3.0):
    (step,) = replay(LoggedRun.open(run), RewardRule(scheme, alpha, 0.0))
    return step


def test_the_same_rule_gives_what_was_logged(run):
    step = only(run)
    assert step.same
    assert (step.reward_difference, step.advantage_difference, step.metric_differences) == (0, 0, {})
    assert (step.samples, step.unverified) == (12, 4)
    assert step.reward == step.logged_reward


def test_another_scheme_is_computed_from_the_records(run):
    step = only(run, "cla")
    # 1, 1/2, 0 | 1/2, 1/2, 0, 1/2 | 1
    assert step.reward == pytest.approx(4 / 8)
    assert step.reward_difference == pytest.approx((1 + G[5]) / 2 - 0.5)
    assert step.advantage_difference > 0.01
    assert step.metric_differences == {}  # all four schemes are logged as they were


def test_another_alpha_changes_graded_rewards_alone(run):
    step = only(run, alpha=1.0)
    assert {"train/reward/scopeif", "train/reward/mean_graded"} <= step.metric_differences.keys()
    assert not {"train/reward/ila", "train/reward/cla", "train/csr"} & step.metric_differences.keys()


@pytest.mark.parametrize("field, value", [("reward", 0.9), ("advantage", 0.9)])
def test_a_log_that_was_changed_is_seen(run, field, value):
    file = run / "rollouts" / "000001.jsonl.zst"
    rows = list(rollout_log.read(file))
    rows[1][field] = value if field == "advantage" else rows[1][field] | {"scopeif": value}
    rollout_log.write(run / "rollouts", 1, rows)
    step = only(run)
    assert not step.same
    assert getattr(step, f"{field}_difference") > 0.01


def test_a_reward_function_of_the_user_keeps_its_rewards(run):
    file = run / "rollouts" / "000001.jsonl.zst"
    rows = list(rollout_log.read(file))
    own = [
        row | {"scopes": [], "constraints": [], "reward": dict.fromkeys(SCHEMES, value), "advantage": advantage}
        for row, value, advantage in zip(rows[:2], (2.0, 0.0), normalised([2.0, 0.0]), strict=True)
    ]
    rollout_log.write(run / "rollouts", 2, own)
    steps = list(replay(LoggedRun.open(run), RewardRule("ila", 3.0, 0.0)))
    assert (steps[1].reward, steps[1].reward_difference, steps[1].advantage_difference) == (1.0, 0, 0)


def call(*arguments):
    from scopeif.replay import app

    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_the_command_prints_a_table_and_json(run):
    shown = call(run, "--reward", "cla")
    assert shown.exit_code == 0, shown.output
    assert "cla" in shown.output
    answer = json.loads(call(run, "--reward", "cla", "--alpha", 2, "--json").stdout)
    assert (answer["scheme"], answer["alpha"], answer["same_rule"]) == ("cla", 2, False)
    assert answer["steps"][0]["reward"] == pytest.approx(0.5)


def test_the_same_rule_that_differs_ends_with_a_fault(run):
    assert call(run).exit_code == 0
    (run / "config.yaml").write_text(yaml.safe_dump(CONFIG | {"unverified": {"min_verified_per_group": 3}}))
    assert call(run).exit_code == 0  # groups of 3 and more verified, and of one
    (run / "config.yaml").write_text(yaml.safe_dump(CONFIG | {"unverified": {"min_verified_per_group": 4}}))
    assert call(run).exit_code == 1


@pytest.mark.parametrize(
    "arguments, said", [(["--reward", "x"], "scopeif"), (["--alpha", "0"], "alpha"), (["nothing"], "run directory")]
)
def test_what_cannot_be_replayed(run, arguments, said):
    result = call(*(arguments if arguments == ["nothing"] else [run, *arguments]))
    assert result.exit_code == 2
    assert said in result.output


def test_replay_needs_neither_torch_nor_verl():
    import subprocess
    import sys

    code = "import sys, scopeif.replay, scopeif.training.replaying; print({'torch', 'verl', 'ray'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
