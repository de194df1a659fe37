"""What the service answers: outcomes, rewards, and what could not be verified."""

import pytest

from scopeif.errors import JudgeRefused, JudgeUnavailable
from scopeif.verification.outcome import outcome_from_json
from scopeif.verification.service.api import RewardAnswer, VerifyAnswer
from scopeif.verification.service.documentation import ANSWERS
from tests.service.apps import client_of
from tests.verification.scripted import NO, NO_TOOL, ScriptedJudge, judgment, tool

UNREAD = "no records here"


@pytest.fixture
def without_spec(request_body):
    """The same constraint without a spec: only a judge can verify it."""
    instruction = request_body["instruction"]
    bare = {name: value for name, value in instruction["constraints"][0].items() if name != "spec"}
    return request_body | {"instruction": instruction | {"constraints": [bare]}}


async def post(app, path, body):
    async with client_of(app) as client:
        answer = await client.post(path, json=body)
    return answer.status_code, answer.json()


async def test_the_documented_examples_are_answered_as_documented(make_app, request_body):
    assert await post(make_app(), "/v1/verify", request_body) == (200, ANSWERS[VerifyAnswer])
    assert await post(make_app(), "/v1/reward", request_body) == (200, ANSWERS[RewardAnswer])


@pytest.mark.parametrize(
    "changes, reward",
    [({}, 0.4723665527410147), ({"scheme": "ila"}, 0.0), ({"alpha": 1.5}, 0.6872892788), ({"object_floor": 0.5}, 0.5)],
)
async def test_a_reward_is_that_of_its_scheme_and_its_parameters(make_app, request_body, changes, reward):
    _, answer = await post(make_app(), "/v1/reward", request_body | changes)
    assert answer["reward"] == pytest.approx(reward)


@pytest.mark.parametrize(
    "changes, fault",
    [
        ({"truncated": True}, "truncated"),
        ({"response": "<think>a"}, "unclosed_think"),
        ({"response": "a</think>b", "thinking": False}, "extra_think_tag"),
        ({"response": ""}, "empty"),
    ],
)
async def test_a_response_of_bad_format_has_reward_0_and_nothing_of_it_is_measured(
    make_app, request_body, changes, fault
):
    _, answer = await post(make_app(), "/v1/reward", request_body | changes)
    assert (answer["reward"], answer["format_fault"], answer["verified"], answer["statuses"]) == (0.0, fault, True, [])


async def test_an_answer_that_is_sent_as_such_is_not_split(make_app, request_body):
    body = request_body | {"response": "<think>\none\ntwo\nthree", "split": False}
    _, answer = await post(make_app(), "/v1/reward", body)
    assert (answer["reward"], answer["format_reward"]) == (1.0, 1)


async def test_details_are_whole_outcomes(make_app, without_spec):
    design = tool("def f(text):\n    return len(text.splitlines())", text="ALL")
    judge = ScriptedJudge(tool_design=design, judgment=judgment((4, 4, 3), verdict=NO))
    app = make_app(judge, verification={"kind": "tgv"})
    _, answer = await post(app, "/v1/verify", without_spec | {"details": True})
    (given,) = answer["constraints"]
    outcome = outcome_from_json(given)
    assert (outcome.status.value, outcome.evidence) == ("violated", "3")
    assert [call.kind for call in outcome.calls] == ["tool_design", "judgment"]
    _, short = await post(app, "/v1/verify", without_spec)
    assert outcome_from_json(short["constraints"][0]).records == outcome.records
    assert "calls" not in short["constraints"][0]


@pytest.mark.parametrize(
    "judge, reason",
    [
        (None, "no_spec"),
        (ScriptedJudge(tool_design=JudgeUnavailable("no endpoint answered")), "transport"),
        (ScriptedJudge(tool_design=NO_TOOL, judgment=UNREAD), "parse"),
    ],
)
async def test_what_could_not_be_verified_is_no_score(make_app, without_spec, judge, reason):
    app = make_app(judge)
    status, answer = await post(app, "/v1/reward", without_spec)
    assert (status, answer["reward"], answer["verified"]) == (200, None, False)
    assert (answer["statuses"], answer["reasons"]) == (["unverified"], [reason])
    assert set(answer["rewards"].values()) == {None}
    async with client_of(app) as client:
        metrics = (await client.get("/metrics")).text
    assert f'scopeif_unverified_total{{reason="{reason}",replica="0"}} 1.0' in metrics
    assert 'scopeif_outcomes_total{replica="0",status="unverified"} 1.0' in metrics


async def test_a_judge_that_refuses_every_request_makes_the_service_unavailable(make_app, without_spec):
    refusal = JudgeRefused("HTTP 401: wrong key", place="http://judge", fix="check the key")
    refusal.status = 401
    app = make_app(ScriptedJudge(tool_design=refusal))
    assert await post(app, "/v1/reward", without_spec) == (
        503,
        {"error": "unavailable", "message": "HTTP 401: wrong key", "place": "http://judge", "fix": "check the key"},
    )


async def test_a_fault_of_the_service_is_a_500_that_tells_no_more_than_its_kind(make_app, request_body):
    class Broken:
        name = "broken"

        async def verify(self, instruction, constraint, answer):
            raise KeyError("secret")

    status, answer = await post(make_app(verifier=Broken()), "/v1/verify", request_body)
    assert (status, answer["error"]) == (500, "internal")
    assert "secret" not in str(answer)


async def test_lone_surrogates_that_a_judge_wrote_are_replaced(make_app, without_spec):
    judge = ScriptedJudge(tool_design=NO_TOOL, judgment="Analysis: \ud800 " + judgment((4, 4, 3), verdict=NO))
    status, answer = await post(make_app(judge), "/v1/verify", without_spec | {"details": True})
    assert status == 200
    assert answer["constraints"][0]["calls"][1]["text"].startswith("Analysis: ? ")
