"""The tool sandbox: the layers that the kernel gives, and a hostile sample held."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from scopeif.checks.finding import Finding, fault, ok, warning
from scopeif.checks.subject import Subject

_COMMAND = (sys.executable, "-m", "tools_sandbox", "check", "--workers", "1", "--runs", "20", "--require")
_TIMEOUT_S = 60


def check_sandbox(subject: Subject) -> Iterator[Finding]:
    """What `python -m tools_sandbox check` says."""
    verification = subject.settings.verification
    if verification.kind == "remote":
        yield ok("sandbox", "the service's; none is needed here")
        return
    command = [*_COMMAND, verification.sandbox_require]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    fix = "python -m tools_sandbox check shows every layer and what it needs"
    if done.returncode:
        yield fault("sandbox", (done.stderr.strip() or done.stdout.strip()).splitlines()[-1], fix)
        return
    lines = done.stdout.splitlines()
    missing = [line.split()[0] for line in lines if " MISSING " in line]
    present = [line.split()[0] for line in lines if " present " in line]
    yield ok("sandbox", f"hostile tools are held; layers: {', '.join(present)}")
    if missing:
        yield warning("sandbox", f"second walls that this machine does not give: {', '.join(missing)}", fix)
