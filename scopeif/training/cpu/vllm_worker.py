"""Weight transfer into vLLM's CPU workers; imports nothing of this package that imports verl.

vLLM on CPU packs linear weights for its kernels and drops the plain ones, so verl's `load_weights` has nothing to
write to: the stock path hangs, and a tied output layer silently keeps its old packed weights. Can go when
verl/workers/rollout/vllm_rollout/utils.py reloads layer by layer itself.
"""

from __future__ import annotations

from typing import Any

import torch
import verl  # noqa: F401  (first: its plug-ins make verl importable on a CPU)
from verl.workers.rollout.vllm_rollout.bucketed_weight_transfer import BucketedWeightReceiver
from verl.workers.rollout.vllm_rollout.utils import vLLMColocateWorkerExtension

from scopeif.training.cpu.weight_socket import own_socket


class CPUWorkerExtension(vLLMColocateWorkerExtension):  # type: ignore[misc]
    """verl's worker extension with vLLM's layerwise reload."""

    def update_weights_from_ipc(
        self, peft_config: dict[str, Any] | None = None, base_sync_done: bool = False, use_shm: bool = True
    ) -> None:
        """Receive all weights of the actor and put them into use; LoRA never comes here (`check_consistency`)."""
        from vllm.model_executor.model_loader.reload import finalize_layerwise_reload, initialize_layerwise_reload

        model, model_config = self.model_runner.model, self.model_runner.vllm_config.model_config
        initialize_layerwise_reload(model)
        handle = own_socket(self._get_zmq_handle())
        receiver = BucketedWeightReceiver(handle, device=torch.device("cpu"), use_shm=use_shm)
        # Cloned: the bucket is reused and unmapped, while the reload keeps tensors until a layer is whole.
        receiver.receive_weights(
            lambda weights, is_last: model.load_weights([(name, weight.clone()) for name, weight in weights])
        )
        finalize_layerwise_reload(model, model_config)
        self._repack_plain_layers(model)

    @staticmethod
    def _repack_plain_layers(model: torch.nn.Module) -> None:
        """Layers that keep a plain weight beside the packed one (a tied output layer) are not reloaded by name."""
        for module in model.modules():
            weight = getattr(module, "weight", None)
            if hasattr(module, "cpu_linear") and weight is not None and weight.ndim == 2:
                module.quant_method.process_weights_after_loading(module)  # type: ignore[union-attr, operator]
