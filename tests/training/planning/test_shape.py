"""Parameters are counted as the models have them."""

import json
import math
from pathlib import Path

import pytest

from scopeif.errors import ModelNotFoundError
from scopeif.training.planning.shape import model_shape
from scopeif.training.policies import ensure_policy

MODELS = Path(__file__).parents[3] / "models"


@pytest.mark.parametrize("name, billions", [("qwen3-4b", 4.0225), ("qwen3-8b", 8.1907), ("smollm2_135m", 0.1345)])
def test_known_models_have_their_published_size(name, billions, tmp_path):
    assert model_shape(str(tmp_path / name)).parameters / 1e9 == pytest.approx(billions, abs=1e-4)


def test_a_model_folder_is_counted_exactly():
    from safetensors import safe_open

    folder = ensure_policy(str(MODELS / "tiny"), lambda _: None)
    with safe_open(folder / "model.safetensors", "pt") as tensors:
        count = sum(math.prod(tensors.get_slice(name).get_shape()) for name in tensors.keys())  # noqa: SIM118
    assert model_shape(str(folder)).parameters == count


def test_the_folders_own_config_wins_over_its_name(tmp_path):
    folder = tmp_path / "qwen3-8b"
    folder.mkdir()
    sizes = {"hidden_size": 8, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    (folder / "config.json").write_text(json.dumps({**sizes, "vocab_size": 10, "model_type": "llama"}))
    shape = model_shape(str(folder))
    assert (shape.num_key_value_heads, shape.head_dim, shape.tie_word_embeddings) == (2, 4, False)
    assert shape.parameters == 2 * 80 + (4 * 64 + 3 * 128 + 16) + 8


def test_an_unknown_model_is_said(tmp_path):
    with pytest.raises(ModelNotFoundError, match=r"config\.json does not exist"):
        model_shape(str(tmp_path / "other"))


def test_adapters_are_counted_as_peft_makes_them():
    peft, transformers = pytest.importorskip("peft"), pytest.importorskip("transformers")
    folder = ensure_policy(str(MODELS / "tiny"), lambda _: None)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder)
    adapted = peft.get_peft_model(model, peft.LoraConfig(r=4, target_modules="all-linear", task_type="CAUSAL_LM"))
    trained = sum(one.numel() for name, one in adapted.named_parameters() if "lora_" in name)
    assert model_shape(str(folder)).lora_parameters(4) == trained
