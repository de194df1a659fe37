"""Entry point of the group ``verl.plugins``: loaded by ``import verl`` in every process of a run.

Registers no platform where an accelerator is present, unless ``VERL_PLATFORM=cpu`` asks for the CPU. verl logs a
failing plug-in at debug level only, so the trainer checks `get_platform().device_name` when it starts.
"""

import importlib.util
import os

import torch

from scopeif.training.cpu import trl_value_head

trl_value_head.install()
if os.environ.get("VERL_PLATFORM") == "cpu" or not torch.cuda.is_available():
    from scopeif.training.cpu import platform  # noqa: F401  (registers the platform)

    if importlib.util.find_spec("vllm") is not None:
        from scopeif.training.cpu import vllm_distribution

        vllm_distribution.install()
