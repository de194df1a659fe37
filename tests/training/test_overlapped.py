"""The overlapped mode: what may go with it, in which order it draws and trains, and what it knows of old weights."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from scopeif.errors import ConfigError, TrainingFailed
from scopeif.training.composing import compose_config
from scopeif.training.consistency import check_consistency, is_overlapped
from scopeif.training.planning.dry_run import planned_settings
from scopeif.training.planning.plan import make_plan
from scopeif.training.planning.plan_lines import plan_lines

pytestmark = pytest.mark.filterwarnings("ignore")  # of engines that verl looks for and does not find
IS = "algorithm.rollout_correction"


def check(*overrides):
    config = compose_config(["recipe=qwen3_8b", *overrides])
    check_consistency(config, planned_settings(config)[0])
    return config


# -- config ------------------------------------------------------------------------------------------------------------


def test_only_the_option_overlaps_and_only_it_weighs_by_importance():
    assert [is_overlapped(check(*option)) for option in ([], ["option=overlapped"])] == [False, True]
    assert check().algorithm.rollout_correction.rollout_is is None
    assert check("option=overlapped").algorithm.rollout_correction.rollout_is == "token"


@pytest.mark.parametrize(
    "overrides, key",
    [
        (["option=[group_filtering,overlapped]"], "algorithm.filter_groups.enable"),
        (["option=overlapped", "trainer.v1.colocate_async.num_warmup_batches=2"], "num_warmup_batches"),
        (["option=overlapped", "trainer.v1.sampler.sync_refill_failed_groups=true"], "sync_refill_failed_groups"),
        (["option=overlapped", "actor_rollout_ref.rollout.calculate_log_probs=false"], "calculate_log_probs"),
        (["option=overlapped", f"{IS}.rollout_is=null"], f"{IS}.rollout_is"),
        (["option=overlapped", f"{IS}.rollout_rs=token_k1"], f"{IS}.rollout_rs"),
        (["option=overlapped", f"{IS}.bypass_mode=true"], f"{IS}.bypass_mode"),
        (["trainer.v1.trainer_mode=colocate_async"], "trainer.v1.trainer_mode"),
        (["trainer.v1.trainer_mode=sync"], "trainer.v1.trainer_mode"),
    ],
)
def test_what_cannot_go_with_it_is_refused_by_name(overrides, key):
    with pytest.raises(ConfigError) as caught:
        check(*overrides)
    assert key in str(caught.value)


def test_the_plan_says_who_generates_and_who_trains():
    plans = [make_plan(config, planned_settings(config)[0]) for config in (check(), check("option=overlapped"))]
    sync, overlapped = ["\n".join(plan_lines(plan)) for plan in plans]
    assert "overlapped  each GPU generates, then trains; the next step's 256 responses" in overlapped
    assert "overlapped" not in sync
    assert [plan.papers_setting for plan in plans] == [True, False]


# -- drawing and training ----------------------------------------------------------------------------------------------


class Run:
    """The order of a run's draws and steps, with verl's loop and loader reduced to what decides it."""

    def __init__(self, total, done=0, position=0):
        from scopeif.training.overlapped import OverlappedTrainer

        self.trainer = trainer = OverlappedTrainer.__new__(OverlappedTrainer)
        self.position, self.logged, self.waiting, self.trained, self.saved = position, {}, {}, {}, {}
        trainer.train_dataloader = SimpleNamespace(state_dict=lambda: self.position)
        trainer.total_training_steps = total
        trainer._before_draw = None
        trainer._add_batch_to_generate = self.draw
        trainer.global_steps = done + 1
        trainer._add_async_warmup_batches(1)
        while trainer.global_steps <= total:
            trainer.prepare_step()
            ready = [tag for tag in self.waiting if tag < trainer.global_steps]
            assert len(ready) == 1
            self.trained[trainer.global_steps] = self.waiting.pop(ready[0])
            self.saved[trainer.global_steps] = trainer.data_position()
            trainer.global_steps += 1

    def draw(self):
        self.position += 1
        self.logged[self.trainer.step_of_draw()] = self.position
        self.waiting[self.trainer.global_steps] = self.position


def test_each_step_trains_on_one_draw_in_order_and_nothing_is_left():
    run = Run(total=5)
    assert run.trained == run.logged == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
    assert run.waiting == {}


@pytest.mark.parametrize("step", [1, 2, 3, 4])
def test_a_resumed_run_trains_on_what_was_under_way(step):
    whole = Run(total=5)
    resumed = Run(total=5, done=step, position=whole.saved[step])
    assert whole.trained == {s: whole.trained[s] for s in range(1, step + 1)} | resumed.trained
    assert resumed.logged == resumed.trained


def test_a_finished_run_holds_the_position_of_a_run_in_sync_mode():
    """So that either may be extended by the other."""
    assert Run(total=3).saved == {1: 1, 2: 2, 3: 3}
    assert Run(total=3, done=3, position=3).trained == {}


@pytest.mark.parametrize("step", range(1, 11))  # into a third epoch
def test_a_position_before_a_draw_is_that_after_the_draw_before(step):
    """Verl's loader and sampler: the state that an overlapped checkpoint holds goes on as that of sync mode does."""
    after, before = _draws(11, ahead=False), _draws(11, ahead=True)
    assert before.ids == after.ids
    for state in (before.states[step], after.states[step - 1]):
        assert [_draws(11 - step, ahead, state).ids for ahead in (False, True)] == [after.ids[step:]] * 2


