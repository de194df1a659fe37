"""Verifiers with a scripted judge and the real sandbox: whole verifications, exactly."""

import asyncio

import pytest
from scripted import NO, NO_TOOL, ScriptedJudge, judgment, tool

from scopeif.errors import JudgeRefused, JudgeUnavailable
from scopeif.reward import Answer
from scopeif.verification.asking import CUT_OFF, Asker
from scopeif.verification.auto import AutoVerifier
from scopeif.verification.checkers import RuleVerifier, StaticToolVerifier
from scopeif.verification.compiled import CompiledVerifier
from scopeif.verification.llm_only import LLMVerifier
from scopeif.verification.outcome import Outcome, Reason, Status
from scopeif.verification.per_response import PerResponseVerifier
from scopeif.verification.tool_grounded import ToolGroundedVerifier
from scopeif.verification.verifier import verify_response

ANSWER = "The sea is calm.\n\nThe boats rest, and nobody hurries."
COUNT = 'def count(text):\n    return [{"Description": "words", "Computed Result": count_word(text)}]'
AMBIGUOUS = "One sentence stands here.\nAnother one stands below.\nAnd a third."


def tgv(pool, layout="paper", **scripts):
    judge = ScriptedJudge(**scripts)
    return ToolGroundedVerifier(Asker(judge, layout=layout), pool), judge


async def verify(verifier, instructions, number=0, answer=ANSWER):
    return await verifier.verify(instructions[number], instructions[number].constraints[0], answer)


async def test_tool_evidence_judgment(pool, instructions):
    verifier, judge = tgv(pool, tool_design=tool(COUNT, text="The sea is calm."), judgment=judgment((1, 5, 4)))
    outcome = await verify(verifier, instructions)
    assert (outcome.status, outcome.verifier, outcome.conflict) == (Status.SATISFIED, "tgv", False)
    assert [(r.lower, r.upper, r.actual) for r in outcome.records] == [(1, 5, 4)]
    assert (outcome.tool_source, outcome.tool_arguments) == (COUNT, ("The sea is calm.",))
    assert '"Computed Result": 4' in outcome.evidence
    assert outcome.evidence in judge.asked("judgment")[0][0]["content"]
    assert [call.kind for call in outcome.calls] == ["tool_design", "judgment"]
    assert sum(call.prompt_tokens for call in outcome.calls) == 200
    assert len(judge.kept) == 2


async def test_no_tool_is_legal(pool, instructions):
    verifier, judge = tgv(pool, tool_design=NO_TOOL, judgment=judgment((1, 1, 1)))
    outcome = await verify(verifier, instructions)
    assert (outcome.status, outcome.tool_source, outcome.evidence) == (Status.SATISFIED, "", "")
    assert "[The Start of the Reference Information]\nNone\n" in judge.asked("judgment")[0][0]["content"]


@pytest.mark.parametrize(
    "code, said",
    [
        ("def f(text):\n    raise ValueError('no')", "computed nothing (error: "),
        ("def f(text):\n    while True: pass", "computed nothing (cpu"),
        ("def f(text):\n    return [float('nan')]", "computed nothing (error"),
        ("def f(text):\n    return ['x' * 100000]", "computed nothing (too_large"),
        ("def f(text):\n    return ['x' * 20000]", "... (cut; "),
    ],
)
async def test_a_failed_tool_is_shown_to_the_judge_as_such(pool, instructions, code, said):
    verifier, judge = tgv(pool, tool_design=tool(code, text="ALL"), judgment=judgment((0, 3, 9), verdict=NO))
    outcome = await verify(verifier, instructions)
    assert outcome.status is Status.VIOLATED
    assert said in outcome.evidence
    assert outcome.evidence in judge.asked("judgment")[0][0]["content"]


async def test_a_faulty_design_is_shown_its_fault_and_mended(pool, instructions):
    faults = [
        tool("def f(text):\n    import numpy\n    return [eval(text)]", text="ALL"),
        tool(COUNT, text="not in the response"),
        tool(COUNT, text="ALL"),
    ]
    verifier, judge = tgv(pool, tool_design=faults, judgment=judgment((1, 50, 10)))
    outcome = await verify(verifier, instructions)
    assert outcome.status is Status.SATISFIED
    assert '"Computed Result": 10' in outcome.evidence
    first, second, third = judge.asked("tool_design")
    assert (len(first), len(second), len(third)) == (1, 3, 3)
    assert "numpy" in second[2]["content"]
    assert "not in the response" in third[2]["content"]
    assert [request.attempt for request in judge.requests[:3]] == [0, 1, 2]
    assert [bool(call.fault) for call in outcome.calls] == [True, True, False, False]
    assert len(judge.kept) == 2  # only what could be used


