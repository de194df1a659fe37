"""Which directory a command gets."""

import json

import pytest

from scopeif.training.checkpoints import Best, Checkpoints
from scopeif.training.run_dir import STUCK_ATTEMPTS, RunDir, fingerprint, lease
from scopeif.training.step_log import StepLog


@pytest.fixture
def take(tmp_path):
    """Lease a directory of the run "smoke"; every lease ends with the test."""
    taken = []

    def take(config_fingerprint="f"):
        taken.append(lease(tmp_path, "smoke", config_fingerprint))
        return taken[-1]

    yield take
    for each in taken:
        each.release()


def with_checkpoint(run, step, complete=True):
    checkpoints = Checkpoints(run.path)
    weights = checkpoints.step_folder(step) / "actor" / "huggingface"
    weights.mkdir(parents=True)
    (weights / "model.safetensors").write_text(f"weights of step {step}")
    if complete:
        checkpoints.mark_complete(step)
    return checkpoints


def test_first_run_is_new(tmp_path, take):
    taken = take()
    assert (taken.run.path, taken.resumed, taken.resume_step) == (tmp_path / "smoke" / "001", False, 0)


def test_unfinished_run_is_resumed_from_its_last_complete_checkpoint(take):
    first = take()
    first.run.begin("f", 0)
    with_checkpoint(first.run, 2)
    with_checkpoint(first.run, 4, complete=False)
    first.release()
    again = take()
    assert (again.run.path, again.resumed, again.resume_step) == (first.run.path, True, 2)


def test_finished_run_starts_a_new_directory(take):
    first = take()
    first.run.begin("f", 0)
    first.run.end("finished")
    first.release()
    assert take().run.path.name == "002"


def test_another_config_starts_a_new_directory(take):
    first = take()
    first.run.begin("f", 0)
    first.release()
    assert take("g").run.path.name == "002"


def test_a_try_with_another_config_in_between_loses_nothing(take):
    for fingerprint_ in ("f", "g"):
        taken = take(fingerprint_)
        taken.run.begin(fingerprint_, 0)
        taken.release()
    assert take("f").run.path.name == "001"


def test_a_run_in_progress_is_left_alone(take):
    first = take()
    first.run.begin("f", 0)
    assert take().run.path.name == "002"


def test_numbers_go_on_after_999(tmp_path, take):
    (tmp_path / "smoke" / "999").mkdir(parents=True)
    (tmp_path / "smoke" / "1000").mkdir()
    assert take().run.path.name == "1001"


def test_state_survives_a_cut_file(tmp_path):
    run = RunDir(tmp_path)
    run.state_file.write_text('{"state": "runn')
    assert run.read() == {}


def test_fingerprint_tells_configs_apart():
    assert fingerprint("a: 1") != fingerprint("a: 2")


def test_fingerprint_tells_data_apart(tmp_path):
    file = tmp_path / "train.jsonl"
    file.write_text("one")
    before = fingerprint("a: 1", [file])
    assert before == fingerprint("a: 1", [file])
    file.write_text("two")
    assert before != fingerprint("a: 1", [file])


def test_best_is_kept_and_survives_pruning(tmp_path):
    run = RunDir(tmp_path)
    checkpoints = with_checkpoint(run, 2)
    checkpoints.keep_best(Best(2, "csr", 0.5), "# A model card\n")
    for step in (4, 6, 8):
        with_checkpoint(run, step)
    assert checkpoints.prune(keep_last=2) == [2, 4]
    assert checkpoints.complete_steps() == [6, 8]
    assert checkpoints.best() == Best(2, "csr", 0.5)
    assert (checkpoints.best_model / "model.safetensors").read_text() == "weights of step 2"
    assert (checkpoints.best_model / "README.md").read_text() == "# A model card\n"


def test_pruning_keeps_a_checkpoint_that_is_being_written(tmp_path):
    run = RunDir(tmp_path)
    checkpoints = with_checkpoint(run, 2)
    with_checkpoint(run, 4, complete=False)
    assert checkpoints.prune(keep_last=1) == []


def test_resuming_drops_the_lines_of_later_steps(tmp_path):
    log = StepLog(tmp_path)
    for step in (1, 2, 3):
        log.prompts(step, [f"p{step}"])
        log.step(step, {"x": step, "text": "no number", "bad": float("nan")})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 4, "ki')  # a killed run
    log.forget_after(2)
    assert [json.loads(line)["step"] for line in (tmp_path / "prompts.jsonl").read_text().splitlines()] == [1, 2]
    kept = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert kept == [{"step": s, "kind": "train", "x": float(s), "bad": None} for s in (1, 2)]


def test_a_run_that_only_starts_is_stuck(tmp_path):
    run = RunDir(tmp_path)
    for _ in range(STUCK_ATTEMPTS):
        assert not run.stuck(30)
        run.begin("abc", 30)
        run.end("stopped")
    assert run.stuck(30)
    assert not run.stuck(60)  # the last of them has saved
