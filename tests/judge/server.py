"""A judge for tests: OpenAI's chat-completions protocol over real sockets, obedient to the worst orders.

    async with JudgeServer() as server:
        server.script = lambda request: Reply("text")       # what to answer; a coroutine function may wait first
        server.then(Reply(status=429, headers={"Retry-After": "1"}), Reply(hang_up="body"))   # the next answers
        await server.stop(); await server.start()            # down and up again, at the same port

`python tests/judge/server.py --delay-ms 200` serves one fixed answer and prints its base URL, for benchmarks.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import inspect
import json
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Self

HARMONY = "<|channel|>analysis<|message|>thinking<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>"
"""What a gpt-oss server without a reasoning parser sends; fill in the final text."""


@dataclass(frozen=True)
class Reply:
    """One answer of the server, or one way not to answer."""

    content: Any = "OK"
    reasoning_content: str | None = None
    reasoning: str | None = None
    finish_reason: str = "stop"
    prompt_tokens: int = 10
    cached_tokens: int | None = None
    completion_tokens: int = 2
    delay_s: float = 0.0
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Sent instead of a completion."""
    hang_up: Literal["before", "head", "body"] | None = None
    """Close the connection without an answer, within the head, or half way through the body."""
    never: bool = False
    """Take the request and say nothing."""


Script = Callable[[dict[str, Any]], Reply | Awaitable[Reply]]


class JudgeServer:
    """A judge on 127.0.0.1; `requests` are the bodies of all chat completions, `counts` the calls per path."""

    def __init__(self, model: str = "judge", script: Script | None = None) -> None:
        self.model = model
        self.models: list[dict[str, Any]] = [
            {"id": model, "object": "model", "root": f"/models/{model}", "owned_by": "test"}
        ]
        self.models_reply: Reply | None = None
        self.script: Script = script or (lambda request: Reply())
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.counts: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.connections: set[asyncio.StreamWriter] = set()
        self.connected = 0
        self._next: deque[Reply] = deque()
        self._port = 0
        self._silent = False
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def completions(self) -> int:
        """Chat completions that were asked for."""
        return self.counts["/v1/chat/completions"]

    def then(self, *replies: Reply) -> None:
        """The next answers, before the script goes on."""
        self._next.extend(replies)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        self._silent = False
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, backlog=1024)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """As a killed server: the port refuses, open connections end."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self.connections):
            writer.transport.abort()
        handlers = list(self._handlers)
        for handler in handlers:
            handler.cancel()
        await asyncio.gather(*handlers, return_exceptions=True)

    def vanish(self) -> None:
        """As a node that lost its network: no new connections, silence on the open ones."""
        assert self._server is not None
        self._server.close()
        self._server, self._silent = None, True

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.current_task()
        assert handler is not None
        self._handlers.add(handler)
        self.connections.add(writer)
        self.connected += 1
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._handlers.discard(handler)
            self.connections.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        raw = await reader.readexactly(int(headers.get("content-length", 0)))
        self.counts[path] += 1
        if path == "/v1/models" and method == "GET":
            listed = json.dumps({"object": "list", "data": self.models}).encode()
            return await self._send(reader, writer, self.models_reply or Reply(body=listed), {})
        if path != "/v1/chat/completions" or method != "POST":
            return await self._send(reader, writer, Reply(status=404, body=b'{"detail":"Not Found"}'), {})
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            request = json.loads(raw)
            self.requests.append(request)
            self.headers.append(headers)
            return await self._send(reader, writer, await self._reply(request), request)
        finally:
            self.in_flight -= 1

    async def _reply(self, request: dict[str, Any]) -> Reply:
        if self._next:
            return self._next.popleft()
        if request["model"] != self.model:
            missing = {
                "message": f"The model `{request['model']}` does not exist.",
                "type": "NotFoundError",
                "code": 404,
            }
            return Reply(status=404, body=json.dumps({"error": missing}).encode())
        reply = self.script(request)
        return await reply if inspect.isawaitable(reply) else reply

    async def _send(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reply: Reply, request: dict[str, Any]
    ) -> bool:
        """Whether the connection goes on."""
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        if reply.never or self._silent:
            await reader.read()  # until the client hangs up
            return False
        if reply.hang_up == "before":
            return False
        body = reply.body if reply.body is not None else _body(reply, request)
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **reply.headers}
        head = f"HTTP/1.1 {reply.status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        if reply.hang_up == "head":
            writer.write(head.encode()[:20])
            return False
        writer.write(head.encode() + b"\r\n" + (body[: len(body) // 2] if reply.hang_up else body))
        await writer.drain()
        return reply.hang_up is None


def _body(reply: Reply, request: dict[str, Any]) -> bytes:
    if reply.status != 200:
        return json.dumps({"error": {"message": f"status {reply.status}", "code": reply.status}}).encode()
    message = {"role": "assistant", "content": reply.content}
    if reply.reasoning_content is not None:
        message["reasoning_content"] = reply.reasoning_content
    if reply.reasoning is not None:
        message["reasoning"] = reply.reasoning
    details = None if reply.cached_tokens is None else {"cached_tokens": reply.cached_tokens}
    usage = {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        "prompt_tokens_details": details,
    }
    choice = {"index": 0, "finish_reason": reply.finish_reason, "logprobs": None, "message": message}
    completion = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": request["model"]}
    return json.dumps({**completion, "choices": [choice], "usage": usage}, ensure_ascii=False).encode()


async def _serve(delay_s: float, characters: int) -> None:
    reply = Reply("word " * (characters // 5), reasoning_content="think " * (characters // 6), delay_s=delay_s)
    server = JudgeServer(script=lambda request: reply)
    async with server:
        print(server.url, flush=True)
        with contextlib.suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(1)
                server.requests.clear()
                server.headers.clear()


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="A stub judge that always gives the same answer.")
    options.add_argument("--delay-ms", type=float, default=0.0)
    options.add_argument("--characters", type=int, default=4000)
    chosen = options.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(chosen.delay_ms / 1000, chosen.characters))
