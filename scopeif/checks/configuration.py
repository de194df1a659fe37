"""The config: our own contradictions, and verl's validation of what a trainer would refuse after minutes."""

from __future__ import annotations

from collections.abc import Iterator

from scopeif.checks.finding import Finding, fault, ok
from scopeif.checks.subject import Subject
from scopeif.training.consistency import check_consistency
from scopeif.training.verl_validation import verl_refusals


def check_config(subject: Subject) -> Iterator[Finding]:
    """Ours first: verl's takes its imports."""
    check_consistency(subject.config, subject.settings)
    [refusal] = verl_refusals([subject.config])
    if refusal:
        yield fault("config", f"verl refuses it: {refusal}", "the message names the keys; --cfg job prints all of them")
        return
    run = subject.settings
    how = (
        f"reward {run.reward.scheme}, verification {run.verification.kind}, thinking {'on' if run.thinking else 'off'}"
    )
    yield ok("config", f"consistent, and accepted by verl: {how}")
