"""Advantages and masks of a step's rows, as they lie in verl's TransferQueue."""

from __future__ import annotations

from collections.abc import Sequence

import torch
import transfer_queue as tq
from tensordict import TensorDict

from scopeif.training.advantages import Trajectory, shuffled_within_groups

MASKED_FIELDS = ("advantages", "returns", "response_mask", "loss_mask")


def mask(keys: Sequence[str], partition: str, fields: Sequence[str]) -> None:
    """Give rows no advantage and no loss: zeros of the shape (rows, response length), jagged.

    Args:
        keys: the rows' keys.
        partition: TransferQueue partition.
        fields: fields that the other rows of the batch hold; every row must hold the same.
    """
    data = tq.kv_batch_get(keys=list(keys), partition_id=partition, select_fields=["response_mask"])
    zero_mask = data["response_mask"] * 0
    zero = zero_mask.to(torch.float32)
    names = [*MASKED_FIELDS, *({"rollout_is_weights"} & set(fields))]
    zeros = {name: zero_mask if name.endswith("_mask") else zero for name in names}
    tq.kv_batch_put(keys=list(keys), partition_id=partition, fields=TensorDict(zeros, batch_size=len(keys)))


def level(keys: Sequence[str], partition: str) -> None:
    """Set the advantages of rows to exactly 0; their tokens stay in the loss (its KL part)."""
    data = tq.kv_batch_get(keys=list(keys), partition_id=partition, select_fields=["response_mask"])
    zero = data["response_mask"].to(torch.float32) * 0
    fields = TensorDict({"advantages": zero, "returns": zero}, batch_size=len(keys))
    tq.kv_batch_put(keys=list(keys), partition_id=partition, fields=fields)


def shuffle(rows: Sequence[Trajectory], partition: str, seed: int) -> None:
    """Permute the advantages of each group: the control experiment `reward.shuffle`."""
    keys = [row.key for row in rows]
    data = tq.kv_batch_get(keys=keys, partition_id=partition, select_fields=["advantages", "response_mask"])
    masks = data["response_mask"].unbind()
    columns = zip(data["advantages"].unbind(), masks, strict=True)
    each = [advantage.sum() / mask.sum().clamp(min=1) for advantage, mask in columns]  # the same at every token
    source = shuffled_within_groups(rows, seed)
    moved = [each[source[i]] * mask.to(torch.float32) for i, mask in enumerate(masks)]
    nested = torch.nested.as_nested_tensor(moved, layout=torch.jagged)
    fields = TensorDict({"advantages": nested, "returns": nested}, batch_size=len(keys))
    tq.kv_batch_put(keys=keys, partition_id=partition, fields=fields)
