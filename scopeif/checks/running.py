"""All checks, one after another; whatever one of them meets, the others go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from scopeif.checks.cluster import check_cluster
from scopeif.checks.configuration import check_config
from scopeif.checks.data import check_data
from scopeif.checks.finding import Finding, fault, of_error
from scopeif.checks.judge import check_judge
from scopeif.checks.machine import (
    check_disk,
    check_gpus,
    check_memory,
    check_open_files,
    check_ports,
    check_shared_memory,
)
from scopeif.checks.policy import check_policy, check_stop_tokens, check_thinking
from scopeif.checks.sandbox import check_sandbox
from scopeif.checks.service import check_service
from scopeif.checks.subject import Subject
from scopeif.checks.versions import check_versions
from scopeif.errors import ScopeIFError

Check = Callable[[Subject], Iterator[Finding]]

CHECKS: tuple[Check, ...] = (
    check_versions,
    check_config,
    check_policy,
    check_thinking,
    check_stop_tokens,
    check_data,
    check_memory,
    check_disk,
    check_shared_memory,
    check_open_files,
    check_ports,
    check_gpus,
    check_sandbox,
    check_judge,
    check_service,
    check_cluster,
)


def run_checks(subject: Subject, checks: Sequence[Check] = CHECKS) -> Iterator[Finding]:
    """The findings of all checks, as they come."""
    for check in checks:
        name = check.__name__.removeprefix("check_").replace("_", " ")
        try:
            yield from check(subject)
        except ScopeIFError as error:
            yield of_error(name, error)
        except Exception as error:  # noqa: BLE001  (a check that breaks is a finding, and must not hide the others)
            yield fault(name, f"the check broke: {type(error).__name__}: {error}", "please report it")
