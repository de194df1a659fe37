"""A run extends only a finished one of the same policy, and only by more steps."""

import pytest
from omegaconf import OmegaConf

from scopeif.errors import ConfigError
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.extending import extend
from scopeif.training.run_dir import RunDir


@pytest.fixture
def earlier(tmp_path):
    """A finished run of four steps with the policy /p."""
    run = RunDir(tmp_path / "001")
    run.path.mkdir()
    run.config_file.write_text("actor_rollout_ref: {model: {path: /p}}\n")
    run.begin("abc", 0)
    checkpoints = Checkpoints(run.path)
    for step in (2, 4):
        checkpoints.step_folder(step).mkdir(parents=True)
        checkpoints.mark_complete(step)
    run.end("finished")
    return run


def config(total=8, policy="/p"):
    trainer = {"total_training_steps": total, "resume_mode": "disable", "resume_from_path": None}
    return OmegaConf.create(
        {"actor_rollout_ref": {"model": {"path": policy}}, "trainer": {**trainer, "val_before_train": True}}
    )


def test_it_starts_from_the_last_checkpoint(earlier):
    longer = config()
    assert extend(longer, str(earlier.path)) == 4
    assert longer.trainer.resume_from_path == str(Checkpoints(earlier.path).step_folder(4))
    assert (longer.trainer.resume_mode, longer.trainer.val_before_train) == ("resume_path", False)


@pytest.mark.parametrize(
    "changed, message",
    [({"total": 4}, "has 4 steps already"), ({"policy": "/q"}, "trained /p, not /q")],
)
def test_contradictions_are_refused(earlier, changed, message):
    with pytest.raises(ConfigError, match=message):
        extend(config(**changed), str(earlier.path))


def test_an_unfinished_run_is_refused(earlier):
    earlier.begin("abc", 4)
    with pytest.raises(ConfigError, match="no finished run but 'running'"):
        extend(config(), str(earlier.path))


def test_another_folder_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="is no run directory"):
        extend(config(), str(tmp_path))
