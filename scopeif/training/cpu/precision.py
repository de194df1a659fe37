"""bf16 where the CPU computes in it, fp32 elsewhere, and the same for the actor and vLLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_FLAGS = {"avx512_bf16", "amx_bf16", "bf16"}


def has_bf16(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether the processor has bf16 instructions; without them bf16 is slower than fp32."""
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    flags = (line.partition(":")[2].split() for line in lines if line.lower().startswith(("flags", "features")))
    return bool(_FLAGS & set(next(flags, [])))


def use_fp32(config: Any) -> None:
    """Change a CPU recipe to fp32 for the actor, the reference and the rollout alike."""
    for role in (config.actor_rollout_ref.actor, config.actor_rollout_ref.ref):
        role.fsdp_config.dtype = "float32"
        role.fsdp_config.mixed_precision.param_dtype = "fp32"
    config.actor_rollout_ref.rollout.dtype = "float32"
