"""A verl platform named "cpu" (verl/plugin/platform has only accelerators).

Ray's resource name stays "GPU": verl asks for one GPU a worker, and a CPU run declares logical ones in `ray_init`.
CPU tensors have no inter-process handles, so verl sends weights to vLLM through shared memory.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

import psutil
import torch
from verl.plugin.platform import PlatformBase, PlatformRegistry


def _resident_bytes(*_: Any, **__: Any) -> int:
    return int(psutil.Process().memory_info().rss)


def _nothing(*_: Any, **__: Any) -> None:
    return None


def _device_module() -> types.ModuleType:
    """`torch.cpu` plus the calls that verl makes on an accelerator's module; memory figures are resident bytes."""
    module = types.ModuleType("scopeif_cpu_device")
    module.__dict__.update({name: value for name, value in vars(torch.cpu).items() if not name.startswith("__")})
    memory = psutil.virtual_memory
    module.__dict__.update(
        current_device=lambda: torch.device("cpu"),
        get_device_name=lambda *_: "CPU",
        set_device=_nothing,
        empty_cache=_nothing,
        ipc_collect=_nothing,
        reset_peak_memory_stats=_nothing,
        memory_allocated=_resident_bytes,
        max_memory_allocated=_resident_bytes,
        memory_reserved=_resident_bytes,
        max_memory_reserved=_resident_bytes,
        mem_get_info=lambda *_: (memory().available, memory().total),
        get_rng_state=lambda *_: torch.get_rng_state(),
        set_rng_state=lambda state, *_: torch.set_rng_state(state),
        manual_seed=torch.manual_seed,
        manual_seed_all=torch.manual_seed,
    )
    return module


_DEVICE_MODULE = _device_module()


@PlatformRegistry.register(platform="cpu")
class CPUPlatform(PlatformBase):  # type: ignore[misc]
    """verl's platform interface over plain CPU tensors and gloo."""

    @property
    def device_name(self) -> str:
        return "cpu"

    @property
    def vendor_name(self) -> str:
        return "cpu"

    @property
    def device_module(self) -> types.ModuleType:
        return _DEVICE_MODULE

    def is_available(self) -> bool:
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        return not torch.cuda.is_available()

    def current_device(self) -> Any:
        return torch.device("cpu")

    def device_count(self) -> int:
        return 1

    def set_device(self, device_index: int) -> None:
        return

    def synchronize(self, device_index: int | None = None) -> None:
        return

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        return

    def empty_cache(self) -> None:
        return

    def get_device_capability(self, device_index: int = 0) -> tuple[int | None, int | None]:
        return None, None

    def communication_backend_name(self) -> str:
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "CUDA_VISIBLE_DEVICES"

    @contextlib.contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        yield

    def profiler_start(self) -> None:
        return

    def profiler_stop(self) -> None:
        return

    def ray_resource_name(self) -> str:
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]

    def is_ipc_supported(self) -> bool:
        return False

    def cudart(self) -> None:
        return None
