"""Times the offline generator, witnesses and mutants included (processor time of one core); exit code 1 when too slow.

python benchmarks/synthesis.py [--rows 400] [--least 50]
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import NamedTuple

from scopeif.constraints.compatibility import combinations
from scopeif.synthesis.menu import combination_of
from scopeif.synthesis.offline import Generator, Preset


class Timed(NamedTuple):
    """One kind of instruction: rows a second, and what they hold."""

    name: str
    rate: float
    constraints: float
    mutants: float
    combinations: int


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=400, help="instructions of each kind")
    arguments.add_argument("--least", type=float, default=50.0, help="rows a second that each kind must reach")
    options = arguments.parse_args()
    kinds: tuple[tuple[Preset, str], ...] = (("full", "en"), ("full", "zh"), ("mini", "en"), ("mini", "zh"))
    timed = [_timed(preset, language, options.rows) for preset, language in kinds]
    print(f"{'':8} {'rows/s':>7} {'constraints':>12} {'mutants':>8} {'combinations':>13}")
    possible = len(combinations(secondary=True))
    for one in timed:
        combined = f"{one.combinations} of {possible}"
        print(f"{one.name:8} {one.rate:7.0f} {one.constraints:12.2f} {one.mutants:8.2f} {combined:>13}")
    slow = [one.name for one in timed if one.rate < options.least]
    print(
        f"missed: {', '.join(slow)} under {options.least:.0f} rows/s"
        if slow
        else f"all above {options.least:.0f} rows/s"
    )
    return 1 if slow else 0


def _timed(preset: Preset, language: str, rows: int) -> Timed:
    list(Generator(1, preset).make(5, language, "train"))  # imports, seeds and patterns are read once
    begun = time.process_time()
    made = list(Generator(7, preset).make(rows, language, "train"))
    seconds = time.process_time() - begun
    specs = [constraint.spec for one in made for constraint in one.instruction.constraints if constraint.spec]
    mutants = sum(len(one.mutants) for one in made)
    kinds = {combination_of(spec) for spec in specs}
    return Timed(f"{preset} {language}", rows / seconds, len(specs) / rows, mutants / rows, len(kinds))


if __name__ == "__main__":
    sys.exit(main())
