"""Failures of transport: retried, failed over, waited for, and at last named."""

import asyncio
import email.utils
import logging
import random
import time

import pytest

from scopeif.errors import JudgeRefused, JudgeUnavailable
from scopeif.judge.backoff import retry_after
from tests.judge.clients import client_of, request, until
from tests.judge.server import JudgeServer, Reply


@pytest.mark.parametrize(
    "trouble, cause",
    [
        (Reply(status=500), "server"),
        (Reply(status=503), "server"),
        (Reply(status=408), "server"),
        (Reply(status=409), "server"),
        (Reply(status=429), "rate_limit"),
        (Reply(hang_up="before"), "disconnected"),
        (Reply(hang_up="head"), "disconnected"),
        (Reply(hang_up="body"), "disconnected"),
        (Reply(never=True), "timeout"),
        (Reply(body=b'{"choices": [{"mess'), "malformed"),
        (Reply(body=b'{"error": "out of luck"}'), "malformed"),
        (Reply(body=b"<html>Bad gateway</html>", headers={"Content-Type": "text/html"}), "malformed"),
        (Reply(body=b'{"choices": []}'), "malformed"),
        (Reply(body=b"[" * 100_000), "malformed"),
        (Reply(body=b"\x1f\x8bnonsense", headers={"Content-Encoding": "gzip"}), "disconnected"),
        (Reply(headers={"Transfer-Encoding": "nonsense\r\nBroken Header"}), "disconnected"),
    ],
)
async def test_trouble_is_retried(trouble, cause):
    async with JudgeServer() as server, client_of(server, deadline_s=0.3) as client:
        server.then(trouble, trouble)
        assert (await client.ask(request())).text == "OK"
        usage = client.usage()["kinds"]["judgment"]
    assert server.completions == 3
    assert (usage["failures"], usage["retries"]) == ({cause: 2}, 2)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 413, 422])
async def test_other_4xx_are_never_asked_again(status):
    async with JudgeServer() as server, client_of(server) as client:
        server.then(Reply(status=status, body=b'{"error":{"message":"the context length is 9"}}'))
        with pytest.raises(JudgeRefused, match="the context length is 9") as caught:
            await client.ask(request())
        assert client.usage()["kinds"]["judgment"]["refused"] == 1
    assert server.completions == 1
    assert (caught.value.status, caught.value.place) == (status, server.url)


async def test_an_endpoint_without_the_model_is_passed_over():
    async with JudgeServer() as right, JudgeServer(model="other") as wrong, client_of(right, wrong) as client:
        answers = await asyncio.gather(*(client.ask(request(str(i), affinity=str(i))) for i in range(20)))
    assert {answer.endpoint for answer in answers} == {right.url}
    assert wrong.completions > 0


async def test_every_endpoint_refuses():
    async with JudgeServer() as one, JudgeServer() as two, client_of(one, two, model="jugde") as client:
        with pytest.raises(JudgeRefused, match="does not exist"):
            await client.ask(request())
    assert (one.completions, two.completions) == (1, 1)


async def test_a_refusal_and_a_dead_endpoint_end_in_bounded_time():
    async with JudgeServer(model="other") as wrong, JudgeServer() as dead:
        await dead.stop()
        async with client_of(wrong, dead, outage_patience_s=0.3) as client:
            with pytest.raises((JudgeUnavailable, JudgeRefused)):
                await asyncio.wait_for(client.ask(request()), 3)


@pytest.mark.parametrize("url", ["http://a..b/v1", "http://no-such-host.invalid/v1", "http://127.0.0.1:1/v1"])
async def test_an_endpoint_that_cannot_be_reached(url):
    async with JudgeServer() as good, client_of(endpoints=[url, good.url], retries=0) as client:
        answers = await asyncio.gather(*(client.ask(request(str(i), affinity=str(i))) for i in range(20)))
        assert {answer.endpoint for answer in answers} == {good.url}
        assert set(client.usage()["endpoints"][url]["failures"]) == {"connect"}
        assert len((await client.check()).faults) == 1


async def test_retries_end():
    poison = Reply(status=500, body=b"poison")
    async with JudgeServer(script=lambda _: poison) as server:
        client = client_of(server, retries=3, breaker={"failures": 100})
        async with client:
            with pytest.raises(JudgeUnavailable, match=r"given up after 4 tries.*poison"):
                await client.ask(request())
    assert server.completions == 4


async def test_a_further_try_goes_to_another_endpoint():
    async with JudgeServer() as good, JudgeServer(script=lambda _: Reply(status=500)) as bad:
        client = client_of(good, bad, retries=1, breaker={"failures": 1000})
        async with client:
            for number in range(20):
                assert (await client.ask(request(str(number), affinity=str(number)))).endpoint == good.url
    assert bad.completions > 3


