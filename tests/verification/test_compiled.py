"""Specs compiled to tools, run in the real sandbox."""

from scopeif.measure import evaluate
from scopeif.reward import Answer
from scopeif.verification.compiled import CompiledVerifier
from scopeif.verification.outcome import Reason, Status
from scopeif.verification.verifier import verify_response
from tools_sandbox import Limits, ToolPool

ANSWER = "The sea is calm. The boats rest, and nobody hurries.\n\nA bird calls!"


async def test_the_sandboxed_tool_gives_what_evaluate_gives(pool, instructions):
    verifier = CompiledVerifier(pool)
    for instruction in instructions:
        verified = await verify_response(verifier, instruction, Answer(ANSWER, 1))
        for constraint, outcome in zip(instruction.constraints, verified.outcomes, strict=True):
            assert list(outcome.records) == evaluate(constraint.spec, ANSWER)
            assert "def measure(response):" in outcome.tool_source


async def test_a_constraint_without_a_spec_stays_unverified(pool, instructions):
    bare = instructions[0].constraints[0].model_copy(update={"spec": None})
    verifier = CompiledVerifier(pool)
    first = await verifier.verify(instructions[0], bare, ANSWER)
    second = await verifier.verify(instructions[0], instructions[1].constraints[0], ANSWER)
    assert (first.status, first.reason) == (Status.UNVERIFIED, Reason.NO_SPEC)
    assert second.status is not Status.UNVERIFIED


async def test_an_ambiguous_response_stays_unverified(pool, instructions):
    constraint = next(
        c for i in instructions for c in i.constraints if any("paragraph" in x.object for x in c.counting_objects)
    )
    lines = "One sentence stands here.\nAnother one stands below.\nAnd a third."
    outcome = await CompiledVerifier(pool).verify(instructions[0], constraint, lines)
    assert (outcome.status, outcome.reason) == (Status.UNVERIFIED, Reason.AMBIGUOUS)


async def test_a_tool_over_its_limits_is_no_verdict(instructions):
    with ToolPool(workers=1, limits=Limits(argument_bytes=64)) as small:
        outcome = await CompiledVerifier(small).verify(instructions[0], instructions[0].constraints[0], ANSWER)
    assert (outcome.status, outcome.reason) == (Status.UNVERIFIED, Reason.TOOL)
    assert "too_large" in outcome.detail


async def test_nothing_of_a_response_without_format_reward_is_measured(pool, instructions):
    verified = await verify_response(CompiledVerifier(pool), instructions[0], Answer("", 0, "empty"))
    assert (verified.outcomes, verified.verified, verified.reward("scopeif")) == ((), True, 0.0)
