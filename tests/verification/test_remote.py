"""The remote verifier over real sockets: what the service tells arrives whole, and a failure of it is no outcome."""

import asyncio
import contextlib
import hashlib
import json
import random
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from scopeif.errors import ConfigError, InvalidInputError
from scopeif.reward import Answer
from scopeif.verification import build, remote
from scopeif.verification.engine import Item, verify_many
from scopeif.verification.outcome import Reason
from scopeif.verification.remote import RemoteVerifier
from scopeif.verification.service.app import build_app
from scopeif.verification.service.backend import Backend, CountedPool
from scopeif.verification.service.settings import ServiceSettings
from scopeif.verification.settings import RemoteSettings, VerificationSettings, require_judge
from scopeif.verification.verifier import verify_response
from tests.service.apps import served
from tests.verification.fake_service import Service, changed, half, hang_up, refusal, text, told, verified

DATA = Path(__file__).parents[2] / "data" / "scope_mini" / "test.jsonl"
FAST = {"patience_s": 20.0, "deadline_s": 10.0}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch):
    monkeypatch.setattr(remote, "_BACKOFF_BASE_S", 0.01)
    monkeypatch.setattr(remote, "_BACKOFF_CAP_S", 0.05)


@pytest.fixture
async def service():
    async with Service() as service:
        yield service


@pytest.fixture(scope="session")
def pool():
    with build.build_pool(VerificationSettings(), CountedPool) as pool:
        yield pool


@pytest.fixture
def instruction(instructions):
    return next(one for one in instructions if len(one.constraints) == 3)


