"""The batch of the actor's update: the rows that teach, in mini-batches, balanced over the ranks.

Takes the place of the arguments that verl's `PPOTrainer._update_actor` (verl/trainer/ppo/v1/trainer_base.py) gives its
workers, and can go when verl leaves masked rows out of mini-batches and of the divisors of its losses.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from transfer_queue import KVBatchMeta
from verl.utils.metric import reduce_metrics
from verl.utils.py_functional import rename_dict
from verl.utils.seqlen_balancing import calculate_workload, get_seqlen_balanced_partitions

from scopeif.training.mini_batches import deal


def update_batch(batch: KVBatchMeta, teaching: Sequence[str], config: Any, ranks: int) -> KVBatchMeta:
    """The rows of the update in the order in which verl's dispatch and data loader cut them.

    Args:
        batch: all rows of the step; its length is a multiple of verl's mini-batch.
        teaching: keys of the rows that carry a loss, in the order of the batch.
        config: the run's config.
        ranks: data-parallel ranks of the actor.
    """
    actor, rollout = config.actor_rollout_ref.actor, config.actor_rollout_ref.rollout
    lengths = {key: int(tag["seq_len"]) for key, tag in zip(batch.keys, batch.tags, strict=True)}
    count = len(batch) // (actor.ppo_mini_batch_size * rollout.n)
    micro = 1 if actor.use_dynamic_bsz else actor.ppo_micro_batch_size_per_gpu
    dealt = deal(teaching, lengths, count, unit=ranks * micro)
    by_rank = zip(*(_balanced(rows, lengths, ranks) for rows in dealt.batches), strict=True)
    chosen = batch.select_keys([key for rank in by_rank for rows in rank for key in rows])
    chosen.extra_info.update(
        calculate_entropy=actor.calculate_entropy or actor.entropy_coeff != 0,
        distillation_use_topk=False,
        distillation_only=False,
        global_batch_size=dealt.samples,
        mini_batch_size=dealt.size,
        epochs=actor.ppo_epochs,
        seed=actor.data_loader_seed,
        dataloader_kwargs={"shuffle": False},
        temperature=rollout.temperature,
    )
    return chosen


def updates_of(batch: KVBatchMeta) -> int:
    """Optimizer steps that an `update_batch` makes."""
    return len(batch) // int(batch.extra_info["mini_batch_size"]) * int(batch.extra_info["epochs"])


def actor_metrics(returned: dict[str, Any]) -> dict[str, Any]:
    """The metrics of an update, named and averaged over mini-batches as verl's trainer does."""
    named = rename_dict(returned, "actor/")
    named["perf/mfu/actor"] = named.pop("actor/mfu")
    return dict(reduce_metrics(named))


def _balanced(rows: Sequence[str], lengths: dict[str, int], ranks: int) -> list[list[str]]:
    """The rows of one mini-batch for each rank: as many, and about as much work."""
    if ranks == 1:
        return [list(rows)]
    work = calculate_workload(torch.tensor([lengths[key] for key in rows], dtype=torch.int64)).tolist()
    parts = get_seqlen_balanced_partitions(work, k_partitions=ranks, equal_size=True)
    return [[rows[index] for index in part] for part in parts]
