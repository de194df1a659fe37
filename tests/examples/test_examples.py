"""The examples run as they stand, and give no reward where none could be verified."""

import asyncio
import contextlib
import itertools
import json
import math
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from aiohttp import web

from scopeif.training import rollout_log
from scopeif.training.policies import ensure_policy
from scopeif.verification.service.app import build_app
from scopeif.verification.service.settings import ServiceSettings
from tests.service.apps import served

ROOT = Path(__file__).parents[2]
DATA = ROOT / "data" / "scope_mini" / "train.jsonl"
TRL = """
import json, trl_reward
trainer = trl_reward.main({arguments!r})
logs = trainer._logs
print("LOGS", json.dumps([list(logs["rewards"]["scopeif"]), list(logs["advantages"])]))
"""


async def run(*arguments, **environment):
    """Exit code and output of Python with these arguments, in the folder of the examples."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, *map(str, arguments), stdout=-1, stderr=-1, cwd=ROOT / "examples", env=os.environ | environment
    )
    said, erred = await process.communicate()
    return process.returncode, said.decode(), erred.decode()


@contextlib.asynccontextmanager
async def service(*answers):
    """The URL of a service that answers `/v1/reward` with these bodies or statuses, over and over; and its requests."""
    turn, asked = itertools.cycle(answers), []

    async def reply(request):
        asked.append(await request.json())
        answer = next(turn)
        if isinstance(answer, int):
            return web.json_response({"error": "busy", "message": "m"}, status=answer, headers={"Retry-After": "0"})
        return web.json_response(answer)

    app = web.Application(client_max_size=1 << 24)
    app.router.add_post("/v1/reward", reply)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        await web.SockSite(runner, listening).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", asked
        await runner.cleanup()


def rewarded(reward, *reasons):
    return {"reward": reward, "reasons": list(reasons)}


async def test_a_plain_client_rewards_a_response():
    async with served(build_app(ServiceSettings())) as url:
        code, said, erred = await run("http_client.py", "--url", url)
        assert (code, said) == (0, "reward 0.2231\n"), erred  # exp(-3 * 1/2): three sentences where two are asked for
        row = json.loads(DATA.read_text().splitlines()[0])
        given = ("--data", DATA, "--id", row["id"], "--response", "A warm family.")
        code, said, erred = await run("http_client.py", "--url", url, *given)
        assert (code, said) == (0, "reward 1.0000\n"), erred


async def test_a_plain_client_waits_and_gives_no_reward_where_there_is_none():
    async with service(503, 429, rewarded(None, None, "transport", "transport")) as (url, asked):
        code, said, erred = await run("http_client.py", "--url", url)
    assert (code, said, len(asked)) == (3, "no reward: unverified because of transport\n", 3), erred


@pytest.mark.parametrize("status, code", [(422, 1), (401, 1), (500, 3), (413, 3)])
async def test_a_plain_client_tells_a_wrong_request_from_an_unverified_one(status, code):
    async with service(status) as (url, asked):
        got, said, _ = await run("http_client.py", "--url", url)
    assert (got, len(asked), "reward 0" in said) == (code, 1, False)


@pytest.mark.long
async def test_trl_learns_nothing_from_what_stayed_unverified(tmp_path):
    ensure_policy(str(ROOT / "models" / "tiny"))
    answers = (rewarded(0.25), rewarded(None, "parse"), rewarded(1.0), 503, rewarded(0.5), rewarded(None, "transport"))
    async with service(*answers) as (url, asked):
        arguments = ["--url", url, "--model", "../models/tiny", "--data", str(DATA), "--out", str(tmp_path)]
        arguments += ["--steps", "1", "--tokens", "24"]
        code, said, erred = await run("-c", TRL.format(arguments=arguments))
    assert code == 0, erred
    logged = next(line for line in said.splitlines() if line.startswith("LOGS"))
    rewards, advantages = (torch.tensor(values).view(-1, 4) for values in json.loads(logged.removeprefix("LOGS")))
    assert rewards.shape == (2, 4)
    assert rewards.isnan().any()
    for group, got in zip(rewards, advantages, strict=True):
        verified = group[~group.isnan()]
        expected = torch.zeros(4)
        if len(verified) > 1:
            expected[~group.isnan()] = (verified - verified.mean()) / (verified.std() + 1e-4)
        torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)
    assert {one["scheme"] for one in asked} == {"scopeif"}
    assert {one["truncated"] for one in asked} == {True, False}
    assert "parse" in said


@pytest.mark.long
async def test_trl_stops_when_most_stays_unverified(tmp_path):
    ensure_policy(str(ROOT / "models" / "tiny"))
    async with service(rewarded(None, "transport")) as (url, _):
        arguments = ["--url", url, "--model", "../models/tiny", "--data", DATA, "--out", tmp_path]
        arguments += ["--steps", "1", "--tokens", "8"]
        code, _, erred = await run("trl_reward.py", *arguments)
    assert code == 1
    assert "8 of 8 responses stayed unverified" in erred


@pytest.mark.long
@pytest.mark.end_to_end
@pytest.mark.timeout(420)
def test_verl_trains_with_a_service(tmp_path):
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    command = ["examples/verl_remote.sh", "recipe=tiny", f"run.root={tmp_path}", "trainer.total_training_steps=2"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=os.environ | {"PATH": path, "PORT": str(port)},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    folder = tmp_path / "tiny" / "001"
    rows = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    assert [row["step"] for row in rows if row["kind"] == "train"] == [1, 2]
    rollouts = [row for step in (1, 2) for row in rollout_log.read(folder / "rollouts" / f"{step:06d}.jsonl.zst")]
    verifiers = {one["verifier"] for row in rollouts for one in row["constraints"]}
    assert verifiers == {"compiled"}
    assert any(0 <= (row["reward"]["scopeif"] or math.nan) <= 1 for row in rollouts)
    with socket.socket() as gone:
        assert gone.connect_ex(("127.0.0.1", port)) != 0
