"""How the samples that teach are dealt into the actor's mini-batches.

verl cuts a batch into mini-batches whatever its loss mask says: a mini-batch of masked rows has a loss over no token,
which is NaN, and the sequence-mean losses divide by masked rows too (verl/workers/engine_workers.py,
verl/trainer/ppo/core_algos.py `agg_loss`). So only the rows that teach are dealt, in equal shares; the masked rows
that verl's divisibility still asks for are the shortest, and no loss is divided by them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scopeif.errors import InvalidInputError


@dataclass(frozen=True)
class MiniBatches:
    """The mini-batches of one step; each holds `size` rows over all ranks.

    `samples` is what the sequence-mean losses divide by: teaching samples for each mini-batch, on average. Every sample
    then weighs the same in the step, also where one mini-batch holds a sample more than another.
    """

    batches: tuple[tuple[str, ...], ...]
    size: int
    samples: float


def deal(teaching: Sequence[str], lengths: Mapping[str, int], count: int, unit: int) -> MiniBatches:
    """Deal the rows of a step into mini-batches of the same size, none of them without a row that teaches.

    Args:
        teaching: keys of the rows that teach, in the order of the batch.
        lengths: tokens of every row of the batch, by key, padding rows of verl's included.
        count: mini-batches that the whole batch makes; fewer are made of fewer teaching rows than that.
        unit: rows that the size of a mini-batch must be a multiple of: ranks x micro-batch.

    Raises:
        InvalidInputError: no row teaches, or the batch is no multiple of `count` x `unit`.
    """
    if not teaching:
        raise InvalidInputError("no sample teaches, so there are no mini-batches")
    if len(lengths) % (count * unit):
        raise InvalidInputError(f"{len(lengths)} rows make no {count} mini-batches of a multiple of {unit} rows")
    count = min(count, len(teaching))
    size = unit * math.ceil(len(teaching) / count / unit)
    taught = set(teaching)
    spare = sorted((key for key in lengths if key not in taught), key=lambda key: lengths[key])
    share, larger = divmod(len(teaching), count)
    batches, begun = [], 0
    for index in range(count):
        rows = list(teaching[begun : begun + share + (index < larger)])
        begun += len(rows)
        filling, spare = spare[: size - len(rows)], spare[size - len(rows) :]
        batches.append((*rows, *filling))
    return MiniBatches(tuple(batches), size, len(teaching) / count)
