"""What the service refuses, and what ends early."""

import asyncio
import contextlib
import hashlib
import json
import socket

import httpx
import pytest

from scopeif.reward import Record
from scopeif.verification.outcome import Outcome
from scopeif.verification.service.settings import ServiceSettings
from tests.judge.clients import until
from tests.service.apps import client_of, served

TOKEN = "s3cret"
SECRET = {"token_sha256": hashlib.sha256(TOKEN.encode()).hexdigest()}


class Held:
    """Verifies when it is let; counts what it does and what was cancelled."""

    name = "held"

    def __init__(self):
        self.running = self.cancelled = 0
        self.let = asyncio.Event()

    async def verify(self, instruction, constraint, answer):
        self.running += 1
        try:
            await self.let.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.running -= 1
        return Outcome((Record(0, 1, 1),), verifier=self.name)


def refused(answer):
    return answer.status_code, answer.json()["error"]


async def in_chunks(body, chunks=8):
    """No Content-Length."""
    size = len(body) // chunks + 1
    for start in range(0, len(body), size):
        yield body[start : start + size]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_may_be_as_long_as_the_limit_and_no_byte_longer(make_app, request_body, chunked):
    def padded(size):
        body = json.dumps(request_body).encode()
        body += b" " * (size - len(body))
        return in_chunks(body) if chunked else body

    async with client_of(make_app(limits={"body_kb": 4}), headers={"Content-Type": "application/json"}) as client:
        assert (await client.post("/v1/verify", content=padded(4096))).status_code == 200
        assert refused(await client.post("/v1/verify", content=padded(4097))) == (413, "too_large")


async def test_what_is_too_long_is_refused_before_it_was_read_and_the_connection_lives(make_app, request_body):
    sent = 0

    async def endless():
        nonlocal sent
        while True:
            sent += 1
            yield b" " * 4096

    app = make_app(limits={"body_kb": 4})
    async with client_of(app) as client:
        assert refused(await client.post("/v1/verify", content=endless())) == (413, "too_large")
    assert sent == 2
    async with served(app) as url, httpx.AsyncClient(base_url=url) as client:
        assert refused(await client.post("/v1/verify", content=b" " * 200_000)) == (413, "too_large")
        assert (await client.post("/v1/verify", json=request_body)).status_code == 200


async def test_more_constraints_than_the_limit_are_refused(make_app, request_body):
    (constraint,) = request_body["instruction"]["constraints"]
    async with client_of(make_app(limits={"constraints": 2})) as client:
        for count, status in ((2, 200), (3, 422)):
            instruction = request_body["instruction"] | {"constraints": [constraint] * count}
            answer = await client.post("/v1/reward", json=request_body | {"instruction": instruction})
            assert answer.status_code == status
        assert answer.json()["place"] == "instruction.constraints"
        assert "3 constraints; the limit is 2" in answer.json()["message"]


async def test_beyond_places_and_queue_requests_are_told_when_to_come_again(make_app, request_body):
    held = Held()
    app = make_app(verifier=held, limits={"concurrency": 2, "queue": 1, "queue_s": 60, "retry_after_s": 7})
    slots = app.state.replica.slots
    async with client_of(app) as client:

        def ask():
            return asyncio.create_task(client.post("/v1/verify", json=request_body))

        first = [ask(), ask()]
        await until(lambda: slots.running == 2)
        waiting = ask()
        await until(lambda: slots.waiting == 1)
        too_many = await ask()
        assert refused(too_many) == (429, "busy")
        assert too_many.headers["Retry-After"] == "7"
        held.let.set()
        assert [(await one).status_code for one in (*first, waiting)] == [200] * 3
        assert (slots.running, slots.waiting) == (0, 0)
        assert (await ask()).status_code == 200


async def test_who_waits_too_long_is_refused_and_leaves_the_queue(make_app, request_body):
    held = Held()
    app = make_app(verifier=held, limits={"concurrency": 1, "queue": 1, "queue_s": 0.05})
    async with client_of(app) as client:
        first = asyncio.create_task(client.post("/v1/verify", json=request_body))
        await until(lambda: held.running)
        assert refused(await client.post("/v1/verify", json=request_body)) == (429, "busy")
        assert app.state.replica.slots.waiting == 0
        held.let.set()
        assert (await first).status_code == 200


