"""A loss that is no number stops the run before anything is saved of it, and the last good weights are."""

import math
from types import SimpleNamespace

import pytest

from scopeif.errors import NonFiniteError
from scopeif.training.step_log import StepLog, read_metrics

pytestmark = pytest.mark.filterwarnings("ignore")  # of engines that verl looks for and does not find
GOOD = {"actor/pg_loss": 0.1, "actor/kl_loss": 0.0, "actor/grad_norm": 1.0}
BAD = {"actor/pg_loss": math.nan, "actor/kl_loss": 0.0, "actor/grad_norm": math.nan}


@pytest.fixture
def trainer(tmp_path):
    saves = []
    return SimpleNamespace(
        saves=saves,
        run=tmp_path,
        step_log=StepLog(tmp_path),
        settings=SimpleNamespace(rollout_log=SimpleNamespace(enabled=False)),
        global_steps=4,
        saved_step=3,
        _samples=lambda batch: {},
        save_for_stop=lambda: saves.append("step 3"),
    )


def check(trainer, metrics, updates):
    from scopeif.training.trainer import ScopeIFTrainer

    ScopeIFTrainer._refuse_non_finite(trainer, None, metrics, updates)


def test_numbers_pass(trainer):
    check(trainer, GOOD, updates=1)
    assert trainer.saves == []


@pytest.mark.parametrize(
    "metrics, updates, saved",
    [
        (BAD, 1, True),  # verl has left the weights as they were
        (BAD, 4, False),  # some of the updates may be in the weights
        (GOOD | {"actor/kl_loss": math.inf}, 1, False),  # and so may this one
    ],
)
def test_what_is_saved(trainer, metrics, updates, saved):
    with pytest.raises(NonFiniteError) as caught:
        check(trainer, metrics, updates)
    assert bool(trainer.saves) is saved
    bad = [name for name, value in metrics.items() if not math.isfinite(value)]
    assert all(name in str(caught.value) for name in bad)
    assert "step 4" in str(caught.value)
    assert read_metrics(trainer.run, "train")[4][bad[0]] is None
