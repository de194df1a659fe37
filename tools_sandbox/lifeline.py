"""Notices that the client died, however it died.

The control socket says so by itself, unless a fork of the client still holds the other end. So the process
id is watched too, by a pidfd where the kernel has them (5.3), else by asking for the parent every so often.
The parent-death signal is no help here: it follows the thread that started the zygote, not the client.
"""

from __future__ import annotations

import os
import select
import time

_SLICE_S = 0.25


class Lifeline:
    """Watches the process `client`, which must be the parent. Created before entering namespaces."""

    def __init__(self, client: int) -> None:
        self._parent: int | None = client
        self._pidfd: int | None = None
        if os.getppid() != client:
            os._exit(0)  # it died before we could look
        try:
            self._pidfd = os.pidfd_open(client)
        except OSError:
            return
        if os.getppid() != client:
            os._exit(0)  # the descriptor could be of a later process with the same number

    def stop_asking_for_the_parent(self) -> None:
        """For a process whose parent is another: the one above it watches in its place."""
        self._parent = None

    def wait_readable(self, descriptor: int, timeout_s: float | None = None) -> bool:
        """True when `descriptor` is readable, False at the timeout. Never returns when the client is dead."""
        poller = select.poll()
        poller.register(descriptor, select.POLLIN)
        if self._pidfd is not None:
            poller.register(self._pidfd, select.POLLIN)
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while True:
            ready = dict(poller.poll(self._patience_ms(deadline)))
            if self._pidfd in ready or self.client_is_dead():
                os._exit(0)
            if descriptor in ready:
                return True
            if deadline is not None and time.monotonic() >= deadline:
                return False

    def client_is_dead(self) -> bool:
        """By the parent's number; always False where that is not watched."""
        return self._parent is not None and os.getppid() != self._parent

    def sit_beside(self, child: int) -> None:
        """Return when `child` has ended, and reap it; leave the process at once when the client is dead."""
        while True:
            pid, _ = os.waitpid(child, os.WNOHANG)
            if pid == child:
                return
            if self._pidfd is None:
                time.sleep(_SLICE_S)
            elif self._wait_for_either(child):
                os._exit(0)
            if self.client_is_dead():
                os._exit(0)

    def _wait_for_either(self, child: int) -> bool:
        """Sleep until the client or `child` ends; True when it is the client."""
        assert self._pidfd is not None
        other = os.pidfd_open(child)
        try:
            ended, _, _ = select.select([self._pidfd, other], [], [])
        finally:
            os.close(other)
        return self._pidfd in ended

    def _patience_ms(self, deadline: float | None) -> float | None:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if self._pidfd is None:
            left = _SLICE_S if left is None else min(left, _SLICE_S)
        return None if left is None else left * 1000 + 1
