"""A tool that keeps meeting its limits is not run any more."""

from __future__ import annotations

import pytest

from tools_sandbox import InvalidInput, Limits, Result, Run, ToolPool
from tools_sandbox.quarantine import Quarantine

SLEEP = "def f(x):\n    import time\n    time.sleep(x)\n    return x\n"


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def quarantine(clock: Clock) -> Quarantine:
    return Quarantine(after=3, for_s=100, clock=clock)


def test_the_last_status_is_kept_and_the_error_says_why(quarantine: Quarantine) -> None:
    for status in ("cpu", "cpu", "wall"):
        assert quarantine.refusal("tool") is None
        quarantine.note("tool", Result(status, error="not done after 10 s"))  # type: ignore[arg-type]
    refusal = quarantine.refusal("tool")
    assert refusal is not None
    assert refusal == Result(
        "wall", error="quarantined, not run: 3 runs met a limit, the last: not done after 10 s", quarantined=True
    )
    assert quarantine.refusal("another tool") is None


@pytest.mark.parametrize("status", ["ok", "error", "infra", "crash", "memory", "too_large", "bad_result", "no_result"])
def test_only_timeouts_count(quarantine: Quarantine, status: str) -> None:
    for _ in range(9):
        quarantine.note("tool", Result(status))  # type: ignore[arg-type]
    assert quarantine.refusal("tool") is None


def test_a_reset_and_the_passing_of_time_both_forget(quarantine: Quarantine, clock: Clock) -> None:
    for _ in range(3):
        quarantine.note("tool", Result("cpu"))
    quarantine.reset()
    assert quarantine.refusal("tool") is None
    for clock.now in (0.0, 50.0, 90.0):
        quarantine.note("tool", Result("cpu"))
    clock.now = 189.0
    assert quarantine.refusal("tool") is not None
    clock.now = 191.0
    assert quarantine.refusal("tool") is None


def test_old_records_are_dropped(quarantine: Quarantine, clock: Clock) -> None:
    for clock.now in range(1000):
        quarantine.note(f"tool {clock.now}", Result("cpu"))
        quarantine.refusal("tool")
    assert len(quarantine._records) <= 101


def test_zero_turns_it_off() -> None:
    never = Quarantine(after=0, for_s=100)
    for _ in range(9):
        never.note("tool", Result("wall"))
    assert never.refusal("tool") is None


def test_a_pool_stops_running_a_tool_that_keeps_timing_out() -> None:
    with ToolPool(workers=1, limits=Limits(wall_s=0.1), quarantine_after=2) as pool:
        fast, slow = Run(SLEEP, "f", [0]), Run(SLEEP, "f", [60])
        assert [result.quarantined for result in pool.run_many([slow, slow])] == [False, False]
        refused = pool.run(fast)  # the same source, whatever its arguments
        assert (refused.status, refused.quarantined, refused.value) == ("wall", True, None)
        assert refused.wall_ms == refused.cpu_ms == 0
        assert "quarantined" in refused.error
        assert pool.run(Run(SLEEP + "#", "f", [0])).value == 0
        pool.reset_quarantine()
        assert pool.run(fast).value == 0


@pytest.mark.parametrize("arguments", [{"quarantine_after": -1}, {"quarantine_after": True}, {"quarantine_s": "x"}])
def test_nonsense_is_refused(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(arguments))):
        ToolPool(**arguments)  # type: ignore[arg-type]
