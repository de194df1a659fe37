"""Running apps, in this process."""

import asyncio
import contextlib

import httpx
import uvicorn


@contextlib.asynccontextmanager
async def client_of(app, **options):
    """An HTTP client of an app that runs."""
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://service", **options) as client:
            yield client


@contextlib.asynccontextmanager
async def served(app):
    """The base URL of an app on a real socket."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=5))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.005)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving
