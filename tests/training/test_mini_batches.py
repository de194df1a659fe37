"""Masked samples leave the actor's losses alone, in every mode of verl's own aggregation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scopeif.errors import InvalidInputError
from scopeif.training.mini_batches import deal

MODES = ["token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm", "token-sum"]


def lengths(count):
    return {f"g_{i}_0": 10 + i for i in range(count)}


@given(st.data(), st.integers(1, 4), st.integers(1, 4), st.integers(1, 4))
def test_every_teaching_row_once_and_never_a_batch_without_one(data, count, unit, times):
    tokens = lengths(count * unit * times)
    kept = data.draw(st.sets(st.sampled_from(sorted(tokens)), min_size=1))
    teaching = [key for key in tokens if key in kept]
    dealt = deal(teaching, tokens, count, unit)
    rows = [key for batch in dealt.batches for key in batch]
    assert len(rows) == len(set(rows))
    assert [key for key in rows if key in kept] == teaching
    assert {len(batch) for batch in dealt.batches} == {dealt.size}
    assert dealt.size % unit == 0
    shares = [len(kept & set(batch)) for batch in dealt.batches]
    assert min(shares) >= 1
    assert max(shares) - min(shares) <= 1
    assert dealt.samples == pytest.approx(sum(shares) / len(shares))


def test_a_batch_without_masks_is_cut_as_verl_does():
    tokens = lengths(32)
    dealt = deal(list(tokens), tokens, count=4, unit=8)
    assert dealt.batches == tuple(tuple(list(tokens)[i : i + 8]) for i in range(0, 32, 8))
    assert (dealt.size, dealt.samples) == (8, 8)


def test_the_shortest_masked_rows_fill_up():
    tokens = {"a": 9, "b": 7, "c": 3, "d": 5}
    assert deal(["a"], tokens, count=1, unit=2).batches == (("a", "c"),)


@pytest.mark.parametrize("teaching, rows, fault", [([], 4, "no sample"), (["g_0_0"], 5, "5 rows")])
def test_what_cannot_be_dealt(teaching, rows, fault):
    with pytest.raises(InvalidInputError, match=fault):
        deal(teaching, lengths(rows), count=2, unit=2)


def loss(mode, rows, masks, divisor, tokens=None):
    """verl's loss of a mini-batch, as its engine calls it on one rank."""
    import torch
    from verl.trainer.ppo.core_algos import agg_loss

    mask = torch.tensor(masks, dtype=torch.bool)
    return agg_loss(
        torch.tensor(rows), mask, mode, dp_size=1, batch_num_tokens=tokens if tokens is not None else mask.sum().item(),
        global_batch_size=divisor, loss_scale_factor=4 if mode.endswith("norm") else None,
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("count", [1, 2])
def test_masked_samples_do_not_change_the_loss(mode, count):
    """The loss of a step with masked rows is that of a step that never had them."""
    import torch

    generator = torch.Generator().manual_seed(5)
    keys = [f"g_{i}_0" for i in range(8)]
    values = {key: torch.rand(4, generator=generator).tolist() for key in keys}
    valid = {key: [1, 1, 1, int(index % 2)] for index, key in enumerate(keys)}
    teaching = [keys[i] for i in (0, 3, 4, 6)]
    with_masked = deal(teaching, dict.fromkeys(keys, 4), count, unit=4)
    without = deal(teaching, dict.fromkeys(teaching, 4), count, unit=1)
    for left, right in zip(with_masked.batches, without.batches, strict=True):
        masks = [valid[key] if key in teaching else [0] * 4 for key in left]
        got = loss(mode, [values[key] for key in left], masks, with_masked.samples)
        expected = loss(mode, [values[key] for key in right], [valid[key] for key in right], without.samples)
        assert torch.isfinite(got)
        torch.testing.assert_close(got, expected)


def test_verl_itself_would_divide_by_the_masked_rows_and_by_no_token():
    """Why the rows are dealt: when this fails, verl has changed and `mini_batches` can go."""
    import torch

    masks, rows = [[1, 1], [0, 0]], [[1.0, 1.0], [1.0, 1.0]]
    assert loss("seq-mean-token-mean", rows, masks, divisor=2).item() == pytest.approx(0.5)
    assert torch.isnan(loss("token-mean", rows, [[0, 0], [0, 0]], divisor=2, tokens=0))


@pytest.mark.parametrize("mode", ["seq-mean-token-sum", "seq-mean-token-mean"])
def test_every_sample_weighs_the_same_in_a_step_of_unequal_mini_batches(mode):
    teaching = [f"g_{i}_0" for i in range(5)]
    dealt = deal(teaching, lengths(8), count=2, unit=2)
    weights = {}
    for batch in dealt.batches:
        for key in set(batch) & set(teaching):
            rows = [[float(other == key)] * 2 for other in batch]
            masks = [[1, 1] if other in teaching else [0, 0] for other in batch]
            weights[key] = loss(mode, rows, masks, dealt.samples).item()
    assert len(set(weights.values())) == 1
