"""The shape of a decoder, from its config.json or from the table of the recipes' models, and its parameters."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

from scopeif.errors import ModelNotFoundError


class Weight(NamedTuple):
    """A matrix, and how many of it the model has; a vector has one column."""

    number: int
    rows: int
    columns: int


@dataclass(frozen=True)
class ModelShape:
    """A dense decoder with grouped-query attention and a gated MLP, under the names of its config.json."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    vocab_size: int
    tie_word_embeddings: bool
    head_norms: bool = False
    """Whether queries and keys are normalised in each head, as in Qwen3."""

    @property
    def embedding_parameters(self) -> int:
        """Of the embedding, and of the output layer where it is another."""
        return self.vocab_size * self.hidden_size * (1 if self.tie_word_embeddings else 2)

    @property
    def layer_parameters(self) -> int:
        """Of one layer."""
        heads = self.num_attention_heads + self.num_key_value_heads
        attention = 2 * self.hidden_size * self.head_dim * heads
        norms = 2 * self.hidden_size + (2 * self.head_dim if self.head_norms else 0)
        return attention + 3 * self.hidden_size * self.intermediate_size + norms

    @property
    def parameters(self) -> int:
        """Of the whole model."""
        return self.embedding_parameters + self.num_hidden_layers * self.layer_parameters + self.hidden_size

    @property
    def tensors(self) -> tuple[Weight, ...]:
        """All weights, as torch lays them out: a linear layer has a row for each output."""
        layers, hidden, inner = self.num_hidden_layers, self.hidden_size, self.intermediate_size
        queries, keys = self.num_attention_heads * self.head_dim, self.num_key_value_heads * self.head_dim
        return (
            Weight(1 if self.tie_word_embeddings else 2, self.vocab_size, hidden),
            Weight(layers, queries, hidden),
            Weight(2 * layers, keys, hidden),
            Weight(layers, hidden, queries),
            Weight(2 * layers, inner, hidden),
            Weight(layers, hidden, inner),
            Weight(2 * layers + 1, hidden, 1),
            Weight(2 * layers if self.head_norms else 0, self.head_dim, 1),
        )

    def lora_parameters(self, rank: int) -> int:
        """Of adapters of that rank on all linear layers."""
        hidden, queries = self.hidden_size, self.num_attention_heads * self.head_dim
        keys = self.num_key_value_heads * self.head_dim
        widths = 2 * (hidden + queries) + 2 * (hidden + keys) + 3 * (hidden + self.intermediate_size)
        return self.num_hidden_layers * rank * widths

    @property
    def kv_bytes_per_token(self) -> int:
        """Of the KV cache in 16 bits."""
        return 2 * 2 * self.num_hidden_layers * self.num_key_value_heads * self.head_dim


_KNOWN = {
    "qwen3-4b": ModelShape(2560, 9728, 36, 32, 8, 128, 151936, True, head_norms=True),
    "qwen3-8b": ModelShape(4096, 12288, 36, 32, 8, 128, 151936, False, head_norms=True),
    "smollm2_135m": ModelShape(576, 1536, 30, 9, 3, 64, 49152, True),
    "tiny": ModelShape(64, 192, 2, 4, 2, 32, 288, True, head_norms=True),
}


def model_shape(path: str) -> ModelShape:
    """The shape of the policy at `path`: of its config.json, or by the folder's name where nothing is there yet.

    Raises:
        ModelNotFoundError: no such folder, and the name is none that the recipes use.
    """
    folder = Path(path).expanduser()
    file = folder / "config.json"
    if file.is_file():
        return _read(json.loads(file.read_text()))
    known = _KNOWN.get(folder.name.lower())
    if known is None:
        raise ModelNotFoundError(
            f"{file} does not exist",
            place="actor_rollout_ref.model.path",
            fix=f"name a model folder, or one of {', '.join(_KNOWN)}, whose shapes are known",
        )
    return known


def _read(config: dict[str, object]) -> ModelShape:
    heads = config.get("num_attention_heads", 1)
    given = {
        "num_key_value_heads": heads,
        "head_dim": int(str(config.get("hidden_size", 0))) // int(str(heads)),
        "tie_word_embeddings": False,
        "head_norms": str(config.get("model_type")).startswith("qwen3"),
    } | {name: value for name, value in config.items() if value is not None}
    if missing := [field.name for field in fields(ModelShape) if field.name not in given]:
        raise ModelNotFoundError(
            f"a config of type {config.get('model_type')!r} without {', '.join(missing)} is none of a dense decoder",
            place="actor_rollout_ref.model.path",
        )
    return ModelShape(**{field.name: given[field.name] for field in fields(ModelShape)})  # type: ignore[arg-type]
