"""Every recipe composes with every choice, verl accepts it, and the Qwen3 recipes hold the paper's numbers."""

import pytest
from omegaconf import OmegaConf

from scopeif.training.composing import compose_config, options, recipe_purpose
from scopeif.training.consistency import check_consistency
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.planning.memory import GIB
from scopeif.training.planning.plan import make_plan
from scopeif.training.verl_validation import verl_refusals

JUDGE = "judge.endpoints=[http://node7:8000/v1]"
ALL_OPTIONS = "option=[dynamic_batch,sequence_parallel,group_filtering,soft_overlong,lora]"
OVERLAPPED = "option=[dynamic_batch,sequence_parallel,soft_overlong,lora,overlapped]"

PAPER = {  # appendix E.2, sections 5.2 and 6.1
    "algorithm.adv_estimator": "grpo",
    "data.train_batch_size": 32,
    "data.max_prompt_length": 4096,
    "data.max_response_length": 8192,
    "actor_rollout_ref.actor.ppo_mini_batch_size": 32,
    "actor_rollout_ref.actor.optim.lr": 2e-6,
    "actor_rollout_ref.actor.use_kl_loss": True,
    "actor_rollout_ref.actor.kl_loss_coef": 0.001,
    "actor_rollout_ref.actor.kl_loss_type": "low_var_kl",
    "actor_rollout_ref.rollout.name": "vllm",
    "actor_rollout_ref.rollout.n": 8,
    "actor_rollout_ref.rollout.temperature": 1.0,
    "actor_rollout_ref.rollout.top_p": 1.0,
    "actor_rollout_ref.rollout.gpu_memory_utilization": 0.5,
    "actor_rollout_ref.rollout.val_kwargs.do_sample": False,
    "trainer.nnodes": 1,
    "trainer.n_gpus_per_node": 8,
    "trainer.total_epochs": 1,
    "trainer.save_freq": 30,
    "reward.scheme": "scopeif",
    "reward.alpha": 3.0,
    "verification.kind": "tgv",
    "verification.layout": "paper",
    "judge.model": "openai/gpt-oss-120b",
    "judge.reasoning_effort": "medium",
    "selection.metric": "val/ifeval/prompt_strict",
}


@pytest.mark.parametrize("recipe", ["qwen3_4b", "qwen3_8b"])
def test_the_papers_numbers(recipe):
    config = compose_config([f"recipe={recipe}"])
    assert {key: OmegaConf.select(config, key) for key in PAPER} == PAPER


@pytest.mark.parametrize(
    "recipe, changed",
    [
        ("auto", {"verification.kind": "auto", "verification.audit_frac": 0.02, "trainer.n_gpus_per_node": 8}),
        ("lora", {"actor_rollout_ref.model.lora_rank": 64, "verification.kind": "tgv"}),
        ("one_node", {"trainer.n_gpus_per_node": 4, "judge.model": "openai/gpt-oss-20b", "verification.kind": "auto"}),
    ],
)
def test_variants_change_what_they_say(recipe, changed):
    config = compose_config([f"recipe=qwen3_8b_{recipe}"])
    assert {key: OmegaConf.select(config, key) for key in changed} == changed
    assert config.actor_rollout_ref.model.path == "models/qwen3-8b"


def test_every_recipe_says_what_it_is_for():
    assert all(len(recipe_purpose(recipe)) > 20 for recipe in options("recipe"))


def test_verl_accepts_every_recipe_and_all_options_together():
    chosen = [[f"recipe={recipe}"] for recipe in options("recipe")]
    chosen += [["recipe=qwen3_4b", ALL_OPTIONS], ["recipe=qwen3_8b", "judge=openai_compatible", "judge.model=m"]]
    chosen += [[f"recipe={recipe}", "option=overlapped"] for recipe in ("qwen3_4b", "qwen3_8b", "tiny")]
    chosen += [["recipe=qwen3_8b", OVERLAPPED]]
    chosen += [["recipe=qwen3_4b", "judge=none", "verification=compiled", "reward=ila"]]
    configs = [compose_config(overrides) for overrides in chosen]
    for config in configs:
        check_consistency(config, planned_settings(config)[0])
    assert dict(zip(map(str, chosen), verl_refusals(configs), strict=True)) == dict.fromkeys(map(str, chosen))


@pytest.mark.parametrize("kind", ["tgv", "auto", "compiled"])
def test_every_verification_composes_with_the_papers_recipe(kind):
    config = compose_config(["recipe=qwen3_4b", f"verification={kind}", JUDGE])
    assert planned_settings(config)[0].verification.kind == kind


@pytest.mark.parametrize("recipe", options("recipe"))
def test_a_recipe_asks_for_the_disk_that_it_takes(recipe):
    config = compose_config([f"recipe={recipe}"])
    plan = make_plan(config, planned_settings(config)[0])
    assert plan.disk.total / GIB <= config.run.min_disk_gb
    assert plan.memory.peak <= 80 * GIB
