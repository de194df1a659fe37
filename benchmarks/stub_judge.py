"""A judge for benchmarks, in a process of its own: a fixed answer to every question, after a delay.

python benchmarks/stub_judge.py 0.2                  # prints its base URL
python benchmarks/stub_judge.py lognormal:0.3:0.87 4 # median in seconds and sigma; four endpoints
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import random
import subprocess
import sys
from collections.abc import Callable, Iterator

DESIGN = """[The Start of Auxiliary Verification Tool]
```python
def measure(text):
    return [{"Description": "words", "Computed Result": count_word(text)}]
```
[The End of Auxiliary Verification Tool]
[The Start of Input Parameters]
```json
[{"Parameter Name": "text", "Format": "str", "Parameter Description": "all", "Parameter Value": "ALL"}]
```
[The End of Input Parameters]"""
JUDGMENT = """Constraint: c
Analysis: The response was measured.
Conclusion: [[The response satisfies the constraint]]
Counting Results:
```json
[{"Counting Object": "words", "Permissible Bounds": [1, null], "Actual Value": 400}]
```"""


def completion(text: str) -> bytes:
    """A whole HTTP answer with one chat completion."""
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 1200, "completion_tokens": 120, "total_tokens": 1320}
    body = json.dumps({"id": "x", "object": "chat.completion", "created": 0, "model": "judge", "choices": [choice],
                       "usage": usage}).encode()  # fmt: skip
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


class Stub(asyncio.Protocol):
    """Answers a design or a judgment by what the prompt asks for."""

    answers = (completion(DESIGN), completion(JUDGMENT))
    models = b'{"object": "list", "data": [{"id": "judge", "object": "model"}]}'
    delay_s: Callable[[], float] = staticmethod(lambda: 0.0)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport, self.data = transport, bytearray()

    def data_received(self, data: bytes) -> None:
        self.data += data
        while (head := self.data.find(b"\r\n\r\n")) >= 0:
            lowered = bytes(self.data[:head]).lower()
            mark = lowered.find(b"content-length:")
            length = int(lowered[mark + 15 :].split(b"\r\n", 1)[0]) if mark >= 0 else 0
            if len(self.data) < head + 4 + length:
                return
            body = bytes(self.data[head + 4 : head + 4 + length])
            del self.data[: head + 4 + length]
            answer = self.answers[b"[The Start of the Reference Information]" in body]
            if not length:
                answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(self.models), self.models)
            asyncio.get_running_loop().call_later(self.delay_s(), self._send, answer)

    def _send(self, answer: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(answer)  # type: ignore[attr-defined]


def delays(delay: str) -> Callable[[], float]:
    """The delay of each answer in seconds: a number, or `lognormal:MEDIAN:SIGMA`, the same sequence every time."""
    kind, *numbers = delay.split(":")
    if kind != "lognormal":
        return lambda: float(kind)
    median_s, sigma = map(float, numbers)
    generator = random.Random(0)
    return lambda: generator.lognormvariate(math.log(median_s), sigma)


async def serve(delay: str, ports: int) -> None:
    """Serve for ever; prints the base URLs."""
    Stub.delay_s = staticmethod(delays(delay))
    servers = [await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0) for _ in range(ports)]
    print(*(f"http://127.0.0.1:{one.sockets[0].getsockname()[1]}/v1" for one in servers), flush=True)
    await asyncio.Event().wait()


@contextlib.contextmanager
def stub(delay: float | str, ports: int = 1) -> Iterator[list[str]]:
    """The base URLs of a judge that takes so long for every answer."""
    command = [sys.executable, __file__, str(delay), str(ports)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1))
