"""Choice of endpoints, their live list, adaptive concurrency, health checks, and what is left after closing."""

import asyncio
import gc
import logging
import os
import threading
from collections import Counter, defaultdict

import openai
import pytest

from scopeif.judge.breaker import Breaker, State
from scopeif.judge.endpoint import Endpoint
from scopeif.judge.endpoints import Endpoints
from scopeif.judge.limits import ConcurrencyLimit
from scopeif.judge.notices import Notices
from scopeif.judge.settings import BreakerSettings, ConcurrencySettings, JudgeSettings
from tests.judge.clients import client_of, request, until
from tests.judge.server import JudgeServer, Reply


@pytest.fixture
async def three():
    servers = [JudgeServer(script=lambda _: Reply(delay_s=0.01)) for _ in range(3)]
    for server in servers:
        await server.start()
    yield servers
    for server in servers:
        await server.stop()


async def _where(client, affinities, each, tag=""):
    """Which endpoints answered, per affinity."""
    requests = [request(f"{tag}{affinity}/{i}", affinity=affinity) for i in range(each) for affinity in affinities]
    answers = await asyncio.gather(*(client.ask(one) for one in requests))
    places = defaultdict(Counter)
    for one, answer in zip(requests, answers, strict=True):
        places[one.affinity][answer.endpoint] += 1
    return places


async def test_one_affinity_stays_at_one_endpoint(three):
    async with client_of(*three) as client:
        one = await _where(client, ["instruction 1"], 8)
        again = await _where(client, ["instruction 1"], 8, "again")
    assert one == again
    assert len(one["instruction 1"]) == 1


async def test_many_affinities_stay_mostly_and_share_the_load(three):
    async with client_of(*three, concurrency={"start": 16, "max": 16}) as client:
        places = await _where(client, [str(number) for number in range(60)], 10)
    at_home = sum(max(counts.values()) for counts in places.values())
    at_two = sum(sum(sorted(counts.values())[-2:]) for counts in places.values())
    totals = Counter()
    for counts in places.values():
        totals.update(counts)
    assert at_home > 0.6 * 600
    assert at_two > 0.85 * 600
    assert max(totals.values()) < 1.6 * min(totals.values())
    assert max(server.most_in_flight for server in three) <= 16


async def test_affinities_hold_for_those_who_waited_for_the_first_endpoint(three, tmp_path):
    path = tmp_path / "endpoints"
    async with client_of(endpoints_file=path, concurrency={"start": 2, "min": 2, "max": 2}) as client:
        answers = asyncio.create_task(_where(client, [str(number) for number in range(41)], 9))
        await until(lambda: client.usage()["waiting"] == 41 * 9)
        _write(path, "\n".join(server.url for server in three))
        places = await answers
    at_two = sum(sum(sorted(counts.values())[-2:]) for counts in places.values())
    assert at_two > 0.85 * 41 * 9


async def test_a_place_that_was_given_to_one_who_left_is_given_on(three):
    settings = JudgeSettings(model="judge", endpoints=(three[0].url,), concurrency=ConcurrencySettings(start=4))
    endpoints = Endpoints(settings, "key", Notices())
    await endpoints.start()
    held = [await endpoints.acquire("") for _ in range(4)]
    leaves, stays = (asyncio.create_task(endpoints.acquire("")) for _ in range(2))
    await asyncio.sleep(0)
    endpoints.release(held[0])  # goes to the first of the two
    leaves.cancel()
    assert await asyncio.wait_for(stays, 1) is held[0]
    assert leaves.cancelled()
    assert endpoints.snapshot()["in_flight"] == 4
    await endpoints.close()


async def test_a_hot_affinity_spills_over(three):
    async with client_of(*three, concurrency={"start": 8, "max": 8}) as client:
        places = await _where(client, ["hot"], 120)
    assert sorted(places["hot"].values())[0] > 10
    assert max(server.most_in_flight for server in three) <= 8


async def test_an_affinity_takes_no_more_than_its_share_of_one_endpoint(three):
    async with client_of(*three, concurrency={"start": 32, "max": 32}) as client:
        places = await _where(client, ["hot"], 24)
    assert max(places["hot"].values()) <= 14  # there was room for all at its first


async def test_the_order_of_an_affinity_survives_a_restart_and_a_lost_endpoint(three):
    affinities = [str(number) for number in range(30)]
    async with client_of(*three, concurrency={"start": 200}) as client:
        before = await _where(client, affinities, 1)
    async with client_of(*three[:2], concurrency={"start": 200}) as client:
        after = await _where(client, affinities, 1)
    kept = [one for one in affinities if set(before[one]) != {three[2].url}]
    assert kept
    assert all(before[one] == after[one] for one in kept)


