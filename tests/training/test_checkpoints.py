"""What of a run's models is kept, when there is room for them, and what is given out."""

import json
import shutil
from collections import namedtuple

import pytest
from safetensors import SafetensorError
from typer.testing import CliRunner

from scopeif.errors import ConfigError, ModelNotFoundError, ResourceError
from scopeif.training.checkpoints import Best, Checkpoints
from scopeif.training.composing import compose_config
from scopeif.training.consistency import check_consistency
from scopeif.training.hf_model import check_loads, copy_model
from scopeif.training.settings import Settings

SHARDS = {"model-00001-of-00002.safetensors": ("a", "b"), "model-00002-of-00002.safetensors": ("c",)}


def write_model(folder):
    """A float32 model of two files with a tokenizer of one word."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models

    folder.mkdir(parents=True)
    for file, names in SHARDS.items():
        save_file({name: torch.full((2, 3), 1.001) for name in names}, folder / file, metadata={"format": "pt"})
    weight_map = {name: file for file, names in SHARDS.items() for name in names}
    index = {"metadata": {"total_size": 72}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "dtype": "float32"}
    (folder / "config.json").write_text(json.dumps(config))
    Tokenizer(models.WordLevel({"a": 0}, unk_token="a")).save(str(folder / "tokenizer.json"))
    tokenizer = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 8}
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer))
    return folder


@pytest.fixture
def run(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "config.yaml").write_text("{}")
    return tmp_path / "run"


def with_model(run, step, complete=True):
    checkpoints = Checkpoints(run)
    write_model(checkpoints.model_folder(step))
    if complete:
        checkpoints.mark_complete(step)
    return checkpoints


def dtypes(folder):
    from safetensors.torch import load_file

    return {str(tensor.dtype) for file in folder.glob("*.safetensors") for tensor in load_file(file).values()}


def test_kept_models_are_bf16_and_survive_pruning_by_another_process(run):
    for step in (10, 20, 30):
        with_model(run, step).keep_model(step)
    later = Checkpoints(run)  # a restart
    with_model(run, 40)
    assert later.prune(keep_last=2) == [10, 20]
    assert later.complete_steps() == [30, 40]
    assert later.kept_steps() == [10, 20, 30]
    for step in later.kept_steps():
        assert dtypes(later.kept_model(step)) == {"torch.bfloat16"}
        check_loads(later.kept_model(step))
    index = json.loads((later.kept_model(10) / "model.safetensors.index.json").read_text())
    assert index["metadata"]["total_size"] == 36
    assert json.loads((later.kept_model(10) / "config.json").read_text())["dtype"] == "bfloat16"


def test_a_copy_that_fails_leaves_nothing_and_keeps_what_was_there(run, monkeypatch):
    source, target = write_model(run / "model"), run / "copy"
    copy_model(source, target)
    (source / "model-00002-of-00002.safetensors").write_bytes(b"torn")
    with pytest.raises(SafetensorError):
        copy_model(source, target, bf16=True)
    assert dtypes(target) == {"torch.float32"}
    assert sorted(path.name for path in run.iterdir()) == ["config.yaml", "copy", "model"]


Usage = namedtuple("Usage", "total used free")


@pytest.mark.parametrize(
    "complete, adapter, keep, sizes",  # of the policy in bf16, beside the last checkpoint where there is one
    [
        (True, False, False, 0),
        (True, True, True, 3),
        (False, False, False, 8),
        (False, False, True, 9),
        (False, True, False, 6),
    ],
)
def test_too_little_disk_is_said_before_anything_is_written_or_deleted(
    run, monkeypatch, complete, adapter, keep, sizes
):
    checkpoints = with_model(run, 10, complete)
    policy = checkpoints.model_folder(10)
    weights = sum(file.stat().st_size for file in policy.glob("*.safetensors"))
    whole = sum(path.stat().st_size for path in checkpoints.step_folder(10).rglob("*") if path.is_file())
    needed = int(1.05 * ((whole if complete else 0) + sizes * weights))
    for free in (needed, needed - 1):
        monkeypatch.setattr(shutil, "disk_usage", lambda _, free=free: Usage(0, 0, free))
        if free >= needed:
            checkpoints.require_space(policy, adapter, keep)
            continue
        with pytest.raises(ResourceError, match="earlier checkpoints are whole"):
            checkpoints.require_space(policy, adapter, keep)
    assert policy.is_dir()


def test_what_a_kill_left_of_a_step_is_dropped(run):
    checkpoints = with_model(run, 10, complete=False)
    checkpoints.drop_unfinished(10)
    checkpoints.drop_unfinished(20)
    assert not checkpoints.step_folder(10).exists()
    complete = with_model(run, 10, complete=True)
    complete.drop_unfinished(10)
    assert complete.complete_steps() == [10]


def test_only_saved_steps_can_be_kept():
    config = compose_config(["recipe=tiny", "selection.keep_hf_every=3"])
    with pytest.raises(ConfigError) as caught:
        check_consistency(config, Settings.from_config(config))
    assert caught.value.place == "selection.keep_hf_every"


def export(*arguments):
    from scopeif.export import app

    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_export_gives_the_best_or_a_step(run, tmp_path):
    checkpoints = with_model(run, 10)
    checkpoints.keep_model(10)
    with_model(run, 20)
    checkpoints.keep_best(Best(20, "val/all/csr", 0.5), "# A card")
    assert export(run, "--out", tmp_path / "best").exit_code == 0
    assert json.loads((tmp_path / "best" / "best.json").read_text())["step"] == 20
    assert export(run, "--step", 20, "--no-bf16", "--out", tmp_path / "whole").exit_code == 0
    assert (dtypes(tmp_path / "best"), dtypes(tmp_path / "whole")) == ({"torch.bfloat16"}, {"torch.float32"})
    shutil.rmtree(checkpoints.step_folder(10))
    assert export(run, "--step", 10, "--out", tmp_path / "kept").exit_code == 0
    check_loads(tmp_path / "kept")
    assert (tmp_path / "kept" / "tokenizer.json").is_file()


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        (["--step", "7"], 1, "--step: 10"),
        ([], 1, "no best model"),
        (["--best", "--step", "10"], 2, "two models"),
        (["--step", "20"], 1, "--step: 10"),  # its checkpoint is not complete
    ],
)
def test_what_cannot_be_exported(run, tmp_path, arguments, code, said):
    with_model(run, 10)
    with_model(run, 20, complete=False)
    result = export(run, *arguments, "--out", tmp_path / "model")
    assert (result.exit_code, said in result.output) == (code, True), result.output
    assert not (tmp_path / "model").exists()


def test_export_writes_over_nothing_and_gives_out_nothing_broken(run, tmp_path):
    checkpoints = with_model(run, 10)
    assert export(run, "--step", 10, "--out", run).exit_code == 2
    (checkpoints.model_folder(10) / "model-00002-of-00002.safetensors").unlink()
    result = export(run, "--step", 10, "--out", tmp_path / "model")
    assert (result.exit_code, "c first" in result.output) == (1, True)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json"])
def test_a_model_that_transformers_does_not_load(tmp_path, file):
    folder = write_model(tmp_path / "model")
    (folder / file).write_text("{")
    with pytest.raises(ModelNotFoundError, match="does not load"):
        check_loads(folder)
