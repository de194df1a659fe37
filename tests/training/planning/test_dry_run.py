"""A dry run prints and writes the plan and the resolved config, in one file, and starts nothing."""

import pytest
import yaml

from scopeif.train import main
from scopeif.training.composing import recipes_folder


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """An empty current folder; `scope_mini` is named by its path."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("recipe", ["qwen3_8b", "qwen3_4b_one_node", "smoke", "tiny"])
def test_it_writes_one_file_and_nothing_else(elsewhere, recipe, capsys):
    assert main([f"recipe={recipe}", "dry_run=true", "reward=cla"]) == 0
    printed = capsys.readouterr().out
    assert [path.name for path in elsewhere.rglob("*")] == [f"{recipe}.dry_run.yaml"]
    assert f"{recipe}.dry_run.yaml" in printed
    for part in ("policy", "steps", "resources", "memory", "disk", "judge", "time"):
        assert any(line.startswith(part) for line in printed.splitlines()), part
    written = yaml.safe_load((elsewhere / f"{recipe}.dry_run.yaml").read_text())
    assert written["config"]["reward"]["scheme"] == "cla"
    assert written["plan"]["work"]["prompts"] == written["config"]["data"]["train_batch_size"]


def test_a_judge_without_an_address_is_said_and_no_fault(elsewhere, capsys):
    main(["recipe=qwen3_8b", "dry_run=true"])
    assert "the judge has no address yet" in capsys.readouterr().out
    assert main(["recipe=qwen3_8b"]) == 2, "a run needs one"
    assert "endpoints" in capsys.readouterr().err


@pytest.mark.parametrize("wrong", ["reward.alpha=0", "verification.kind=guess", "dry_run=yes", "reward.alfa=1"])
def test_wrong_values_are_still_refused(elsewhere, wrong, capsys):
    assert main(["recipe=qwen3_8b", "dry_run=true", wrong]) == 2
    assert wrong.partition("=")[0] in capsys.readouterr().err
    assert not list(elsewhere.iterdir())


def test_recipes_do_not_dry_run_by_themselves():
    for file in recipes_folder().rglob("*.yaml"):
        assert "dry_run: true" not in file.read_text()
