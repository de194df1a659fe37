"""What the console shows, off a terminal."""

import io

import pytest
from rich.console import Console

from scopeif.training import console as console_module
from scopeif.training.console import RunConsole, step_line
from scopeif.training.progress import ProgressLog
from scopeif.training.stall import STALL_FILE

METRICS = {
    "train/reward/scopeif": 0.4321, "train/csr": 0.5, "train/unverified_frac": 0.0, "actor/kl_loss": 0.0012,
    "timing_s/step": 20.0, "timing_s/gen": 5.0, "timing_s/update_actor": 10.0,
}  # fmt: skip


@pytest.fixture
def shown():
    """A console that writes into memory."""
    run_console = RunConsole()
    run_console.console = Console(file=io.StringIO(), highlight=False, soft_wrap=True)
    return run_console


def output(run_console):
    return run_console.console.file.getvalue()


def test_step_line_has_reward_csr_unverified_seconds_and_eta():
    line = step_line({"step": 2, "of": 6, "metrics": METRICS}, [30.0, 20.0])
    assert line == (
        "step 2/6  reward 0.432  csr 50.0%  unverified 0.0%  kl 0.0012  20.0 s (rollout 5.0 update 10.0)  ETA 1:40"
    )


def test_events_of_the_run_are_shown_as_they_come(shown, tmp_path):
    log = ProgressLog(tmp_path)
    log.note("of an earlier attempt")
    shown.follow(tmp_path)
    log.phase("loading policy")
    log.step(step=1, of=2, metrics=METRICS)
    log.validation(step=0, metrics={"val/all/csr": 0.25})
    shown.poll()
    assert "earlier" not in output(shown)
    assert "loading policy" in output(shown)
    assert "step 1/2" in output(shown)
    assert "validation before training:  csr 25.0%" in output(shown)


def test_a_half_written_event_waits_for_its_end(shown, tmp_path):
    shown.follow(tmp_path)
    events = tmp_path / "events.jsonl"
    events.write_text('{"kind": "note", "te')
    shown.poll()
    with events.open("a") as file:
        file.write('xt": "whole"}\n')
    shown.poll()
    assert "whole" in output(shown)


def test_brackets_in_paths_are_shown_as_they_are(shown):
    shown.say("python -m scopeif.train data.val_files=[/d/a.jsonl,b.jsonl]")
    assert "data.val_files=[/d/a.jsonl,b.jsonl]" in output(shown)


def test_a_long_phase_is_repeated(shown, monkeypatch, tmp_path):
    shown.phase("loading")
    shown.poll()
    assert output(shown).count("loading") == 1
    monkeypatch.setattr(console_module, "HEARTBEAT_S", 0.0)
    shown.poll()
    assert output(shown).count("loading") == 2


def test_warnings_and_a_stall_are_said_once(shown, tmp_path):
    stacks = tmp_path / STALL_FILE
    stacks.parent.mkdir()
    stacks.write_text("of an earlier attempt")
    log = ProgressLog(tmp_path)
    shown.follow(tmp_path)
    log.warning("look at it")
    log.phase("rollout", 3, of=4)
    shown.poll()
    assert "warning: look at it" in output(shown)
    assert "no progress" not in output(shown)
    with stacks.open("a") as file:
        file.write("Thread 0x1")
    shown.poll()
    shown.poll()
    assert output(shown).count("no progress in step 3/4: rollout") == 1
    assert str(stacks) in output(shown)


def test_every_event_is_progress(tmp_path):
    seen = []
    log = ProgressLog(tmp_path, lambda: seen.append(1))
    log.phase("rollout")
    log.note("x")
    assert len(seen) == 2
