"""Files of a generated data set: instructions, and on request their witnesses and mutants.

A line of a witness file belongs to the instruction of the same id:

    {"id": "en-train-0000", "witness": "...",
     "mutants": [{"constraint": 0, "text": "...", "violation": 2,
                  "records": [{"object": "sentences in each paragraph", "lower": null, "upper": 3, "actual": 5,
                               "start": 0, "end": 61}]}]}

A bound that is null is infinite. `records` is what measuring constraint number `constraint` of the text must give.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from scopeif.constraints.atomic import replaced
from scopeif.constraints.dataset import write_jsonl
from scopeif.constraints.models import Instruction
from scopeif.errors import DataError
from scopeif.reward.record import Record
from scopeif.synthesis.offline import Generator, Made, Split

Progress = Callable[[str, int, int], None]
"""Called with a file's name, how many of its instructions are made, and how many there will be."""


class Part(NamedTuple):
    """Instructions of one language in a file."""

    file: str
    number: int
    language: str
    split: Split


@dataclass
class Report:
    """What was written to one file."""

    path: Path
    instructions: int = 0
    constraints: int = 0
    mutants: int = 0
    sizes: set[int] = field(default_factory=set)


def parts_of(train: int, test: int, chinese: int, languages: tuple[str, ...]) -> list[Part]:
    """Train and test instructions, shared evenly among the languages, and Chinese ones in a file of their own."""
    parts: list[Part] = []
    for name, count, split in (("train.jsonl", train, "train"), ("test.jsonl", test, "test")):
        for number, language in enumerate(languages):
            share = count // len(languages) + (number < count % len(languages))
            parts.append(Part(name, share, language, "train" if split == "train" else "test"))
    parts.append(Part("chinese.jsonl", chinese, "zh", "test"))
    return [part for part in parts if part.number]


def write_set(
    folder: Path, parts: list[Part], generator: Generator, witnesses: bool, force: bool, progress: Progress
) -> list[Report]:
    """Generate the parts in order and write their files.

    Raises:
        DataError: the folder cannot be made, or a file exists and `force` is not given.
    """
    names = list(dict.fromkeys(part.file for part in parts))
    beside = [_witness_file(folder / name) for name in names]
    existing = [path for path in (*(folder / name for name in names), *beside) if path.exists()]
    if existing and not force:
        more = f" (and {len(existing) - 1} more)" if len(existing) > 1 else ""
        raise DataError(
            f"the file exists{more}", place=str(existing[0]), fix="name another folder with --out, or give --force"
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"the folder cannot be made: {error.strerror}", place=str(folder)) from None
    for path in beside:  # they would not belong to the new instructions
        path.unlink(missing_ok=True)
    return [
        _write_file(folder / name, [part for part in parts if part.file == name], generator, witnesses, progress)
        for name in names
    ]


def _write_file(path: Path, parts: list[Part], generator: Generator, witnesses: bool, progress: Progress) -> Report:
    done = Report(path)
    total = sum(part.number for part in parts)

    def instructions(beside: TextIO | None) -> Iterator[Instruction]:
        for part in parts:
            for made in generator.make(part.number, part.language, part.split):
                done.instructions += 1
                done.constraints += len(made.instruction.constraints)
                done.mutants += len(made.mutants)
                done.sizes.add(len(made.instruction.constraints))
                if beside is not None:
                    beside.write(json.dumps(witness_row(made), ensure_ascii=False, allow_nan=False) + "\n")
                progress(path.name, done.instructions, total)
                yield made.instruction

    if witnesses:
        with replaced(_witness_file(path)) as new, new.open("w", encoding="utf-8", newline="\n") as beside:
            write_jsonl(instructions(beside), path)
    else:
        write_jsonl(instructions(None), path)
    return done


def _witness_file(path: Path) -> Path:
    return path.with_name(f"{path.stem}_witnesses.jsonl")


def witness_row(made: Made) -> dict[str, Any]:
    """A line of a witness file."""
    return {
        "id": made.instruction.id,
        "witness": made.witness,
        "mutants": [
            {
                "constraint": one.constraint,
                "text": one.text,
                "violation": one.violation,
                "records": [_record_row(record) for record in one.records],
            }
            for one in made.mutants
        ],
    }


def _record_row(record: Record) -> dict[str, Any]:
    return {
        "object": record.object,
        "lower": None if math.isinf(record.lower) else record.lower,
        "upper": None if math.isinf(record.upper) else record.upper,
        "actual": record.actual,
        "start": record.start,
        "end": record.end,
    }
