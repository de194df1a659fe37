"""Health, readiness and metrics, with a real judge client and a judge that goes down."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from scopeif.verification.service.app import build_app
from scopeif.verification.service.settings import ServiceSettings
from tests.judge.clients import FAST, until
from tests.judge.server import JudgeServer, Reply
from tests.service.apps import client_of
from tests.verification.scripted import NO, NO_TOOL, judgment
from tools_sandbox import Result


@pytest.fixture
async def judge():
    async with JudgeServer() as server:
        yield server


def app_of(judge, kind="tgv", **changes):
    settings = {"verification": {"kind": kind}, "judge": {**FAST, "endpoints": [judge.url], **changes}}
    return build_app(ServiceSettings.model_validate(settings))


def figures(text):
    """Every sample of an exposition, by name and labels without the replica."""
    return {
        (sample.name, *(value for name, value in sorted(sample.labels.items()) if name != "replica")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def test_ready_means_that_an_endpoint_of_the_judge_takes_calls(judge, request_body):
    app = app_of(judge, outage_patience_s=0.1, retries=0)
    async with client_of(app) as client:
        assert (await client.get("/readyz")).json() == {"status": "ready"}
        await judge.stop()
        answer = await client.post("/v1/reward", json=request_body)
        assert answer.json()["reasons"] == ["transport"]
        while (answer := await client.get("/readyz")).status_code == 200:
            await client.post("/v1/reward", json=request_body)
        assert answer.json()["error"] == "unavailable"
        assert f"no judge endpoint answers: {judge.url}" in answer.json()["message"]
        assert (await client.get("/healthz")).status_code == 200
        down = figures((await client.get("/metrics")).text)
        assert down["scopeif_judge_endpoint_up", judge.url] == 0
        await judge.start()
        ready = app.state.replica.backend.judge.usage
        await until(lambda: ready()["endpoints"][judge.url]["state"] != "open")
        assert (await client.get("/readyz")).status_code == 200


async def test_a_sandbox_that_failed_is_tried_before_the_service_is_ready_again(make_app, pool, monkeypatch):
    app = make_app()
    async with client_of(app) as client:
        monkeypatch.setattr("tools_sandbox.ToolPool.run", lambda *_: Result("infra", error="no processes left"))
        for _ in range(2):
            answer = await client.get("/readyz")
            await pool.arun(None)
        assert answer.status_code == 503
        assert "no processes left" in answer.json()["message"]
        monkeypatch.undo()
        assert (await client.get("/readyz")).status_code == 200


async def test_before_it_has_started_it_is_alive_and_not_ready(make_app):
    app = make_app()
    async with client_of(app) as client:
        app.state.replica.backend = None
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).json()["error"] == "unavailable"


async def test_metrics_count_requests_outcomes_judge_and_sandbox(judge, request_body):
    judge.script = lambda request: Reply(
        judgment((4, 4, 3), verdict=NO) if "Reference Information" in str(request) else NO_TOOL,
        prompt_tokens=100, cached_tokens=40, completion_tokens=7,
    )  # fmt: skip
    price = {"prompt": 1.0, "cached": 0.5, "completion": 2.0}
    app = app_of(judge, "auto", price=price)
    bare = request_body | {"instruction": dict(request_body["instruction"])}
    bare["instruction"]["constraints"] = [
        {name: value for name, value in one.items() if name != "spec"} for one in bare["instruction"]["constraints"]
    ]
    async with client_of(app) as client:
        for body in (request_body, bare, request_body | {"truncated": True}):
            assert (await client.post("/v1/verify", json=body)).status_code == 200
        await client.post("/v1/verify", json={})
        await client.get("/nowhere")
        answer = await client.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    found = figures(answer.text)
    assert found["scopeif_requests_total", "/v1/verify", "200"] == 3
    assert found["scopeif_requests_total", "/v1/verify", "422"] == 1
    assert found["scopeif_requests_total", "other", "404"] == 1
    assert found["scopeif_request_seconds_count", "/v1/verify"] == 4
    assert found["scopeif_requests_in_flight",] == 1
    assert found["scopeif_outcomes_total", "violated"] == 2
    assert found["scopeif_outcomes_total", "unverified"] == 0
    assert found["scopeif_format_faults_total", "truncated"] == 1
    assert found["scopeif_sandbox_runs_total", "ok"] == 1
    assert found["scopeif_judge_answers_total", "judgment"] == 1
    assert found["scopeif_judge_prompt_tokens_total", "tool_design"] == 100
    assert found["scopeif_judge_cost_total", "judgment"] == pytest.approx((60 + 20 + 14) / 1e6)
    assert found["scopeif_judge_seconds_count", "judgment"] == 1
    assert found["scopeif_judge_endpoint_up", judge.url] == 1
    assert found["process_resident_memory_bytes",] > 0


async def test_metrics_of_several_replicas_stand_side_by_side(make_app, request_body):
    apps = [make_app() for _ in range(2)]
    for requests, app in enumerate(apps, start=1):
        async with client_of(app) as client:
            for _ in range(requests):
                await client.post("/v1/verify", json=request_body)

    async def gather():
        return {name: app.state.replica.metrics.collect() for name, app in zip("ab", apps, strict=True)}

    async with client_of(make_app(gather=gather)) as client:
        text = (await client.get("/metrics")).text
    families = {family.name: family for family in text_string_to_metric_families(text)}
    assert text.count("# TYPE scopeif_requests_total counter") == 1
    counted = {
        sample.labels["replica"]: sample.value
        for sample in families["scopeif_requests"].samples
        if sample.name == "scopeif_requests_total"
    }
    assert counted == {"a": 1, "b": 2}
