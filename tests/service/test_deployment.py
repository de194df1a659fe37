"""`scopeif serve` as it is run: Ray Serve with two replicas, a judge, a token, and a drain."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from types import SimpleNamespace

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.end_to_end.processes import assert_gone, processes_of
from tests.judge.clients import until
from tests.judge.server import JudgeServer, Reply
from tests.verification.scripted import NO, NO_TOOL, judgment


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def command(*arguments):
    return [sys.executable, "-m", "scopeif.serve", *map(str, arguments)]


@pytest.mark.long
@pytest.mark.timeout(400)
async def test_two_replicas_serve_add_up_and_drain(request_body, tmp_path):
    let = asyncio.Event()

    async def script(request):
        await let.wait()
        return Reply(judgment((4, 4, 3), verdict=NO) if "Reference Information" in str(request) else NO_TOOL)

    (constraint,) = request_body["instruction"]["constraints"]
    bare = {name: value for name, value in constraint.items() if name != "spec"}
    judged = request_body | {"instruction": request_body["instruction"] | {"constraints": [bare]}}
    port = free_port()
    async with JudgeServer(script=script) as judge:
        options = ("--port", port, "--replicas", 2, "--replica-cpus", 0.5, "--token-env", "SERVICE_TOKEN")
        options += ("--model", "judge", "--endpoint", judge.url)
        with (tmp_path / "err").open("w") as err:
            process = subprocess.Popen(command(*options), stderr=err, env=os.environ | {"SERVICE_TOKEN": "s3cret"})
        family = set()
        try:
            await until(lambda: process.poll() is not None or "ready at" in (tmp_path / "err").read_text(), 240)
            assert process.poll() is None, (tmp_path / "err").read_text()
            family = processes_of(SimpleNamespace(process=process))
            url, headers = f"http://127.0.0.1:{port}", {"Authorization": "Bearer s3cret"}
            async with httpx.AsyncClient(base_url=url, headers=headers, timeout=60) as client:
                await _serves(client, request_body)
                await _cancels(client, judge, port, judged)
                await _drains(client, judge, process, judged, let)
            assert await asyncio.to_thread(process.wait, 60) == 0
            await asyncio.to_thread(assert_gone, family)
        finally:
            process.kill()
            process.wait()


async def _serves(client, request_body):
    assert (await client.get("/readyz")).status_code == 200
    answers = await asyncio.gather(*(client.post("/v1/reward", json=request_body) for _ in range(40)))
    assert {(answer.status_code, answer.json()["reward"]) for answer in answers} == {(200, 0.4723665527410147)}
    assert (await client.post("/v1/reward", json=request_body, headers={"Authorization": ""})).status_code == 401
    assert (await client.post("/v1/reward", content=b" " * 2_000_000)).status_code == 413
    served = await _counted(client, "200")
    assert len(served) == 2
    assert sum(served.values()) == 40


async def _counted(client, status):
    """Requests for rewards that ended with this status, by replica."""
    families = {one.name: one for one in text_string_to_metric_families((await client.get("/metrics")).text)}
    return {
        sample.labels["replica"]: sample.value
        for sample in families["scopeif_requests"].samples
        if sample.labels["route"] == "/v1/reward" and sample.labels["status"] == status
    }


async def _cancels(client, judge, port, judged):
    """A client that leaves is no longer verified for."""
    body = json.dumps(judged).encode()
    head = "POST /v1/reward HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer s3cret\r\nContent-Type: application/json\r\n"
    with socket.create_connection(("127.0.0.1", port)) as left:
        left.sendall(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await until(lambda: judge.in_flight == 1)
    while not await _counted(client, "499"):
        await asyncio.sleep(0.05)


async def _drains(client, judge, process, judged, let):
    asked = judge.completions
    running = asyncio.create_task(client.post("/v1/reward", json=judged))
    await until(lambda: judge.completions > asked)
    process.send_signal(signal.SIGTERM)
    while (answer := await client.get("/readyz")).status_code == 200:
        await asyncio.sleep(0.05)
    assert (answer.status_code, answer.json()["error"]) == (503, "draining")
    answers = await asyncio.gather(*(client.post("/v1/reward", json=judged) for _ in range(8)))
    assert {(one.status_code, one.json()["error"]) for one in answers} == {(503, "draining")}
    assert process.poll() is None
    let.set()
    assert (await running).json()["statuses"] == ["violated"]


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["--verifier", "tgv"], "tgv needs a judge"),
        (["--verifier", "remote"], "'remote' is unknown"),
        (["--token-env", "NO_SUCH_VARIABLE"], "NO_SUCH_VARIABLE is not set"),
        (["--replicas", "3", "--max-replicas", "2"], "max_replicas is 2"),
        (["--drain-s", "0"], "drain_s"),
    ],
)
def test_wrong_options_are_told_before_anything_starts(arguments, said):
    shown = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=60)
    assert shown.returncode == 2
    assert said in shown.stderr
    assert "Traceback" not in shown.stderr


def test_a_port_that_is_taken_is_told_before_anything_starts():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        shown = subprocess.run(command("--port", port), capture_output=True, text=True, timeout=60)
    assert (shown.returncode, f"cannot listen on 127.0.0.1:{port}" in shown.stderr) == (1, True)
    assert "Traceback" not in shown.stderr


def test_help_teaches_without_loading_anything_heavy():
    code = "import sys; from scopeif.serve import app; app(['--help'], standalone_mode=False); "
    code += "print({'ray', 'fastapi', 'pydantic', 'openai'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert all(word in shown.stdout for word in ("/v1/verify", "--token-env", "--ray-address", "SIGTERM"))
    assert shown.stdout.endswith("set()\n"), shown.stdout + shown.stderr
