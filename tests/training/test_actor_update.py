"""The batch of the update as verl's workers will cut it."""

from types import SimpleNamespace

import pytest

from scopeif.training.composing import compose_config

pytestmark = pytest.mark.filterwarnings("ignore")  # of engines that verl looks for and does not find

OVERRIDES = [
    "recipe=tiny",
    "data.train_batch_size=4",
    "actor_rollout_ref.actor.ppo_mini_batch_size=2",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2",
]
ROWS = 16  # 4 prompts x 4 rollouts


@pytest.fixture(scope="module")
def config():
    return compose_config(OVERRIDES)


def batch():
    from transfer_queue import KVBatchMeta

    keys = [f"g{i // 4}_{i % 4}_0" for i in range(ROWS)]
    return KVBatchMeta(keys=keys, tags=[{"seq_len": 20 + 7 * i % 50} for i in range(ROWS)], partition_id="train")


def test_without_masks_the_workers_get_what_verl_gives_them(config):
    """Pins verl's arguments: when this fails, `update_batch` has to follow."""
    from verl.trainer.ppo.v1.trainer_base import PPOTrainer

    from scopeif.training.actor_update import update_batch

    given = []

    def update_actor(batch):
        given.append(batch)
        return {"metrics": {"mfu": [0.5], "pg_loss": [1.0, 3.0]}}

    trainer = SimpleNamespace(config=config, actor_rollout_wg=SimpleNamespace(update_actor=update_actor))
    metrics = {}
    PPOTrainer._update_actor(trainer, batch(), metrics)
    ours = update_batch(batch(), batch().keys, config, ranks=1)
    assert ours.keys == given[0].keys
    assert ours.extra_info == given[0].extra_info


def test_metrics_are_named_and_averaged_as_by_verl():
    from scopeif.training.actor_update import actor_metrics

    metrics = actor_metrics({"mfu": [0.5], "pg_loss": [1.0, 3.0], "actor/lr": [0.1]})
    assert metrics == {"perf/mfu/actor": 0.5, "actor/pg_loss": 2.0, "actor/lr": 0.1}


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("masked", [0, 5, 13])
def test_each_rank_sees_its_part_of_every_mini_batch(config, ranks, masked):
    from scopeif.training.actor_update import update_batch, updates_of

    whole = batch()
    teaching = whole.keys[masked:]
    chosen = update_batch(whole, teaching, config, ranks)
    size = chosen.extra_info["mini_batch_size"]
    parts = [chunk.keys for chunk in chosen.chunk(ranks)]  # verl's dispatch
    share = size // ranks  # verl's data loader on a rank
    assert share % 2 == 0  # whole micro-batches
    updates = [[key for part in parts for key in part[i : i + share]] for i in range(0, len(parts[0]), share)]
    taught = [[key for key in update if key in teaching] for update in updates]
    assert sorted(key for update in taught for key in update) == sorted(teaching)
    assert len(updates) == min(2, len(teaching))
    assert max(map(len, taught)) - min(map(len, taught)) <= 1
    assert updates_of(chosen) == len(updates)
    assert chosen.extra_info["global_batch_size"] == len(teaching) / len(updates)
