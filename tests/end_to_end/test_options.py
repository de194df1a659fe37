"""Options of production runs in one run: LoRA, mixed data, over-long penalty, group filtering, W&B; and a resume."""

import json
import signal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from safetensors.torch import load_file

from scopeif.training import rollout_log
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.hf_model import check_loads

pytestmark = [pytest.mark.long, pytest.mark.end_to_end, pytest.mark.timeout(1500)]
ROOT = Path(__file__).parents[2]
REWARDS = """
def score(data_source, solution_str, ground_truth, extra_info):
    if extra_info["index"] % 3 == 1:
        raise OSError("the grader is away")
    return len(solution_str) / 1000
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A few instructions, as many rows of maths in verl's layout, and the module that rewards the latter."""
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "own_rewards.py").write_text(REWARDS)
    rows = [
        {
            "data_source": "maths",
            "prompt": [{"role": "user", "content": f"What is {n} + {n}?"}],
            "ability": "maths",
            "reward_model": {"style": "rule", "ground_truth": str(2 * n)},
            "extra_info": {"index": n, "split": "train"},
        }
        for n in range(12)
    ]
    instructions = (ROOT / "data" / "scope_mini" / "train.jsonl").read_text(encoding="utf-8").splitlines(True)
    (folder / "scope_mini").mkdir()
    (folder / "scope_mini" / "train.jsonl").write_text("".join(instructions[:12]), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(rows), folder / "maths.parquet")
    return folder


@pytest.fixture(scope="module")
def run(start, folder):
    command = (
        "option=[lora,group_filtering]",
        "actor_rollout_ref.model.lora_rank=4",
        "reward.overlong_tokens=16",
        "reward.overlong_penalty=0.25",
        f"data.train_files=[{folder / 'scope_mini' / 'train.jsonl'},{folder / 'maths.parquet'}]",
        "data.train_max_samples=24",
        "reward.sources={maths:'own_rewards:score'}",
        "trainer.logger=[tensorboard,wandb]",
        "trainer.total_training_steps=4",
        "selection.keep_hf_every=2",
    )
    environment = {"PYTHONPATH": str(folder), "WANDB_MODE": "offline"}
    first = start(*command, environment=environment)
    first.wait_for_step(2, timeout=600)
    first.process.send_signal(signal.SIGUSR1)
    assert first.wait(timeout=120) == 128 + signal.SIGUSR1, first.output.read_text()
    second = start(*command, root=first.root, environment=environment)
    assert second.wait(timeout=600) == 0, second.output.read_text()
    assert "resumes after step" in second.output.read_text()
    return second


def rows(run):
    return [
        row for step in range(1, 5) for row in rollout_log.read(run.folder() / "rollouts" / f"{step:06d}.jsonl.zst")
    ]


def test_all_steps_and_validations_are_there(run):
    assert [row["step"] for row in run.metrics()] == [1, 2, 3, 4]
    assert {0, 4} <= {row["step"] for row in run.metrics("val")}


def test_rows_of_both_kinds_are_rewarded(run):
    sources = {row["source"] for row in rows(run)}
    assert sources == {"scope_mini", "maths"}
    for row in rows(run):
        if row["source"] == "maths" and row["format_reward"] and not row.get("fault"):
            assert row["reward"]["scopeif"] == pytest.approx(len(row["answer"]) / 1000 - row["length_penalty"])


def test_a_reward_function_that_fails_leaves_its_samples_unverified(run):
    failed = [row for row in rows(run) if row.get("fault")]
    assert failed
    assert all(row["fault"] == "maths: OSError: the grader is away" for row in failed)
    assert all(row["masked"] and row["reward"]["scopeif"] is None for row in failed)


def test_long_responses_lose_reward(run):
    penalties = {row["response_tokens"]: row["length_penalty"] for row in rows(run)}
    assert penalties[max(penalties)] == pytest.approx(0.25 * max(0, max(penalties) - 16) / 16)
    assert all(penalty == 0 for tokens, penalty in penalties.items() if tokens <= 16)


def test_models_are_whole_and_merged(run):
    checkpoints = Checkpoints(run.folder())
    assert checkpoints.best() is not None
    for model in (checkpoints.best_model, checkpoints.model_folder(4), checkpoints.kept_model(4)):
        check_loads(model)
        assert not [name for name in load_file(model / "model.safetensors") if "lora" in name]


def test_both_attempts_are_one_run_of_wandb(run):
    folders = [path.name for path in (run.folder() / "wandb").glob("offline-run-*")]
    assert len(folders) == 2
    assert len({name.rsplit("-", 1)[1] for name in folders}) == 1
    assert len(json.loads((run.folder() / "run.json").read_text())["attempts"]) == 2
