"""A construction that is killed at any stage goes on: the same bytes come out, and nothing is asked twice."""

import multiprocessing
import shutil
import time

import pytest

from scopeif.reformbench.construction.build import STAGES
from tests.reformbench.constructions import Models, results, run, run_to_be_killed, settings_of, write_inputs
from tests.reformbench.scripted_models import KINDS

_FORK = multiprocessing.get_context("fork")
_ASKED = {
    "02_removal": ("remove", "removal_check", "residual"),
    "03_baselines": ("answer",),
    "04_annotation": ("core", "open", "normalise"),
    "05_composition": ("suit", "compose", "compose_check"),
    "07_answers": ("answer",),
    "09_satisfiability": ("witness", "verify", "clarify"),
}


@pytest.fixture(scope="module")
def models():
    with Models() as models:
        yield models


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    return write_inputs(tmp_path_factory.mktemp("inputs"))


@pytest.fixture(scope="module")
def whole(models, inputs, tmp_path_factory):
    """The folder of an uninterrupted run, and what it asked."""
    models.forget()
    out = tmp_path_factory.mktemp("whole")
    run(out, settings_of(inputs, models.url))
    assert set(models.kinds) == {kind for kinds in _ASKED.values() for kind in kinds} == {*KINDS, "answer"}
    assert set(models.asked.values()) == {1}
    return out, dict(models.asked)


def _up_to(whole, stage, out):
    """A copy of a run as it was before a stage."""
    shutil.copytree(whole, out, dirs_exist_ok=True)
    for name in [*STAGES[STAGES.index(stage) :], "benchmark"]:
        shutil.rmtree(out / name)


def _of(out, *folders):
    return {name: content for name, content in results(out).items() if name.partition("/")[0] in folders}


def _killed(models, *arguments, **ending):
    """Run in a process that ends by a kill."""
    process = _FORK.Process(target=run_to_be_killed, args=arguments, kwargs=ending)
    process.start()
    if not ending:
        end = time.monotonic() + 60
        while not models.held.wait(0.005):
            assert process.is_alive(), "the construction ended before it was killed"
            assert time.monotonic() < end, "the request never came"
        process.kill()
    process.join(60)
    assert process.exitcode == -9


@pytest.mark.parametrize("stage,kind", [(stage, kind) for stage, kinds in _ASKED.items() for kind in kinds])
def test_a_kill_while_a_model_is_asked_costs_no_answer(stage, kind, models, inputs, whole, tmp_path):
    _up_to(whole[0], stage, tmp_path)
    settings = settings_of(inputs, models.url)
    models.forget()
    models.hold = (kind, 2)
    _killed(models, tmp_path, settings, stage)
    assert not (tmp_path / stage / "manifest.json").exists()
    models.hold = None
    run(tmp_path, settings, stage)
    assert _of(tmp_path, stage) == _of(whole[0], stage)
    assert set(models.asked.values()) == {1}
    assert models.asked.keys() <= whole[1].keys()


def test_a_kill_in_the_middle_of_a_whole_run_changes_nothing(models, inputs, whole, tmp_path):
    settings = settings_of(inputs, models.url)
    models.forget()
    models.hold = ("compose_check", 5)
    _killed(models, tmp_path, settings)
    models.hold = None
    run(tmp_path, settings)
    assert results(tmp_path) == results(whole[0])
    assert dict(models.asked) == whole[1]


@pytest.mark.parametrize("stage", STAGES)
def test_a_kill_while_a_stage_is_finished_changes_nothing(stage, models, inputs, whole, tmp_path):
    _up_to(whole[0], stage, tmp_path)
    settings = settings_of(inputs, models.url)
    models.forget()
    for moment in ("before", "between"):
        _killed(models, tmp_path, settings, stage, finishing=stage, moment=moment)
    asked = dict(models.asked)
    run(tmp_path, settings, stage)
    assert _of(tmp_path, stage, "benchmark") == _of(whole[0], stage, *(["benchmark"] if stage == STAGES[-1] else []))
    assert dict(models.asked) == asked
