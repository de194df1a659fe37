"""Config values that are each fine and wrong together; what verl would notice late, or never, is refused at once."""

from __future__ import annotations

from typing import Any

from scopeif.constraints.faults import did_you_mean
from scopeif.errors import ConfigError
from scopeif.evaluation import ifeval
from scopeif.reformbench import in_training as reformbench
from scopeif.training.settings import Settings
from scopeif.verification.settings import require_judge

SYNC, OVERLAPPED = "scopeif_sync", "scopeif_overlapped"
"""What trainer.v1.trainer_mode may be: our trainers, as they are registered with verl."""


def check_consistency(config: Any, settings: Settings) -> None:
    """Refuse values that are each fine and wrong together.

    Raises:
        ConfigError: the message names both keys.
    """
    require_judge(settings.verification, settings.judge is not None)
    _check_mode(config)
    _check_groups(config, settings)
    _check_update(config)
    _check_token_limits(config)
    _check_division(config)
    _check_selection(config, settings)
    if settings.reward.overlong_tokens > config.data.max_response_length:
        raise ConfigError(
            f"{settings.reward.overlong_tokens} tokens are more than data.max_response_length="
            f"{config.data.max_response_length}",
            place="reward.overlong_tokens",
        )


def _check_groups(config: Any, settings: Settings) -> None:
    if config.actor_rollout_ref.rollout.n < settings.unverified.min_verified_per_group:
        raise ConfigError(
            f"groups of {config.actor_rollout_ref.rollout.n} never hold the verified samples that "
            f"unverified.min_verified_per_group={settings.unverified.min_verified_per_group} asks for",
            place="actor_rollout_ref.rollout.n",
        )


def is_overlapped(config: Any) -> bool:
    """Whether the next step's responses are generated while this step learns (`option=overlapped`)."""
    return bool(config.trainer.v1.trainer_mode == OVERLAPPED)


def _check_mode(config: Any) -> None:
    mode = config.trainer.v1.trainer_mode
    if mode not in (SYNC, OVERLAPPED):
        raise ConfigError(
            f"{mode!r} knows no unverified samples{did_you_mean(mode, (SYNC, OVERLAPPED))}",
            place="trainer.v1.trainer_mode",
            fix=f"{SYNC}, or option=overlapped",
        )
    if config.trainer.v1.sampler.sync_refill_failed_groups:
        raise ConfigError(
            "verl would replace a group whose rewards raised, in silence",
            place="trainer.v1.sampler.sync_refill_failed_groups",
        )
    if mode == OVERLAPPED:
        _check_overlapped(config)


def _check_overlapped(config: Any) -> None:
    """What cannot be combined with responses that are a step ahead, and what must be."""
    correction, rollout = config.algorithm.rollout_correction, config.actor_rollout_ref.rollout
    place = "algorithm.rollout_correction."
    fix = "option=overlapped sets all that it needs"
    if config.algorithm.filter_groups is not None and config.algorithm.filter_groups.enable:
        raise ConfigError(
            "level groups are replaced while a step waits, and what replaces them is generated a step late: a step "
            "would have no fixed prompts, and a resumed run others",
            place="algorithm.filter_groups.enable",
            fix="group_filtering and overlapped exclude each other: leave one of the options out",
        )
    if config.trainer.v1.colocate_async.num_warmup_batches != 1:
        raise ConfigError(
            f"an overlapped run is one step ahead, not {config.trainer.v1.colocate_async.num_warmup_batches}",
            place="trainer.v1.colocate_async.num_warmup_batches",
        )
    if not rollout.calculate_log_probs:
        raise ConfigError(
            "importance weights need the probabilities of the weights that generated",
            place="actor_rollout_ref.rollout.calculate_log_probs",
        )
    if correction.rollout_is is None:
        raise ConfigError("samples of older weights need importance weights", place=f"{place}rollout_is", fix=fix)
    if correction.rollout_rs is not None:
        raise ConfigError(
            "rejected tokens leave the loss beside the unverified ones, and a mini-batch without a token has a loss "
            "that is NaN",
            place=f"{place}rollout_rs",
            fix=fix,
        )
    if correction.bypass_mode:
        raise ConfigError(
            "without log-probabilities of the weights that are updated there is neither their agreement with vLLM's "
            "nor a clip around them",
            place=f"{place}bypass_mode",
            fix=fix,
        )


