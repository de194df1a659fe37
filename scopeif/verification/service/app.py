"""The service as an ASGI app; it runs under any ASGI server, and under Ray Serve in `deployment.py`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Request, Response, Security
from fastapi.routing import APIRouter
from fastapi.security import HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST
from prometheus_client.metrics_core import Metric

from scopeif import __version__
from scopeif.reward import Answer, split_answer
from scopeif.verification.outcome import ResponseOutcome
from scopeif.verification.service.answers import Refused, json_answer
from scopeif.verification.service.api import RewardAnswer, RewardRequest, VerifyAnswer, VerifyRequest
from scopeif.verification.service.backend import Backend, open_backend
from scopeif.verification.service.documentation import (
    DESCRIPTION,
    REFUSALS,
    REWARD_EXAMPLES,
    VERIFY_EXAMPLES,
    answers,
    refusals,
)
from scopeif.verification.service.faults import HANDLERS
from scopeif.verification.service.gate import Gate
from scopeif.verification.service.metrics import Counted, exposition
from scopeif.verification.service.replica import Replica
from scopeif.verification.service.settings import ServiceSettings
from scopeif.verification.service.strict_route import StrictRoute
from scopeif.verification.verifier import verify_response

OpenBackend = Callable[[ServiceSettings], AbstractAsyncContextManager[Backend]]
Gather = Callable[[], Awaitable[Mapping[str, Sequence[Metric]]]]


def build_app(settings: ServiceSettings, opened: OpenBackend = open_backend, gather: Gather | None = None) -> FastAPI:
    """The app of one replica; `app.state.replica` is its state.

    Args:
        opened: what verifies, opened while the app runs.
        gather: the figures of all replicas, by replica; None where there is only this one.
    """
    replica = Replica(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with opened(settings) as backend:
            replica.start(backend)
            yield

    app = FastAPI(
        title="ScopeIF verification", version=__version__, description=DESCRIPTION, lifespan=lifespan, redoc_url=None
    )
    app.state.replica, app.state.gather = replica, gather
    # Only documents the token: the gate has checked it before the body was read.
    token = [Security(HTTPBearer(auto_error=False, description="The token of the service."))]
    guarded: dict[str, Any] = {"dependencies": token, "responses": refusals("unauthorized")}
    app.include_router(_verification, **(guarded if settings.token_sha256 else {}))
    app.include_router(_operation)
    app.add_middleware(Gate, replica=replica)
    app.add_middleware(Counted, metrics=replica.metrics)
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)
    return app


_verification = APIRouter(prefix="/v1", tags=["verification"], route_class=StrictRoute)
_operation = APIRouter(tags=["operation"])


def _replica(request: Request) -> Replica:
    replica: Replica = request.app.state.replica
    return replica


ThisReplica = Annotated[Replica, Depends(_replica)]


@_verification.post("/verify", response_model=VerifyAnswer, responses=answers(VerifyAnswer) | refusals(*REFUSALS))
async def verify(
    asked: Annotated[VerifyRequest, Body(openapi_examples=VERIFY_EXAMPLES)], replica: ThisReplica
) -> Response:
    """Verify every constraint of a response: satisfied, violated, or unverified with the reason."""
    outcome = await _outcome(asked, replica)
    fields = outcome.to_json()
    if not asked.details:
        fields["constraints"] = [{name: one[name] for name in _SHORT} for one in fields["constraints"]]
    return json_answer(VerifyAnswer(instruction_id=asked.instruction.id, **fields).model_dump())


_SHORT = ("status", "reason", "detail", "verifier", "records", "g")


@_verification.post("/reward", response_model=RewardAnswer, responses=answers(RewardAnswer) | refusals(*REFUSALS))
async def reward(
    asked: Annotated[RewardRequest, Body(openapi_examples=REWARD_EXAMPLES)], replica: ThisReplica
) -> Response:
    """The reward of a response; null when a constraint is unverified, which is no score."""
    outcome = await _outcome(asked, replica)
    rewards = outcome.rewards(asked.alpha, asked.object_floor)
    answer = RewardAnswer(
        instruction_id=asked.instruction.id,
        reward=rewards[asked.scheme],
        verified=outcome.verified,
        format_reward=outcome.answer.format_reward,
        format_fault=outcome.answer.reason,
        rewards=rewards,
        statuses=[one.status.value for one in outcome.outcomes],
        reasons=[one.reason.value if one.reason else None for one in outcome.outcomes],
    )
    return json_answer(answer.model_dump())


async def _outcome(asked: VerifyRequest | RewardRequest, replica: Replica) -> ResponseOutcome:
    most = replica.settings.limits.constraints
    if len(asked.instruction.constraints) > most:
        raise Refused(
            "invalid",
            f"the instruction has {len(asked.instruction.constraints)} constraints; the limit is {most}",
            place="instruction.constraints",
            fix="send it in parts",
        )
    if asked.split:
        answer = split_answer(asked.response, asked.truncated, asked.thinking)
    elif asked.truncated:
        answer = Answer(asked.response, 0, "truncated")
    else:
        answer = Answer(asked.response, 1)
    outcome = await verify_response(replica.ready().verifier, asked.instruction, answer)
    replica.metrics.verified(outcome)
    return outcome


@_operation.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process is alive."""
    return {"status": "alive"}


@_operation.get("/readyz", responses=refusals("draining", "unavailable"))
async def readyz(replica: ThisReplica) -> dict[str, str]:
    """Requests are taken, the sandbox works, and at least one endpoint of the judge takes calls."""
    await replica.check_ready()
    return {"status": "ready"}


@_operation.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(request: Request, replica: ThisReplica) -> Response:
    """The figures of all replicas in Prometheus's text format."""
    gather: Gather | None = request.app.state.gather
    figures = await gather() if gather else {"0": replica.metrics.collect()}
    return Response(exposition(figures), media_type=CONTENT_TYPE_LATEST)