@pytest.mark.parametrize(
    "header",
    [None, "Bearer", "Bearer ", "Bearer s3cre", f"Basic {TOKEN}", TOKEN, f"Bearer {SECRET['token_sha256']}"],
)
async def test_without_the_token_nothing_is_verified_or_read(make_app, request_body, header):
    async with client_of(make_app(**SECRET), headers={"Authorization": header} if header else {}) as client:
        for content in (json.dumps(request_body), "not json", "x" * 3_000_000):
            answer = await client.post("/v1/verify", content=content)
            assert refused(answer) == (401, "unauthorized")
            assert answer.headers["WWW-Authenticate"] == "Bearer"
        assert [(await client.get(path)).status_code for path in ("/healthz", "/readyz", "/metrics")] == [200] * 3


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
async def test_with_the_token_requests_pass(make_app, request_body, scheme):
    async with client_of(make_app(**SECRET), headers={"Authorization": f"{scheme} {TOKEN}"}) as client:
        assert (await client.post("/v1/verify", json=request_body)).status_code == 200


@pytest.mark.parametrize(
    "change, place, words",
    [
        (lambda body: body.pop("response"), "response", "required"),
        (lambda body: body.update(respones="x"), "respones", "not permitted"),
        (lambda body: body["instruction"].update(constraints=[]), "instruction.constraints", "at least 1"),
        (lambda body: body["instruction"].pop("prompt"), "instruction", "prompt or messages"),
        (lambda body: body.update(scheme="best"), "scheme", "'scopeif'"),
        (lambda body: body.update(alpha=0), "alpha", "greater than 0"),
    ],
)
async def test_a_fault_of_the_body_is_named_with_its_place(make_app, request_body, change, place, words):
    body = request_body | {"instruction": dict(request_body["instruction"])}
    change(body)
    async with client_of(make_app()) as client:
        answer = await client.post("/v1/reward", json=body)
    assert refused(answer) == (422, "invalid")
    assert answer.json()["place"] == place
    assert words in answer.json()["message"]


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[" * 100_000, b'{"alpha": NaN}', b'{"response": "\\ud800"}', b"\xff\xfe", b'{"a": 1, "a": 1}'],
    ids=lambda content: content[:16],
)
async def test_what_is_no_json_is_refused(make_app, content):
    async with client_of(make_app(), headers={"Content-Type": "application/json"}) as client:
        answer = await client.post("/v1/reward", content=content)
    assert refused(answer) == (422, "invalid")
    assert answer.json()["message"]


async def test_unknown_paths_and_methods_are_refused_in_the_same_form(make_app):
    async with client_of(make_app()) as client:
        assert refused(await client.get("/nowhere")) == (404, "not_found")
        answer = await client.get("/v1/verify")
    assert refused(answer) == (405, "method_not_allowed")
    assert answer.headers["Allow"] == "POST"


async def test_a_client_that_leaves_cancels_its_verification_and_frees_its_place(make_app, request_body):
    held = Held()
    app = make_app(verifier=held, limits={"concurrency": 1, "queue": 0})
    body = json.dumps(request_body).encode()
    head = (
        f"POST /v1/verify HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    async with served(app) as url:
        client = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])))
        client.sendall(head.encode() + body)
        await until(lambda: held.running == 1)
        client.close()
        await until(lambda: held.cancelled == 1)
        await until(lambda: app.state.replica.slots.running == 0)
        figures = {sample.labels.get("status") for one in app.state.replica.metrics.collect() for sample in one.samples}
        assert "499" in figures


async def test_draining_ends_what_runs_and_takes_nothing_new(make_app, request_body):
    held = Held()
    app = make_app(verifier=held)
    async with client_of(app) as client:
        running = asyncio.create_task(client.post("/v1/verify", json=request_body))
        await until(lambda: held.running)
        draining = asyncio.create_task(app.state.replica.drain())
        await until(lambda: app.state.replica.draining)
        answer = await client.post("/v1/verify", json=request_body)
        assert refused(answer) == (503, "draining")
        assert answer.headers["Retry-After"] == "1"
        assert refused(await client.get("/readyz")) == (503, "draining")
        assert (await client.get("/healthz")).status_code == 200
        assert not draining.done()
        held.let.set()
        assert (await running).status_code == 200
        assert await draining == 0


async def test_draining_cuts_off_what_still_runs_after_its_time_and_says_how_many(make_app, request_body):
    held = Held()
    app = make_app(verifier=held, drain_s=0.05)
    async with client_of(app) as client:
        running = asyncio.create_task(client.post("/v1/verify", json=request_body))
        await until(lambda: held.running)
        assert await app.state.replica.drain() == 1
        assert held.cancelled == 1
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await running


@pytest.mark.parametrize(
    "settings",
    [{"limits": {"body": 1}}, {"token_sha256": TOKEN}, {"scaling": {"replicas": 3, "max_replicas": 2}}, {"drain_s": 0}],
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        ServiceSettings.model_validate(settings)
