"""How fast a file in the official release's format loads, and how fast `scopeif data check` goes through it.

    python benchmarks/data.py [--rows 17968]

Seconds of processor time. Exits 1 when loading takes more than 10 s for 17,968 rows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from scopeif.constraints.dataset import read_instructions, write_parquet
from scopeif.constraints.taxonomy import SECONDARY_OF, RangeCategory

ROWS, LIMIT_S = 17_968, 10.0
SCOPES = (
    "Global(Entire Response)",
    "Traversal(Paragraph)",
    "Position(Line)",
    "Traversal(Paragraph) -> Position(Sentence)",
)
WORDS = (
    "each",
    "paragraph",
    "must",
    "hold",
    "at most",
    "three",
    "sentences",
    "about rivers",
    "and",
    "the last",
    "town",
)
SIZES = {1: 2, 2: 10, 3: 14, 4: 20, 5: 20, 6: 14, 7: 10, 8: 6, 9: 2, 10: 1, 12: 1}
"""Weights of the number of constraints a row; the mean is near 4.8."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--rows", type=int, default=ROWS)
    rows = arguments.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        official, parquet = Path(folder, "official.json"), Path(folder, "official.parquet")
        official.write_text(json.dumps(made(rows), ensure_ascii=False), encoding="utf-8")
        print(f"{rows} rows, {official.stat().st_size / 1e6:.0f} MB")
        begun = _used()
        instructions = read_instructions(official)
        seconds = _used() - begun
        constraints = sum(len(one.constraints) for one in instructions)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"load           {seconds:6.2f} s  {constraints / rows:.2f} constraints a row, {memory:.0f} MB at most")
        print(f"write Parquet  {timed(lambda: write_parquet(instructions, parquet)):6.2f} s")
        print(f"load Parquet   {timed(lambda: read_instructions(parquet)):6.2f} s")
        command = [sys.executable, "-m", "scopeif.data", "check", str(official), "--json"]
        print(f"check          {timed(lambda: subprocess.run(command, stdout=subprocess.DEVNULL)):6.2f} s")
    allowed = LIMIT_S * rows / ROWS
    print(f"limit of load  {allowed:6.2f} s: {'met' if seconds <= allowed else 'missed'}")
    return int(seconds > allowed)


def timed(action: Any) -> float:
    begun = _used()
    action()
    return _used() - begun


def _used() -> float:
    """Processor time of this process and of its ended children, in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def made(rows: int) -> list[dict[str, Any]]:
    """Rows in the shape of the official release: prompts of some 150 words, counting objects as fenced JSON."""
    rng = random.Random(7)
    return [_row(number, rng) for number in range(rows)]


def _row(number: int, rng: random.Random) -> dict[str, Any]:
    size = rng.choices(list(SIZES), list(SIZES.values()))[0]
    constraints, targets = [], []
    for _ in range(size):
        primary = rng.choice(list(SECONDARY_OF))
        category = {
            "scope": rng.choice(SCOPES),
            "primary_target": primary.value,
            "secondary_target": rng.choice(SECONDARY_OF[primary]).value,
            "range": rng.choice(list(RangeCategory)).value,
        }
        constraints.append({"constraint": _text(rng, 18), "category": category})
        objects = [
            {"counting_object": _text(rng, 10), "type": rng.choice(("Universal", "Specific"))}
            for _ in range(rng.randint(1, 3))
        ]
        targets.append(f"```json\n{json.dumps(objects, indent=4)}\n```")
    prompt = f"{number}. " + " ".join([_text(rng, 60), *(constraint["constraint"] for constraint in constraints)])
    return {"id": number, "prompt": prompt, "constraints": constraints, "targets": targets}


def _text(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words)).capitalize() + "."


if __name__ == "__main__":
    sys.exit(main())
