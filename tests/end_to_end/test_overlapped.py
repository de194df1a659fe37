"""Real overlapped runs of the tiny recipe: what reaches the loss, in which order, and what a stop and a fault leave."""

import signal

import pytest
import torch
from processes import assert_gone, processes_of

from scopeif.training import rollout_log
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.replaying import LoggedRun, replay

pytestmark = [pytest.mark.long, pytest.mark.end_to_end, pytest.mark.timeout(900)]
STEPS, UPDATES = 6, 2
COMMAND = (
    "option=overlapped",
    f"trainer.total_training_steps={STEPS}",
    "actor_rollout_ref.rollout.max_num_seqs=1",  # one after another, so that some are interrupted
    "actor_rollout_ref.actor.ppo_mini_batch_size=2",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4",
    "unverified.drill_frac=0.3",
    "unverified.max_frac=0.95",
)


@pytest.fixture(scope="module")
def run(start, tmp_path_factory):
    batches = tmp_path_factory.mktemp("batches")
    environment = {"VERL_USE_EXTERNAL_MODULES": "scopeif_test_hooks", "SCOPEIF_TEST_BATCHES": str(batches)}
    run = start(*COMMAND, environment=environment)
    assert run.wait(timeout=600) == 0, run.output.read_text()
    run.batches = [torch.load(path, weights_only=False) for path in sorted(batches.iterdir())]
    return run


@pytest.fixture(scope="module")
def rollouts(run):
    files = [run.folder() / "rollouts" / f"{step:06d}.jsonl.zst" for step in range(1, STEPS + 1)]
    return [row for file in files for row in rollout_log.read(file)]


def test_each_step_trains_on_its_own_prompts(run, rollouts):
    drawn = {row["step"]: row["ids"] for row in run.prompts()}
    assert list(drawn) == list(range(1, STEPS + 1))
    for step, ids in drawn.items():
        trained = [row["instruction_id"] for row in rollouts if row["step"] == step]
        assert sorted(trained) == sorted(ids * 4)
    every = [one for ids in drawn.values() for one in ids]
    assert len(every) == len(set(every))


def test_versions_of_the_weights_are_logged_and_a_step_behind_at_most(run, rollouts):
    for row in rollouts:
        assert sum(tokens for _, tokens in row["policy_versions"]) == row["response_tokens"]
        assert {version for version, _ in row["policy_versions"]} <= {row["step"] - 2, row["step"] - 1}
    metrics = {row["step"]: row for row in run.metrics()}
    assert max(row["overlap/lag_max"] for row in metrics.values()) == 1
    assert metrics[1]["overlap/lag_max"] == 0
    for step, row in metrics.items():
        tokens = [(v, n) for one in rollouts if one["step"] == step for v, n in one["policy_versions"]]
        older = sum(n for v, n in tokens if v < step - 1) / sum(n for _, n in tokens)
        assert row["overlap/older_token_frac"] == pytest.approx(older)


def test_interrupted_responses_go_on_with_the_new_weights(rollouts):
    interrupted = [row for row in rollouts if len(row["policy_versions"]) > 1]
    if not interrupted:
        pytest.skip("on this machine every response had ended before the weights changed")
    for row in interrupted:
        assert [version for version, _ in row["policy_versions"]] == [row["step"] - 2, row["step"] - 1]


def test_weights_reach_vllm(run):
    name = "overlap/current_probs_pearson_corr"  # a step may be wholly by older weights
    seen = [row[name] for row in run.metrics() if row["step"] > 1 and name in row]
    assert seen
    assert min(seen) >= 0.999


def test_importance_weights_reach_the_loss_and_only_that_of_verified_samples(run):
    assert len(run.batches) == STEPS * UPDATES
    taught = 0
    for batch in run.batches:
        for i, info in enumerate(batch["reward_extra_info"]):
            mask, weights = batch["response_mask"][i].bool(), batch["rollout_is_weights"][i]
            if not info["verified"]:
                assert not mask.any()
                assert not batch["advantages"][i].any()
            assert not weights[~mask].any()
            ratio = (batch["old_log_probs"][i] - batch["rollout_log_probs"][i]).exp().clamp(max=2.0)
            torch.testing.assert_close(weights[mask], ratio[mask], atol=1e-4, rtol=0)
            taught += bool(mask.any())
    assert taught > STEPS


def test_the_log_replays_to_what_was_logged(run):
    logged = LoggedRun.open(run.folder())
    assert all(step.same for step in replay(logged, logged.rule))


def test_a_stop_saves_first_and_the_run_goes_on_with_the_same_prompts(start, run):
    never = ("trainer.save_freq=100", "trainer.test_freq=100")
    asked = start(*COMMAND, *never)
    asked.wait_for_step(3, timeout=400)
    pids = processes_of(asked)
    asked.process.send_signal(signal.SIGUSR1)
    assert asked.wait(timeout=60) == 128 + signal.SIGUSR1, asked.output.read_text()
    assert_gone(pids)
    (saved,) = Checkpoints(asked.folder()).complete_steps()
    assert 3 <= saved < STEPS

    resumed = start(*COMMAND, *never, root=asked.root)
    assert resumed.wait(timeout=600) == 0, resumed.output.read_text()
    assert f"resumes after step {saved}" in resumed.output.read_text()
    assert resumed.prompts() == run.prompts()
    assert [row["step"] for row in resumed.metrics()] == list(range(1, STEPS + 1))


def test_a_reward_that_raises_stops_the_run_with_the_last_step_saved(start, tmp_path):
    mark = tmp_path / "raise"
    environment = {"VERL_USE_EXTERNAL_MODULES": "scopeif_test_hooks", "SCOPEIF_TEST_RAISE": str(mark)}
    run = start(*COMMAND, "trainer.save_freq=100", "trainer.test_freq=100", environment=environment)
    run.wait_for_step(2, timeout=400)
    mark.touch()
    assert run.wait(timeout=120) == 1
    assert "came back without a result" in run.output.read_text()
    (saved,) = Checkpoints(run.folder()).complete_steps()
    assert saved >= 2
    assert len(run.metrics()) == saved