async def test_the_list_is_read_live(tmp_path, caplog):
    path = tmp_path / "endpoints"
    async with JudgeServer() as one, JudgeServer() as two, client_of(endpoints_file=path) as client:
        waiting = asyncio.create_task(client.ask(request("before there is a list")))
        await until(lambda: client.usage()["waiting"])
        _write(path, f"# judges\n{one.url}/  # node 1\n\nnode2:8000\n")
        assert (await waiting).endpoint == one.url
        one.script = lambda _: Reply(delay_s=0.3)
        leaving = asyncio.create_task(client.ask(request("in flight")))
        await until(lambda: one.in_flight)
        _write(path, f"{two.url}\n")
        await until(lambda: list(client.usage()["endpoints"]) == [two.url])
        assert (await client.ask(request("now"))).endpoint == two.url
        assert client.usage()["in_flight"] == 1
        assert (await leaving).endpoint == one.url
        assert client.usage()["in_flight"] == 0
        _write(path, "")
        path.touch()
        await asyncio.sleep(0.2)
        path.unlink()
        await asyncio.sleep(0.2)
        assert (await client.ask(request("still"))).endpoint == two.url
    lines = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert sum("line 4: 'node2:8000' is no base URL" in line for line in lines) == 1
    assert sum("is as it was" in line for line in lines) <= 2  # at the start, and no line a look


def _write(path, text):
    new = path.with_suffix(".new")
    new.write_text(text)
    os.replace(new, path)


async def test_concurrency_grows_with_answers_and_shrinks_with_429():
    def script(_):
        return Reply(status=429) if client.usage()["in_flight"] > 20 else Reply(delay_s=0.005)

    limits = {"start": 4, "min": 2, "max": 40}
    async with JudgeServer(script=script) as server, client_of(server, concurrency=limits) as client:
        await asyncio.gather(*(client.ask(request(str(i))) for i in range(1000)))
        settled = client.usage()["endpoints"][server.url]
    assert 8 <= settled["concurrency"] <= 22
    assert 0 < settled["failures"]["rate_limit"] < 500
    assert server.most_in_flight <= 22


def test_the_limit():
    limit = ConcurrencyLimit(ConcurrencySettings(start=10, min=4, max=100, slow_answer_s=5))
    for _ in range(10):
        limit.answered(1.0, in_flight=limit.value, sent_in_round=limit.round)
    assert limit.value == 20  # doubled in a round of answers
    limit.answered(1.0, in_flight=2, sent_in_round=limit.round)
    assert limit.value == 20  # not used, not grown
    sent = limit.round
    for _ in range(20):
        limit.overloaded(sent)
    assert limit.value == 14  # once a round
    for _ in range(14):
        limit.answered(1.0, in_flight=14, sent_in_round=limit.round)
    assert limit.value in (14, 15)  # by one in a round of answers
    limit.answered(6.0, in_flight=14, sent_in_round=limit.round)
    assert limit.value < 14  # a slow answer
    for _ in range(50):
        limit.overloaded(limit.round)
    assert limit.value == 4


def test_the_breaker():
    breaker = Breaker(BreakerSettings(failures=3, cool_down_s=1, cool_down_cap_s=5))
    assert [breaker.failed(), breaker.failed(), breaker.succeeded()] == [False, False, False]
    assert [breaker.failed(), breaker.failed(), breaker.failed()] == [False, False, True]
    assert breaker.state is State.OPEN
    assert not breaker.failed()  # of a call that was sent before
    pauses = [breaker.cool_down() for _ in range(5)]
    assert all(0.7 * most <= pause <= most for pause, most in zip(pauses, [1, 2, 4, 5, 5], strict=True))
    assert breaker.allow_probes()
    assert breaker.state is State.HALF_OPEN
    assert breaker.succeeded()
    assert breaker.cool_down() <= 1
    assert breaker.trip()
    assert breaker.allow_probes()
    assert breaker.failed()  # one failure of a probe is enough
    assert breaker.succeeded()
    assert not breaker.allow_probes()


