"""A run extends only a finished one of the same policy, and only by more steps."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from omegaconf import OmegaConf

from scopeif.errors import ConfigError
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.extending import extend
from scopeif.training.run_dir import RunDir


def rows(path, count):
    pq.write_table(pa.table({"id": list(range(count))}), path)
    return path


@pytest.fixture
def earlier(tmp_path):
    """A finished run of four steps with the policy /p."""
    run = RunDir(tmp_path / "001")
    run.path.mkdir()
    rows(run.path / "rows.parquet", 4)
    run.config_file.write_text(f"""
actor_rollout_ref: {{model: {{path: /p}}}}
data: {{train_files: [{run.path / "rows.parquet"}]}}
""")
    run.begin("abc", 0)
    checkpoints = Checkpoints(run.path)
    for step in (2, 4):
        actor = checkpoints.step_folder(step) / "actor"
        actor.mkdir(parents=True)
        for rank in range(8):
            (actor / f"model_world_size_8_rank_{rank}.pt").touch()
        checkpoints.mark_complete(step)
    run.end("finished")
    return run


def config(data, total=8, policy="/p", gpus=8, rank=0):
    trainer = {"total_training_steps": total, "resume_mode": "disable", "resume_from_path": None}
    trainer |= {"val_before_train": True, "nnodes": 1, "n_gpus_per_node": gpus}
    model = {"path": policy, "lora_rank": rank}
    return OmegaConf.create(
        {"actor_rollout_ref": {"model": model}, "trainer": trainer, "data": {"train_files": [str(data)]}}
    )


def test_it_starts_from_the_last_checkpoint(earlier):
    longer = config(earlier.path / "rows.parquet")
    assert extend(longer, str(earlier.path)) == 4
    assert longer.trainer.resume_from_path == str(Checkpoints(earlier.path).step_folder(4))
    assert (longer.trainer.resume_mode, longer.trainer.val_before_train) == ("resume_path", False)


@pytest.mark.parametrize(
    "changed, message",
    [
        ({"total": 4}, "has 4 steps already"),
        ({"policy": "/q"}, "trained /p, not /q"),
        ({"gpus": 16}, "was written by 8 GPUs, this run has 16"),
        ({"rank": 64}, "lora_rank 0, not 64"),
    ],
)
def test_contradictions_are_refused(earlier, changed, message):
    with pytest.raises(ConfigError, match=message):
        extend(config(earlier.path / "rows.parquet", **changed), str(earlier.path))


def test_an_unfinished_run_is_refused(earlier):
    earlier.begin("abc", 4)
    with pytest.raises(ConfigError, match="no finished run but 'running'"):
        extend(config(earlier.path / "rows.parquet"), str(earlier.path))


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="is no run directory"):
        extend(config(tmp_path / "rows.parquet"), str(tmp_path))


def test_other_rows_are_refused(earlier, tmp_path):
    """The position in the data would leave some of them out."""
    same = config(rows(tmp_path / "same.parquet", 4))
    assert extend(same, str(earlier.path)) == 4
    with pytest.raises(ConfigError, match="trained on other rows"):
        extend(config(rows(tmp_path / "more.parquet", 9)), str(earlier.path))
