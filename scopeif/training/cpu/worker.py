"""verl's training worker with a process group that a CPU-only torch accepts."""

from __future__ import annotations

from typing import Any

from verl.utils.distributed import initialize_global_process_group_ray
from verl.workers.engine_workers import ActorRolloutRefWorker, TrainingWorker

from scopeif.training.cpu import engine  # noqa: F401  (registers the CPU engine)
from scopeif.training.cpu.weight_socket import own_socket


class CPUTrainingWorker(TrainingWorker):  # type: ignore[misc]
    """Initialises gloo before verl does: verl/utils/distributed asks for "cpu:gloo,cpu:gloo", a ValueError."""

    def __init__(self, config: Any) -> None:
        initialize_global_process_group_ray(backend="cpu:gloo")
        super().__init__(config)


class CPUActorRolloutRefWorker(ActorRolloutRefWorker):  # type: ignore[misc]
    """Actor, reference and rollout weights of one rank, on the CPU."""

    actor_worker_cls = CPUTrainingWorker
    ref_worker_cls = CPUTrainingWorker

    def init_model(self) -> None:
        """verl's, and a weight socket in the run's own folder: verl names it by Ray's job id, the same in every run."""
        super().init_model()
        if self.rollout is not None:
            self.rollout.zmq_handle = own_socket(self.rollout.zmq_handle)

    # verl finds its remote methods, and how to dispatch them, by attributes of the function.
    init_model.__dict__.update(ActorRolloutRefWorker.init_model.__dict__)
