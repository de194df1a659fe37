"""A Hugging Face model folder copied whole or not at all, as it is or with its weights in bf16."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from scopeif.errors import ModelNotFoundError
from scopeif.training.checkpoints import require_weights
from scopeif.training.folders import put_in_place, staging


def copy_model(source: Path, target: Path, bf16: bool = False) -> None:
    """Copy a model with its tokenizer; the target appears when it is whole, and replaces what is there.

    Args:
        source: folder with config, tokenizer and ``*.safetensors``.
        target: folder to be.
        bf16: whether float32 weights are written in bf16, and the config says so.

    Raises:
        ModelNotFoundError: the source holds no weights.
    """
    require_weights(source)
    staged = staging(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        shutil.copytree(source, staged, ignore=shutil.ignore_patterns("*.safetensors*") if bf16 else None)
        if bf16:
            _write_bf16(source, staged)
        put_in_place(staged, target)
    except BaseException:
        shutil.rmtree(staged, ignore_errors=True)
        raise


def check_loads(folder: Path) -> None:
    """Check that transformers reads config and tokenizer, and that every tensor of the index is in its file.

    Raises:
        ModelNotFoundError: with what is missing.
    """
    from safetensors import SafetensorError, safe_open
    from transformers import AutoConfig, AutoTokenizer

    require_weights(folder)
    try:
        AutoConfig.from_pretrained(folder, local_files_only=True)
        AutoTokenizer.from_pretrained(folder, local_files_only=True)
        found: dict[str, str] = {}
        for file in folder.glob("*.safetensors"):
            with safe_open(file, "np") as tensors:
                found |= dict.fromkeys(tensors.keys(), file.name)
    except (OSError, ValueError, SafetensorError) as error:
        reason = str(error).partition("\n")[0]
        raise ModelNotFoundError(f"the model does not load: {reason}", place=str(folder)) from error
    index = folder / "model.safetensors.index.json"
    wanted = json.loads(index.read_text())["weight_map"] if index.is_file() else {}
    if missing := sorted(name for name, file in wanted.items() if found.get(name) != file):
        raise ModelNotFoundError(f"{len(missing)} tensors are missing, {missing[0]} first", place=str(folder))


def _write_bf16(source: Path, target: Path) -> None:
    """The weights file by file, so that only one is in memory at a time."""
    import torch
    from safetensors.torch import load_file, save_file

    total = 0
    for file in sorted(source.glob("*.safetensors")):
        tensors = load_file(file)
        halved = {
            name: tensor.to(torch.bfloat16) if tensor.dtype is torch.float32 else tensor
            for name, tensor in tensors.items()
        }
        total += sum(tensor.nbytes for tensor in halved.values())
        save_file(halved, target / file.name, metadata={"format": "pt"})
    index = source / "model.safetensors.index.json"
    if index.is_file():
        old = json.loads(index.read_text())
        new = {**old, "metadata": {**old.get("metadata", {}), "total_size": total}}
        (target / index.name).write_text(json.dumps(new, indent=2) + "\n")
    config = json.loads((source / "config.json").read_text())
    config["dtype"] = "bfloat16"
    (target / "config.json").write_text(json.dumps(config, indent=2) + "\n")
