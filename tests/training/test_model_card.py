"""The best model's card says how it was chosen, in the hub's format."""

import yaml

from scopeif.constraints.dataset import verl_row, write_verl_rows
from scopeif.training.checkpoints import Best
from scopeif.training.composing import compose_config
from scopeif.training.model_card import model_card
from scopeif.training.run_dir import RunDir


def test_the_card(tmp_path):
    rows = [verl_row(n, source, str(n), [{"role": "user", "content": "?"}], "") for n, source in enumerate("aab")]
    write_verl_rows(rows, tmp_path / "rows.parquet")
    config = compose_config(["recipe=tiny", "run.name=mine", "actor_rollout_ref.model.path=/somewhere/models/Qwen3-8B"])
    config.data.train_files = config.data.val_files = [str(tmp_path / "rows.parquet")]
    run = RunDir(tmp_path)
    run.write(fingerprint="0123456789abcdef")
    metrics = {"val/ifeval/prompt_strict": 0.8125, "val/all/csr": 0.5, "val/mine/csr": 0.1}
    card = model_card(Best(60, "val/ifeval/prompt_strict", 0.8125), metrics, config, run, today="2026-12-01")
    _, front, text = card.split("---\n", maxsplit=2)
    assert yaml.safe_load(front) == {
        "base_model": "Qwen3-8B",
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
        "tags": ["scopeif", "grpo", "instruction-following"],
    }
    for expected in (
        "step 60: its `val/ifeval/prompt_strict` of 0.8125",
        "| base model | Qwen3-8B |",
        "| run | mine, config and data 0123456789abcdef |",
        "| training data | a (2 rows), b (1 rows) |",
        "| reward | scopeif, alpha 3; verification auto; judge none |",
        "| date | 2026-12-01 |",
        "| `val/all/csr` | 0.5000 |",
    ):
        assert expected in text
    assert "/somewhere" not in card
