"""A LoRA adapter merged into the Hugging Face model of a checkpoint.

Works around verl/utils/checkpoint/fsdp_checkpoint_manager.py, whose hf_model of a LoRA run holds base weights and
adapters apart, under names that transformers does not read. Can go when verl saves a merged model.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

META_FILE = "lora_train_meta.json"
_PREFIX, _BASE, _A, _B = "base_model.model.", ".base_layer.weight", ".lora_A.default.weight", ".lora_B.default.weight"


def merge_adapter(actor: Path) -> bool:
    """Rewrite ``<actor>/huggingface/*.safetensors`` with merged weights; whether there was an adapter.

    Args:
        actor: the actor's folder of a checkpoint.
    """
    meta = actor / META_FILE
    if not meta.is_file():
        return False
    adapter = json.loads(meta.read_text())
    scale = adapter["lora_alpha"] / adapter["r"]
    model = actor / "huggingface"
    files = sorted(model.glob("*.safetensors"))
    place = {name: file for file in files for name in _names(file)}
    weight_map: dict[str, str] = {}
    for file in files:
        weight_map |= dict.fromkeys(_merge_file(file, place, scale), file.name)
    for file in files:
        file.with_suffix(".merged").replace(file)
    index = model / "model.safetensors.index.json"
    if index.is_file():
        index.write_text(json.dumps({**json.loads(index.read_text()), "weight_map": weight_map}, indent=2))
    return True


def _names(file: Path) -> list[str]:
    from safetensors import safe_open

    with safe_open(file, "pt") as tensors:
        return list(tensors.keys())


def _merge_file(file: Path, place: dict[str, Path], scale: float) -> list[str]:
    """Write the merged tensors of one file beside it; their names. An adapter's halves may lie in other files."""
    from safetensors import safe_open
    from safetensors.torch import save_file

    def get(name: str) -> Any:
        with safe_open(place[name], "pt") as tensors:
            return tensors.get_tensor(name)

    merged = {}
    for name in _names(file):
        if name.endswith((_A, _B)):
            continue
        tensor = get(name)
        module = name.removesuffix(_BASE)
        if module != name:
            tensor = (tensor.float() + scale * get(module + _B).float() @ get(module + _A).float()).to(tensor.dtype)
            name = f"{module}.weight"
        merged[name.removeprefix(_PREFIX)] = tensor.contiguous()
    save_file(merged, file.with_suffix(".merged"), metadata={"format": "pt"})
    return list(merged)
