"""The Ray actor of a run; light to import, so that the launcher need not load verl."""

from __future__ import annotations

from typing import Any

from scopeif.training.imports import without_collector


class Runner:
    """Loads verl in a process of its own and trains there."""

    def run(self, config: Any) -> None:
        """Train from a composed config, to the end."""
        with without_collector():
            from scopeif.training.task_runner import TaskRunner

        # Kept: without a reference Ray would end the run's actors at once, and their shared memory would stay behind.
        self._task = TaskRunner()
        self._task.run(config)
