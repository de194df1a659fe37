"""Entry point of the group ``verl.plugins``: loaded by ``import verl`` in every process of a run.

Does nothing where an accelerator is present. verl logs a failing plug-in at debug level only, so the trainer checks
`get_platform().device_name` when it starts.
"""

import importlib.util

import torch

if not torch.cuda.is_available():
    from scopeif.training.cpu import platform  # noqa: F401  (registers the platform)

    if importlib.util.find_spec("vllm") is not None:
        from scopeif.training.cpu import vllm_distribution

        vllm_distribution.install()
