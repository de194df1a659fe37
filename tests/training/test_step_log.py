"""The run's own records are read back as they were written."""

import math

from scopeif.training.step_log import METRICS_FILE, StepLog, read_metrics


def test_metrics_are_read_by_step_and_kind_and_a_cut_line_is_left_out(tmp_path):
    log = StepLog(tmp_path)
    log.step(1, {"train/csr": 0.5, "actor/kl_loss": math.nan})
    log.validation(1, {"val/all/csr": 0.25})
    log.step(2, {"train/csr": 0.75})
    with (tmp_path / METRICS_FILE).open("a") as file:
        file.write('{"step": 3, "kind": "tr')
    assert read_metrics(tmp_path, "train") == {
        1: {"step": 1, "kind": "train", "train/csr": 0.5, "actor/kl_loss": None},
        2: {"step": 2, "kind": "train", "train/csr": 0.75},
    }
    assert list(read_metrics(tmp_path, "val")) == [1]
    assert read_metrics(tmp_path / "nothing", "train") == {}
