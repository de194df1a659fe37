"""What the run asks of Ray: nodes, GPUs, bundles and processors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

BUNDLE_CPUS = 3
"""Processors of a bundle (verl/single_controller/ray/base.py, `max_colocate_count`)."""


@dataclass(frozen=True)
class Resources:
    """Placement groups of one bundle a GPU, one group a node, and the actors beside them."""

    nodes: int
    gpus_per_node: int
    vllm_replicas: int
    data_parallel: int
    """Ranks that see different samples."""
    actors: int
    """Agent loops, reward workers, the trainer, TransferQueue: one processor each."""

    @property
    def gpus(self) -> int:
        return self.nodes * self.gpus_per_node

    @property
    def bundles(self) -> str:
        """In Ray's words."""
        return f"{self.nodes} x [{self.gpus_per_node} x {{CPU: {BUNDLE_CPUS}, GPU: 1}}]"

    @property
    def cpus(self) -> int:
        """Ray's logical processors, over all nodes."""
        return self.gpus * BUNDLE_CPUS + self.actors


def resources(config: Any) -> Resources:
    """The resources of a composed config."""
    trainer, rollout = config.trainer, config.actor_rollout_ref.rollout
    gpus = trainer.nnodes * trainer.n_gpus_per_node
    in_replica = rollout.tensor_model_parallel_size * rollout.data_parallel_size * rollout.pipeline_model_parallel_size
    queue = config.transfer_queue.backend.SimpleStorage.num_data_storage_units + 1
    return Resources(
        nodes=trainer.nnodes,
        gpus_per_node=trainer.n_gpus_per_node,
        vllm_replicas=gpus // in_replica,
        data_parallel=gpus // config.actor_rollout_ref.actor.ulysses_sequence_parallel_size,
        actors=rollout.agent.num_workers + config.reward.num_workers + queue + 1,
    )