async def test_a_design_that_was_cut_off_is_not_shown_again(pool, instructions):
    texts = [("x = 1\n" * 9000, "length"), "I cannot.", tool(COUNT, text="ALL")]
    verifier, judge = tgv(pool, tool_design=texts, judgment=judgment((1, 50, 10)))
    outcome = await verify(verifier, instructions)
    assert [len(messages) for messages in judge.asked("tool_design")] == [1, 1, 3]
    assert [call.fault for call in outcome.calls][:1] == [CUT_OFF]


async def test_without_a_usable_design_the_judge_judges_without_evidence(pool, instructions):
    verifier, judge = tgv(pool, tool_design="I cannot.", judgment=judgment((1, 50, 10)))
    outcome = await verify(verifier, instructions)
    assert (outcome.status, outcome.evidence, len(judge.requests)) == (Status.SATISFIED, "", 4)


@pytest.mark.parametrize(
    "texts, reason",
    [
        (["nonsense"], Reason.PARSE), ([""], Reason.PARSE), ([judgment((5, 1, 3))], Reason.PARSE),
        ([judgment()], Reason.PARSE), ([f"Conclusion: {NO}"], Reason.NO_RECORD),
        ([(judgment((1, 5, 3)), "length")], Reason.PARSE),
        ([JudgeUnavailable("no endpoint answers")], Reason.TRANSPORT),
        (["nonsense", JudgeUnavailable("no endpoint answers")], Reason.TRANSPORT),
    ],
)  # fmt: skip
async def test_a_judge_without_a_usable_judgment_leaves_it_unverified(pool, instructions, texts, reason):
    verifier, judge = tgv(pool, tool_design=NO_TOOL, judgment=texts)
    outcome = await verify(verifier, instructions)
    assert (outcome.status, outcome.reason, outcome.records) == (Status.UNVERIFIED, reason, ())
    assert outcome.detail
    assert all(request.kind != "judgment" for request, _ in judge.kept)


async def test_a_second_judgment_may_be_usable(pool, instructions):
    verifier, judge = tgv(pool, tool_design=NO_TOOL, judgment=["oops", judgment((1, 5, 3))])
    assert (await verify(verifier, instructions)).status is Status.SATISFIED
    assert [request.attempt for request in judge.requests if request.kind == "judgment"] == [0, 1]
    assert len(set(map(str, judge.asked("judgment")))) == 1  # asked afresh, without its bad answer


async def test_records_decide_over_the_verdict(pool, instructions):
    verifier, _ = tgv(pool, tool_design=NO_TOOL, judgment=judgment((1, 5, 3), verdict=NO))
    outcome = await verify(verifier, instructions)
    assert (outcome.status, outcome.conflict) == (Status.SATISFIED, True)


async def test_a_judge_out_of_reach_is_not_asked_twice(pool, instructions):
    verifier, judge = tgv(pool, tool_design=JudgeUnavailable("down"), judgment=judgment((1, 5, 3)))
    outcome = await verify(verifier, instructions)
    assert (outcome.reason, len(judge.requests)) == (Reason.TRANSPORT, 1)


async def test_a_refused_key_stops_everything_and_a_refused_prompt_does_not(pool, instructions):
    verifier, _ = tgv(pool, tool_design=refused("wrong key", 401))
    with pytest.raises(JudgeRefused):
        await verify(verifier, instructions)
    verifier, _ = tgv(pool, tool_design=NO_TOOL, judgment=refused("the prompt is too long", 400))
    assert (await verify(verifier, instructions)).reason is Reason.TRANSPORT


def refused(message, status):
    error = JudgeRefused(message)
    error.status = status
    return error


async def test_layouts(pool, instructions):
    design, judged = tool(COUNT, text="ALL"), judgment((1, 50, 10))
    prompts = {}
    for layout in ("paper", "prefix"):
        verifier, judge = tgv(pool, layout, tool_design=design, judgment=judged)
        await verify(verifier, instructions)
        prompts[layout] = [request.messages[0]["content"] for request in judge.requests]
        assert len({request.affinity for request in judge.requests}) == 1
    for paper, prefix in zip(*prompts.values(), strict=True):
        assert paper.index(ANSWER) > paper.index("[The Start of the Constraint]")
        assert prefix.index(ANSWER) < prefix.index("[The Start of the Constraint]")
        assert sorted(paper) == sorted(prefix)


