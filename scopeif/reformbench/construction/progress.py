"""How far a stage is: a bar with rate and time left in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

_EVERY_S = 10.0


Show = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""From a name and a number of items to a context, whose function is called after every item."""


@contextmanager
def silent(name: str, total: int) -> Iterator[Callable[[], None]]:
    """Shows nothing."""
    yield lambda: None


@contextmanager
def shown(name: str, total: int) -> Iterator[Callable[[], None]]:
    """Shows on the error stream."""
    console = Console(stderr=True)
    begun = said = time.monotonic()
    done = 0
    columns = (
        TextColumn("{task.fields[stage]}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=total, stage=name, rate="")

        def tick() -> None:
            nonlocal done, said
            done += 1
            now = time.monotonic()
            rate = done / max(now - begun, 1e-9)
            progress.update(task, completed=done, rate=f"{rate:.1f}/s")
            if not console.is_terminal and now - said >= _EVERY_S:
                said = now
                left = (total - done) / rate
                console.print(f"{name}  {done}/{total}  {rate:.1f}/s  {left:.0f} s left", highlight=False, markup=False)

        yield tick
