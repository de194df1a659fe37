"""What is sent, what comes back, and what is counted."""

import asyncio
import json

import pytest
from pydantic import ValidationError

from scopeif.errors import ConfigError, JudgeFormatError, JudgeUnavailable
from scopeif.judge.client import JudgeClient
from scopeif.judge.final_text import final_text
from scopeif.judge.settings import JudgeSettings
from tests.judge.clients import FAST, client_of, request, until
from tests.judge.server import HARMONY, JudgeServer, Reply


async def test_the_request_holds_what_the_settings_say():
    async with JudgeServer() as server:
        sampling = {"judgment": {"temperature": 0.2, "max_tokens": 77}, "tool_design": {"max_tokens": None}}
        async with client_of(server, sampling=sampling, extra_body={"seed": 7}) as client:
            await client.ask(request("你好 \ud800 €"))
            await client.ask(request(attempt=2))
            await client.ask(request(attempt=9))
            await client.ask(request(kind="tool_design"))
    first, third, tenth, tool = server.requests
    assert first == {
        "model": "judge", "messages": [{"role": "user", "content": "你好 ? €"}], "temperature": 0.2, "max_tokens": 77,
        "reasoning_effort": "medium", "seed": 7,
    }  # fmt: skip
    assert (third["temperature"], tenth["temperature"]) == (0.8, 1.0)
    assert "max_tokens" not in tool
    assert server.headers[0]["content-type"] == "application/json"


async def test_no_reasoning_effort_is_sent_when_it_is_null():
    async with JudgeServer() as server, client_of(server, reasoning_effort=None) as client:
        await client.ask(request())
    assert "reasoning_effort" not in server.requests[0]


async def test_the_key_comes_from_the_environment(monkeypatch):
    monkeypatch.setenv("JUDGE_TEST_KEY", "s3cret")
    async with JudgeServer() as server, client_of(server, api_key_env="JUDGE_TEST_KEY") as client:
        await client.ask(request())
    assert server.headers[0]["authorization"] == "Bearer s3cret"
    monkeypatch.delenv("JUDGE_TEST_KEY")
    with pytest.raises(ConfigError, match="JUDGE_TEST_KEY is not set"):
        client_of(server, api_key_env="JUDGE_TEST_KEY")


@pytest.mark.parametrize(
    "reply, text, reasoning, finish",
    [
        (Reply("verdict", reasoning_content="because"), "verdict", "because", "stop"),
        (Reply("verdict", reasoning="because"), "verdict", "because", "stop"),
        (Reply(None, reasoning="thought for ever", finish_reason="length"), "", "thought for ever", "length"),
        (Reply([{"type": "text", "text": "in "}, {"type": "text", "text": "parts"}]), "in parts", "", "stop"),
        (Reply(HARMONY.format("verdict")), HARMONY.format("verdict"), "", "stop"),
        (Reply('[{"Counting Object": "w", "Perm'), '[{"Counting Object": "w", "Perm', "", "stop"),
        (Reply("结论：满足"), "结论：满足", "", "stop"),
    ],
)
async def test_an_answer_is_passed_on_as_it_is(reply, text, reasoning, finish):
    async with JudgeServer(script=lambda _: reply) as server, client_of(server) as client:
        answer = await client.ask(request())
    assert (answer.text, answer.reasoning, answer.finish_reason) == (text, reasoning, finish)
    assert (answer.endpoint, answer.model, answer.from_cache) == (server.url, "judge", False)
    assert server.completions == 1  # asking again is the caller's decision


async def test_a_null_content_is_refused_by_the_parser_not_by_the_client():
    async with JudgeServer(script=lambda _: Reply(None)) as server, client_of(server) as client:
        answer = await client.ask(request())
        assert client.usage()["kinds"]["judgment"]["empty"] == 1
    with pytest.raises(JudgeFormatError):
        final_text(answer.text)


async def test_identical_requests_in_flight_are_sent_once():
    async with JudgeServer(script=lambda _: Reply(delay_s=0.1)) as server, client_of(server) as client:
        answers = await asyncio.gather(*(client.ask(request("same", affinity=str(i))) for i in range(10)))
        assert server.completions == 1
        assert len({id(answer) for answer in answers}) == 1
        await asyncio.gather(client.ask(request("same")), client.ask(request("same", attempt=1)))
        assert server.completions == 3  # no longer in flight; another attempt is another request
        usage = client.usage()["kinds"]["judgment"]
    assert (usage["asked"], usage["shared"], usage["answers"]) == (12, 9, 3)


