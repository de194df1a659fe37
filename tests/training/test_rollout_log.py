"""The rollout log is written whole and read back as it was."""

import pytest

from scopeif.training import rollout_log


def test_round_trip(tmp_path):
    rows = [{"step": 3, "response": "你好\nworld", "reward": None}, {"step": 3, "response": "", "reward": 0.25}]
    path = rollout_log.write(tmp_path / "rollouts", 3, rows)
    assert path.name == "000003.jsonl.zst"
    assert list(rollout_log.read(path)) == rows


def test_nan_is_refused_and_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        rollout_log.write(tmp_path, 1, [{"reward": float("nan")}])
    assert not (tmp_path / "000001.jsonl.zst").exists()