async def test_llm_only(instructions):
    judge = ScriptedJudge(judgment=judgment((1, 5, 9)))
    outcome = await verify(LLMVerifier(Asker(judge)), instructions)
    assert (outcome.status, outcome.verifier, len(judge.requests)) == (Status.VIOLATED, "llm", 1)
    assert "Reference Information" not in judge.requests[0].messages[0]["content"]


async def test_rule_is_written_once_and_decides(pool, instructions):
    judge = ScriptedJudge(tool_design=tool("def ok(response):\n    return 'sea' in response"))
    verifier = RuleVerifier(Asker(judge), pool)
    outcomes = await asyncio.gather(
        *(verify(verifier, instructions, answer=text) for text in (ANSWER, "No.", "A sea."))
    )
    assert [outcome.status for outcome in outcomes] == [Status.SATISFIED, Status.VIOLATED, Status.SATISFIED]
    assert [outcome.records[0].actual for outcome in outcomes] == [1, 0, 1]
    assert len(judge.requests) == 1
    assert ANSWER not in judge.requests[0].messages[0]["content"]


@pytest.mark.parametrize(
    "said, reason",
    [
        (NO_TOOL, Reason.TOOL), ("nonsense", Reason.PARSE), (tool("def ok(response):\n    return 1"), Reason.TOOL),
        (tool("def ok(response):\n    return 1 / 0"), Reason.TOOL),
        (tool("def ok(a, b):\n    return True"), Reason.PARSE),
    ],
)  # fmt: skip
async def test_a_rule_that_does_not_decide_leaves_it_unverified(pool, instructions, said, reason):
    outcome = await verify(RuleVerifier(Asker(ScriptedJudge(tool_design=said)), pool), instructions)
    assert (outcome.status, outcome.reason) == (Status.UNVERIFIED, reason)


async def test_a_rule_that_failed_to_come_is_asked_for_again(pool, instructions):
    scripts = [JudgeUnavailable("down"), tool("def ok(response):\n    return True")]
    verifier = RuleVerifier(Asker(ScriptedJudge(tool_design=scripts)), pool)
    assert (await verify(verifier, instructions)).reason is Reason.TRANSPORT
    assert (await verify(verifier, instructions)).status is Status.SATISFIED


async def test_static_tool(pool, instructions):
    judge = ScriptedJudge(tool_design=tool(COUNT), judgment=judgment((1, 50, 10)))
    verifier = StaticToolVerifier(Asker(judge), pool)
    for answer in (ANSWER, "A sea."):
        outcome = await verify(verifier, instructions, answer=answer)
        assert (outcome.status, outcome.tool_source) == (Status.SATISFIED, COUNT)
        assert f'"Computed Result": {len(answer.split())}' in outcome.evidence
    assert [request.kind for request in judge.requests] == ["tool_design", "judgment", "judgment"]


def in_sections(*parts):
    return "\n".join(f"=== Constraint {number} ===\n{part}" for number, part in enumerate(parts, start=1))


def per_response(pool, instructions, **scripts):
    instruction = next(one for one in instructions if len(one.constraints) == 3)
    judge = ScriptedJudge(**scripts)
    return PerResponseVerifier(Asker(judge), pool), judge, instruction


async def test_all_constraints_of_a_response_in_one_pair_of_calls(pool, instructions):
    designs = in_sections(tool(COUNT, text="ALL"), NO_TOOL, tool(COUNT, text="The sea is calm."))
    judgments = in_sections(judgment((1, 50, 10)), judgment((1, 1, 0), verdict=NO), judgment((1, 5, 4)))
    verifier, judge, instruction = per_response(pool, instructions, batch=[designs, judgments])
    verified = await verify_response(verifier, instruction, Answer(ANSWER, 1))
    assert [outcome.status for outcome in verified.outcomes] == [Status.SATISFIED, Status.VIOLATED, Status.SATISFIED]
    assert [request.kind for request in judge.requests] == ["batch", "batch"]
    assert ['"Computed Result": 10' in outcome.evidence for outcome in verified.outcomes] == [True, False, False]
    assert '"Computed Result": 4' in judge.requests[1].messages[0]["content"]
    assert [len(outcome.calls) for outcome in verified.outcomes] == [2, 0, 0]


