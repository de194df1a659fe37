"""The model of a LoRA checkpoint is merged: transformers reads it, and it computes what the adapted model does."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from scopeif.training.merging import merge_adapter

peft = pytest.importorskip("peft")
transformers = pytest.importorskip("transformers")


@pytest.fixture
def checkpoint(tmp_path):
    """The folder of an actor as verl writes it for a LoRA run, in two files, and the adapted model."""
    shape = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.Qwen3Config(
        **shape, num_key_value_heads=1, head_dim=8, vocab_size=64, tie_word_embeddings=False
    )
    torch.manual_seed(1)
    lora = peft.LoraConfig(r=4, lora_alpha=12, target_modules="all-linear", task_type="CAUSAL_LM")
    model = peft.get_peft_model(transformers.Qwen3ForCausalLM(config), lora).eval()
    for name, parameter in model.named_parameters():
        if "lora_B" in name:  # zero at the start: nothing to merge
            torch.nn.init.normal_(parameter, std=0.1)
    actor = tmp_path / "actor"
    config.save_pretrained(actor / "huggingface")
    state = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    halves = [dict(list(state.items())[start::2]) for start in (0, 1)]
    names = [f"model-0000{number}-of-00002.safetensors" for number in (1, 2)]
    for name, half in zip(names, halves, strict=True):
        save_file(half, actor / "huggingface" / name, metadata={"format": "pt"})
    weight_map = {key: name for name, half in zip(names, halves, strict=True) for key in half}
    index = {"metadata": {}, "weight_map": weight_map}
    (actor / "huggingface" / "model.safetensors.index.json").write_text(json.dumps(index))
    (actor / "lora_train_meta.json").write_text(json.dumps({"r": 4, "lora_alpha": 12, "task_type": "CAUSAL_LM"}))
    return actor, model


def logits(model):
    with torch.no_grad():
        return model(torch.arange(10).unsqueeze(0)).logits


def test_the_merged_model_computes_what_the_adapted_one_does(checkpoint):
    actor, model = checkpoint
    assert merge_adapter(actor)
    merged, report = transformers.AutoModelForCausalLM.from_pretrained(
        actor / "huggingface", output_loading_info=True, dtype=torch.float32
    )
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    torch.testing.assert_close(logits(merged), logits(model), rtol=1e-4, atol=1e-5)
    with model.disable_adapter():
        assert not torch.allclose(logits(merged), logits(model), atol=1e-3)


def test_a_checkpoint_without_adapter_is_left_alone(checkpoint):
    actor, _ = checkpoint
    shutil.copytree(actor, actor.with_name("before"))
    (actor / "lora_train_meta.json").unlink()
    assert not merge_adapter(actor)
    for file in (actor / "huggingface").iterdir():
        assert file.read_bytes() == (actor.with_name("before") / "huggingface" / Path(file).name).read_bytes()