def free_url():
    """An address that nobody listens at."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}"


def client(*urls, **changes):
    return RemoteVerifier(RemoteSettings.model_validate({"urls": urls, **FAST, **changes}))


async def outcomes_of(instruction, *urls, **changes):
    async with client(*urls, **changes) as verifier:
        return await verifier.verify_all(instruction, "An answer.")


def assert_transport(outcomes, instruction, *said):
    assert [outcome.reason for outcome in outcomes] == [Reason.TRANSPORT] * len(instruction.constraints)
    for outcome in outcomes:
        assert outcome.verifier == "remote"
        for words in said:
            assert words in outcome.detail


async def test_a_response_is_sent_once_and_its_outcomes_arrive_whole(service, instruction):
    async with client(service.url) as verifier:
        outcome = await verify_response(verifier, instruction, Answer("An answer.", 1))
    assert list(outcome.outcomes) == told(3)
    (asked,) = service.asked
    assert (asked.instruction, asked.response, asked.split, asked.details) == (instruction, "An answer.", False, True)
    assert "Authorization" not in service.headers[0]


async def test_nothing_is_sent_where_the_format_reward_is_0(service, instruction):
    async with client(service.url) as verifier:
        outcome = await verify_response(verifier, instruction, Answer("", 0, "empty"))
    assert (outcome.verified, outcome.reward("scopeif"), service.asked) == (True, 0.0, [])


async def test_one_constraint_by_itself(service, instruction):
    async with client(service.url) as verifier:
        outcome = await verifier.verify(instruction, instruction.constraints[1], "An answer.")
    assert outcome == told(1)[0]
    assert service.asked[0].instruction.constraints == (instruction.constraints[1],)


async def test_every_instruction_of_the_shipped_data_arrives_as_it_was_sent(service, instructions):
    async with client(service.url) as verifier:
        items = [Item(one.id, one, Answer("\x00 <é> \u2028 \U0001f600", 1)) for one in instructions]
        async for item, outcome in verify_many(verifier, items, 8):
            assert list(outcome.outcomes) == told(len(item.instruction.constraints))
    assert sorted(one.instruction.id for one in service.asked) == sorted(one.id for one in instructions)
    assert {one.id: one for one in instructions} == {one.instruction.id: one.instruction for one in service.asked}
    assert {one.response for one in service.asked} == {"\x00 <é> \u2028 \U0001f600"}


# Failures that pass

AWAY = {
    "429": refusal(429),
    "503": refusal(503, "draining"),
    "502 of a proxy": text("<html>Bad Gateway</html>", 502),
    "hang up": hang_up,
    "half an answer": half,
}


def _drop(whole):
    whole["constraints"].pop()


def _say(place, value):
    def change(whole):
        target = whole
        for step in place[:-1]:
            target = target[step]
        target[place[-1]] = value

    return changed(change)


UNUSABLE = {
    "500": refusal(500, "internal"),
    "half JSON": text('{"instruction_id": "x", "constr'),
    "no JSON": text("OK"),
    "NaN": text("NaN"),
    "too few outcomes": changed(_drop),
    "of another instruction": _say(["instruction_id"], "another"),
    "none": _say(["constraints"], []),
    "no list": _say(["constraints"], None),
    "no outcome": _say(["constraints", 1], {"status": "satisfied"}),
    "no record": _say(["constraints", 0, "records"], []),
    "a number in words": _say(["constraints", 0, "records", 0, "actual"], "3"),
    "no number": _say(["constraints", 0, "records", 0, "actual"], None),
    "reversed bounds": _say(["constraints", 2, "records", 0, "lower"], 4),
    "an unknown reason": _say(["constraints", 1, "reason"], "tired"),
    "records and a reason": _say(["constraints", 0, "reason"], "parse"),
    "a detail that is a number": _say(["constraints", 1, "detail"], 5),
    "a call without a text": _say(["constraints", 0, "calls", 0, "text"], None),
    "tokens in words": _say(["constraints", 0, "calls", 0, "prompt_tokens"], "many"),
    "an object that is none": _say(["constraints", 0, "records", 0, "object"], {}),
}  # fmt: skip


@pytest.mark.parametrize("order", [*AWAY.values(), *UNUSABLE.values()], ids=[*AWAY, *UNUSABLE])
async def test_a_failure_that_passes_costs_nothing(service, instruction, order):
    service.then(order)
    assert await outcomes_of(instruction, service.url) == told(3)
    assert len(service.asked) == 2


@pytest.mark.parametrize("order", AWAY.values(), ids=AWAY)
async def test_a_service_that_stays_away_is_waited_for_until_the_patience_ends(service, instruction, order):
    service.reply = order
    assert_transport(await outcomes_of(instruction, service.url, patience_s=0.3), instruction, service.url, "given up")
    assert len(service.asked) > 1


@pytest.mark.parametrize("order", UNUSABLE.values(), ids=UNUSABLE)
async def test_answers_that_cannot_be_used_are_no_outcomes(service, instruction, order):
    service.reply = order
    assert_transport(await outcomes_of(instruction, service.url), instruction, service.url, "3 tries")
    assert len(service.asked) == 3


async def test_what_is_too_large_is_not_sent_again(service, instruction):
    service.reply = refusal(413, "too_large")
    assert_transport(await outcomes_of(instruction, service.url), instruction, "because of 413")
    assert len(service.asked) == 1


async def test_half_a_surrogate_pair_is_unverified(service, instruction):
    async with client(service.url) as verifier:
        assert_transport(await verifier.verify_all(instruction, "\ud83d"), instruction, "cannot be sent")
    assert service.asked == []


async def test_an_answer_that_takes_too_long_is_no_outcome(service, instruction):
    async def never(_, asked):
        await asyncio.sleep(60)

    service.reply = never
    got = await outcomes_of(instruction, service.url, deadline_s=0.1, patience_s=0.3)
    assert_transport(got, instruction, service.url)


async def test_retry_after_is_waited_for(service, instruction):
    at = []

    async def noted(request, asked):
        at.append(time.monotonic())
        return await (verified if len(at) > 1 else refusal(429, Retry_After="0.4"))(request, asked)

    service.reply = noted
    assert await outcomes_of(instruction, service.url) == told(3)
    assert at[1] - at[0] >= 0.4


async def test_responses_wait_for_a_service_that_starts_late(instructions):
    async with Service() as service:
        await service.stop()
        async with client(service.url, concurrency=3) as verifier:
            waiting = [asyncio.create_task(verifier.verify_all(one, "An answer.")) for one in instructions[:12]]
            await asyncio.sleep(0.2)
            assert not any(task.done() for task in waiting)
            await service.start()
            for one, got in zip(instructions, await asyncio.gather(*waiting), strict=False):
                assert got == told(len(one.constraints))


async def test_the_patience_of_many_is_that_of_one(instructions):
    begun = time.monotonic()
    async with client(free_url(), concurrency=1, patience_s=1) as verifier:
        asking = (verifier.verify_all(one, "An answer.") for one in instructions)
        for one, got in zip(instructions, await asyncio.gather(*asking), strict=True):
            assert_transport(got, one)
    assert time.monotonic() - begun < len(instructions) / 2  # one after another they would wait twice as long


async def test_a_response_that_its_service_dies_of_does_not_wait_for_ever(service, instructions):
    poison = instructions[0]

    async def dies(request, asked):
        return await (hang_up if asked.instruction.id == poison.id else verified)(request, asked)

    service.reply = dies
    async with client(service.url, patience_s=3600) as verifier:
        asking = asyncio.create_task(verifier.verify_all(poison, "An answer."))
        while not asking.done():  # others are verified meanwhile
            assert await verifier.verify_all(instructions[1], "An answer.") == told(len(instructions[1].constraints))
        assert_transport(await asking, poison)


# Several services


@pytest.mark.parametrize("order", [*AWAY.values(), *UNUSABLE.values()], ids=[*AWAY, *UNUSABLE])
async def test_another_service_stands_in(service, instructions, order):
    async with Service() as other:
        other.reply = order
        async with client(service.url, other.url, patience_s=60) as verifier:
            for one in instructions:
                assert await verifier.verify_all(one, "An answer.") == told(len(one.constraints))
    assert len(service.asked) == len(instructions)
    assert other.asked  # the ports decide who is asked first: half of the instructions go either way


@pytest.mark.parametrize("status, for_all", [(503, True), (429, False)])
async def test_retry_after_of_a_draining_service_holds_for_all_and_of_a_busy_one_for_one(
    service, instructions, status, for_all
):
    async with Service() as other, client(service.url, other.url) as verifier:
        other.reply = refusal(status, Retry_After="60")
        for one in instructions:
            assert await verifier.verify_all(one, "An answer.") == told(len(one.constraints))
    assert (len(other.asked) == 1) is for_all


async def test_a_service_that_is_down_is_asked_now_and_then(service, instructions):
    async with client(service.url, free_url(), patience_s=60) as verifier:
        asking = (verifier.verify_all(one, "An answer.") for one in instructions)
        got = await asyncio.gather(*asking)
    assert got == [told(len(one.constraints)) for one in instructions]


async def test_responses_to_one_instruction_go_to_one_service(service, instructions):
    async with Service() as other, client(service.url, other.url) as verifier:
        for number in range(3):
            await asyncio.gather(*(verifier.verify_all(one, f"Answer {number}.") for one in instructions))
    here, there = ({asked.instruction.id for asked in one.asked} for one in (service, other))
    assert here
    assert there
    assert not here & there


async def test_no_more_requests_at_a_time_than_allowed(service, instructions):
    async def slow(request, asked):
        await asyncio.sleep(0.02)
        return await verified(request, asked)

    service.reply = slow
    async with client(service.url, concurrency=3) as verifier:
        await asyncio.gather(*(verifier.verify_all(one, "An answer.") for one in instructions))
    assert service.most_in_flight == 3


async def test_chaos_makes_no_wrong_outcome(instructions):
    dice = random.Random(7)
    faults = [*AWAY.values(), *UNUSABLE.values()]

    async def chaotic(request, asked):
        return await (dice.choice(faults) if dice.random() < 0.4 else verified)(request, asked)

    async with Service() as one, Service() as two, client(one.url, two.url, concurrency=16) as verifier:
        one.reply = two.reply = chaotic
        items = [Item(number, instructions[number % 40], Answer(f"Answer {number}.", 1)) for number in range(400)]
        seen = set()
        async for item, outcome in verify_many(verifier, items, 64):
            seen.add(item.key)
            if {one.reason for one in outcome.outcomes} == {Reason.TRANSPORT}:
                assert all(one.detail for one in outcome.outcomes)
            else:
                assert list(outcome.outcomes) == told(len(item.instruction.constraints))
    assert len(seen) == 400


# What only a change of configuration mends


@pytest.mark.parametrize(
    "order, said",
    [
        (refusal(401, "unauthorized"), "token_env"),
        (refusal(403, "unauthorized"), "token_env"),
        (text("Not Found", 404), "scopeif serve"),
        (refusal(405, "method_not_allowed"), "scopeif serve"),
        (text("", 301), "scopeif serve"),
        (refusal(422, "invalid"), "mend it"),
        (text("Unprocessable", 422), "one version"),
    ],
)
async def test_a_wrong_configuration_is_an_error(service, instruction, order, said):
    service.reply = order
    with pytest.raises(ConfigError) as caught:
        await outcomes_of(instruction, service.url)
    assert said in str(caught.value)
    assert service.url in str(caught.value)
    assert len(service.asked) == 1


async def test_one_service_that_refuses_is_left_out(service, instructions):
    async with Service() as other:
        other.reply = refusal(404, "not_found")
        async with client(service.url, other.url) as verifier:
            for one in instructions[:6]:
                assert await verifier.verify_all(one, "An answer.") == told(len(one.constraints))


async def test_the_token_is_sent(service, instruction, monkeypatch):
    monkeypatch.setenv("SERVICE_TOKEN", "s3cret")
    await outcomes_of(instruction, service.url, token_env="SERVICE_TOKEN")
    assert service.headers[0]["Authorization"] == "Bearer s3cret"


def test_a_token_that_is_not_set(monkeypatch):
    monkeypatch.delenv("SERVICE_TOKEN", raising=False)
    with pytest.raises(ConfigError, match="SERVICE_TOKEN"):
        client("http://a:1", token_env="SERVICE_TOKEN")


async def test_it_has_to_be_open(instruction):
    with pytest.raises(InvalidInputError, match="not open"):
        await client("http://a:1").verify_all(instruction, "An answer.")


@pytest.mark.parametrize("given", [{}, {"urls": ["node7:8000"]}, {"urls": ["http://a:1"], "patience_s": -1}])
def test_settings_are_bounded(given):
    with pytest.raises(ValidationError):
        VerificationSettings.model_validate({"kind": "remote", "remote": given})


# Where it is used


def settings_of(url):
    return VerificationSettings.model_validate({"kind": "remote", "remote": {"urls": [url]}})


async def test_no_sandbox_is_started(service, instruction, monkeypatch):
    monkeypatch.setattr(build, "ToolPool", None)
    async with build.open_verifier(settings_of(service.url), None) as verifier:
        assert await verifier.verify_all(instruction, "An answer.") == told(3)


def test_a_judge_beside_it_is_refused():
    with pytest.raises(ConfigError, match="a judge of its own"):
        require_judge(settings_of("http://a:1"), has_judge=True)


async def verify_command(*arguments):
    command = ["-m", "scopeif.verify", "--instructions", str(DATA), *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=-1, stderr=-1)
    said, erred = await process.communicate()
    return process.returncode, said.decode(), erred.decode()


async def test_on_the_command_line(service, instructions, tmp_path):
    responses, out = tmp_path / "responses.jsonl", tmp_path / "outcomes.jsonl"
    rows = ({"instruction_id": one.id, "response": text} for one in instructions[:2] for text in ["An answer."])
    responses.write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = ["--responses", responses, "--out", out, "--verifier", "remote"]
    code, said, erred = await verify_command(*given, "--service", service.url)
    assert (code, "2 responses" in said) == (3, True), erred
    assert [json.loads(line)["constraints"][0]["verifier"] for line in out.read_text().splitlines()] == ["tgv", "tgv"]
    judge = ["--model", "m", "--endpoint", "http://a:1"]
    for more, complaint in ([], "--service"), (["--service", service.url, *judge], "a judge of its own"):
        code, _, erred = await verify_command(*given, *more)
        assert (code, complaint in erred, "Traceback" in erred) == (2, True, False)


# The service itself


@contextlib.asynccontextmanager
async def real_service(pool, **settings):
    """The URL of the service's own app."""
    chosen = ServiceSettings.model_validate(settings)

    @contextlib.asynccontextmanager
    async def opened(_):
        yield Backend(build.build_verifier(chosen.verification, pool, None), pool)

    async with served(build_app(chosen, opened)) as url:
        yield url


