"""The overlapped mode: the next step's responses are generated and verified while those of this one are waited for.

Step N trains on the prompts that were drawn in step N - 1, and draws those of step N + 1 before it waits. So the tail
of a batch, its last long responses and the judge's last answers, costs no idle GPU, and verification goes on while the
actor learns. What is not finished when the actor needs the GPUs is interrupted and goes on with the new weights:

    step N - 1      draw N, wait for N - 1, interrupt N, update to version N - 1, go on
    step N          draw N + 1, wait for N, interrupt N + 1, update to version N, go on

A response is by at most two versions of the weights, N - 2 and N - 1, and step N updates N - 1: the lag is one. verl's
`colocate_async` (verl/trainer/ppo/v1/trainer_colocate_async.py) interrupts and goes on. Its replay buffer and its
checkpoints are not used: they replace a group whose reward raised in silence, train on whatever is finished first, so
that a step has no fixed prompts, and restore responses that a judge's outage left unverified. Here a step trains on
exactly one draw, as in sync mode, and a checkpoint holds the position before the draw that is under way: a resumed run
draws it again, so its prompts are those of an undisturbed run.
"""

from __future__ import annotations

from typing import Any

import torch
import transfer_queue as tq
from transfer_queue import KVBatchMeta
from verl.trainer.ppo.v1.trainer_base import register_trainer
from verl.trainer.ppo.v1.trainer_colocate_async import PPOTrainerColocateAsync

from scopeif.training.policy_versions import FIELD, VersionedClient, Versions, current_agreement, version_metrics
from scopeif.training.trainer import ScopeIFTrainer


@register_trainer("scopeif_overlapped")
class OverlappedTrainer(ScopeIFTrainer, PPOTrainerColocateAsync):  # type: ignore[misc]
    """Each step's prompts are drawn one step ahead."""

    def __init__(self, config: Any) -> None:
        self._before_draw: Any = None
        super().__init__(config)

    def get_llm_client(self) -> Any:
        return self.llm_server_manager.get_client(client_cls=VersionedClient)

    def _build_replay_buffer(self) -> Any:
        buffer = super()._build_replay_buffer()
        sampleable = buffer._sampleable_terminal_keys

        def drawn_ahead(partition: str, reasons: Any) -> set[str]:
            groups: set[str] = sampleable(partition, reasons)
            if partition == "val":
                return groups
            if buffer.failure_keys[partition]:  # also where all is there and nothing is waited for
                self.refuse_missing(0, self.config.actor_rollout_ref.rollout.n)
            drawn_in = buffer.prompt_global_steps[partition]
            return {group for group in groups if drawn_in[group] < self.global_steps}

        buffer._sampleable_terminal_keys = drawn_ahead
        return buffer

    # -- drawing ahead -----------------------------------------------------------------------------------------------

    def _add_async_warmup_batches(self, num_warmup_batches: int | float) -> None:
        """The prompts of the first step, drawn as if in the step before; verl would draw them in the first."""
        if self.global_steps > self.total_training_steps:
            return
        self.global_steps -= 1
        try:
            self._draw()
        finally:
            self.global_steps += 1

    def prepare_step(self) -> dict[str, Any]:
        self._draw()
        return {}

    def _draw(self) -> None:
        self._before_draw = self.train_dataloader.state_dict()
        if self.global_steps < self.total_training_steps:
            self._add_batch_to_generate()

    def step_of_draw(self) -> int:
        return self.global_steps + 1

    # -- data position -----------------------------------------------------------------------------------------------

    def data_position(self) -> Any:
        """Before the prompts that are under way: a resumed run draws them again."""
        return self._before_draw

    def _save_checkpoint(self) -> None:
        super()._save_checkpoint()
        torch.save(self.data_position(), self.checkpoints.step_folder(self.global_steps) / "data.pt")

    # -- versions of the weights -------------------------------------------------------------------------------------

    def _compute_old_log_prob(self, batch: KVBatchMeta, metrics: dict[str, Any]) -> KVBatchMeta:
        """Of the weights before the update; `rollout_correction` weighs a token by their ratio to what generated it."""
        computed = super()._compute_old_log_prob(batch, metrics)
        versions, current = self._versions(batch), self.global_steps - 1
        metrics.update(version_metrics(list(versions.values()), current))
        data = tq.kv_batch_get(
            keys=list(versions),
            partition_id=batch.partition_id,
            select_fields=["rollout_log_probs", "old_log_probs"],
        )
        columns = {name: data[name].unbind() for name in ("rollout_log_probs", "old_log_probs")}
        metrics.update(current_agreement(list(versions.values()), columns, current))
        return computed

    def further_columns(self, batch: KVBatchMeta) -> dict[str, dict[str, Any]]:
        return {key: {FIELD: versions} for key, versions in self._versions(batch).items()}

    def _versions(self, batch: KVBatchMeta) -> dict[str, Versions]:
        """The versions of a batch's real rows, by key."""
        keys = [key for key, tag in zip(batch.keys, batch.tags, strict=True) if not tag.get("is_padding", False)]
        data = tq.kv_batch_get(keys=keys, partition_id=batch.partition_id, select_fields=["extra_fields"])
        extras = [getattr(extra, "data", extra) for extra in list(data["extra_fields"])]
        return {key: [list(part) for part in extra[FIELD]] for key, extra in zip(keys, extras, strict=True)}
