"""A validation's samples to its metrics: CSR and ISR of instructions, IFEval's accuracies, ReFormBench, the guard."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scopeif.errors import ConfigError
from scopeif.evaluation import ifeval
from scopeif.reformbench import in_training as reformbench
from scopeif.training import guard
from scopeif.training.metrics import Sample, outcome_metrics


def validation_metrics(samples: Sequence[Sample], sources: Sequence[str], folder: Path, step: int) -> dict[str, float]:
    """All metrics of a validation.

    Args:
        samples: every response.
        sources: the data source of each.
        folder: the run's data folder; the base model's answers to the guard are kept there, and its formatting
            baseline of ReFormBench.
        step: the training step; at step 0 the policy is the base model.

    Returns:
        ``val/<source>/...`` for each source, ``val/all/...`` over the instructions of all sources but IFEval,
        ReFormBench and the guard.
    """
    by_source: dict[str, list[Sample]] = defaultdict(list)
    for sample, source in zip(samples, sources, strict=True):
        by_source[source].append(sample)
    answers = {sample.info["instruction_id"]: _guard_answer(sample) for sample in by_source.pop(guard.SOURCE, [])}
    metrics: dict[str, float] = {}
    if rows := by_source.pop(ifeval.SOURCE, []):
        metrics |= _named(f"val/{ifeval.SOURCE}", ifeval.ifeval_metrics([_ifeval_results(row) for row in rows]))
        metrics |= _named(f"val/{ifeval.SOURCE}", _response_metrics(rows))
    if rows := by_source.pop(reformbench.SOURCE, []):
        metrics |= _named(f"val/{reformbench.SOURCE}", _reformbench_scores(rows, folder, step))
        metrics |= _named(f"val/{reformbench.SOURCE}", _response_metrics(rows))
    metrics |= outcome_metrics([sample for rows in by_source.values() for sample in rows], "val/all")
    for source, rows in sorted(by_source.items()):
        metrics |= outcome_metrics(rows, f"val/{source}")
    if answers:
        if step == 0:
            guard.write_base(folder, answers)
        metrics |= _named(f"val/{guard.SOURCE}", guard.guard_metrics(answers, guard.read_base(folder)))
    return metrics


def selected(metrics: Mapping[str, float], name: str, max_unverified: float = 1.0) -> float | None:
    """The value of the metric that chooses the best checkpoint; None where too little of it was verified.

    Args:
        max_unverified: share of a source's samples that may be unverified: what is left of an outage chooses nothing.

    Raises:
        ConfigError: a validation has no such metric.
    """
    source = "/".join(name.split("/")[:2])
    unverified = metrics.get(f"{source}/unverified_frac", 0.0)
    if name in metrics:
        return metrics[name] if unverified <= max_unverified else None
    if f"{name}_low" in metrics or unverified == 1:
        return None
    if source == f"val/{reformbench.SOURCE}" and f"{source}/tcpr_low" in metrics:
        return None  # a rate that no eligible unit defines
    known = sorted(metric for metric in metrics if metric.startswith((f"{source}/", "val/ifeval/", "val/all/")))
    raise ConfigError(
        f"validation has no metric {name!r}", place="selection.metric", fix=f"use one of: {', '.join(known)}"
    )


def checker_failures(samples: Sequence[Sample]) -> list[str]:
    """What IFEval's checkers failed with, one line for each kind of failure."""
    found = Counter(
        f"{one.instruction}: {one.fault}" for sample in samples for one in _ifeval_results(sample) if one.fault
    )
    return [f"{text} ({count})" for text, count in found.most_common()]


def _ifeval_results(sample: Sample) -> list[ifeval.InstructionResult]:
    return [ifeval.InstructionResult(**one) for one in sample.outcome.get("ifeval", [])]


def _reformbench_scores(samples: Sequence[Sample], folder: Path, step: int) -> dict[str, float]:
    outcomes = [sample.outcome[reformbench.SOURCE] for sample in samples]
    if step == 0 and (base := reformbench.base_of(outcomes)):
        reformbench.write_base(folder, base)
    return reformbench.validation_scores(outcomes, reformbench.read_base(folder))


def _response_metrics(samples: Sequence[Sample]) -> dict[str, float]:
    counts = Counter(sample.outcome["format_fault"] for sample in samples if sample.outcome["format_fault"])
    metrics = {f"fault/{fault}_frac": count / len(samples) for fault, count in counts.items()}
    metrics["response_tokens"] = sum(sample.info["response_tokens"] for sample in samples) / len(samples)
    return metrics


def _guard_answer(sample: Sample) -> guard.GuardAnswer:
    truncated = sample.outcome["format_fault"] == "truncated"
    return guard.GuardAnswer(sample.outcome["answer"], int(sample.info["response_tokens"]), truncated)


def _named(prefix: str, metrics: Mapping[str, Any]) -> dict[str, float]:
    return {f"{prefix}/{name}": float(value) for name, value in metrics.items()}
