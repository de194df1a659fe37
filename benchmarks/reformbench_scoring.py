"""How long scoring ten models takes on a benchmark of the paper's size, how much memory, and how long intervals take.

    python benchmarks/reformbench_scoring.py [--models 10] [--resamples 10000]

910 questions with as many variants as in the paper's Table A11, targets of which about half recur, as there, and for
each model a baseline that opposes about half of them. Seconds of processor time. Exits 1 when scoring ten models,
reading of their JSON objects included, takes more than 2 s or 1 GB, or the intervals of one model with 10,000 resamples
more than 5 s.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
from collections.abc import Callable
from typing import Any, TypeVar

from scopeif.reformbench.metrics import question_sums, score
from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark
from scopeif.reformbench.scoring.bootstrap import Resampling, score_intervals
from scopeif.reformbench.scoring.comparison import compare
from scopeif.reformbench.scoring.multiplicity import multiplicity

T = TypeVar("T")

MODELS, RESAMPLES, VARIANTS = 10, 10_000, 5000
SCORING_S, SCORING_MB, INTERVALS_S = 2.0, 1024.0, 5.0
QUESTIONS = {(1, 1): 256, (2, 2): 147, (3, 3): 98, (4, 5): 119, (6, 10): 152, (11, 30): 138}
"""Questions by how many variants they have (Table A11)."""
CATEGORIES, FEATURES = 8, 8
REQUIRED, PRESENT = 0.76, 0.42
"""Shares of targets that require their feature (Table A12) and of a question's features that its baseline has."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--models", type=int, default=MODELS)
    arguments.add_argument("--resamples", type=int, default=RESAMPLES)
    options = arguments.parse_args()
    variants = shared_variants(random.Random(7))
    models = [of_model(variants, random.Random(seed)) for seed in range(options.models)]
    before_mb = _peak_mb()
    seconds, scores = _timed(lambda: [score(one) for one in models])
    memory_mb = _peak_mb()
    _describe(models[0], scores[0].eligible_units)
    allowed = SCORING_S * options.models / MODELS
    print(f"score {options.models} models            {seconds:6.2f} s, limit {allowed:.2f} s")
    print(f"memory at most             {memory_mb:6.0f} MB, limit {SCORING_MB:.0f} MB ({before_mb:.0f} MB is the data)")
    first = ScoredBenchmark.from_json(models[0])
    sums, how = list(question_sums(first)), Resampling(resamples=options.resamples)
    interval_s, intervals = _timed(lambda: score_intervals(sums, how))
    print(f"{options.resamples} resamples            {interval_s:6.2f} s, limit {INTERVALS_S:.2f} s")
    low, high = intervals.emcr.low, intervals.emcr.high
    print(f"EMCR of the first model    {scores[0].emcr:.4f}, 95 % {low:.4f} to {high:.4f}")
    paired_s, _ = _timed(lambda: compare(first, first, how=how))
    print(f"paired comparison          {paired_s:6.2f} s")
    held = seconds <= allowed and memory_mb <= SCORING_MB and interval_s <= INTERVALS_S
    print("limits met" if held else "limits missed")
    return 0 if held else 1


def shared_variants(generator: random.Random) -> list[dict[str, Any]]:
    """5,000 variants, without probabilities."""
    counts = [generator.randint(*band) for band, number in QUESTIONS.items() for _ in range(number)]
    while sum(counts) != VARIANTS:  # the largest questions make up for what the draw missed
        at = generator.randrange(len(counts) - QUESTIONS[11, 30], len(counts))
        counts[at] = min(30, max(11, counts[at] + (1 if sum(counts) < VARIANTS else -1)))
    rows = []
    for question, count in enumerate(counts):
        pool = _pool(generator, min(3 + 2 * count, CATEGORIES * FEATURES))
        for number in range(count):
            rows.append(
                {"id": f"H-{question}-{number}", "question": f"q{question}", "targets": _three(generator, pool)}
            )
    return rows


def of_model(variants: list[dict[str, Any]], generator: random.Random) -> dict[str, Any]:
    """The variants with one model's probabilities, most of them binary, and its baseline."""
    ability = generator.uniform(0.75, 0.95)
    labels = [1.0] * round(85 * ability) + [0.0] * round(85 * (1 - ability)) + [0.94] * 13 + [0.06] * 2
    asked: dict[str, set[str]] = {}
    for row in variants:
        asked.setdefault(row["question"], set()).update(target["feature"] for target in row["targets"])
    present = {
        question: [name for name in sorted(names) if generator.random() < PRESENT] for question, names in asked.items()
    }
    scored = [row | {"pass_probability": generator.choices(labels, k=3)} for row in variants]
    return {"variants": scored, "baseline_features": present}


def _pool(generator: random.Random, size: int) -> list[dict[str, str]]:
    """The targets of a question, of distinct features in at least three categories."""
    while True:
        names = generator.sample([f"c{c}.f{f}" for c in range(CATEGORIES) for f in range(FEATURES)], size)
        if len({name.split(".")[0] for name in names}) >= 3:
            return [
                {"feature": name, "mode": "require" if generator.random() < REQUIRED else "forbid"} for name in names
            ]


def _three(generator: random.Random, pool: list[dict[str, str]]) -> list[dict[str, str]]:
    """Three targets of distinct categories; the first of the pool are drawn most, so that they recur."""
    weights = [(rank + 1) ** -1.4 for rank in range(len(pool))]
    while True:
        targets = generator.choices(pool, weights, k=3)
        if len({target["feature"].split(".")[0] for target in targets}) == 3:
            return targets


def _describe(model: dict[str, Any], units: tuple[int, ...]) -> None:
    shape = multiplicity(ScoredBenchmark.from_json(model).variants)
    print(f"questions by variants {shape.questions}, at most {shape.most_variants}")
    print(f"targets by variants   {shape.targets}, at most {shape.most_occurrences}; {shape.recurring} recur")
    print(f"eligible units of the first model, K = 1, 2, 3: {units}")


def _timed(action: Callable[[], T]) -> tuple[float, T]:
    begun = time.process_time()
    result = action()
    return time.process_time() - begun, result


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
