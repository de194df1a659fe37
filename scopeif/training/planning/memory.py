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
    """Bytes on one GPU, or on the whole machine where the run is on a CPU."""

    weights: int
    gradients: int
    optimizer: int
    reference: int
    gathered: int
    """Layers that FSDP has whole at one time, and their gradients."""
    activations: int
    logits: int
    rollout_weights: int
    kv_cache: int
    kv_cache_tokens: int
    """How many tokens the KV cache of one replica holds."""
    generating: int
    """The sum while vLLM generates."""
    learning: int
    """The sum while the actor learns."""

    @property
    def peak(self) -> int:
        return max(self.generating, self.learning)


def memory(config: Any, shape: ModelShape, card_bytes: int) -> Memory:
    """Estimate the memory of a composed config on cards of that size.

    Args:
        config: the composed config; device "cpu" gives the sum of all processes of the machine.
        shape: of the policy.
        card_bytes: memory of one GPU.
    """
    policy, actor, rollout = (
        config.actor_rollout_ref.model,
        config.actor_rollout_ref.actor,
        config.actor_rollout_ref.rollout,
    )
    reference = config.actor_rollout_ref.ref.fsdp_config
    on_cpu = config.trainer.device == "cpu"
    gpus = config.trainer.nnodes * config.trainer.n_gpus_per_node
    fsdp = actor.fsdp_config
    size, parameters = _BYTES[fsdp.model_dtype], shape.parameters
    trained = shape.lora_parameters(policy.lora_rank) if policy.lora_rank else parameters
    tokens = micro_batch_tokens(config)
    weights = size * (parameters + (trained if policy.lora_rank else 0)) // gpus
    gradients, optimizer = size * trained // gpus, 2 * size * trained // gpus
    has_reference = actor.use_kl_loss and not policy.lora_rank  # LoRA: the policy without its adapter
    reference_weights = _BYTES[reference.model_dtype] * parameters // gpus if has_reference else 0
    gathered = 0 if gpus == 1 else 8 * shape.layer_parameters + 2 * shape.embedding_parameters
    activations, logits = (
        _activations(shape, tokens, policy.enable_gradient_checkpointing),
        8 * tokens * shape.vocab_size,
    )
    served = _BYTES[rollout.dtype] * parameters // rollout.tensor_model_parallel_size
    per_token = shape.kv_bytes_per_token // rollout.tensor_model_parallel_size
    if on_cpu:
        kv_cache, vllm = CPU_KV_CACHE, served + CPU_KV_CACHE
    else:
        vllm = int(rollout.gpu_memory_utilization * card_bytes)
        kv_cache = max(0, vllm - served - VLLM_RESERVE)
    base = CPU_PROCESSES if on_cpu else CONTEXT
    resident = (0 if fsdp.param_offload else weights) + (0 if fsdp.optimizer_offload else optimizer)
    kept_reference = 0 if reference.param_offload else reference_weights
    asleep = rollout.free_cache_engine and not on_cpu
    learning = weights + gradients + optimizer + kept_reference + gathered + activations + logits
    return Memory(
        weights=weights,
        gradients=gradients,
        optimizer=optimizer,
        reference=reference_weights,
        gathered=gathered,
        activations=activations,
        logits=logits,
        rollout_weights=served,
        kv_cache=kv_cache,
        kv_cache_tokens=kv_cache // per_token,
        generating=base + resident + kept_reference + vllm,
        learning=base + learning + (0 if asleep else vllm),
    )


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
