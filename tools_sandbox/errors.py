"""Every error of the package.

    SandboxError (RuntimeError)
    ├── SandboxUnavailable   a layer that was asked for cannot be enforced here
    ├── ZygoteLost           the process that starts the runs died or answers no more
    ├── PoolClosed           the pool was closed, or belongs to another process
    └── InvalidInput         (also ValueError) a Run or a limit that makes no sense
        └── BadFrame         bytes from a tool that are not one strict JSON value
            └── FrameTooLarge   ... or are more than the limit

A tool that fails is not an error of the package: it is a `Result` whose status says so.
All of them survive pickling, since they cross process borders in a cluster.
"""

from __future__ import annotations


class SandboxError(RuntimeError):
    """Base of everything that this package raises on purpose."""


class SandboxUnavailable(SandboxError):
    """A layer that was asked for is missing: its name, the kernel's reason, and what to do."""

    def __init__(self, layer: str, reason: str, remedy: str) -> None:
        super().__init__(layer, reason, remedy)  # all arguments, so that pickle can call it again
        self.layer = layer
        self.reason = reason
        self.remedy = remedy

    def __str__(self) -> str:
        return f"the sandbox layer {self.layer!r} is not available: {self.reason}. {self.remedy}"


class ZygoteLost(SandboxError):
    """The zygote died, hangs, or answered out of order: nothing is known about the run."""


class PoolClosed(SandboxError):
    """The pool was closed, or was created by another process (a fork cannot share it)."""


class InvalidInput(SandboxError, ValueError):
    """The caller passed something that no run can be made of."""


class BadFrame(InvalidInput):
    """The bytes that a tool sent are not one strict JSON value."""


class FrameTooLarge(BadFrame):
    """The frame that a tool announced is larger than the limit."""
