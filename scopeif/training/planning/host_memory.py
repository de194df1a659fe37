"""Estimate of the host memory of one node of a GPU run: while the weights load, and while a checkpoint is saved.

Sizes in bytes. Offloaded tensors are pinned, and torch rounds each pinned one up to a power of two
(ATen/core/CachingHostAllocator.h); a freed one stays the process's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scopeif.training.planning.memory import GIB, adapter_parameters, bytes_of, has_reference, shards
from scopeif.training.planning.shape import ModelShape

PROCESSES = 7 * GIB
"""Trainer, Ray, agent loops, reward workers: as measured in all of a CPU run."""
WORKER = 3 * GIB
"""Python, torch and CUDA of a GPU's training worker; not measured."""
VLLM = 3 * GIB
"""The same of its vLLM server and engine; not measured."""


@dataclass(frozen=True)
class HostMemory:
    """Bytes by part on the node of rank 0, which has most."""

    copies: int
    """How many ranks of the node load the whole model."""
    loading: dict[str, int]
    """While the actor's weights load; vLLM has not started."""
    saving: dict[str, int]
    """While a checkpoint's Hugging Face model is gathered and written."""

    @property
    def peak(self) -> int:
        return max(sum(self.loading.values()), sum(self.saving.values()))


def host_memory(config: Any, shape: ModelShape) -> HostMemory:
    """Estimate the host memory of a composed config on GPUs."""
    policy, rollout = config.actor_rollout_ref.model, config.actor_rollout_ref.rollout
    fsdp, ranks, parts = config.actor_rollout_ref.actor.fsdp_config, config.trainer.n_gpus_per_node, shards(config)
    size, adapter = bytes_of(fsdp.model_dtype), adapter_parameters(config, shape)
    # verl loads on a meta device on all ranks but one of a shard group, unless embeddings are tied
    # (verl/workers/engine/fsdp/transformer_impl.py, `_build_module`): then each rank has a copy of its own.
    copies = ranks if shape.tie_word_embeddings else max(1, ranks // parts)
    pinned = {}
    if has_reference(config):
        reference = bytes_of(config.actor_rollout_ref.ref.fsdp_config.model_dtype)
        pinned["reference"] = ranks * pinned_shard(shape, reference, parts)
    offloaded = {}
    if fsdp.param_offload:
        offloaded["offloaded_weights"] = ranks * (pinned_shard(shape, size, parts) + size * adapter // parts)
    if fsdp.optimizer_offload:
        trained = size * adapter // parts if adapter else pinned_shard(shape, size, parts)
        offloaded["offloaded_optimizer"] = 2 * ranks * trained
    if adapter and not policy.lora.get("merge", False):  # vLLM sleeps with its weights on the host
        served = bytes_of(rollout.dtype) * shape.parameters // rollout.tensor_model_parallel_size
        offloaded["offloaded_vllm_weights"] = ranks * served
    gathered = {"whole_model": size * (shape.parameters + adapter)}
    return HostMemory(
        copies=copies,
        loading={"whole_models": copies * size * (shape.parameters + adapter)}
        | pinned
        | {"processes": PROCESSES + ranks * WORKER},
        saving=gathered | pinned | offloaded | {"processes": PROCESSES + ranks * (WORKER + VLLM)},
    )


def pinned_shard(shape: ModelShape, size: int, parts: int) -> int:
    """What one rank's shards of all weights take in pinned memory; FSDP2 cuts each by rows."""
    rounded = 0
    for tensor in shape.tensors:
        exact = size * -(-tensor.rows // parts) * tensor.columns
        rounded += tensor.number * (1 << (exact - 1).bit_length())
    return rounded
