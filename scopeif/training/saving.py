"""When a run validates, saves and stops.

A checkpoint counts once its step's validation and logs are written too. A stop saves the last finished step first, and
does not wait for a validation, unless it is the run's last.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch
from verl.plugin.platform import get_platform
from verl.trainer.ppo.v1.trainer_base import PPOTrainer

from scopeif.errors import ConfigError, StackError, TrainingFailed, TrainingStopped
from scopeif.training import rollout_log
from scopeif.training.checkpoints import Best, Checkpoints
from scopeif.training.merging import merge_adapter
from scopeif.training.metrics import Sample
from scopeif.training.model_card import model_card
from scopeif.training.progress import ProgressLog
from scopeif.training.run_dir import RunDir
from scopeif.training.settings import Settings
from scopeif.training.stall import StallWatch
from scopeif.training.step_log import StepLog
from scopeif.training.tracking import tracking_environment
from scopeif.training.validation import checker_failures, selected, validation_metrics


class SavingTrainer(PPOTrainer):  # type: ignore[misc]
    """verl's trainer in a run directory of ours, with our validation metrics, checkpoints and stops.

    Which of verl's modes it runs in is the second base of the class that is registered (`trainer`, `overlapped`).
    """

    global_steps: int

    def __init__(self, config: Any) -> None:
        self.settings = Settings.from_config(config)
        self.run = RunDir(Path(config.trainer.default_local_dir).parent)
        self.stall = StallWatch(self.run.path, self.settings.run.stall_s)
        self.progress = ProgressLog(self.run.path, self.stall.progress)
        self.checkpoints = Checkpoints(self.run.path)
        self.step_log = StepLog(self.run.path)
        self.validating = False
        self._training = False
        self._loader_state: Any = None
        self.saved_step = 0
        self._unmarked: int | None = None
        for name, value in tracking_environment(self.run).items():
            os.environ.setdefault(name, value)
        if get_platform().device_name != config.trainer.device:
            raise StackError(
                f"verl runs on {get_platform().device_name!r}, the recipe on {config.trainer.device!r}",
                place="trainer.device",
                fix="on a CPU machine install this package, so that its verl plug-in is found: pip install -e .",
            )
        # verl branches on the literal mode name; overlapped runs take its synchronous buffer and checkpoints too.
        config.trainer.v1.trainer_mode = "sync"
        super().__init__(config)

    def _load_checkpoint(self) -> None:
        self.stop_if_asked()
        if self.config.trainer.resume_mode == "resume_path":
            self.progress.phase("loading checkpoint")
        super()._load_checkpoint()
        if self.settings.run.extends and self.global_steps >= self.total_training_steps:
            raise ConfigError(
                f"{self.settings.run.extends} has {self.global_steps} steps already, this run ends at "
                f"{self.total_training_steps}",
                place="trainer.total_training_steps",
                fix="set it, or trainer.total_epochs, higher",
            )
        self.saved_step = self.global_steps

    def fit(self, agent_loop_manager: Any) -> None:
        try:
            super().fit(agent_loop_manager)
        finally:
            self.stall.close()

    def on_train_begin(self) -> None:
        self._training = True
        super().on_train_begin()

    def on_step_begin(self) -> None:
        super().on_step_begin()
        self._loader_state = self.data_position() if self.global_steps > 1 else None
        self.stop_if_asked()

    def data_position(self) -> Any:
        """State of the data loader from which a run that is resumed after the last finished step draws on."""
        return self.train_dataloader.state_dict()

    # -- validation --------------------------------------------------------------------------------------------------

    def _validate(self) -> dict[str, float]:
        self.progress.phase("validation", self.global_steps, of=self.total_training_steps)
        self.validating = True
        try:
            metrics: dict[str, float] = super()._validate()
        except _ValidationSkipped:
            if not self._training:  # verl asserts that the validation before training has results
                self.stop_if_asked()
            return {}
        finally:
            self.validating = False
        self.step_log.validation(self.global_steps, metrics)
        self.progress.validation(step=self.global_steps, metrics=metrics)
        self._keep_best(metrics)
        return metrics

    def _val_metrics_update(
        self,
        data_sources: list[str],
        sample_uids: list[str],
        reward_extra_infos_dict: dict[str, list[Any]],
        sample_turns: list[int],
        expected_acc_counts: Any = None,
    ) -> dict[str, float]:
        """The metrics of all sources; replaces verl's means, which count an unverified one as 0."""
        self.refuse_missing(len(sample_uids), sum((expected_acc_counts or {}).values()))
        names = [name for name in reward_extra_infos_dict if name != "reward"]
        columns = zip(*(reward_extra_infos_dict[name] for name in names), strict=True)
        samples = [
            Sample.read(uid, dict(zip(names, values, strict=True)))
            for uid, values in zip(sample_uids, columns, strict=True)
        ]
        metrics = validation_metrics(samples, data_sources, self.run.path / "data", self.global_steps)
        for failure in checker_failures(samples):
            self.progress.note(f"unverified: {failure}")
        if self.settings.rollout_log.enabled:
            rows = [{"step": self.global_steps, **sample.info, **sample.outcome} for sample in samples]
            rollout_log.write(self.run.path / "rollouts", self.global_steps, rollout_log.without_nan(rows), kind="val")
        return metrics

    def _keep_best(self, metrics: dict[str, float]) -> None:
        name = self.settings.selection.metric
        value = selected(metrics, name, self.settings.unverified.max_frac)
        if self.global_steps == 0:
            return
        if value is None:
            self.progress.note(f"step {self.global_steps} cannot be the best: too little of {name} is verified")
            return
        best = self.checkpoints.best()
        if best is not None and value <= best.value:
            return
        if self.saved_step != self.global_steps:
            self._save_checkpoint()
        best = Best(self.global_steps, name, float(value))
        self.checkpoints.keep_best(best, model_card(best, metrics, self.config, self.run))
        self.progress.note(f"new best {name} {value:.3f} at step {self.global_steps}")

    # -- checkpoints -------------------------------------------------------------------------------------------------

    def _save_checkpoint(self) -> None:
        """Write the checkpoint of the running step; it counts when the step's validation and logs are written too."""
        self.progress.phase("saving checkpoint", self.global_steps, of=self.total_training_steps)
        self.checkpoints.drop_unfinished(self.global_steps)
        model = self.config.actor_rollout_ref.model
        keep = self._keeps_model(self.global_steps)
        self.checkpoints.require_space(Path(model.path), adapter=model.lora_rank > 0, keep=keep)
        super()._save_checkpoint()
        merge_adapter(self.checkpoints.step_folder(self.global_steps) / "actor")
        self.saved_step = self._unmarked = self.global_steps

    def complete_checkpoint(self) -> None:
        """Mark the checkpoint that was written, if any, and remove those that are no longer kept."""
        if self._unmarked is not None:
            if self._keeps_model(self._unmarked):
                self.checkpoints.keep_model(self._unmarked)
            self.checkpoints.mark_complete(self._unmarked)
            self._unmarked = None
            self.checkpoints.prune(self.settings.selection.keep_last)

    def _keeps_model(self, step: int) -> bool:
        every = self.settings.selection.keep_hf_every
        return bool(every) and step % every == 0

    # -- stopping ----------------------------------------------------------------------------------------------------

    def stop_if_asked(self) -> None:
        """Between phases: save and stop where that was asked for."""
        if not self.run.stop_requested():
            return
        self.save_for_stop()  # in set-up there is nothing to save
        raise TrainingStopped(f"stopped on request with step {self.saved_step} saved", place="trainer")

    def stop_while_waiting(self) -> None:
        """The same while responses are waited for; a stop does not wait for a validation, unless it is the last."""
        if not self.validating:
            self.stop_if_asked()
        elif self.run.stop_requested() and self.global_steps < self.total_training_steps:
            raise _ValidationSkipped

    def save_for_stop(self) -> None:
        """Save the last finished step: its weights are still in place, its data position is the remembered one."""
        if self._loader_state is None or self.global_steps - 1 <= self.saved_step:
            return
        self.global_steps -= 1
        try:
            self._save_checkpoint()
            torch.save(self._loader_state, self.checkpoints.step_folder(self.global_steps) / "data.pt")
            self.complete_checkpoint()
        finally:
            self.global_steps += 1

    def weights_are_new(self) -> None:
        """The step has changed the weights: the next stop waits for its end."""
        self._loader_state = None

    def refuse_missing(self, present: int, expected: int) -> None:
        """verl drops a response whose reward raised, in silence; a raise is a bug, and stops the run."""
        if present < expected:
            self.save_for_stop()
            raise TrainingFailed(
                f"{expected - present} of {expected} responses came back without a result",
                place=f"step {self.global_steps}",
                fix=f"the error is in the newest worker log of {self.run.path / 'logs'}; please report it",
            )


class _ValidationSkipped(Exception):
    """A stop was asked for while a validation ran."""