def _check_update(config: Any) -> None:
    actor, model, algorithm = config.actor_rollout_ref.actor, config.actor_rollout_ref.model, config.algorithm
    if algorithm.adv_estimator != "grpo":
        raise ConfigError(
            f"advantages are GRPO's, not those of {algorithm.adv_estimator}", place="algorithm.adv_estimator"
        )
    if algorithm.use_kl_in_reward:
        raise ConfigError(
            "rewards are those of the constraints alone; the KL term is in the loss",
            place="algorithm.use_kl_in_reward",
            fix="set it to false, and actor_rollout_ref.actor.use_kl_loss to true",
        )
    if actor.shuffle and actor.ppo_mini_batch_size != config.data.train_batch_size:
        raise ConfigError(
            "verl would shuffle the mini-batches of each rank by itself: some could hold unverified samples alone, and "
            "a loss over no token is NaN",
            place="actor_rollout_ref.actor.shuffle",
            fix="set it to false; prompts are shuffled by data.shuffle",
        )
    if actor.loss_agg_mode == "seq-mean-token-sum-norm" and actor.loss_scale_factor is None:
        raise ConfigError(
            "without a constant, every micro-batch is divided by the length of its own longest response",
            place="actor_rollout_ref.actor.loss_scale_factor",
            fix="set it, for instance to data.max_response_length",
        )
    if (model.lora_rank > 0 or model.lora_adapter_path is not None) and not model.lora.merge:
        raise ConfigError(
            "an adapter that is not merged is neither sent to vLLM on a CPU nor kept as a whole model",
            place="actor_rollout_ref.model.lora.merge",
            fix="option=lora sets all that LoRA needs",
        )


def _check_selection(config: Any, settings: Settings) -> None:
    every, save_freq = settings.selection.keep_hf_every, config.trainer.save_freq
    if every and (save_freq <= 0 or every % save_freq):
        raise ConfigError(
            f"every {every} steps is no multiple of trainer.save_freq={save_freq}; only saved steps can be kept",
            place="selection.keep_hf_every",
        )
    prefix, _, name = settings.selection.metric.rpartition("/")
    if not prefix.startswith("val/"):
        raise ConfigError(
            f"{settings.selection.metric!r} is no metric of a validation: they begin with val/",
            place="selection.metric",
            fix="for example val/all/csr or val/ifeval/prompt_strict (docs/metrics.md)",
        )
    if prefix == f"val/{reformbench.SOURCE}" and name not in reformbench.SELECTABLE:
        raise ConfigError(
            f"ReFormBench gives no rate {name!r}{did_you_mean(name, reformbench.SELECTABLE)}",
            place="selection.metric",
            fix=f"use one of: {', '.join(reformbench.SELECTABLE)}",
        )
    if prefix == f"val/{ifeval.SOURCE}" and name not in ifeval.ACCURACIES:
        raise ConfigError(
            f"IFEval gives no {name!r}{did_you_mean(name, ifeval.ACCURACIES)}",
            place="selection.metric",
            fix=f"use one of: {', '.join(ifeval.ACCURACIES)}",
        )


def _check_token_limits(config: Any) -> None:
    """The longest sequence must fit a micro-batch: verl asserts it in the pass that meets one, hours into a run."""
    actor, rollout, reference = (getattr(config.actor_rollout_ref, name) for name in ("actor", "rollout", "ref"))
    longest = config.data.max_prompt_length + config.data.max_response_length
    limits = {
        "actor.ppo_max_token_len_per_gpu": (
            actor.use_dynamic_bsz,
            actor.ppo_max_token_len_per_gpu,
            actor.ulysses_sequence_parallel_size,
        ),
        "rollout.log_prob_max_token_len_per_gpu": (
            rollout.log_prob_use_dynamic_bsz,
            rollout.log_prob_max_token_len_per_gpu,
            actor.ulysses_sequence_parallel_size,
        ),
        "ref.log_prob_max_token_len_per_gpu": (
            reference.log_prob_use_dynamic_bsz,
            reference.log_prob_max_token_len_per_gpu,
            reference.ulysses_sequence_parallel_size,
        ),
    }
    for name, (used, tokens, parts) in limits.items():
        if used and tokens * parts < longest:
            raise ConfigError(
                f"a micro-batch of {tokens} tokens on each of {parts} GPUs does not hold the longest sequence, "
                f"{longest} tokens (data.max_prompt_length + data.max_response_length)",
                place=f"actor_rollout_ref.{name}",
                fix=f"set it to {-(-longest // parts)} or more",
            )


def _check_division(config: Any) -> None:
    """What splits over GPUs must do so without a rest; verl notices in the workers, after the models are loaded."""
    gpus = config.trainer.nnodes * config.trainer.n_gpus_per_node
    rollout, actor = config.actor_rollout_ref.rollout, config.actor_rollout_ref.actor
    parts = {
        "rollout.tensor_model_parallel_size": rollout.tensor_model_parallel_size,
        "actor.ulysses_sequence_parallel_size": actor.ulysses_sequence_parallel_size,
    }
    for name, size in parts.items():
        if gpus % size:
            raise ConfigError(
                f"{gpus} GPUs (trainer.nnodes x trainer.n_gpus_per_node) do not split into groups of {size}",
                place=f"actor_rollout_ref.{name}",
            )
    ranks = gpus // actor.ulysses_sequence_parallel_size
    unit = ranks if actor.use_dynamic_bsz else ranks * (actor.ppo_micro_batch_size_per_gpu or 1)
    if (actor.ppo_mini_batch_size * rollout.n) % unit:
        raise ConfigError(
            f"a mini-batch of {actor.ppo_mini_batch_size} prompts x {rollout.n} rollouts does not split over the "
            f"actor's {ranks} ranks, {unit} rows at a time",
            place="actor_rollout_ref.actor.ppo_mini_batch_size",
        )