@pytest.mark.parametrize("middle", ["", "nonsense", judgment((5, 1, 3)), f"Conclusion: {NO}", None])
async def test_what_a_shared_judgment_leaves_out_is_verified_by_itself(pool, instructions, middle):
    parts = [judgment((1, 5, 3)), middle, judgment((1, 5, 4))]
    shared = in_sections(*parts).replace("=== Constraint 2 ===\nNone\n", "")
    if middle == "":
        shared += f"\n=== Constraint 2 ===\n{judgment((0, 9, 1))}"  # twice: nobody can tell which one counts
    verifier, judge, instruction = per_response(
        pool,
        instructions,
        batch=[in_sections(NO_TOOL, NO_TOOL, NO_TOOL), shared],
        tool_design=NO_TOOL,
        judgment=judgment((7, 7, 7)),
    )
    verified = await verify_response(verifier, instruction, Answer(ANSWER, 1))
    assert [outcome.records[0].actual for outcome in verified.outcomes] == [3, 7, 4]
    assert [outcome.verifier for outcome in verified.outcomes] == ["per_response", "tgv", "per_response"]
    assert [request.kind for request in judge.requests] == ["batch", "batch", "tool_design", "judgment"]


async def test_a_judge_that_cannot_do_all_at_once_is_asked_one_by_one(pool, instructions):
    verifier, _, instruction = per_response(
        pool, instructions, batch="I cannot.", tool_design=NO_TOOL, judgment=judgment((1, 5, 3))
    )
    verified = await verify_response(verifier, instruction, Answer(ANSWER, 1))
    assert {outcome.verifier for outcome in verified.outcomes} == {"tgv"}
    assert verified.verified
    down, _, instruction = per_response(pool, instructions, batch=JudgeUnavailable("down"))
    verified = await verify_response(down, instruction, Answer(ANSWER, 1))
    assert {outcome.reason for outcome in verified.outcomes} == {Reason.TRANSPORT}


class Fixed:
    """A verifier with one outcome."""

    name = "fixed"

    def __init__(self, outcome):
        self.outcome, self.asked = outcome, 0

    async def verify(self, instruction, constraint, answer):
        self.asked += 1
        return self.outcome


def paragraphs(instructions):
    return next(
        (i, c) for i in instructions for c in i.constraints if any("paragraph" in x.object for x in c.counting_objects)
    )


async def test_auto_routes_by_constraint(pool, instructions):
    measured = CompiledVerifier(pool)
    judge = Fixed(Outcome(reason=Reason.PARSE, detail="d", verifier="fixed"))
    auto = AutoVerifier(measured, judge)
    instruction, constraint = instructions[0], instructions[0].constraints[0]
    assert (await auto.verify(instruction, constraint, ANSWER)).verifier == "compiled"
    assert (await auto.verify(instruction, constraint.model_copy(update={"spec": None}), ANSWER)).verifier == "fixed"
    assert judge.asked == 1
    judged = AutoVerifier(measured, judge, trusts=lambda _: False)
    assert (await judged.verify(instruction, constraint, ANSWER)).verifier == "fixed"


async def test_auto_escalates_what_measuring_finds_ambiguous(pool, instructions):
    instruction, constraint = paragraphs(instructions)
    compiled, judge = CompiledVerifier(pool), Fixed(await verify(CompiledVerifier(pool), instructions))
    for audit in (0.0, 1.0):
        outcome = await AutoVerifier(compiled, judge, audit).verify(instruction, constraint, AMBIGUOUS)
        assert (outcome.escalated, outcome.records) == (True, judge.outcome.records)
    alone = await AutoVerifier(compiled).verify(instruction, constraint, AMBIGUOUS)
    assert (alone.reason, alone.escalated) == (Reason.AMBIGUOUS, False)


async def test_auto_audits_a_fixed_share_and_keeps_the_measured_outcome(pool, instructions):
    compiled = CompiledVerifier(pool)
    measured = await verify(compiled, instructions)
    opposite = Outcome(reason=Reason.PARSE, detail="d")
    for judged, audit in ((measured, True), (opposite, None)):
        outcome = await verify(AutoVerifier(compiled, Fixed(judged), audit_frac=1.0), instructions)
        assert (outcome.records, outcome.audit) == (measured.records, audit)
    judge = Fixed(measured)
    auto = AutoVerifier(compiled, judge, audit_frac=0.25)
    answers = [f"{ANSWER} {number}" for number in range(200)]
    first = [(await verify(auto, instructions, answer=answer)).audit for answer in answers]
    assert 25 < judge.asked < 80
    assert first == [(await verify(auto, instructions, answer=answer)).audit for answer in answers]
