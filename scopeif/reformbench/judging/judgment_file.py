"""A judge's file: one row a response with all its labels, behind a head that says under what they were given.

Head: {"given": {"judge": "gpt", "model": "gpt-5.4-mini", "reasoning_effort": "high", ...}}
Row:  {"key": "kimi-v17 9f31c02ab77e", "judgments": [{"judge": "gpt", "position": 0, "label": 1, ...}, ...]}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from pathlib import Path
from typing import NamedTuple

from scopeif.constraints.atomic import replaced
from scopeif.errors import DataError
from scopeif.reformbench.judging.prompt import Assessed
from scopeif.reformbench.ledger import hold
from scopeif.reformbench.models import Judgment
from scopeif.reformbench.rows import objects, parsed


def key_of(item: Assessed) -> str:
    """The key of a response's row: it changes with the response, the instruction and the criteria."""
    return f"{item.response.id} {item.seal}"


def judgments_in(path: Path, items: Iterable[Assessed]) -> list[Judgment]:
    """A judge's labels of these responses, in their order.

    Raises:
        DataError: a line is no row of such a file; or a response is not judged, or was judged with another text,
            instruction or criterion.
    """
    wanted = {key_of(item): (item.response.id, item.variant.id) for item in items}
    rows = {row.key: row.judgments for row in _rows(path, wanted.keys())}
    for key, (response, variant) in wanted.items():
        if key not in rows:
            what = f"response {response!r} to variant {variant!r} is not judged as it now stands"
            raise DataError(what, place=str(path), fix="let the judge go on with this file")
    return [judgment for key in wanted for judgment in rows[key]]


def forget_unverified(path: Path) -> int:
    """Take the responses with an unverified label out of a judge's file, so that they are judged again.

    Answers that could not be used are in the judge's cache: give it more attempts, or a higher token limit.

    Returns:
        How many there were.

    Raises:
        DataError: a line is no row of such a file, or a judge is at work on it; the file is left as it was.
    """
    forgotten, rows = 0, _rows(path)
    with path.open("r+b") as old, replaced(path) as whole, whole.open("wb") as new:
        hold(old, path)  # as the judge does: what it appends to a file that is replaced here would be lost
        new.write(old.readline())
        for line in old:
            if not line.endswith(b"\n"):
                break  # half-written: a killed run left it
            if any(one.label is None for one in next(rows).judgments):
                forgotten += 1
            else:
                new.write(line)
    return forgotten


class _Row(NamedTuple):
    key: str
    judgments: list[Judgment]


def _rows(path: Path, wanted: Set[str] | None = None) -> Iterator[_Row]:
    """The rows behind the head: those with a key that is wanted, or all."""
    for number, (value, place) in enumerate(objects(path)):
        if number == 0 and "given" in value:
            continue
        key, judgments = value.get("key"), value.get("judgments")
        if not isinstance(key, str) or not isinstance(judgments, list):
            raise DataError("this is no row of a file of judgments", place=place)
        if wanted is None or key in wanted:
            yield _Row(key, [parsed(Judgment, one, place) for one in judgments])