async def test_the_service_tells_what_is_verified_here(pool, instructions):
    here = build.build_verifier(VerificationSettings(), pool, None)
    answers = ("Today the sea is calm. It rests.\n\nA seat is free.", "- one\n- two\n", '{"a": 1}', "calm \u2028 海。")
    async with real_service(pool) as url, client(url) as there:
        for one in instructions[:12]:
            for answer in answers:
                expected, got = [await verify_response(by, one, Answer(answer, 1)) for by in (here, there)]
                assert got.rewards() == expected.rewards()
                for a, b in zip(got.outcomes, expected.outcomes, strict=True):
                    assert replace(a, cpu_ms=0) == replace(b, cpu_ms=0)


async def test_the_service_refuses_a_wrong_token_and_a_long_response(pool, instruction, monkeypatch):
    settings = {"token_sha256": hashlib.sha256(b"s3cret").hexdigest(), "limits": {"body_kb": 16}}
    async with real_service(pool, **settings) as url:
        with pytest.raises(ConfigError, match="token_env"):
            await outcomes_of(instruction, url)
        monkeypatch.setenv("SERVICE_TOKEN", "s3cret")
        async with client(url, token_env="SERVICE_TOKEN") as verifier:
            assert_transport(await verifier.verify_all(instruction, "word " * 4000), instruction, "16 KiB")
            assert len(await verifier.verify_all(instruction, "A word.")) == 3


async def test_a_busy_service_is_waited_for(pool, instructions):
    limits = {"concurrency": 1, "queue": 0}
    async with real_service(pool, limits=limits) as url, client(url, patience_s=60) as verifier:
        got = await asyncio.gather(*(verifier.verify_all(one, "A word.") for one in instructions[:4]))
    assert all(outcome.reason is not Reason.TRANSPORT for outcomes in got for outcome in outcomes)