def _draws(count, ahead, state=None):
    """What is drawn, and the loader's states: before each draw, or after."""
    from torchdata.stateful_dataloader import StatefulDataLoader
    from torchdata.stateful_dataloader.sampler import RandomSampler

    rows = list(range(16))
    sampler = RandomSampler(rows, generator=torch.Generator().manual_seed(42))
    loader = StatefulDataLoader(rows, batch_size=4, drop_last=True, sampler=sampler, collate_fn=list)
    if state is not None:
        loader.load_state_dict(state)
    drawn, states, iterator = [], [], None
    for _ in range(count):
        states += [loader.state_dict()] if ahead else []
        iterator = iter(loader) if iterator is None else iterator
        batch = next(iterator, None)
        if batch is None:  # as verl's _fetch_one_gen_batch does
            iterator = iter(loader)
            batch = next(iterator)
        drawn.append(batch)
        states += [] if ahead else [loader.state_dict()]
    return SimpleNamespace(ids=drawn, states=states)


@pytest.fixture
def buffer():
    return SimpleNamespace(
        prompt_global_steps={"train": {"a": 1, "b": 2}, "val": {"c": 2}},
        failure_keys={"train": set(), "val": {"c"}},
        _sampleable_terminal_keys=lambda partition, reasons: {"train": {"a", "b"}, "val": {"c"}}[partition],
    )


@pytest.fixture
def trainer(buffer, monkeypatch):
    from scopeif.training.overlapped import OverlappedTrainer
    from scopeif.training.trainer import ScopeIFTrainer

    monkeypatch.setattr(ScopeIFTrainer, "_build_replay_buffer", lambda self: buffer)
    trainer = OverlappedTrainer.__new__(OverlappedTrainer)
    trainer.global_steps = 2
    trainer.config = compose_config(["recipe=tiny", "option=overlapped"])
    trainer._build_replay_buffer()
    return trainer


def test_only_what_was_drawn_before_may_be_sampled_and_every_validation(trainer, buffer):
    assert buffer._sampleable_terminal_keys("train", None) == {"a"}
    assert buffer._sampleable_terminal_keys("val", None) == {"c"}


