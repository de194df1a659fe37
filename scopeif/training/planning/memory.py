"""Estimate of the memory of one GPU: what lies there while vLLM generates, and while the actor learns.

Sizes in bytes. P parameters, T trained ones, N GPUs, t tokens of a micro-batch on a GPU, H width, V vocabulary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scopeif.training.planning.shape import ModelShape

GIB = 1 << 30
CONTEXT = int(2.5 * GIB)
"""CUDA context, NCCL buffers and fragments."""
VLLM_RESERVE = 3 * GIB
"""Activations and CUDA graphs of vLLM."""
CPU_KV_CACHE = GIB
"""What the launcher gives vLLM on a CPU."""
CPU_PROCESSES = 7 * GIB
"""Python, torch and Ray in all processes of a run on one machine, measured on the recipe smoke."""
_BYTES = {"fp32": 4, "float32": 4, "bf16": 2, "bfloat16": 2, "fp16": 2, "float16": 2}


@dataclass(frozen=True)
class Memory:
    """Bytes by part on one GPU, or on the whole machine where the run is on a CPU."""

    learning: dict[str, int]
    """While the actor learns; `whole_layers` are those that FSDP has gathered at one time, and their gradients."""
    generating: dict[str, int]
    """While vLLM generates."""
    kv_cache_tokens: int
    """How many tokens the KV cache of one replica holds."""

    @property
    def peak(self) -> int:
        return max(sum(self.generating.values()), sum(self.learning.values()))


def memory(config: Any, shape: ModelShape, card_bytes: int) -> Memory:
    """Estimate the memory of a composed config on cards of that size.

    Args:
        config: the composed config; device "cpu" gives the sum of all processes of the machine.
        shape: of the policy.
        card_bytes: memory of one GPU.
    """
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    fsdp, on_cpu = actor.fsdp_config, config.trainer.device == "cpu"
    base = {"processes": CPU_PROCESSES} if on_cpu else {"context": CONTEXT}
    weights, optimizer = _weights(config, shape), _optimizer(config, shape)
    # verl offloads a module that only goes forward to the host, whatever its param_offload says
    # (verl/workers/engine/fsdp/transformer_impl.py, `_build_fsdp_module`); the CPU engine leaves it where it is.
    reference = {"reference": reference_bytes(config, shape)} if on_cpu else {}
    served = bytes_of(rollout.dtype) * shape.parameters // rollout.tensor_model_parallel_size
    per_token = shape.kv_bytes_per_token // rollout.tensor_model_parallel_size
    if on_cpu:
        vllm = {"vllm_weights": served, "kv_cache": CPU_KV_CACHE}
    else:
        cache = max(0, int(rollout.gpu_memory_utilization * card_bytes) - served - VLLM_RESERVE)
        vllm = {"vllm_weights": served, "vllm_reserve": VLLM_RESERVE, "kv_cache": cache}
    asleep = rollout.free_cache_engine and not on_cpu
    resident = {} if fsdp.param_offload else weights
    resident = resident | ({} if fsdp.optimizer_offload else optimizer)
    return Memory(
        learning=base | weights | optimizer | reference | _passes(config, shape) | ({} if asleep else vllm),
        generating=base | resident | reference | vllm,
        kv_cache_tokens=vllm["kv_cache"] // per_token,
    )


def bytes_of(dtype: str) -> int:
    """Of one number of a type, as verl's config names it."""
    return _BYTES[dtype]


def shards(config: Any) -> int:
    """Over how many GPUs FSDP spreads the weights."""
    gpus: int = config.trainer.nnodes * config.trainer.n_gpus_per_node
    size: int = config.actor_rollout_ref.actor.fsdp_config.fsdp_size
    return size if 0 < size < gpus else gpus


def adapter_parameters(config: Any, shape: ModelShape) -> int:
    """Of the LoRA adapter; 0 without one."""
    rank = config.actor_rollout_ref.model.lora_rank
    return shape.lora_parameters(rank) if rank else 0


def has_reference(config: Any) -> bool:
    """Whether a reference is held beside the actor; with LoRA it is the policy without its adapter."""
    kl = config.actor_rollout_ref.actor.use_kl_loss or config.algorithm.use_kl_in_reward
    return bool(kl) and not config.actor_rollout_ref.model.lora_rank


def reference_bytes(config: Any, shape: ModelShape) -> int:
    """Of one rank's shard of the reference; 0 without one."""
    size = bytes_of(config.actor_rollout_ref.ref.fsdp_config.model_dtype)
    return size * shape.parameters // shards(config) if has_reference(config) else 0


def _weights(config: Any, shape: ModelShape) -> dict[str, int]:
    size = bytes_of(config.actor_rollout_ref.actor.fsdp_config.model_dtype)
    return {"weights": size * (shape.parameters + adapter_parameters(config, shape)) // shards(config)}


def _optimizer(config: Any, shape: ModelShape) -> dict[str, int]:
    size = bytes_of(config.actor_rollout_ref.actor.fsdp_config.model_dtype)
    return {"optimizer": 2 * size * (adapter_parameters(config, shape) or shape.parameters) // shards(config)}


def _passes(config: Any, shape: ModelShape) -> dict[str, int]:
    """What a forward and backward pass adds. Frozen weights, those under LoRA, have no gradient."""
    policy, fsdp = config.actor_rollout_ref.model, config.actor_rollout_ref.actor.fsdp_config
    adapter, tokens = adapter_parameters(config, shape), micro_batch_tokens(config)
    layers = (4 if adapter else 8) * shape.layer_parameters + 2 * shape.embedding_parameters
    return {
        "gradients": bytes_of(fsdp.model_dtype) * (adapter or shape.parameters) // shards(config),
        "whole_layers": 0 if shards(config) == 1 else layers,
        "activations": _activations(shape, tokens, policy.enable_gradient_checkpointing),
        "logits": 8 * tokens * shape.vocab_size,
    }


def micro_batch_tokens(config: Any) -> int:
    """The most tokens that one GPU holds in a forward and backward pass."""
    actor = config.actor_rollout_ref.actor
    if actor.use_dynamic_bsz:
        return int(actor.ppo_max_token_len_per_gpu)
    longest = config.data.max_prompt_length + config.data.max_response_length
    return int(actor.ppo_micro_batch_size_per_gpu * longest // actor.ulysses_sequence_parallel_size)


def _activations(shape: ModelShape, tokens: int, checkpointing: bool) -> int:
    """In 16 bits: with checkpointing the input of each layer and all of one layer, else all of each layer."""
    heads = shape.num_attention_heads + 2 * shape.num_key_value_heads
    layer = 6 * shape.hidden_size + 2 * heads * shape.head_dim + 4 * shape.intermediate_size
    values = shape.num_hidden_layers * shape.hidden_size + layer if checkpointing else shape.num_hidden_layers * layer
    return 2 * tokens * values
