"""ScopeIF's trainer: verl's V1 trainer with verified-only advantages, and outcomes as metrics and in the rollout log.
When it validates, saves and stops is in `saving`; the mode that lets rollouts overlap with verification and training is
in `overlapped`.

Everything is done through methods that verl's `PPOTrainer` (verl/trainer/ppo/v1/trainer_base.py) calls by name.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import ray
import torch
import transfer_queue as tq
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.utils import Role
from verl.trainer.ppo.v1.trainer_base import register_trainer
from verl.trainer.ppo.v1.trainer_sync import PPOTrainerSync

from scopeif.errors import ConfigError, NonFiniteError, UnverifiedLimitError
from scopeif.reward import SCHEMES
from scopeif.training import advantage_store, rollout_log
from scopeif.training.actor_update import actor_metrics, update_batch, updates_of
from scopeif.training.advantages import Trajectory, level_keys, shuffle_seed, teaching_keys
from scopeif.training.alarms import PREFIX, alarms
from scopeif.training.data import check_rows
from scopeif.training.group_filtering import level_groups
from scopeif.training.machine_metrics import machine_metrics
from scopeif.training.metrics import Sample, console_metrics, group_metrics, judge_cost, outcome_metrics
from scopeif.training.reward_sources import RewardSources
from scopeif.training.saving import SavingTrainer
from scopeif.training.step_log import read_metrics
from scopeif.training.tracking import log_samples, sample_table

_ACTOR_ROLES = (Role.Actor, Role.ActorRollout, Role.ActorRolloutRef, Role.RefPolicy)

_LOGGED = ("instruction_id", "source", "response_tokens", "length_penalty", "rollout_ended", "rewarded")
"""What the rollout log takes over from the reward manager's info as it is."""


