"""Values that are each fine and wrong together are refused before anything loads."""

import pytest

from scopeif.errors import ConfigError
from scopeif.training.composing import compose_config
from scopeif.training.consistency import check_consistency
from scopeif.training.settings import Settings


@pytest.mark.parametrize(
    "overrides, place",
    [
        (["actor_rollout_ref.rollout.n=1"], "actor_rollout_ref.rollout.n"),
        (
            ["actor_rollout_ref.actor.shuffle=true", "actor_rollout_ref.actor.ppo_mini_batch_size=2"],
            "actor_rollout_ref.actor.shuffle",
        ),
        (
            ["actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-sum-norm"],
            "actor_rollout_ref.actor.loss_scale_factor",
        ),
        (["actor_rollout_ref.model.lora_rank=8"], "actor_rollout_ref.model.lora.merge"),
        (["reward.overlong_tokens=33"], "reward.overlong_tokens"),
        (["verification=tgv"], "verification.kind"),
        (["selection.metric=csr"], "selection.metric"),
        (["selection.metric=val/ifeval/promt_strict"], "selection.metric"),
    ],
)
def test_contradictions(overrides, place):
    config = compose_config(["recipe=tiny", *overrides])
    with pytest.raises(ConfigError) as caught:
        check_consistency(config, Settings.from_config(config))
    assert caught.value.place == place


POLICY = "actor_rollout_ref"
LIMITS = tuple(
    f"{POLICY}.{name}"
    for name in (
        "actor.ppo_max_token_len_per_gpu",
        "rollout.log_prob_max_token_len_per_gpu",
        "ref.log_prob_max_token_len_per_gpu",
    )
)
TENSOR_PARALLEL = f"{POLICY}.rollout.tensor_model_parallel_size"
ULYSSES = f"{POLICY}.actor.ulysses_sequence_parallel_size"
MINI_BATCH = f"{POLICY}.actor.ppo_mini_batch_size"


@pytest.mark.parametrize(
    "overrides, place",
    [
        (["data.max_response_length=16384"], LIMITS[0]),
        *(([f"{limit}=8192"], limit) for limit in LIMITS),
        ([f"{TENSOR_PARALLEL}=4", "trainer.n_gpus_per_node=6"], TENSOR_PARALLEL),
        (["trainer.n_gpus_per_node=3", "option=sequence_parallel"], ULYSSES),
        (["trainer.nnodes=3"], MINI_BATCH),
        (["trainer.nnodes=8", f"{MINI_BATCH}=4"], MINI_BATCH),
        (["algorithm.use_kl_in_reward=true"], "algorithm.use_kl_in_reward"),
        (["algorithm.adv_estimator=rloo"], "algorithm.adv_estimator"),
    ],
)
def test_what_would_be_noticed_late_or_never(overrides, place):
    config = compose_config(["recipe=qwen3_4b", "judge.endpoints=[http://j/v1]", *overrides])
    with pytest.raises(ConfigError) as caught:
        check_consistency(config, Settings.from_config(config))
    assert caught.value.place == place


@pytest.mark.parametrize("recipe", ["tiny", "smoke", "cpu_smollm2"])
def test_recipes_are_consistent(recipe):
    config = compose_config([f"recipe={recipe}"])
    check_consistency(config, Settings.from_config(config))


@pytest.mark.parametrize("given, read", [("on", True), ("off", False), ("true", True), ("false", False)])
def test_thinking_reads_on_and_off(given, read):
    assert Settings.from_config(compose_config(["recipe=tiny", f"thinking={given}"])).thinking is read
