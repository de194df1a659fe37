"""Benchmarks made at random for tests of intervals, comparisons and studies."""

import random

from scopeif.reformbench.scoring.benchmark_shape import ScoredBenchmark, ScoredVariant, TargetId


def made(seed=0, questions=40, variants=6, features=8, chance=0.8, model="m"):
    """A benchmark whose variants draw on a few features, so that targets recur; labels are binary."""
    generator = random.Random(seed)
    names = [f"f{number}" for number in range(features)]
    modes = {name: generator.choice(["require", "forbid"]) for name in names}
    rows = []
    for question in range(questions):
        for number in range(variants):
            targets = tuple(TargetId(name, modes[name]) for name in generator.sample(names, 3))
            labels = tuple(float(generator.random() < chance) for _ in range(3))
            rows.append(ScoredVariant(f"q{question}-v{number}", f"q{question}", targets, labels))
    baselines = {f"q{n}": frozenset(generator.sample(names, features // 2)) for n in range(questions)}
    return ScoredBenchmark(tuple(rows), baselines, "test", model)


def relabelled(benchmark, seed, chance, model=None):
    """The same variants and baseline with other binary labels."""
    generator = random.Random(seed)
    rows = [
        row._replace(pass_probability=tuple(float(generator.random() < chance) for _ in range(3)))
        for row in benchmark.variants
    ]
    return ScoredBenchmark(tuple(rows), benchmark.baseline_features, benchmark.calibration, model or benchmark.model)
