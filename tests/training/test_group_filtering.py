"""Groups whose verified samples all have the same reward are replaced; the unverified ones do not hide it."""

import math
from collections import Counter, defaultdict

import pytest
import torch

from scopeif.training.group_filtering import level_groups, level_reward

NAN = math.nan


@pytest.mark.parametrize(
    "rewards, level",
    [
        ([0.5, 0.5, 0.5], 0.5),
        ([0.5, 0.5, NAN], 0.5),
        ([0.5, 0.6, NAN], None),
        ([0.5, NAN, NAN], None),
        ([NAN, NAN], None),
    ],
)
def test_level(rewards, level):
    assert level_reward(rewards, min_verified=2) == level


class Buffer:
    """What verl's replay buffer shows."""

    filter_groups_metric = "reward"

    def __init__(self, rewards):
        self.finished_keys = {"train": set(rewards)}
        self._dapo_classification_cache = defaultdict(dict)
        self.partitions = {"train": {f"{group}_{i}_0": {} for group, own in rewards.items() for i in range(len(own))}}
        self.scores = {f"{group}_{i}_0": reward for group, own in rewards.items() for i, reward in enumerate(own)}


def test_groups_of_a_buffer(monkeypatch):
    import transfer_queue as tq

    buffer = Buffer({"a": [1, 1, NAN], "b": [0, 1, 1], "c": [NAN, NAN, 1], "d": [0, 0, 0]})
    asked = []

    def get(keys, partition_id, select_fields):
        asked.extend(keys)
        return {select_fields[0]: [torch.tensor([0.0, buffer.scores[key]]) for key in keys]}

    monkeypatch.setattr(tq, "kv_batch_get", get)
    assert level_groups(buffer, "train", 2) == ({"a", "d"}, Counter({1.0: 1, 0.0: 1}))
    assert level_groups(buffer, "val", 2) == (set(), Counter())
    buffer.finished_keys["train"].discard("a")  # replaced
    assert level_groups(buffer, "train", 2) == ({"d"}, Counter({0.0: 1}))
    assert len(asked) == 12  # each is looked at once