async def test_one_poisonous_request_does_not_stop_the_others():
    def script(body):
        return Reply(status=500) if body["messages"][0]["content"] == "poison" else Reply(delay_s=0.002)

    async with JudgeServer(script=script) as server, client_of(server, retries=4, concurrency={"max": 32}) as client:
        poisoned = asyncio.create_task(client.ask(request("poison")))
        answers = await asyncio.gather(*(client.ask(request(str(i))) for i in range(300)))
        with pytest.raises(JudgeUnavailable):
            await asyncio.wait_for(poisoned, 8)
    assert len(answers) == 300


async def test_retry_after_holds_the_whole_endpoint():
    async with JudgeServer() as server, client_of(server, concurrency={"start": 1, "min": 1}) as client:
        server.then(Reply(status=429, headers={"Retry-After": "0.4"}))
        begun = time.monotonic()
        first = asyncio.create_task(client.ask(request("1")))
        await until(lambda: client.usage()["endpoints"][server.url]["paused_s"])
        await asyncio.gather(first, client.ask(request("2")))
        assert time.monotonic() - begun >= 0.4
        assert server.completions == 3


async def test_a_rate_limit_sends_calls_elsewhere_and_uses_up_no_retry():
    async with JudgeServer() as busy, JudgeServer() as free, client_of(busy, free, retries=0) as client:
        busy.script = lambda _: Reply(status=429, headers={"Retry-After": "60"})
        await asyncio.gather(*(client.ask(request(str(i), affinity=str(i))) for i in range(40)))
        assert free.completions == 40
        assert client.usage()["endpoints"][busy.url]["state"] == "closed"


def test_retry_after_is_seconds_or_a_date():
    assert retry_after("2.5") == 2.5
    assert retry_after(email.utils.formatdate(time.time() + 30, usegmt=True)) == pytest.approx(30, abs=2)
    assert retry_after("Mon, 01 Jan 2001 00:00:00 GMT") == 0
    assert [retry_after(text) for text in (None, "soon", "inf", "nan", "", "-3")] == [None, None, None, None, None, 0]


async def test_an_endpoint_that_dies_hands_its_calls_over():
    async with JudgeServer(script=lambda _: Reply(delay_s=0.05)) as stays, JudgeServer() as dies:
        dies.script = lambda _: Reply(never=True)
        async with client_of(stays, dies, retries=1) as client:
            calls = asyncio.gather(*(client.ask(request(str(i), affinity=str(i))) for i in range(40)))
            await until(lambda: dies.in_flight > 5)
            await dies.stop()
            answers = await calls
            assert {answer.endpoint for answer in answers} == {stays.url}
            assert client.usage()["endpoints"][dies.url]["state"] == "open"
            dies.script = lambda _: Reply()
            await dies.start()
            await until(lambda: client.usage()["endpoints"][dies.url]["state"] == "half_open")
            before = dies.completions
            await asyncio.gather(*(client.ask(request(f"again {i}", affinity=str(i))) for i in range(40)))
            assert dies.completions > before
            assert client.usage()["endpoints"][dies.url]["state"] == "closed"


async def test_calls_at_a_node_that_went_silent_are_not_left_to_the_deadline():
    async with JudgeServer() as stays, JudgeServer(script=lambda _: Reply(delay_s=0.2)) as vanishes:
        client = client_of(stays, vanishes, silence_s=0.2, deadline_s=60)
        async with client:
            calls = asyncio.gather(*(client.ask(request(str(i), affinity=str(i))) for i in range(20)))
            await until(lambda: vanishes.in_flight > 2)
            vanishes.vanish()
            answers = await asyncio.wait_for(calls, 5)
            assert {answer.endpoint for answer in answers} == {stays.url}
            assert client.usage()["kinds"]["judgment"]["failures"]["lost"] > 2


async def test_the_breaker_finds_a_silent_node_sooner():
    async with JudgeServer() as stays, JudgeServer(script=lambda _: Reply(never=True)) as vanishes:
        client = client_of(stays, vanishes, silence_s=300, deadline_s=60)
        async with client:
            calls = asyncio.gather(*(client.ask(request(str(i), affinity=str(i))) for i in range(20)))
            await until(lambda: vanishes.in_flight > 2)
            vanishes.vanish()
            await asyncio.gather(*(client.ask(request(f"more {i}", affinity=str(i))) for i in range(40)))
            await asyncio.wait_for(calls, 10)


async def test_calls_at_a_silent_node_that_left_the_list_go_elsewhere_too(tmp_path):
    path = tmp_path / "endpoints"
    async with JudgeServer() as stays, JudgeServer(script=lambda _: Reply(never=True)) as vanishes:
        path.write_text(vanishes.url)
        async with client_of(endpoints_file=path, silence_s=0.2, deadline_s=60) as client:
            call = asyncio.create_task(client.ask(request()))
            await until(lambda: vanishes.in_flight)
            path.write_text(stays.url)
            await until(lambda: list(client.usage()["endpoints"]) == [stays.url])
            vanishes.vanish()
            assert (await asyncio.wait_for(call, 10)).endpoint == stays.url


