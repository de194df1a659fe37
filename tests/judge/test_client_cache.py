"""The cache of parsed answers: for going on and for replay, and never a reason to fail."""

import asyncio
import json
import logging
import sqlite3
import threading

import pytest

from scopeif.judge import answers, completions
from tests.judge.clients import client_of, request
from tests.judge.server import JudgeServer, Reply


async def test_kept_answers_come_back_without_a_call(tmp_path):
    path = tmp_path / "deep" / "cache.sqlite"
    async with JudgeServer(script=lambda _: Reply("一", reasoning="r", cached_tokens=3)) as server:
        async with client_of(server, cache_path=path, price={"prompt": 1.0}) as client:
            kept = await client.ask(request("kept"))
            client.keep(request("kept"), kept)
            assert (await client.ask(request("kept"))).from_cache  # at once, written or not
            await client.ask(request("not kept"))
        async with client_of(server, cache_path=path, price={"prompt": 1.0}) as client:
            again = await client.ask(request("kept"))
            assert again.from_cache
            assert (again.text, again.reasoning, again.cached_tokens) == ("一", "r", 3)
            assert not (await client.ask(request("not kept"))).from_cache
            assert not (await client.ask(request("kept", attempt=1))).from_cache
            usage = client.usage()
    assert server.completions == 4
    assert usage["kinds"]["judgment"]["cache_hits"] == 1
    assert usage["kinds"]["judgment"]["prompt_tokens"] == 20  # a hit is not paid for
    assert usage["cache"] == "on"


async def test_other_settings_and_other_measuring_rules_are_other_requests(tmp_path, monkeypatch):
    path = tmp_path / "cache.sqlite"
    async with JudgeServer() as server:
        async with client_of(server, cache_path=path) as client:
            client.keep(request(), await client.ask(request()))
        for changes in (
            {"reasoning_effort": "low"},
            {"extra_body": {"seed": 1}},
            {"sampling": {"judgment": {"max_tokens": 9}}},
        ):
            async with client_of(server, cache_path=path, **changes) as client:
                assert not (await client.ask(request())).from_cache
        monkeypatch.setattr(completions, "MEASURE_VERSION", 99)
        async with client_of(server, cache_path=path) as client:
            assert not (await client.ask(request())).from_cache


@pytest.mark.parametrize(
    "content", [b"this is no database at all, nor was it ever one" * 100, b"SQLite format 3\x00" + b"\xff" * 5000]
)
async def test_a_corrupt_file_is_left_alone(tmp_path, caplog, content):
    path = tmp_path / "cache.sqlite"
    path.write_bytes(content)
    async with JudgeServer() as server, client_of(server, cache_path=path) as client:
        for number in range(5):
            client.keep(request(str(number)), await client.ask(request(str(number))))
        assert client.usage()["cache"] == "off"
    assert path.read_bytes() == content
    assert len([one for one in caplog.records if one.levelno == logging.WARNING]) == 1
    assert str(path) in caplog.text


async def test_a_foreign_database_is_left_alone(tmp_path):
    path = tmp_path / "cache.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE mine (x)")
    database.close()
    async with JudgeServer() as server, client_of(server, cache_path=path) as client:
        client.keep(request(), await client.ask(request()))
        assert client.usage()["cache"] == "off"


async def test_a_locked_file_is_tried_again_later(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(answers, "_BUSY_S", 0.05)
    monkeypatch.setattr(answers, "_PAUSE_S", 0.3)
    path = tmp_path / "cache.sqlite"
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    async with JudgeServer() as server, client_of(server, cache_path=path) as client:
        assert (await client.ask(request())).text == "OK"
        assert client.usage()["cache"] == "paused"
        holder.execute("COMMIT")
        holder.close()
        await asyncio.sleep(0.35)
        client.keep(request(), await client.ask(request()))
        assert (await client.ask(request())).from_cache
    assert len([one for one in caplog.records if one.levelno == logging.WARNING]) == 1


async def test_a_path_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("x")
    async with JudgeServer() as server, client_of(server, cache_path=tmp_path / "file" / "cache.sqlite") as client:
        client.keep(request(), await client.ask(request()))
        assert client.usage()["cache"] == "off"


async def test_a_broken_row_is_a_miss(tmp_path):
    path = tmp_path / "cache.sqlite"
    async with JudgeServer() as server:
        async with client_of(server, cache_path=path) as client:
            client.keep(request(), await client.ask(request()))
        for row in ("{half", "[]", '{"text": "x", "surplus": 1}', b"\xff\xfe"):
            with sqlite3.connect(path) as database:
                database.execute("UPDATE answers SET answer = ?", (row,))
            database.close()
            async with client_of(server, cache_path=path) as client:
                assert not (await client.ask(request())).from_cache
    assert server.completions == 5


async def test_the_oldest_are_dropped(tmp_path):
    path = tmp_path / "cache.sqlite"
    async with JudgeServer(script=lambda _: Reply("x" * 20_000)) as server:
        async with client_of(server, cache_path=path, cache_max_mb=1) as client:
            for first in range(0, 300, 50):
                batch = [request(str(number)) for number in range(first, first + 50)]
                for one, answer in zip(batch, await asyncio.gather(*map(client.ask, batch)), strict=True):
                    client.keep(one, answer)
        async with client_of(server, cache_path=path) as client:
            assert (await client.ask(request("299"))).from_cache
            assert not (await client.ask(request("0"))).from_cache
    assert path.stat().st_size < 4 * 2**20


async def test_two_clients_share_a_file(tmp_path):
    path = tmp_path / "cache.sqlite"
    async with JudgeServer() as server:
        async with client_of(server, cache_path=path) as one, client_of(server, cache_path=path) as two:

            async def fill(client, numbers):
                for number in numbers:
                    client.keep(request(str(number)), await client.ask(request(str(number))))

            await asyncio.gather(fill(one, range(60)), fill(two, range(60, 120)))
        async with client_of(server, cache_path=path) as client:
            hits = await asyncio.gather(*(client.ask(request(str(number))) for number in range(120)))
    assert all(answer.from_cache for answer in hits)
    with sqlite3.connect(path) as database:
        rows = database.execute("SELECT answer FROM answers").fetchall()
    database.close()
    assert json.loads(rows[0][0])["text"] == "OK"


async def test_a_slow_disk_does_not_block_the_loop(tmp_path, monkeypatch):
    release = threading.Event()
    read = answers.AnswerCache._read

    def slow(self, key):
        release.wait(5)
        return read(self, key)

    monkeypatch.setattr(answers.AnswerCache, "_read", slow)
    async with JudgeServer() as server, client_of(server, cache_path=tmp_path / "cache.sqlite") as client:
        call = asyncio.create_task(client.ask(request()))
        await asyncio.sleep(0.05)  # the loop runs on
        assert not call.done()
        release.set()
        assert (await call).text == "OK"
