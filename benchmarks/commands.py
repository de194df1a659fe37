"""How fast the train command answers, and how fast and large a run is.

python benchmarks/commands.py                       # --help and --cfg job, medians of five runs
python benchmarks/commands.py --resume              # tiny, killed after its first checkpoint and resumed
python benchmarks/commands.py runs/smoke/001 ...    # steps and phases of finished runs, from their metrics
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PHASES = ("step", "gen", "old_log_prob", "ref", "update_actor", "update_weights", "save_checkpoint", "testing")


def seconds(*arguments: str, runs: int = 5) -> float:
    """Median wall time of the train command with these arguments, after one uncounted run."""
    taken = []
    for _ in range(runs + 1):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-m", "scopeif.train", *arguments], stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken[1:])


def describe(run: Path) -> None:
    """Print the medians of a run's phases, the first step left out, and its correlation with vLLM."""
    rows = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    steps = [row for row in rows if row["kind"] == "train"]
    print(f"{run}: {len(steps)} steps, first {steps[0]['timing_s/step']:.1f} s; medians of the others:")
    for phase in PHASES:
        values = [row[f"timing_s/{phase}"] for row in steps[1:] if f"timing_s/{phase}" in row]
        if values:
            print(f"  {phase:16} {statistics.median(values):7.2f} s")
    correlation = [row["training/rollout_actor_probs_pearson_corr"] for row in steps]
    print(f"  rollout/actor probability correlation: lowest {min(correlation):.5f}, last {correlation[-1]:.5f}")


def resume() -> None:
    """Run tiny, kill it when its first checkpoint is complete, give the same command again, print the seconds."""
    with tempfile.TemporaryDirectory() as root:
        command = [sys.executable, "-m", "scopeif.train", "recipe=tiny", f"run.root={root}"]
        begun = time.perf_counter()
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not any(Path(root).glob("tiny/001/checkpoints/*/COMPLETE")):
            time.sleep(0.05)
        run.kill()
        run.wait()
        killed = time.perf_counter() - begun
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        total = time.perf_counter() - begun
        steps = [json.loads(line) for line in Path(root, "tiny/001/metrics.jsonl").read_text().splitlines()]
        done = [row["step"] for row in steps if row["kind"] == "train"]
    print(f"tiny: killed after {killed:.1f} s, resumed to its end in {total - killed:.1f} s, together {total:.1f} s")
    print(f"      steps {done}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--resume"]:
        resume()
    elif sys.argv[1:]:
        for name in sys.argv[1:]:
            describe(Path(name))
    else:
        print(f"--help     {seconds('--help'):.2f} s")
        print(f"--cfg job  {seconds('recipe=smoke', '--cfg', 'job'):.2f} s")
