"""verl's FSDP2 engine, registered for the device "cpu" (verl/workers/engine/fsdp registers cuda and npu only)."""

from __future__ import annotations

from typing import Any

from verl.workers.engine.base import EngineRegistry
from verl.workers.engine.fsdp.transformer_impl import FSDPEngineWithLMHead


@EngineRegistry.register(model_type="language_model", backend=["fsdp", "fsdp2"], device="cpu")
class CPUFSDPEngine(FSDPEngineWithLMHead):  # type: ignore[misc]
    """FSDP2 over one CPU rank."""

    def _build_fsdp_module(self, module: Any) -> Any:
        # verl offloads a forward-only module through pinned host memory, which needs an accelerator.
        config, forward_only = self.engine_config, self.engine_config.forward_only
        object.__setattr__(config, "forward_only", False)
        try:
            return super()._build_fsdp_module(module)
        finally:
            object.__setattr__(config, "forward_only", forward_only)
