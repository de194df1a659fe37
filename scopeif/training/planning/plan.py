"""All that a run will need, put together from its config, as numbers and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from scopeif.training.data import file_paths
from scopeif.training.planning.disk import Disk, disk
from scopeif.training.planning.hours import PAPER_STEP_S, Hours, hours
from scopeif.training.planning.judge_load import JudgeLoad, judge_load
from scopeif.training.planning.memory import GIB, Memory, memory
from scopeif.training.planning.resources import Resources, resources
from scopeif.training.planning.shape import ModelShape, model_shape
from scopeif.training.planning.workload import DataSize, Workload, data_size, workload
from scopeif.training.settings import Settings

CARD_BYTES = 80 * GIB
"""Memory of a GPU: an H100, H800 or A100."""


@dataclass(frozen=True)
class Plan:
    """What a run will need; all of memory and hours is estimated, and the memory unchecked against a GPU."""

    on_cpu: bool
    shape: ModelShape
    data: DataSize
    work: Workload
    resources: Resources
    memory: Memory
    disk: Disk
    judge: JudgeLoad
    hours: Hours

    def to_json(self) -> dict[str, Any]:
        """Plain values; sizes in bytes, times in seconds."""
        gpus = {"judge_gpus": self.judge.gpus(self.pace_s)} if self.judge.calls else {}
        totals = {"parameters": self.shape.parameters, "disk_bytes": self.disk.total, "hours": self.hours.total}
        return {**asdict(self), **totals, **gpus, "memory_peak_bytes": self.memory.peak}

    @property
    def pace_s(self) -> float:
        """Seconds of a step that the judge is to keep up with: the paper's, or longer where the bound is."""
        return max(PAPER_STEP_S, self.hours.step_s)

    def lines(self) -> Iterator[str]:
        """The plan as text."""
        yield from self._work_lines()
        yield from self._memory_lines()
        kept = f", {_gib(self.disk.kept_models)} for weights kept" if self.disk.kept_models else ""
        yield (
            f"disk        {_gib(self.disk.checkpoints)} for checkpoints ({_gib(self.disk.checkpoint)} each, the best "
            f"model {_gib(self.disk.best)}), {_gib(self.disk.rollouts)} for rollouts{kept}"
        )
        yield from self._judge_lines()
        yield from self._hours_lines()

    def _work_lines(self) -> Iterator[str]:
        work, needs = self.work, self.resources
        yield f"policy      {self.shape.parameters / 1e9:.3g} B parameters"
        source = "the paper's figures: the files are not there" if self.data.assumed else "from the files"
        yield (
            f"data        {self.data.instructions} instructions, {self.data.constraints:.2f} constraints each, "
            f"{self.data.with_spec:.0%} of them with a spec ({source})"
        )
        yield f"steps       {work.steps} of {work.prompts} prompts x {work.rollouts} responses"
        unit = "logical GPU" if self.on_cpu else "GPU"
        yield (
            f"resources   {needs.nodes} node x {needs.gpus_per_node} {unit}; Ray bundles {needs.bundles}, {needs.cpus} "
            f"processors; {needs.vllm_replicas} vLLM, {needs.data_parallel} data parallel"
        )

    def _memory_lines(self) -> Iterator[str]:
        size = self.memory
        where = "the machine" if self.on_cpu else f"a GPU of {_gib(CARD_BYTES)}"
        over = " TOO MUCH" if not self.on_cpu and size.peak > CARD_BYTES else ""
        note = "" if self.on_cpu else "; estimated, unchecked against a GPU"
        yield f"memory      {_gib(size.peak)} of {where} at most{over}{note}"
        parts = {
            "weights": size.weights,
            "gradients": size.gradients,
            "optimizer": size.optimizer,
            "reference": size.reference,
            "whole layers": size.gathered,
            "activations": size.activations,
            "logits": size.logits,
        }
        yield f"  learning    {_gib(size.learning)}: " + ", ".join(
            f"{name} {_gib(part)}" for name, part in parts.items()
        )
        held = size.kv_cache_tokens // self.work.sequence_tokens
        yield (
            f"  generating  {_gib(size.generating)}: of it vLLM's weights {_gib(size.rollout_weights)}, KV cache "
            f"{_gib(size.kv_cache)} ({size.kv_cache_tokens} tokens, {held} of the longest sequences)"
        )

    def _judge_lines(self) -> Iterator[str]:
        load = self.judge
        if not load.calls:
            yield "judge       none is asked"
            return
        yield (
            f"judge       {load.calls:,.0f} calls a step for {load.verifications:,.0f} constraints, "
            f"{load.prompt_tokens / 1e6:.1f} M tokens read and {load.answer_tokens / 1e6:.1f} M written"
        )
        yield (
            f"            {load.gpus(self.pace_s)} GPUs keep up with steps of {self.pace_s:.0f} s, "
            f"{load.gpus(self.hours.step_s)} with steps of {self.hours.step_s:.0f} s; 24, the paper's, with steps of "
            f"{load.per_gpu_step_s(24):.0f} s (estimated for GPT-OSS-120B)"
        )

    def _hours_lines(self) -> Iterator[str]:
        time = self.hours
        if not time.bound:
            yield (
                f"time        {60 * time.total:.0f} min: {time.steps} steps of {time.step_s:.0f} s, without start and "
                "validation (estimated)"
            )
            return
        yield (
            f"time        at least {time.total:.0f} h: {time.steps} steps of {time.step_s:.0f} s (longest response "
            f"{time.rollout_s:.0f} s, passes {time.passes_s:.0f} s), without validation; at the paper's pace of "
            f"{PAPER_STEP_S:.0f} s a step {time.steps * PAPER_STEP_S / 3600:.0f} h"
        )


def make_plan(config: Any, settings: Settings) -> Plan:
    """The plan of a composed config.

    Raises:
        ModelNotFoundError: the policy is not there, and its shape is not known by name.
        DataError: a data file cannot be read.
    """
    shape = model_shape(config.actor_rollout_ref.model.path)
    data = data_size(file_paths(_plain(config.data.train_files)), config.data.train_max_samples)
    work, needs = workload(config, data), resources(config)
    on_cpu = config.trainer.device == "cpu"
    return Plan(
        on_cpu=on_cpu,
        shape=shape,
        data=data,
        work=work,
        resources=needs,
        memory=memory(config, shape, CARD_BYTES),
        disk=disk(config, shape, work, settings.selection),
        judge=judge_load(work, settings.verification, settings.judge is not None),
        hours=hours(shape, work, needs.gpus, on_cpu),
    )


def _plain(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value


def _gib(size: float) -> str:
    return f"{size / GIB:.1f} GiB"
