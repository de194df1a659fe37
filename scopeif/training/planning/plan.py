"""All that a run will need, put together from its config, as numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from scopeif.training.consistency import is_overlapped
from scopeif.training.data import file_paths
from scopeif.training.planning.disk import Disk, disk
from scopeif.training.planning.host_memory import HostMemory, host_memory
from scopeif.training.planning.hours import PAPER_STEP_S, Hours, hours, is_papers_setting
from scopeif.training.planning.judge_load import JudgeLoad, JudgeRate, judge_load, judge_rate
from scopeif.training.planning.memory import GIB, Memory, memory
from scopeif.training.planning.resources import Resources, resources
from scopeif.training.planning.shape import ModelShape, model_shape
from scopeif.training.planning.workload import (
    DataSize,
    Validations,
    Workload,
    data_size,
    validations,
    workload,
)
from scopeif.training.settings import Settings

CARD_BYTES = 80 * GIB
"""Memory of a GPU: an H100, H800 or A100."""


@dataclass(frozen=True)
class Judge:
    """What is asked of the judge."""

    model: str | None
    kind: str
    """Of verification."""
    rate: JudgeRate | None
    step: JudgeLoad
    validation: JudgeLoad
    """Of one validation."""


@dataclass(frozen=True)
class Plan:
    """What a run will need; all of memory and hours is estimated, and the memory unchecked against a GPU."""

    on_cpu: bool
    overlapped: bool
    """Whether the next step's responses are generated while this step waits and learns."""
    shape: ModelShape
    data: DataSize
    work: Workload
    validations: Validations
    resources: Resources
    memory: Memory
    host_memory: HostMemory | None
    """Of a node with GPUs."""
    disk: Disk
    judge: Judge
    hours: Hours
    papers_setting: bool
    """Whether the paper's pace says something about this run."""

    def to_json(self) -> dict[str, Any]:
        """Plain values; sizes in bytes, times in seconds."""
        rate, load = self.judge.rate, self.judge.step
        gpus = {"judge_gpus": load.gpus(self.pace_s, rate)} if load.calls and rate and not self.on_cpu else {}
        totals = {"parameters": self.shape.parameters, "disk_bytes": self.disk.total, "hours": self.hours.total}
        host = {"host_memory_peak_bytes": self.host_memory.peak} if self.host_memory else {}
        return {**asdict(self), **totals, **gpus, "memory_peak_bytes": self.memory.peak, **host}

    @property
    def pace_s(self) -> float:
        """Seconds of a step that the judge is to keep up with: the paper's where it applies, else the computing's."""
        return PAPER_STEP_S if self.papers_setting else self.hours.step_s


def make_plan(config: Any, settings: Settings, card_bytes: int = CARD_BYTES) -> Plan:
    """The plan of a composed config, on GPUs of that memory.

    Raises:
        ModelNotFoundError: the policy is not there, and its shape is not known by name.
        DataError: a data file cannot be read.
    """
    shape = model_shape(config.actor_rollout_ref.model.path)
    data = data_size(file_paths(_plain(config.data.train_files)), config.data.train_max_samples)
    work, needs = workload(config, data, settings.thinking), resources(config)
    on_cpu = config.trainer.device == "cpu"
    validated = file_paths(_plain(config.data.val_files)) if settings.validation.enabled else []
    tests = validations(config, validated, settings.validation.max_samples, work.steps)
    judge, verification = settings.judge, settings.verification
    model = judge.model if judge else None
    return Plan(
        on_cpu=on_cpu,
        overlapped=is_overlapped(config),
        shape=shape,
        data=data,
        work=work,
        validations=tests,
        resources=needs,
        memory=memory(config, shape, card_bytes),
        host_memory=None if on_cpu else host_memory(config, shape),
        disk=disk(config, shape, work, settings.selection),
        judge=Judge(
            model=model,
            kind=verification.kind,
            rate=judge_rate(model),
            step=judge_load(work, verification, judge is not None),
            validation=judge_load(tests.workload(), verification, judge is not None),
        ),
        hours=hours(config, shape, work, needs.gpus),
        papers_setting=is_papers_setting(config, work, verification.kind, model),
    )


def _plain(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value
