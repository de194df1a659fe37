"""DAPO's group filtering over verified samples.

verl (trainer/ppo/v1/replay_buffer.py `_dapo_filtered_keys`) looks for groups whose rewards have a standard deviation of
0. An unverified sample's reward is NaN, which has none, so that a group of it and equal others would never be replaced.
Can go when verl leaves out rewards that are no numbers.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any


def level_reward(rewards: Sequence[float], min_verified: int) -> float | None:
    """The reward that all verified samples of a group have; None where they differ, or are fewer than `min_verified`.

    Groups of too few verified samples stay, so that an outage of the judge counts against `unverified.max_frac`.
    """
    known = [reward for reward in rewards if not math.isnan(reward)]
    return known[0] if len(known) >= max(min_verified, 2) and min(known) == max(known) else None


def level_groups(buffer: Any, partition: str, min_verified: int) -> tuple[set[str], Counter[float]]:
    """What verl's method returns: the finished groups that teach nothing, and how many there are for each reward."""
    if partition == "val" or buffer.filter_groups_metric is None:
        return set(), Counter()
    import transfer_queue as tq

    finished, known = buffer.finished_keys[partition], buffer._dapo_classification_cache[partition]
    for group in known.keys() - finished:
        del known[group]
    new = finished - known.keys()
    keys = [key for key in buffer.partitions[partition] if key.split("_")[0] in new]
    rewards: dict[str, list[float]] = defaultdict(list)
    if keys:
        scores = tq.kv_batch_get(keys=keys, partition_id=partition, select_fields=["rm_scores"])["rm_scores"]
        for key, score in zip(keys, list(scores), strict=True):
            rewards[key.split("_")[0]].append(float(score.sum().item()))
    known.update({group: level_reward(rewards[group], min_verified) for group in new})
    level = {group: reward for group, reward in known.items() if reward is not None}
    return set(level), Counter(level.values())
