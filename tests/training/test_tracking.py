"""Trackers see one run across restarts, and a few rollouts of each step."""

import os
import subprocess
import sys

import pytest

from scopeif.training.run_dir import RunDir
from scopeif.training.tracking import COLUMNS, log_samples, sample_table, tracking_environment

ATTEMPT = """
import wandb
wandb.init(project="scopeif", name="smoke")
table = wandb.Table(columns=["a"], data=[["b"]])
wandb.log({"rollouts": table, "train/csr": 0.5}, step=1)
wandb.finish()
"""


def row(index, **changes):
    plain = {
        "instruction_id": f"i{index}", "prompt": "p", "response": f"r{index}", "reward": {"ila": 0.0, "cla": 0.5},
        "advantage": None, "constraints": [{"status": "satisfied"}, {"status": "violated"}], "format_fault": None,
    }  # fmt: skip
    return plain | changes


@pytest.fixture
def run(tmp_path):
    run = RunDir(tmp_path / "001")
    run.path.mkdir()
    run.begin("fingerprint", 0)
    return run


def test_every_attempt_has_the_id_of_the_first(run):
    first = tracking_environment(run)
    run.end("stopped")
    run.begin("fingerprint", 2)
    assert tracking_environment(run) == first
    other = RunDir(run.path.with_name("002"))
    other.path.mkdir()
    other.begin("fingerprint", 0)
    assert tracking_environment(other)["WANDB_RUN_ID"] != first["WANDB_RUN_ID"]


@pytest.mark.timeout(120)
def test_wandb_offline_writes_both_attempts_into_one_run(run):
    """As verl opens it; `wandb sync` then joins what has the same id."""
    variables = os.environ | tracking_environment(run) | {"WANDB_MODE": "offline", "WANDB_SILENT": "true"}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", ATTEMPT], env=variables, cwd=run.path, check=True, timeout=60)
    files = sorted((run.path / "wandb").glob("offline-run-*/run-*.wandb"))
    assert len({file.parent for file in files}) == 2
    assert {file.name for file in files} == {f"run-{variables['WANDB_RUN_ID']}.wandb"}
    assert all(b"train/csr" in file.read_bytes() and b"rollouts" in file.read_bytes() for file in files)


def test_a_table_is_spread_over_the_step_and_kept_short():
    rows = [row(index) for index in range(8)]
    assert [cells[0] for cells in sample_table(rows, "cla", 4)] == ["i0", "i2", "i4", "i6"]
    assert len(sample_table(rows[:2], "cla", 4)) == 2
    cells = dict(zip(COLUMNS, sample_table([row(0, response="x" * 9000)], "cla", 1)[0], strict=True))
    assert (cells["reward"], cells["advantage"], cells["constraints"]) == (0.5, None, "satisfied violated")
    assert len(cells["response"]) < 2100
    assert sample_table([row(0, constraints=[], format_fault="empty")], "cla", 1)[0][-1] == "empty"


def test_tensorboard_gets_text_that_holds_its_table_together(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    class Adapter:
        writer = SummaryWriter(str(tmp_path))

    log_samples({"tensorboard": Adapter}, sample_table([row(0, response="a|b\n<think>")], "ila", 1), step=3)
    Adapter.writer.close()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    (event,) = events.Tensors("rollouts/text_summary")
    text = event.tensor_proto.string_val[0].decode()
    assert event.step == 3
    assert "a\\|b<br>&lt;think>" in text
    assert len(text.splitlines()) == 3