def test_an_endpoint_on_probation_gets_a_few_calls():
    settings = JudgeSettings(model="judge", endpoints=("http://a/v1",), breaker=BreakerSettings(probes=2))
    endpoint = Endpoint("http://a/v1", openai.AsyncOpenAI(api_key="x"), settings)
    assert endpoint.room == 32
    endpoint.breaker.trip()
    assert endpoint.room == 0
    endpoint.breaker.allow_probes()
    assert endpoint.room == 2
    endpoint.in_flight = 1
    assert endpoint.room == 1
    endpoint.breaker.succeeded()
    assert endpoint.room == 31


async def test_a_deadline_shrinks_the_concurrency():
    limits = {"start": 10, "max": 10}
    async with JudgeServer() as server, client_of(server, deadline_s=0.1, concurrency=limits) as client:
        server.then(Reply(never=True))
        await client.ask(request())
        assert client.usage()["endpoints"][server.url]["concurrency"] < 10


async def test_check_says_which_endpoint_lacks_the_model():
    async with (
        JudgeServer(model="gpt-oss-120b") as good,
        JudgeServer(model="gpt-oss-20b") as other,
        JudgeServer() as dead,
    ):
        await dead.stop()
        bare = good.url.removesuffix("/v1")
        async with client_of(endpoints=[good.url, other.url, dead.url, bare], model="gpt-oss-120b") as client:
            report = await client.check()
            identity = client.usage()["judge"]
    assert identity == {"id": "gpt-oss-120b", "root": "/models/gpt-oss-120b", "owned_by": "test"}
    faults = report.faults
    assert len(faults) == 3
    assert faults[0] == f"{other.url}: no model 'gpt-oss-120b', did you mean 'gpt-oss-20b'?"
    assert faults[1].startswith(f"{dead.url}: ")
    assert "/v1" in faults[2]


async def test_check_sees_different_models_under_one_name_and_odd_lists():
    async with JudgeServer() as one, JudgeServer() as two, JudgeServer() as odd:
        two.models[0]["root"] = "/models/another"
        odd.models_reply = Reply(body=b'["judge"]')
        async with client_of(one, two, odd) as client:
            faults = (await client.check()).faults
    assert len(faults) == 2
    assert "root of judge is '/models/another'" in faults[1]
    assert "its model list cannot be read" in faults[0]


async def test_probe_says_how_a_few_calls_went():
    async with JudgeServer(script=lambda _: Reply(delay_s=0.05)) as server, client_of(server) as client:
        server.then(Reply(status=400, body=b"no"))
        report = await client.probe(5)
    assert len(report.answers) == 4
    assert 0.05 <= report.slowest_s <= report.seconds
    assert len(report.faults) == 1
    assert "HTTP 400: no" in report.faults[0]


def test_nothing_is_left_after_closing(tmp_path):
    def sockets():
        links = (os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if _open(fd))
        return sum(link.startswith("socket:") for link in links)

    async def use():
        async with JudgeServer(script=lambda _: Reply(delay_s=0.02)) as server:
            tasks = len(asyncio.all_tasks())
            async with client_of(server, cache_path=tmp_path / "cache.sqlite") as client:
                calls = [asyncio.create_task(client.ask(request(str(i)))) for i in range(100)]
                await until(lambda: server.completions > 50)
                for call in calls[::3]:
                    call.cancel()
                await asyncio.gather(*calls, return_exceptions=True)
                server.script = lambda _: Reply(never=True)
                hanging = asyncio.create_task(client.ask(request("hangs")))
                await until(lambda: server.in_flight)
            await asyncio.gather(hanging, return_exceptions=True)
            await until(lambda: not server.connections)
            await until(lambda: len(asyncio.all_tasks()) <= tasks)

    before, threads = sockets(), threading.active_count()
    asyncio.run(use())
    gc.collect()
    assert sockets() == before
    assert threading.active_count() == threads


def _open(fd):
    return os.path.islink(f"/proc/self/fd/{fd}")


async def test_check_says_when_the_longest_answer_fills_the_context():
    async with JudgeServer() as server, client_of(server, sampling={"batch": {"max_tokens": 9000}}) as client:
        server.models[0]["max_model_len"] = 9001
        assert (await client.check()).faults == []
        server.models[0]["max_model_len"] = 9000
        assert "answers of 9000 tokens leave no room for a prompt in its 9000" in (await client.check()).faults[0]


def test_clients_of_the_same_endpoints_share_the_limit() -> None:
    share = ConcurrencySettings(start=32, min=4, max=256).shared_by(8)
    assert (share.start, share.min, share.max) == (4, 1, 32)
    assert ConcurrencySettings().shared_by(1) == ConcurrencySettings()
