"""Config errors name the key and its neighbours; the own keys are pinned."""

import pytest
from omegaconf import OmegaConf

from scopeif.errors import ConfigError
from scopeif.judge.settings import JudgeSettings
from scopeif.training.composing import compose_config, options
from scopeif.training.launcher import _what_matters
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.run_dir import fingerprint
from scopeif.training.settings import Settings
from scopeif.verification.settings import RemoteSettings, VerificationSettings

OWN_KEYS = {
    "thinking", "dry_run",
    "run.name", "run.root", "run.seed", "run.stop_grace_s", "run.min_memory_gb", "run.min_disk_gb",
    "run.extends", "run.stall_s",
    "reward.scheme", "reward.alpha", "reward.object_floor", "reward.shuffle",
    "reward.overlong_tokens", "reward.overlong_penalty", "reward.sources",
    "verification.kind", "verification.layout", "verification.attempts", "verification.audit_frac",
    "verification.judged_scopes", "judge",
    "verification.agreement_file", "verification.min_agreement", "verification.min_audited",
    "verification.sandbox_workers", "verification.sandbox_require", "verification.tool_cpu_s",
    "verification.tool_wall_s", "verification.tool_memory_mb",
    "verification.remote.urls", "verification.remote.token_env", "verification.remote.patience_s",
    "verification.remote.deadline_s", "verification.remote.concurrency",
    "unverified.min_verified_per_group", "unverified.max_frac", "unverified.drill_frac",
    "selection.metric", "selection.keep_last", "selection.keep_hf_every",
    "validation.enabled", "validation.max_samples", "validation.guard_prompts", "validation.reformbench_baselines",
    "rollout_log.enabled", "rollout_log.table_rows",
}  # fmt: skip


def own_keys(model, prefix=""):
    for name, field in model.model_fields.items():
        nested = getattr(field.annotation, "model_fields", None)
        yield from own_keys(field.annotation, f"{prefix}{name}.") if nested else [f"{prefix}{name}"]


def test_own_keys_are_pinned():
    assert set(own_keys(Settings)) == OWN_KEYS


@pytest.mark.parametrize("recipe", options("recipe"))
def test_every_recipe_composes_and_its_settings_are_valid(recipe):
    config = compose_config([f"recipe={recipe}"])
    assert planned_settings(config)[0].run.name == recipe
    assert config.algorithm.adv_estimator == "grpo"
    assert (config.actor_rollout_ref.actor.kl_loss_coef, config.actor_rollout_ref.actor.kl_loss_type) == (
        0.001,
        "low_var_kl",
    )


@pytest.mark.parametrize("scheme", options("reward"))
def test_every_reward_composes(scheme):
    assert Settings.from_config(compose_config(["recipe=tiny", f"reward={scheme}"])).reward.scheme == scheme


def test_remote_verification_composes_without_a_judge():
    remote = "verification.remote"
    given = ["verification=remote", f"{remote}.urls=[http://node7:8000]"]
    settings = Settings.from_config(compose_config(["recipe=tiny", *given]))
    assert settings.verification == VerificationSettings(
        kind="remote", remote=RemoteSettings(urls=("http://node7:8000",))
    )
    assert settings.judge is None


def test_where_the_service_runs_may_change_between_attempts():
    def identity(*given):
        config = compose_config(["recipe=tiny", *given])
        return fingerprint(OmegaConf.to_yaml(_what_matters(config), resolve=True))

    here, there = (["verification=remote", f"verification.remote.urls=[http://{host}:8000]"] for host in ("a", "b"))
    assert identity(*here) == identity(*there, "verification.remote.patience_s=5")
    assert identity(*here) != identity()


@pytest.mark.parametrize("kind", sorted(set(options("verification")) - {"remote"}))
def test_every_verification_composes_with_a_judge(kind):
    judge = ["judge=gpt_oss_120b", "judge.endpoints=[http://node7:8000/v1]"]
    settings = Settings.from_config(compose_config(["recipe=tiny", f"verification={kind}", *judge]))
    assert (settings.verification.kind, settings.judge.model) == (kind, "openai/gpt-oss-120b")


def test_the_recipe_of_a_judge_holds_the_defaults_of_its_settings():
    given = ["judge.model=m", "judge.endpoints=[http://a:1/v1]"]
    composed = Settings.from_config(compose_config(["recipe=tiny", "judge=openai_compatible", *given])).judge
    assert composed == JudgeSettings(model="m", endpoints=("http://a:1/v1",))


@pytest.mark.parametrize(
    "overrides, place, hint",
    [
        ([], "recipe", "smoke, tiny"),
        (["recipe=smok"], "recipe", "did you mean smoke?"),
        (["recipe=tiny", "reward=scopif"], "reward", "did you mean scopeif?"),
        (["recipe=tiny", "reward.alfa=2"], "reward.alfa", "did you mean reward.alpha"),
        (["recipe=tiny", "run.nme=x"], "run.nme", "run.name"),
        (["recipe=tiny", "lr=1e-5"], "lr", "actor_rollout_ref.actor.optim.lr"),
        (["recipe=tiny", "trainer.total_trainin_steps=3"], "trainer.total_trainin_steps", "total_training_steps"),
        (["recipe=tiny", "data.train_batch_size=many"], "data.train_batch_size", "a whole number"),
        (["recipe=tiny", "tiny"], "command line", "key=value"),
        (["recipe=tiny", "judge=openai"], "judge", "did you mean openai_compatible?"),
        (["recipe=tiny", "judge=openai_compatible", "judge.modle=m"], "judge.modle", "judge.model"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_faults_name_the_key_and_its_neighbours(overrides, place, hint):
    with pytest.raises(ConfigError) as caught:
        compose_config(overrides)
    assert caught.value.place == place
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    "override, place",
    [
        ("reward.alpha=0", "reward.alpha"),
        ("reward.scheme=binary", "reward.scheme"),
        ("thinking=maybe", "thinking"),
        ("unverified.min_verified_per_group=1", "unverified.min_verified_per_group"),
        ("run.name=a/b", "run.name"),
        ("verification.sandbox_require=none", "verification.sandbox_require"),
        ("verification.kind=remote", "verification"),
    ],
)
def test_own_values_are_bounded(override, place):
    with pytest.raises(ConfigError) as caught:
        Settings.from_config(compose_config(["recipe=tiny", override]))
    assert caught.value.place == place