async def test_a_waiter_that_is_cancelled_leaves_the_others_their_answer():
    async with JudgeServer(script=lambda _: Reply(delay_s=0.15)) as server, client_of(server) as client:
        waiters = [asyncio.create_task(client.ask(request())) for _ in range(3)]
        await until(lambda: server.in_flight)
        waiters[0].cancel()
        results = await asyncio.gather(*waiters, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert [result.text for result in results[1:]] == ["OK", "OK"]
        assert server.completions == 1


async def test_the_last_waiter_cancels_the_call():
    async with JudgeServer(script=lambda _: Reply(never=True)) as server, client_of(server) as client:
        waiters = [asyncio.create_task(client.ask(request())) for _ in range(2)]
        await until(lambda: server.in_flight)
        for waiter in waiters:
            waiter.cancel()
        await asyncio.sleep(0)
        server.script = lambda _: Reply()
        assert (await client.ask(request())).text == "OK"  # the dying call is not joined
        await asyncio.gather(*waiters, return_exceptions=True)
        assert client.usage()["in_flight"] == 0


async def test_tokens_cost_and_latencies_are_counted_per_kind():
    reply = Reply(prompt_tokens=1000, cached_tokens=400, completion_tokens=50, finish_reason="length", delay_s=0.02)
    price = {"prompt": 2.0, "cached": 0.5, "completion": 10.0}
    async with JudgeServer(script=lambda _: reply) as server, client_of(server, price=price) as client:
        for number in range(4):
            await client.ask(request(f"{number}", kind="tool_design"))
        await client.ask(request())
        kinds = client.usage()["kinds"]
    tool = kinds["tool_design"]
    assert (tool["prompt_tokens"], tool["cached_tokens"], tool["completion_tokens"]) == (4000, 1600, 200)
    assert tool["cost"] == pytest.approx(4 * (600 * 2 + 400 * 0.5 + 50 * 10) / 1e6)
    assert tool["cut"] == 4
    assert tool["seconds"]["count"] == 4
    assert 0.018 < tool["seconds"]["p50"] <= tool["seconds"]["p99"] <= tool["seconds"]["max"] < 2
    assert kinds["judgment"]["answers"] == 1
    json.dumps(kinds)


@pytest.mark.parametrize(
    "usage", [b"null", b"{}", b'{"prompt_tokens":null,"completion_tokens":"x"}', b'{"prompt_tokens":-1}']
)
async def test_missing_or_odd_usage_is_no_failure(usage):
    body = b'{"choices":[{"message":{"content":"OK"}}],"usage":' + usage + b"}"
    async with JudgeServer(script=lambda _: Reply(body=body)) as server, client_of(server) as client:
        answer = await client.ask(request())
    assert (answer.text, answer.prompt_tokens, answer.completion_tokens) == ("OK", 0, 0)


async def test_closing_ends_those_who_wait():
    async with JudgeServer(script=lambda _: Reply(never=True)) as server:
        async with client_of(server) as client:
            waiter = asyncio.create_task(client.ask(request()))
            await until(lambda: server.in_flight)
        with pytest.raises(JudgeUnavailable, match="was closed"):
            await waiter
    with pytest.raises(JudgeUnavailable, match="not open"):
        await client.ask(request())


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"endpoints": []}, "either endpoints or endpoints_file"),
        ({"endpoints_file": "list"}, "either endpoints or endpoints_file"),
        ({"endpoints": ["node7:8000/v1"]}, "is no base URL"),
        ({"endpoints": ["http://node 7/v1"]}, "is no base URL"),
        ({"endpoints": ["http://node7:80000/v1"]}, "is no base URL"),
        ({"extra_body": {"model": "x", "n": 2}}, "model, n cannot be set here"),
        ({"concurrency": {"min": 50}}, "min 50 <= start 32"),
        ({"deadline_s": 0}, "greater than 0"),
        ({"retry": 3}, "Extra inputs"),
    ],
)
def test_settings_that_are_refused(changes, said):
    with pytest.raises(ValidationError, match=said):
        JudgeSettings.model_validate({**FAST, "endpoints": ["http://node7:8000/v1/"], **changes})


def test_every_setting_says_what_it_is():
    def fields(model, prefix=""):
        for name, info in model.model_fields.items():
            yield prefix + name, info.description
            if hasattr(info.annotation, "model_fields"):
                yield from fields(info.annotation, f"{prefix}{name}.")

    assert [name for name, description in fields(JudgeSettings) if not description] == []
    assert JudgeSettings(model="m", endpoints=("http://a/v1/", "http://a/v1")).endpoints == ("http://a/v1",)
    assert isinstance(JudgeClient(JudgeSettings(model="m", endpoints=("http://a/v1",))), JudgeClient)
