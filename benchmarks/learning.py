"""Does a run learn? Held-out CSR before and after, with a paired 95 % interval over instructions, and the curves.

    python benchmarks/learning.py --out docs/results/cpu_smollm2 runs/seed1/001 runs/seed2/001 runs/shuffled/001

Reads the runs' rollout logs and metrics; writes a table (stdout) and, where matplotlib is installed, <out>.png.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
from pathlib import Path
from typing import Any

from scopeif.training import rollout_log
from scopeif.training.data import VALIDATION_ONLY


def csr_by_instruction(run: Path, step: int) -> dict[str, float]:
    """CSR of each validated instruction at a step; a response of format reward 0 satisfies nothing."""
    values = {}
    for row in _instructions(run, step):
        statuses = [constraint["status"] for constraint in row["constraints"]]
        counted = [status for status in statuses if status != "unverified"]
        if row["format_reward"] and not counted:
            continue  # nothing of it is known
        values[row["instruction_id"]] = counted.count("satisfied") / len(counted) if row["format_reward"] else 0.0
    return values


def complete(run: Path, step: int) -> set[str]:
    """Instructions whose response of that validation has format reward 1."""
    return {row["instruction_id"] for row in _instructions(run, step) if row["format_reward"]}


def _instructions(run: Path, step: int) -> list[dict[str, Any]]:
    """The validated responses to instructions; the guard's prompts have no constraints."""
    rows = rollout_log.read(run / "rollouts" / f"val_{step:06d}.jsonl.zst")
    return [row for row in rows if row["source"] not in VALIDATION_ONLY]


def paired(before: dict[str, float], after: dict[str, float]) -> str:
    """Mean difference in points with its 95 % interval over the instructions in both (normal approximation)."""
    differences = [after[name] - before[name] for name in before.keys() & after.keys()]
    mean = statistics.fmean(differences)
    half = 1.96 * statistics.stdev(differences) / math.sqrt(len(differences))
    return f"{100 * mean:+.1f} ({100 * (mean - half):+.1f} to {100 * (mean + half):+.1f})"


def metrics(run: Path, kind: str) -> list[dict[str, float]]:
    """The lines of one kind of a run's metrics."""
    rows = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    return [row for row in rows if row["kind"] == kind]


def table(runs: list[Path]) -> str:
    """Markdown: one row a run."""
    lines = [
        "| run | steps | n | CSR before | CSR after | difference, paired 95 % | ISR before | ISR after "
        "| truncated before | after | difference where neither was truncated | s/step (median) |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        validations, steps = metrics(run, "val"), metrics(run, "train")
        first, last = validations[0], validations[-1]
        before, after = csr_by_instruction(run, 0), csr_by_instruction(run, int(last["step"]))
        whole = complete(run, 0) & complete(run, int(last["step"]))
        seconds = statistics.median(row["timing_s/step"] for row in steps)
        percent = [
            f"{100 * row[name]:.1f} %"
            for name in ("val/all/csr", "val/all/isr")
            for row in (first, last)
        ]  # fmt: skip
        truncated = [f"{100 * row.get('val/all/fault/truncated_frac', 0):.0f} %" for row in (first, last)]
        among_whole = paired({name: before[name] for name in before.keys() & whole}, after)
        cells = [run.parent.name, len(steps), len(before.keys() & after.keys()), *percent[:2], paired(before, after)]
        cells += [*percent[2:], *truncated, f"{among_whole}, n = {len(before.keys() & whole)}", f"{seconds:.1f}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def draw(runs: list[Path], path: Path) -> None:
    """Training reward and held-out CSR over steps, one line a run."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    for run in runs:
        steps, validations = metrics(run, "train"), metrics(run, "val")
        rewards = [row["train/reward/scopeif"] for row in steps]
        smooth = [statistics.fmean(rewards[max(0, i - 4) : i + 1]) for i in range(len(rewards))]
        (line,) = left.plot([row["step"] for row in steps], smooth, label=run.parent.name)
        left.plot([row["step"] for row in steps], rewards, ".", color=line.get_color(), alpha=0.35)
        points = [(row["step"], 100 * row["val/all/csr"]) for row in validations]
        right.plot(*zip(*points, strict=True), "o-", color=line.get_color(), label=run.parent.name)
    left.set(xlabel="step", ylabel="training reward (mean of the last 5 steps)")
    right.set(xlabel="step", ylabel="held-out CSR (%), greedy")
    for axes in (left, right):
        axes.xaxis.get_major_locator().set_params(integer=True)
    right.legend()
    figure.savefig(path, dpi=130)


def main() -> None:
    """Read the arguments, print the table, draw the curves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path, help="run directories, each with a validation before training")
    parser.add_argument("--out", type=Path, help="draw the curves to <out>.png")
    options = parser.parse_args()
    print(table(options.runs))
    if options.out:
        draw(options.runs, options.out.with_suffix(".png"))


if __name__ == "__main__":
    main()
