"""What protects the runs on this machine, and what does not."""

from __future__ import annotations

import dataclasses

LAYERS = ("seccomp", "landlock", "namespaces", "nobody")

GUARANTEES = {
    "seccomp": "no network, no files, no processes, threads or signals; memory and CPU are bounded",
    "landlock": "a second wall for files, network ports and signals",
    "namespaces": "an empty file system, no network, no view of other processes; they die together",
    "nobody": "the runs have a user id that owns nothing",
}

REMEDIES = {
    "seccomp": "Use Linux 4.14 or later on x86_64 or aarch64 with CONFIG_SECCOMP_FILTER, and a container "
    "that lets a process add a filter to itself; tools are never run without it.",
    "landlock": "Use Linux 5.13 or later with 'landlock' in the lsm= list of the kernel's command line.",
    "namespaces": "Allow unprivileged user namespaces (sysctl user.max_user_namespaces, "
    "kernel.apparmor_restrict_unprivileged_userns=0), or let the container use unshare and mount.",
    "nobody": "Start the pool as root, or as the user nobody.",
    "preload": "Name only modules that this interpreter can import without site-packages.",
    "text": "Install the package with its dependencies (markdown-it-py) for this interpreter.",
    "zygote": "Look at the reason; `python -m tools_sandbox check` repeats the start alone.",
}


@dataclasses.dataclass(frozen=True, slots=True)
class Layer:
    """One layer: whether it is in force, and the details or the reason why not."""

    name: str
    present: bool
    detail: str

    def __str__(self) -> str:
        state = "present" if self.present else "MISSING"
        return f"{self.name:<11} {state}  {self.detail}  ({GUARANTEES[self.name]})"


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """What `ToolPool.report()` gives: the layers as the zygotes found them, and where they run."""

    layers: tuple[Layer, ...]
    python: str
    kernel: str
    machine: str
    helpers: tuple[str, ...]  # the functions that tools are given
    workers: int

    @property
    def missing(self) -> tuple[Layer, ...]:
        return tuple(layer for layer in self.layers if not layer.present)

    def lines(self) -> list[str]:
        """The report as text, one layer a line."""
        place = f"Python {self.python}, Linux {self.kernel}, {self.machine}, {self.workers} workers"
        return [place, *map(str, self.layers)]
