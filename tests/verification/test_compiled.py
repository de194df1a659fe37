"""Specs compiled to tools, run in the real sandbox."""

from pathlib import Path

import pytest

from scopeif.constraints.dataset import read_jsonl
from scopeif.measure import evaluate
from scopeif.verification.compiled import CompiledVerifier
from scopeif.verification.outcome import Reason, Status
from tools_sandbox import Limits, ToolPool

DATA = Path(__file__).parents[2] / "data" / "scope_mini" / "test.jsonl"
ANSWER = "The sea is calm. The boats rest, and nobody hurries.\n\nA bird calls!"


@pytest.fixture(scope="module")
def pool():
    with ToolPool(workers=1) as pool:
        yield pool


@pytest.fixture(scope="module")
def instructions():
    return read_jsonl(DATA)[:40]


async def test_the_sandboxed_tool_gives_what_evaluate_gives(pool, instructions):
    verifier = CompiledVerifier(pool)
    for instruction in instructions:
        outcomes = await verifier.verify(instruction.constraints, ANSWER)
        for constraint, outcome in zip(instruction.constraints, outcomes, strict=True):
            assert list(outcome.records) == evaluate(constraint.spec, ANSWER)
            assert "def measure(response):" in outcome.tool_source


async def test_a_constraint_without_a_spec_stays_unverified(pool, instructions):
    bare = instructions[0].constraints[0].model_copy(update={"spec": None})
    first, second = await CompiledVerifier(pool).verify([bare, instructions[1].constraints[0]], ANSWER)
    assert (first.status, first.reason) == (Status.UNVERIFIED, Reason.NO_SPEC)
    assert second.status is not Status.UNVERIFIED


async def test_an_ambiguous_response_stays_unverified(pool, instructions):
    constraint = next(
        c for i in instructions for c in i.constraints if any("paragraph" in x.object for x in c.counting_objects)
    )
    lines = "One sentence stands here.\nAnother one stands below.\nAnd a third."
    (outcome,) = await CompiledVerifier(pool).verify([constraint], lines)
    assert (outcome.status, outcome.reason) == (Status.UNVERIFIED, Reason.AMBIGUOUS)


async def test_a_tool_over_its_limits_is_no_verdict(instructions):
    with ToolPool(workers=1, limits=Limits(argument_bytes=64)) as small:
        (outcome,) = await CompiledVerifier(small).verify(instructions[0].constraints[:1], ANSWER)
    assert (outcome.status, outcome.reason) == (Status.UNVERIFIED, Reason.TOOL)
    assert "too_large" in outcome.detail