class ScopeIFTrainer(SavingTrainer):
    """One run of GRPO on one policy, in any mode: its steps, their outcomes, metrics and logs."""

    def __init__(self, config: Any) -> None:
        self._teaching: list[str] = []
        self._history: list[dict[str, Any]] = []
        super().__init__(config)

    # -- set-up ------------------------------------------------------------------------------------------------------

    def _build_replay_buffer(self) -> Any:
        buffer = super()._build_replay_buffer()
        buffer.poll_interval = 0.1  # verl/trainer/ppo/v1/replay_buffer.py polls every 2 s
        wait, minimum = buffer._wait_for_next_poll, self.settings.unverified.min_verified_per_group

        def wait_or_stop(*arguments: Any) -> Any:
            self.stop_while_waiting()
            if not self.validating and buffer.failure_keys["train"]:
                self.refuse_missing(0, self.config.actor_rollout_ref.rollout.n)
            return wait(*arguments)

        buffer._wait_for_next_poll = wait_or_stop
        buffer._dapo_filtered_keys = lambda partition: level_groups(buffer, partition, minimum)
        return buffer

    def _init_tokenizer(self) -> None:
        self.progress.phase("tokenizer and data")
        super()._init_tokenizer()

    def _init_dataloader(self) -> None:
        self.stop_if_asked()
        data = self.config.data
        options = dict(data.apply_chat_template_kwargs)
        sources = self.settings.reward.sources
        RewardSources(sources)  # a function that cannot be imported is said before anything loads
        for file in (*data.train_files, *data.val_files):
            check_rows(file, self.tokenizer, data.max_prompt_length, options, sources)
        super()._init_dataloader()
        if self.steps_per_epoch == 0:
            raise ConfigError(
                f"a batch of {data.train_batch_size} prompts is more than the {len(self.train_dataset)} of the data",
                place="data.train_batch_size",
            )
        # verl ends at the last epoch even where total_training_steps asks for more.
        epochs = math.ceil(self.total_training_steps / self.steps_per_epoch)
        self.config.trainer.total_epochs = max(self.config.trainer.total_epochs, epochs)

    def _init_resource_pool_mgr(self) -> None:
        super()._init_resource_pool_mgr()
        if self.config.trainer.device == "cpu":
            from scopeif.training.cpu.worker import CPUActorRolloutRefWorker

            for role in self.role_worker_mapping:
                if role in _ACTOR_ROLES:
                    self.role_worker_mapping[role] = ray.remote(CPUActorRolloutRefWorker)
        self.progress.phase("loading policy, reference and vLLM")

    def _load_checkpoint(self) -> None:
        super()._load_checkpoint()
        logged = read_metrics(self.run.path, "train")
        self._history = [logged[step] for step in sorted(logged) if step <= self.global_steps]
        self.progress.phase("sending weights to vLLM")

    # -- one step ----------------------------------------------------------------------------------------------------

    def on_step_begin(self) -> None:
        super().on_step_begin()
        self.progress.phase("rollout", self.global_steps, of=self.total_training_steps)

    def _next_train_batch(self, num_prompts: int | None = None) -> Any:
        batch = super()._next_train_batch(num_prompts)
        extras = [getattr(extra, "data", extra) for extra in batch["extra_info"]]
        self.step_log.prompts(self.step_of_draw(), [str(extra.get("id") or extra.get("index")) for extra in extras])
        return batch

    def step_of_draw(self) -> int:
        """The step that trains on the prompts that are being drawn."""
        return self.global_steps

    def _compute_old_log_prob(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        self._enter("old log-probs")
        return super()._compute_old_log_prob(batch, metrics)

    def _compute_ref_log_prob(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        self._enter("reference log-probs")
        return super()._compute_ref_log_prob(batch, metrics)

    def _compute_advantage(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """Advantages from the verified samples; the others get none, and no loss."""
        samples = self._samples(batch)
        self.refuse_missing(len(samples), self.config.data.train_batch_size * self.config.actor_rollout_ref.rollout.n)
        self._refuse_too_many_unverified(list(samples.values()))
        scheme = f"reward_{self.settings.reward.scheme}"
        self._refuse_infinite_rewards(samples, scheme)
        rows = [
            Trajectory(key, samples[key].verified, reward=samples[key].info[scheme])
            if key in samples
            else Trajectory(key, verified=False, padding=True)
            for key in batch.keys
        ]
        chosen = teaching_keys(rows, self.settings.unverified.min_verified_per_group)
        teaching = [row for row in rows if row.key in set(chosen)]
        masked = [row.key for row in rows if row.key not in set(chosen)]
        self._teaching = [row.key for row in teaching if not row.padding]
        metrics["unverified/masked_samples"] = float(len(masked))
        fields = list(batch.fields or [])
        if self._teaching:
            fields = super()._compute_advantage(batch.select_keys(chosen), metrics).fields
            if same := level_keys([row for row in teaching if not row.padding]):
                advantage_store.level(same, batch.partition_id)
        else:
            masked = batch.keys
        if self.settings.reward.shuffle and self._teaching:
            seed = shuffle_seed(self.settings.run.seed, self.global_steps)
            advantage_store.shuffle(teaching, batch.partition_id, seed)
        if masked:
            advantage_store.mask(masked, batch.partition_id, fields)
        return KVBatchMeta(
            keys=batch.keys,
            tags=batch.tags,
            partition_id=batch.partition_id,
            fields=sorted({*fields, *advantage_store.MASKED_FIELDS}),
            extra_info=batch.extra_info,
        )

    def _refuse_too_many_unverified(self, samples: list[Sample]) -> None:
        unverified = [sample for sample in samples if not sample.verified]
        limit = self.settings.unverified.max_frac
        if len(unverified) > limit * len(samples) or len(unverified) == len(samples):
            self.save_for_stop()
            reasons = Counter(reason for sample in unverified for reason in sample.reasons)
            faults = sorted({sample.outcome["fault"] for sample in unverified if sample.outcome.get("fault")})
            raise UnverifiedLimitError(
                f"{len(unverified)} of {len(samples)} samples stayed unverified, the limit is {limit:.0%}; "
                f"constraints by reason: {dict(reasons.most_common())}" + "".join(f"; {fault}" for fault in faults[:3]),
                place=f"step {self.global_steps}",
                fix="mend the cause and give the same command again, or raise unverified.max_frac",
            )

    def _update_actor(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        if not self._teaching:  # no group has enough verified samples; a loss over no token is NaN
            self.progress.note(f"step {self.global_steps} teaches nothing: too few verified samples in every group")
            return batch
        self._enter("update")
        ranks = max(self.actor_rollout_wg._dispatch_info["actor"]) + 1  # filled by verl's _balance_batch
        chosen = update_batch(batch, self._teaching, self.config, ranks)
        metrics.update(actor_metrics(self.actor_rollout_wg.update_actor(chosen)["metrics"]))
        self._refuse_non_finite(batch, metrics, updates=updates_of(chosen))
        self.weights_are_new()
        return batch

    def on_step_end(self) -> None:
        self.progress.phase("sending weights to vLLM", self.global_steps, of=self.total_training_steps)
        super().on_step_end()

    def _enter(self, phase: str) -> None:
        self.stop_if_asked()
        self.progress.phase(phase, self.global_steps, of=self.total_training_steps)

    # -- outcomes, metrics, logs -------------------------------------------------------------------------------------

    def _samples(self, batch: KVBatchMeta) -> dict[str, Sample]:
        """The outcomes of a batch's real rows, by key."""
        keys = [key for key, tag in zip(batch.keys, batch.tags, strict=True) if not tag.get("is_padding", False)]
        data = tq.kv_batch_get(keys=keys, partition_id=batch.partition_id, select_fields=["extra_fields"])
        extras = [getattr(extra, "data", extra) for extra in list(data["extra_fields"])]
        return {
            key: Sample.read(key.rsplit("_", 2)[0], extra["reward_extra_info"])
            for key, extra in zip(keys, extras, strict=True)
        }

    def _compute_metrics(
        self, batch: KVBatchMeta, metrics: dict[str, Any], timing_raw: dict[str, float], global_steps: int, epoch: int
    ) -> None:
        samples = self._samples(batch)
        # verl's own figures would turn NaN by the unverified samples' reward.
        verified = [key for key in batch.keys if key in samples and samples[key].verified]
        super()._compute_metrics(batch.select_keys(verified), metrics, timing_raw, global_steps, epoch)
        metrics.update(self._throughput(batch, samples, timing_raw["step"]))
        metrics.update(outcome_metrics(list(samples.values()), "train"))
        metrics.update(group_metrics(list(samples.values())))
        if self.settings.judge is not None:
            metrics.update(judge_cost(metrics, "train", self.settings.judge.price))
        metrics.update(machine_metrics())
        metrics.update(self._warnings(metrics))
        self.step_log.step(global_steps, {name: value for name, value in metrics.items() if name[:4] != "val/"})
        if self.settings.rollout_log.enabled:
            self._log_rollouts(batch, samples, global_steps)
        self.complete_checkpoint()
        shown = console_metrics(metrics, self.settings.reward.scheme)
        self.progress.step(step=global_steps, of=self.total_training_steps, metrics=shown)

    def _throughput(self, batch: KVBatchMeta, samples: dict[str, Sample], seconds: float) -> dict[str, float]:
        """verl's figures of speed, over all samples."""
        tokens = sum(tag["seq_len"] for key, tag in zip(batch.keys, batch.tags, strict=True) if key in samples)
        rate = tokens / (seconds * self._get_n_gpus_for_throughput())
        return {"perf/total_num_tokens": float(tokens), "perf/throughput": rate}

    def _warnings(self, metrics: dict[str, Any]) -> dict[str, float]:
        """The step's warnings, said on the console; as metrics they are what the next steps know of them."""
        said = alarms(self._history, metrics, self.settings.reward.scheme)
        for text in said.values():
            self.progress.warning(text)
        flags = {f"{PREFIX}{name}": 1.0 for name in said}
        self._history.append(metrics | flags)
        return flags

    def _refuse_infinite_rewards(self, samples: dict[str, Sample], scheme: str) -> None:
        for sample in samples.values():
            if sample.verified and not math.isfinite(sample.info[scheme]):
                self.save_for_stop()
                raise NonFiniteError(
                    f"the reward of a response to {sample.info['instruction_id']} is {sample.info[scheme]}",
                    place=f"step {self.global_steps}",
                )

    def _refuse_non_finite(self, batch: KVBatchMeta, metrics: dict[str, Any], updates: int) -> None:
        """Stop before weights that are not numbers are saved, sent or validated; the last good ones are saved.

        verl skips an optimizer step whose gradient is not finite (workers/engine/fsdp `optimizer_step`). So weights of
        a step of one update are those of the step before; of several some may be applied, and nothing is saved.
        """
        names = ("actor/pg_loss", "actor/kl_loss", "actor/grad_norm")
        bad = {name: metrics[name] for name in names if not math.isfinite(metrics.get(name, 0.0))}
        if not bad:
            return
        samples = self._samples(batch)
        outcomes = outcome_metrics(list(samples.values()), "train")
        self.step_log.step(self.global_steps, {name: v for name, v in metrics.items() if name[:4] != "val/"} | outcomes)
        if self.settings.rollout_log.enabled:
            self._log_rollouts(batch, samples, self.global_steps)
        if updates == 1 and "actor/grad_norm" in bad:
            self.save_for_stop()
        raise NonFiniteError(
            ", ".join(f"{name} is {value}" for name, value in bad.items()) + f"; step {self.saved_step} is saved",
            place=f"step {self.global_steps}",
            fix="see the step's rollout log; the same command resumes, a lower learning rate makes it another run",
        )

    def _log_rollouts(self, batch: KVBatchMeta, samples: dict[str, Sample], step: int) -> None:
        fields = ["prompts", "responses", "advantages", "response_mask"]
        keys, further = list(samples), self.further_columns(batch)
        data = tq.kv_batch_get(keys=keys, partition_id=batch.partition_id, select_fields=fields)
        columns = zip(*(data[name].unbind() for name in fields), strict=True)
        rows = []
        for key, (prompt, response, advantage, mask) in zip(keys, columns, strict=True):
            row = self._rollout_row(samples[key], step, prompt, response) | further.get(key, {})
            row["masked"] = not bool(mask.any())
            value = math.nan if row["masked"] else float(advantage[mask.bool()][0])
            row["advantage"] = value if math.isfinite(value) else None
            rows.append(row)
        rollout_log.write(self.run.path / "rollouts", step, rows)
        if count := self.settings.rollout_log.table_rows:
            log_samples(self.logger.logger, sample_table(rows, self.settings.reward.scheme, count), step)

    def further_columns(self, batch: KVBatchMeta) -> dict[str, dict[str, Any]]:
        """What a mode adds to the rollout log, by key of the row."""
        return {}

    def _rollout_row(self, sample: Sample, step: int, prompt: torch.Tensor, response: torch.Tensor) -> dict[str, Any]:
        rewards = {scheme: float(sample.info[f"reward_{scheme}"]) for scheme in SCHEMES}
        return {
            "step": step,
            **{name: sample.info[name] for name in _LOGGED},
            "group": sample.group,
            "scopes": list(sample.scopes),
            "prompt": self.tokenizer.decode(prompt, skip_special_tokens=False),
            "response": self.tokenizer.decode(response, skip_special_tokens=False),
            "reward": {scheme: None if math.isnan(value) else value for scheme, value in rewards.items()},
            **sample.outcome,
        }


@register_trainer("scopeif_sync")
class SyncTrainer(ScopeIFTrainer, PPOTrainerSync):  # type: ignore[misc]
    """Every response of a step is generated by the weights that the step updates."""