@pytest.mark.parametrize("group", ["a", "b"])  # of this step, and of the next
def test_a_reward_that_raised_stops_the_run_before_anything_is_trained_on(trainer, buffer, group):
    saved = []
    trainer.save_for_stop = lambda: saved.append(trainer.global_steps - 1)
    trainer.run = SimpleNamespace(path=Path("runs/x/001"))
    buffer.failure_keys["train"].add(group)
    with pytest.raises(TrainingFailed, match="came back without a result"):
        buffer._sampleable_terminal_keys("train", None)
    assert saved == [1]


# -- versions of the weights -------------------------------------------------------------------------------------------


async def test_the_client_notes_the_version_of_every_token():
    """verl's own client resumes; each piece comes from the weights that are in the server then."""
    from verl.workers.rollout.llm_server import LLMServerClient
    from verl.workers.rollout.replica import TokenOutput

    from scopeif.training.policy_versions import FIELD, VersionedClient

    pieces = [(6, [1, 2], "aborted"), (6, [], "aborted"), (6, [3], "aborted"), (7, [4, 5, 6], "completed")]
    asked = []

    async def piece(self, request_id, *, prompt_ids, **arguments):
        version, tokens, reason = pieces[len(asked)]
        asked.append(list(prompt_ids))
        return TokenOutput(
            token_ids=tokens, log_probs=[-1.0] * len(tokens), stop_reason=reason, extra_fields={"global_steps": version}
        )

    async def no_wait(seconds):
        return None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LLMServerClient, "generate", piece)
        patch.setattr("verl.workers.rollout.llm_server.asyncio.sleep", no_wait)
        client = VersionedClient.__new__(VersionedClient)
        client.config = SimpleNamespace()
        output = await client.generate("request", prompt_ids=[9], sampling_params={})
    assert list(output.token_ids) == [1, 2, 3, 4, 5, 6]
    assert output.extra_fields[FIELD] == [[6, 3], [7, 3]]
    assert (output.extra_fields["min_global_steps"], output.extra_fields["max_global_steps"]) == (6, 7)
    assert asked == [[9], [9, 1, 2], [9, 1, 2], [9, 1, 2, 3]]


def test_metrics_of_the_lag():
    from scopeif.training.policy_versions import version_metrics

    assert version_metrics([[[6, 3], [7, 1]], [[7, 4]]], current=7) == {
        "overlap/lag_mean": 3 / 8,
        "overlap/lag_max": 1.0,
        "overlap/older_token_frac": 3 / 8,
        "overlap/mixed_sample_frac": 0.5,
    }
    assert version_metrics([[]], current=7) == {}


def test_agreement_is_over_the_tokens_of_the_current_weights():
    from scopeif.training.policy_versions import current_agreement

    versions = [[[6, 1], [7, 2]], [[7, 2]]]
    rollout = [torch.tensor([0.9, 0.1, 0.2]).log(), torch.tensor([0.3, 0.4]).log()]
    actor = [torch.tensor([0.1, 0.1, 0.2]).log(), torch.tensor([0.3, 0.4]).log()]
    columns = {"rollout_log_probs": rollout, "old_log_probs": actor}
    assert current_agreement(versions, columns, current=7) == {"overlap/current_probs_pearson_corr": pytest.approx(1)}
    assert current_agreement(versions, columns, current=6) == {}  # one token
    actor[1] = torch.tensor([0.4, 0.3]).log()
    value = current_agreement(versions, columns, current=7)["overlap/current_probs_pearson_corr"]
    assert value == pytest.approx(0.8)


def test_a_response_cut_at_its_cap_has_fewer_tokens_than_were_generated():
    from scopeif.training.policy_versions import current_agreement

    row = torch.tensor([0.1, 0.2, 0.4]).log()
    columns = {"rollout_log_probs": [row], "old_log_probs": [row]}
    assert current_agreement([[[7, 5]]], columns, current=7) == {"overlap/current_probs_pearson_corr": pytest.approx(1)}