async def test_a_slow_and_silent_endpoint_that_is_well_keeps_its_calls():
    async with JudgeServer(script=lambda _: Reply(delay_s=0.8)) as slow, client_of(slow, silence_s=0.1) as client:
        await client.ask(request())
        assert slow.counts["/v1/models"] > 1
        assert slow.completions == 1


async def test_calls_wait_for_the_end_of_an_outage(caplog):
    caplog.set_level(logging.INFO, logger="scopeif.judge")
    async with JudgeServer() as server, client_of(server, retries=1) as client:
        await server.stop()
        calls = [asyncio.create_task(client.ask(request(str(i)))) for i in range(100)]
        await until(lambda: client.usage()["outage_s"] > 0.3)
        assert not any(call.done() for call in calls)
        await server.start()
        assert all(answer.text == "OK" for answer in await asyncio.gather(*calls))
        assert client.usage()["outage_s"] == 0
    lines = [record.message for record in caplog.records if record.name == "scopeif.judge"]
    assert len(lines) == 4, lines  # down, outage, up, over: not one a request
    assert "no judge endpoint answers; calls wait up to 20 s" in lines


async def test_an_outage_longer_than_the_patience():
    async with JudgeServer() as server:
        await server.stop()
        async with client_of(server, outage_patience_s=0.4) as client:
            begun = time.monotonic()
            results = await asyncio.gather(*(client.ask(request(str(i))) for i in range(20)), return_exceptions=True)
            assert 0.3 < time.monotonic() - begun < 3
            assert {type(result) for result in results} == {JudgeUnavailable}
            assert server.url in str(results[0])
            assert "fix:" in str(results[0])
            assert client.usage()["kinds"]["judgment"]["unavailable"] == 20
            begun = time.monotonic()
            with pytest.raises(JudgeUnavailable):  # the patience is the judge's, not every request's own
                await client.ask(request("later"))
            assert time.monotonic() - begun < 0.3
            await server.start()
            await until(lambda: client.usage()["endpoints"][server.url]["state"] == "half_open")
            assert client.usage()["endpoints"][server.url]["concurrency"] == 4  # it begins low again
            assert (await client.ask(request("later"))).text == "OK"


async def test_chat_fails_while_the_model_list_is_fine():
    """A proxy in front of a dead backend: the breaker waits for an answer, not for a good health report."""
    async with JudgeServer(script=lambda _: Reply(status=502)) as server, client_of(server, retries=1) as client:
        calls = [asyncio.create_task(client.ask(request(str(i)))) for i in range(30)]
        await asyncio.sleep(0.7)
        assert not any(call.done() and call.exception() for call in calls)
        sent = server.completions
        assert sent < 120  # a herd would have sent thousands
        server.script = lambda _: Reply()
        assert all(answer.text == "OK" for answer in await asyncio.gather(*calls))


async def test_chaos():
    """A fifth of all answers are errors, two of four endpoints die, then all are down: nothing is lost or wrong."""
    dice = random.Random(7)
    troubles = [
        Reply(status=500), Reply(status=503), Reply(status=429), Reply(hang_up="before"), Reply(hang_up="body"),
        Reply(body=b'{"choices": ['),
    ]  # fmt: skip

    def script(body):
        if dice.random() < 0.2:
            return dice.choice(troubles)
        return Reply("answer to " + body["messages"][0]["content"], delay_s=dice.uniform(0, 0.03))

    servers = [JudgeServer(script=script) for _ in range(4)]
    for server in servers:
        await server.start()
    try:
        async with client_of(*servers, concurrency={"start": 8, "max": 16}) as client:
            done = 0

            async def ask(number):
                nonlocal done
                answer = await client.ask(request(f"question {number}", affinity=str(number % 60)))
                done += 1
                return answer

            calls = [asyncio.create_task(ask(number)) for number in range(500)]
            await until(lambda: done > 60)
            await servers[0].stop()
            await until(lambda: done > 120)
            await servers[1].stop()
            await until(lambda: done > 180)
            await servers[2].stop()
            await servers[3].stop()
            await until(lambda: client.usage()["outage_s"] > 1.0)
            before = done
            await asyncio.sleep(0.2)
            assert done == before < 500
            await servers[1].start()
            await servers[2].start()
            answers = await asyncio.wait_for(asyncio.gather(*calls), 60)
            usage = client.usage()
            assert (usage["in_flight"], usage["waiting"]) == (0, 0)
    finally:
        for server in servers:
            await server.stop()
    assert [answer.text for answer in answers] == [f"answer to question {number}" for number in range(500)]
    counts = usage["kinds"]["judgment"]
    assert (counts["asked"], counts["answers"], counts["unavailable"]) == (500, 500, 0)
    assert counts["failures"]["server"] > 20
