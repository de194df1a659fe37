"""Many responses: bounded, streaming, nothing lost."""

import asyncio
import contextlib

import pytest

from scopeif.errors import InvalidInputError
from scopeif.reward import Answer, Record
from scopeif.verification.engine import Item, verify_many
from scopeif.verification.outcome import Outcome


class Slow:
    """Takes the seconds that the answer names; counts how many it does at once."""

    name = "slow"

    def __init__(self):
        self.running = self.most = self.cancelled = 0

    async def verify(self, instruction, constraint, answer):
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await asyncio.sleep(float(answer))
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        if answer == "0.001":
            raise InvalidInputError("the configuration is wrong")
        return Outcome((Record(0, 1, 1),), verifier=self.name)


@pytest.fixture
def one(instructions):
    return next(instruction for instruction in instructions if len(instruction.constraints) == 1)


def items(instruction, seconds):
    return [Item(number, instruction, Answer(text, 1)) for number, text in enumerate(seconds)]


async def test_all_come_in_the_order_of_completion_and_no_more_than_the_bound_at_once(one):
    verifier = Slow()
    seconds = ["0.3", "0", "0.02", *["0"] * 50]
    done = [item.key async for item, _ in verify_many(verifier, items(one, seconds), concurrency=4)]
    assert sorted(done) == list(range(len(seconds)))
    assert done[-1] == 0
    assert verifier.most == 4


async def test_items_are_taken_only_when_there_is_room_and_results_are_taken(one):
    taken = []

    def source():
        for item in items(one, ["0"] * 1000):
            taken.append(item.key)
            yield item

    async with contextlib.aclosing(verify_many(Slow(), source(), concurrency=3)) as results:
        for expected in range(1, 6):
            await anext(results)
            assert len(taken) <= expected + 3
        await asyncio.sleep(0.05)
        assert len(taken) <= 8


async def test_closing_early_cancels_what_is_under_way(one):
    verifier = Slow()
    async with contextlib.aclosing(verify_many(verifier, items(one, ["0", *["30"] * 7]), concurrency=8)) as results:
        await anext(results)
    assert (verifier.running, verifier.cancelled) == (0, 7)


async def test_a_verifier_that_raises_ends_it(one):
    verifier = Slow()
    with pytest.raises(InvalidInputError, match="configuration"):
        async for _ in verify_many(verifier, items(one, ["0.001", "30", "30"]), concurrency=3):
            pass
    assert verifier.running == 0


async def test_no_items_and_no_room(one):
    assert [done async for done in verify_many(Slow(), [])] == []
    with pytest.raises(InvalidInputError, match="at least 1"):
        await anext(verify_many(Slow(), items(one, ["0"]), concurrency=0))
