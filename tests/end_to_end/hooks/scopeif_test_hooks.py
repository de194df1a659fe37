"""What the end-to-end tests put into a run's processes, through verl's own doors.

`VERL_USE_EXTERNAL_MODULES=scopeif_test_hooks` makes verl import this module in every process;
`rollout.engine_kwargs.vllm.worker_extension_cls=scopeif_test_hooks.NoWeightSync` chooses the class below.
"""

import importlib.abc
import importlib.util
import os
import sys
import time


class _PatchAfterImport(importlib.abc.MetaPathFinder):
    """Runs `patch(module)` once the named module has been executed."""

    def __init__(self, name, patch):
        self.name, self.patch = name, patch

    def find_spec(self, name, path, target=None):
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        execute, patch = spec.loader.exec_module, self.patch

        def exec_module(module):
            execute(module)
            patch(module)

        spec.loader.exec_module = exec_module
        return spec


def _dump_actor_batches(module):
    """Write the tensors of every mini-batch that reaches the actor's loss, as the worker itself sees them."""
    folder, train_batch = os.environ["SCOPEIF_TEST_BATCHES"], module.TrainingWorker.train_batch

    def dumping(self, data):
        import torch

        names = ("advantages", "response_mask", "loss_mask", "returns")
        names += tuple(name for name in ("rollout_is_weights", "old_log_probs", "rollout_log_probs") if name in data)
        rows = {name: [row.clone() for row in data[name].unbind()] for name in names}
        rows["uid"] = [getattr(uid, "data", uid) for uid in data["uid"]]
        rows["reward_extra_info"] = [getattr(x, "data", x)["reward_extra_info"] for x in data["extra_fields"]]
        torch.save(rows, os.path.join(folder, f"{time.time_ns()}.pt"))
        return train_batch(self, data)

    dumping.__dict__.update(train_batch.__dict__)
    module.TrainingWorker.train_batch = dumping


if os.environ.get("SCOPEIF_TEST_BATCHES"):
    sys.meta_path.insert(0, _PatchAfterImport("verl.workers.engine_workers", _dump_actor_batches))


def _mark_rewards(module):
    """Write when a reward is begun and done, and take a while for it."""
    import asyncio

    manager, mark = module.ScopeIFRewardManager, os.environ["SCOPEIF_TEST_REWARDS"]
    run_single = manager.run_single

    async def marking(self, data):
        _append(mark, "entered")
        await asyncio.sleep(0.5)
        result = await run_single(self, data)
        _append(mark, "left")
        return result

    manager.run_single = marking


def _append(path, word):
    with open(path, "a") as file:
        file.write(f"{word}\n")


if os.environ.get("SCOPEIF_TEST_REWARDS"):
    sys.meta_path.insert(0, _PatchAfterImport("scopeif.training.reward_manager", _mark_rewards))


def _raise_in_rewards(module):
    """While that file is there, a reward raises: a fault of ours, not an unverified sample."""
    manager, mark = module.ScopeIFRewardManager, os.environ["SCOPEIF_TEST_RAISE"]
    run_single = manager.run_single

    async def raising(self, data):
        if os.path.exists(mark):
            raise RuntimeError("a bug in the reward")
        return await run_single(self, data)

    manager.run_single = raising


if os.environ.get("SCOPEIF_TEST_RAISE"):
    sys.meta_path.insert(0, _PatchAfterImport("scopeif.training.reward_manager", _raise_in_rewards))


def _poison_updates(module):
    """From that update on the advantages are no numbers."""
    train_batch, first, count = module.TrainingWorker.train_batch, int(os.environ["SCOPEIF_TEST_NAN_FROM"]), [0]

    def poisoning(self, data):
        count[0] += 1
        if count[0] >= first:
            data["advantages"] = data["advantages"] * float("nan")
        return train_batch(self, data)

    poisoning.__dict__.update(train_batch.__dict__)
    module.TrainingWorker.train_batch = poisoning


if os.environ.get("SCOPEIF_TEST_NAN_FROM"):
    sys.meta_path.insert(0, _PatchAfterImport("verl.workers.engine_workers", _poison_updates))


def __getattr__(name):
    if name != "NoWeightSync":
        raise AttributeError(name)
    import torch

    from scopeif.training.cpu.vllm_worker import BucketedWeightReceiver, CPUWorkerExtension
    from scopeif.training.cpu.weight_socket import own_socket

    class NoWeightSync(CPUWorkerExtension):
        """Receives the actor's weights and forgets them."""

        def update_weights_from_ipc(self, peft_config=None, base_sync_done=False, use_shm=True):
            handle = own_socket(self._get_zmq_handle())
            receiver = BucketedWeightReceiver(handle, device=torch.device("cpu"), use_shm=use_shm)
            receiver.receive_weights(lambda weights, is_last: None)

    globals()["NoWeightSync"] = NoWeightSync
    return NoWeightSync
