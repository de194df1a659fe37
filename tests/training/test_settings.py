"""Values that are each fine and wrong together are refused before anything loads."""

import pytest

from scopeif.errors import ConfigError
from scopeif.training.composing import compose_config
from scopeif.training.settings import Settings, check_consistency


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
    ],
)
def test_contradictions(overrides, place):
    config = compose_config(["recipe=tiny", *overrides])
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
