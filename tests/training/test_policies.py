"""Built-in policies, and what is said when a policy is missing."""

import json

import pytest

from scopeif.errors import ModelNotFoundError
from scopeif.training import policies


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return policies.ensure_policy(str(tmp_path_factory.mktemp("models") / "tiny"), say=lambda text: None)


def test_tiny_is_complete_and_built_once(tiny):
    assert policies.is_complete(tiny)
    said = []
    assert policies.ensure_policy(str(tiny), said.append) == tiny
    assert said == []


def test_tiny_is_the_same_everywhere(tiny, tmp_path):
    again = policies.ensure_policy(str(tmp_path / "tiny"), say=lambda text: None)
    assert (again / "model.safetensors").read_bytes() == (tiny / "model.safetensors").read_bytes()


def test_stop_tokens_are_read_from_the_generation_config(tiny):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(tiny)
    stops = policies.stop_token_ids(tiny)
    assert tokenizer.eos_token_id in stops
    assert len(stops) == policies.TINY_STOP_TOKENS + 1
    assert tokenizer.decode(tokenizer("héllo 你好")["input_ids"]) == "héllo 你好"


def test_one_stop_token_or_a_list(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"eos_token_id": 7}))
    assert policies.stop_token_ids(tmp_path) == {7}
    (tmp_path / "generation_config.json").write_text(json.dumps({"eos_token_id": [7, 9]}))
    assert policies.stop_token_ids(tmp_path) == {7, 9}


def test_no_stop_token_is_an_error(tmp_path):
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(ModelNotFoundError, match="eos_token_id"):
        policies.stop_token_ids(tmp_path)


@pytest.mark.parametrize("exists", [True, False])
def test_a_missing_policy_says_how_to_get_one(tmp_path, exists):
    folder = tmp_path / "qwen3-8b"
    if exists:
        folder.mkdir()
    with pytest.raises(ModelNotFoundError) as caught:
        policies.ensure_policy(str(folder))
    assert "hf download" in caught.value.fix
    assert "models/smollm2_135m" in caught.value.fix


def test_a_changed_source_file_is_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(policies, "SMOLLM2_SHA256", "0" * 64)
    with pytest.raises(ModelNotFoundError, match="SHA-256"):
        policies.ensure_policy(str(tmp_path / "smollm2_135m"), say=lambda text: None)
    assert list(tmp_path.iterdir()) == []  # nothing half-made stays
