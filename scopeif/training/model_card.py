"""The README.md of `best/`: a model card in the Hugging Face hub's format that says how the checkpoint was chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scopeif.training.checkpoints import Best
from scopeif.training.run_dir import RunDir
from scopeif.training.settings import Settings


def model_card(best: Best, metrics: Mapping[str, float], config: Any, run: RunDir, today: str | None = None) -> str:
    """The card of a checkpoint that was just chosen.

    Args:
        best: step, metric and value.
        metrics: the validation's.
        config: the run's resolved config.
        run: its directory; the fingerprint in its run.json stands for config and data.
        today: date, by default today's in UTC.
    """
    settings = Settings.from_config(config)
    base = Path(config.actor_rollout_ref.model.path).name
    reward, verification = settings.reward, settings.verification.kind
    judge = settings.judge.model if settings.judge else "none"
    rows = {
        "step": f"{best.step}",
        "base model": base,
        "run": f"{settings.run.name}, config and data {run.read().get('fingerprint', 'unknown')}",
        "training data": ", ".join(_sources(config.data.train_files)),
        "validation data": ", ".join(_sources(config.data.val_files)),
        "reward": f"{reward.scheme}, alpha {reward.alpha:g}; verification {verification}; judge {judge}",
        "seed": f"{settings.run.seed}",
        "date": today or f"{datetime.now(UTC):%Y-%m-%d}",
    }
    shown = {name: metrics[name] for name in _shown(metrics, best.metric)}
    return "\n".join(
        [
            "---",
            f"base_model: {json.dumps(base)}",
            "library_name: transformers",
            "pipeline_tag: text-generation",
            "tags: [scopeif, grpo, instruction-following]",
            "---",
            "",
            f"# {base}, trained with ScopeIF",
            "",
            f"The checkpoint of step {best.step}: its `{best.metric}` of {best.value:.4f} was the highest of the run's "
            "validations up to then (greedy answers). The figure that chose a checkpoint flatters it: judge the model "
            "by data that took no part in the choice.",
            "",
            *_table(("what", "value"), rows),
            "",
            *_table(("validation metric", "value"), {f"`{name}`": f"{value:.4f}" for name, value in shown.items()}),
            "",
        ]
    )


_HEADLINES = (
    "val/all/csr", "val/all/isr", "val/all/unverified_frac",
    "val/ifeval/prompt_strict", "val/ifeval/inst_strict", "val/ifeval/prompt_loose", "val/ifeval/inst_loose",
    "val/ifeval/unverified_frac", "val/reformbench/tcpr", "val/reformbench/emcr",
    "val/reformbench/unverified_frac", "val/guard/length_ratio", "val/guard/repetition", "val/guard/base_f1",
)  # fmt: skip


def _shown(metrics: Mapping[str, float], chosen_by: str) -> list[str]:
    return [name for name in dict.fromkeys((chosen_by, *_HEADLINES)) if name in metrics]


def _sources(files: Any) -> list[str]:
    """The data sources of prepared files and their rows."""
    import pyarrow.parquet as pq

    counts: dict[str, int] = {}
    for file in files:
        for source in pq.read_table(file, columns=["data_source"])["data_source"].to_pylist():
            counts[source] = counts.get(source, 0) + 1
    return [f"{source} ({count} rows)" for source, count in counts.items()]


def _table(head: tuple[str, str], rows: Mapping[str, str]) -> list[str]:
    return [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
