"""``python -m scopeif.serve``: the verification service, over HTTP."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scopeif.command import errors_said
from scopeif.verifier_options import (
    EndpointOption,
    JudgeOption,
    LayoutOption,
    ModelOption,
    WorkersOption,
    judge_from,
    validated,
    verification_from,
)

if TYPE_CHECKING:  # at run time inside the command: --help answers without pydantic
    from scopeif.verification.service.settings import ServiceSettings

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all of the machine's.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
    token_env: Annotated[
        str | None,
        typer.Option(help="Environment variable with the bearer token that /v1 asks for; none is asked for without."),
    ] = None,
    verifier: Annotated[
        str, typer.Option(help="compiled, tgv, per_response, auto, or a baseline of the paper: llm, rule, static_tool.")
    ] = "auto",
    model: ModelOption = None,
    endpoint: EndpointOption = None,
    judge: JudgeOption = None,
    layout: LayoutOption = "paper",
    workers: WorkersOption = 1,
    replicas: Annotated[int, typer.Option(min=1, help="Processes that verify.")] = 1,
    max_replicas: Annotated[
        int | None, typer.Option(min=1, help="Add replicas with the load, up to this many.")
    ] = None,
    replica_cpus: Annotated[float, typer.Option(min=0, help="Processors that a replica reserves.")] = 1.0,
    concurrency: Annotated[int, typer.Option(min=1, help="Requests that a replica verifies at a time.")] = 256,
    queue: Annotated[int, typer.Option(min=0, help="Requests that may wait beside them; further ones get 429.")] = 256,
    max_body_kb: Annotated[int, typer.Option(min=1, help="Longest body in KiB; a longer one gets 413.")] = 1024,
    max_constraints: Annotated[int, typer.Option(min=1, help="Most constraints of a request; more get 422.")] = 64,
    drain_s: Annotated[float, typer.Option(help="Seconds that running requests have to end after SIGTERM.")] = 60.0,
    ray_address: Annotated[
        str | None,
        typer.Option(help="A running Ray cluster, host:6379 or auto; none: a Ray of its own, on this machine."),
    ] = None,
) -> None:
    """Verify responses for trainers and others: POST /v1/verify, POST /v1/reward.

    GET /docs shows the requests with examples; /healthz, /readyz and /metrics are for operation. SIGTERM and Ctrl-C
    let running requests end first.

    Exit code: 0 drained, 1 requests were cut off or another error, 2 an option is wrong.
    """
    with errors_said():
        the_judge = judge_from(judge, model, endpoint or [])
        settings = _settings(
            verification=verification_from(verifier, layout, workers, the_judge is not None),
            judge=the_judge,
            limits={
                "body_kb": max_body_kb,
                "constraints": max_constraints,
                "concurrency": concurrency,
                "queue": queue,
            },
            scaling={"replicas": replicas, "max_replicas": max_replicas, "replica_cpus": replica_cpus},
            token_env=token_env,
            drain_s=drain_s,
        )
        from scopeif.verification.service.run import Place, run_service

        left = run_service(settings, Place(host, port, ray_address), lambda text: typer.echo(text, err=True))
    if left:
        typer.echo(f"{left} requests were cut off", err=True)
        raise typer.Exit(1)


def _settings(*, token_env: str | None, **given: Any) -> ServiceSettings:
    from scopeif.verification.service.auth import token_sha256
    from scopeif.verification.service.settings import ServiceSettings

    given["token_sha256"] = token_sha256(token_env)
    return validated(ServiceSettings, given, "the service", "see --help")


if __name__ == "__main__":
    sys.exit(app())
