"""What a newcomer sees of the train command before anything trains."""

import subprocess
import sys

import pytest


def train(*arguments, cwd=None):
    return subprocess.run(
        [sys.executable, "-m", "scopeif.train", *arguments], capture_output=True, text=True, timeout=120, cwd=cwd
    )


def test_help_teaches_without_loading_anything_heavy():
    shown = train("--help")
    assert shown.returncode == 0
    for word in ("recipe=NAME", "smoke", "tiny", "resumes an unfinished run", "--cfg job", "mean_graded"):
        assert word in shown.stdout
    code = "import sys, scopeif.train as t; t.main(['--help']); print({'torch', 'verl', 'ray'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.endswith("set()\n")


def test_cfg_job_prints_the_whole_config():
    shown = train("recipe=tiny", "reward=cla", "--cfg", "job")
    assert shown.returncode == 0
    assert "scheme: cla" in shown.stdout
    assert "adv_estimator: grpo" in shown.stdout


@pytest.mark.parametrize(
    "arguments, status, words",
    [
        ([], 2, ["no recipe is given", "smoke, tiny"]),
        (["recipe=smok"], 2, ["did you mean smoke?"]),
        (["recipe=tiny", "reward.alfa=1"], 2, ["did you mean reward.alpha"]),
        (["recipe=smok", "--cfg", "job"], 2, ["did you mean smoke?"]),
        (["recipe=tiny", "--multirun", "run.seed=1,2"], 2, ["--multirun is no flag", "one command is one run"]),
        (["recipe=tiny", "data.train_files=nowhere.jsonl"], 2, ["nowhere.jsonl", "does not exist"]),
        (["recipe=tiny", "actor_rollout_ref.model.path=models/none"], 1, ["models/none", "hf download"]),
        (["recipe=tiny", "run.min_memory_gb=900000"], 1, ["900000 GiB of free memory"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) and len(value) < 3 else "",
)
def test_faults_end_with_a_message_and_a_fix_not_a_traceback(tmp_path, arguments, status, words):
    shown = train(*arguments, *([f"run.root={tmp_path}"] if "--cfg" not in arguments and arguments else []))
    assert shown.returncode == status
    for word in words:
        assert word in shown.stderr
    assert "Traceback" not in shown.stderr
    assert "fix:" in shown.stderr


def scopeif(*arguments):
    code = "from scopeif.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120)


def test_scopeif_has_the_same_commands(tmp_path):
    shown = scopeif("--help").stdout
    assert "train" in shown
    assert "synth" in shown
    assert "data" in shown
    assert scopeif("train", "--help").stdout == train("--help").stdout
    refused = scopeif("train", "recipe=smok")
    assert (refused.returncode, "did you mean smoke?" in refused.stderr) == (2, True)
    made = scopeif("synth", "offline", "--out", str(tmp_path), "--train", "2", "--test", "2", "--chinese", "1")
    assert made.returncode == 0
    assert len((tmp_path / "train.jsonl").read_text().splitlines()) == 2


def test_data_answers_without_loading_anything_heavy():
    heavy = {"pydantic", "pyarrow", "transformers", "rich.progress"}
    code = "import sys; from scopeif.data import app; app(['--help'], standalone_mode=False); "
    code += f"print({heavy} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert all(word in shown.stdout for word in ("check", "convert", "show"))
    assert shown.stdout.endswith("set()\n"), shown.stdout + shown.stderr
