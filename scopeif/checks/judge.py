"""The judge: every endpoint up and serving the model, and how many calls at a time it takes well."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from scopeif.checks.finding import Finding, fault, ok, warning
from scopeif.checks.subject import Subject
from scopeif.judge.client import JudgeClient
from scopeif.judge.settings import ConcurrencySettings, JudgeSettings

LADDER = (1, 4, 16, 64, 256)
"""Calls at a time that are tried on each endpoint."""
WORTH = 1.2
"""More calls at a time are worth it while they bring so many times the answers a second."""
_PATIENCE_S = 5.0


def check_judge(subject: Subject) -> Iterator[Finding]:
    """Health, then a short load test."""
    judge = subject.settings.judge
    if judge is None:
        yield ok("judge", "none is configured")
        return
    if subject.no_endpoints:
        yield fault("judge", subject.no_endpoints, "give one of them")
        return
    yield from asyncio.run(_check(judge, subject.load_test_s))


async def _check(judge: JudgeSettings, seconds: float) -> list[Finding]:
    async with JudgeClient(_impatient(judge, judge.concurrency.start)) as client:
        report = await client.check()
    if report.faults:
        fix = (
            "start its servers, or mend judge.endpoints and judge.model; a run waits and then leaves samples unverified"
        )
        return [fault("judge", text, fix) for text in report.faults]
    endpoints = len(report.endpoints)
    found = [ok("judge", f"{endpoints} endpoint{'s' * (endpoints > 1)} serve{'s' * (endpoints == 1)} {judge.model}")]
    if not seconds:
        return found
    rungs = [rung async for rung in _load(judge, endpoints, seconds)]
    return [*found, _proposal(judge, rungs)]


@dataclass(frozen=True)
class Rung:
    """How so many calls at a time and endpoint went."""

    concurrency: int
    per_s: float
    slowest_s: float
    fault: str | None = None


async def _load(judge: JudgeSettings, endpoints: int, seconds: float) -> AsyncIterator[Rung]:
    """Short questions, more and more at a time, while that brings more answers and the time lasts."""
    begun, best = time.monotonic(), 0.0
    for concurrency in LADDER:
        if time.monotonic() - begun > seconds:
            return
        async with JudgeClient(_impatient(judge, concurrency)) as client:
            probe = await client.probe(concurrency * endpoints)
        per_s = len(probe.answers) / probe.seconds
        yield Rung(concurrency, per_s, probe.slowest_s, probe.faults[0] if probe.faults else None)
        if probe.faults or per_s < WORTH * best:
            return
        best = per_s


def _impatient(judge: JudgeSettings, concurrency: int) -> JudgeSettings:
    limits = ConcurrencySettings(start=concurrency, min=1, max=concurrency)
    changed = {"concurrency": limits, "outage_patience_s": _PATIENCE_S, "retries": 0, "cache_path": None}
    return judge.model_copy(update=changed)


def _proposal(judge: JudgeSettings, rungs: list[Rung]) -> Finding:
    if rungs[0].fault:
        return fault("judge load", f"it does not answer: {rungs[0].fault}", "look at the server's log")
    best = propose(rungs)
    text = (
        f"{best.per_s:.1f} short answers a second with {best.concurrency} calls at a time and endpoint, the slowest in "
        f"{best.slowest_s:.1f} s; tried {', '.join(str(rung.concurrency) for rung in rungs)}"
    )
    start = judge.concurrency.start
    if best.concurrency < start / 2:
        return warning("judge load", text, f"judge.concurrency.start={best.concurrency} (it is {start})")
    return ok("judge load", f"{text}; judge.concurrency.start is {start}")


def propose(rungs: list[Rung]) -> Rung:
    """The most calls at a time that were still worth it: each rung brought `WORTH` times the answers of the last."""
    chosen = rungs[0]
    for rung in rungs[1:]:
        if rung.fault or rung.per_s < WORTH * chosen.per_s:
            break
        chosen = rung
    return chosen
