"""The pool: a few zygotes, and the rules for trusting them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import platform
import queue
import threading
import time
import weakref
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Literal, Self

from tools_sandbox.errors import InvalidInput, PoolClosed, SandboxUnavailable, ZygoteLost
from tools_sandbox.handle import Handle
from tools_sandbox.launch import Blueprint
from tools_sandbox.limits import Limits, check_number
from tools_sandbox.preload import DEFAULT_PRELOAD
from tools_sandbox.quarantine import Quarantine
from tools_sandbox.report import REMEDIES, Report
from tools_sandbox.run import Result, Run, encode_arguments, encode_request
from tools_sandbox.verdict import judge

logger = logging.getLogger("tools_sandbox")

CANARY_EVERY = 256
RUNS_PER_ZYGOTE = 50_000
_SUSPICIOUS = frozenset({"crash", "no_result", "memory"})

# It counts, and asks for a call that works anywhere but behind the filter.
_CANARY = Run(
    """
def canary(text):
    import os
    return [len(text.split()), os.getppid() < 0, sorted({"b", "a"})]
""",
    "canary",
    ("the quick brown fox",),
)
_CANARY_ANSWER = [4, True, ["a", "b"]]
_CANARY_REQUEST = encode_request(_CANARY, encode_arguments(_CANARY))


class ToolPool:
    """Runs tools in `workers` zygotes; see the package's docstring for an example.

    Thread safe. `require="seccomp"` refuses to start without the first layer, `"full"` without any of them
    (`SandboxUnavailable`). Modules in `preload` are those that tools can import. A source that had
    `quarantine_after` results `cpu` or `wall` is not run any more, until `reset_quarantine` or until
    `quarantine_s` seconds after the last of them; 0 turns this off. Closed at the end of a `with` block, by
    `close`, or at the interpreter's exit; when the process is killed, the zygotes end by themselves.
    """

    def __init__(
        self,
        workers: int = 2,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        preload: Sequence[str] = DEFAULT_PRELOAD,
        require: Literal["seccomp", "full"] = "seccomp",
        quarantine_after: int = 3,
        quarantine_s: float = 600,
    ) -> None:
        check_number("workers", workers, 1, 1024, whole=True)
        check_number("quarantine_after", quarantine_after, 0, 1_000_000, whole=True)
        check_number("quarantine_s", quarantine_s, 0, 1e9, whole=False)
        if require not in ("seccomp", "full"):
            raise InvalidInput(f"require must be 'seccomp' or 'full', not {require!r}")
        if isinstance(preload, str):
            raise InvalidInput("preload must be a sequence of module names, not one string")
        self._limits = limits
        self._blueprint = Blueprint(limits, tuple(preload))
        self._quarantine = Quarantine(quarantine_after, quarantine_s)
        self._owner = os.getpid()
        self._closed = threading.Event()
        self._seats = [_Seat(self._blueprint) for _ in range(workers)]
        self._executor = ThreadPoolExecutor(workers, thread_name_prefix="tools_sandbox")
        self._finalizer = weakref.finalize(self, _shut, self._owner, self._closed, self._executor, self._seats)
        try:
            list(self._executor.map(_Seat.renew, self._seats))
            self._report = self._make_report()
            self._check_layers(require)
        except BaseException:
            self.close()
            raise
        self._idle: queue.SimpleQueue[_Seat] = queue.SimpleQueue()
        for seat in self._seats:
            self._idle.put(seat)

    def run(self, run: Run) -> Result:
        """Run one tool in the calling thread; waits for a free zygote."""
        arguments = encode_arguments(run)
        too_large = self._too_large(run, arguments)
        if too_large:
            return Result("too_large", error=too_large)
        refusal = self._quarantine.refusal(run.source)
        if refusal is not None:
            self._check_open()
            return refusal
        request = encode_request(run, arguments)
        with self._a_seat() as seat:
            result = seat.attempt(request)
            if result.status == "infra" and not self._closed.is_set():
                logger.warning("retrying a run on a fresh zygote: %s", result.error)
                result = seat.attempt(request)
            if result.status == "infra":
                self._check_open()  # it could be `close` that cut the run off
        self._quarantine.note(run.source, result)
        return result

    def run_many(self, runs: Iterable[Run]) -> list[Result]:
        """Run many tools, spread over the zygotes; the results are in the order of `runs`."""
        self._check_open()
        return list(self._executor.map(self.run, runs))

    async def arun(self, run: Run) -> Result:
        """`run` without blocking the event loop."""
        self._check_open()
        return await asyncio.get_running_loop().run_in_executor(self._executor, self.run, run)

    async def arun_many(self, runs: Iterable[Run]) -> list[Result]:
        """`run_many` without blocking the event loop."""
        return list(await asyncio.gather(*(self.arun(run) for run in runs)))

    def report(self) -> Report:
        """The layers that hold the runs, and the missing ones with the reason."""
        return self._report

    def reset_quarantine(self) -> None:
        """Give every tool a new chance; for the caller to call at the start of a training step."""
        self._quarantine.reset()

    @property
    def limits(self) -> Limits:
        return self._limits

    def close(self) -> None:
        """End all zygotes; runs under way raise `PoolClosed`. Can be called twice."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _too_large(self, run: Run, arguments: bytes) -> str:
        source_bytes = len(run.source.encode("utf-8", "surrogatepass"))
        if source_bytes > self._limits.source_bytes:
            return f"the source has {source_bytes} bytes; the limit is {self._limits.source_bytes}"
        if len(arguments) > self._limits.argument_bytes:
            return f"the arguments have {len(arguments)} bytes; the limit is {self._limits.argument_bytes}"
        return ""

    def _check_open(self) -> None:
        if os.getpid() != self._owner:
            raise PoolClosed(f"the pool belongs to process {self._owner}; create one in this process")
        if self._closed.is_set():
            raise PoolClosed("the pool is closed")

    @contextlib.contextmanager
    def _a_seat(self) -> Iterator[_Seat]:
        self._check_open()
        seat = self._idle.get()
        try:
            self._check_open()
            yield seat
        finally:
            self._idle.put(seat)

    def _make_report(self) -> Report:
        handle = self._seats[0].handle
        assert handle is not None
        started = handle.started
        system = os.uname()
        return Report(
            started.layers,
            platform.python_version(),
            system.release,
            system.machine,
            started.helpers,
            len(self._seats),
        )

    def _check_layers(self, require: str) -> None:
        missing = self._report.missing
        for layer in missing:
            remedy = REMEDIES[layer.name]
            logger.warning("sandbox layer %s is missing: %s. %s", layer.name, layer.detail, remedy)
        if require == "full" and missing:
            names = ", ".join(layer.name for layer in missing)
            reasons = "; ".join(f"{layer.name}: {layer.detail}" for layer in missing)
            raise SandboxUnavailable(names, reasons, " ".join(REMEDIES[layer.name] for layer in missing))


class _Seat:
    """The place of one zygote, which is replaced when it is lost, doubtful or old."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self._lock = threading.Lock()  # between a renewal and the end of the pool
        self._ended = False
        self.handle: Handle | None = None

    def attempt(self, request: bytes) -> Result:
        """Run a request once. Trouble that is not the tool's is "infra", and the zygote is gone after it."""
        begin = time.monotonic()
        try:
            handle = self._usable()
            talk = handle.converse(request)
            verdict = judge(talk, self._blueprint.limits)
            if verdict.status == "infra":
                self.vacate()
            elif verdict.status in _SUSPICIOUS or handle.runs % CANARY_EVERY == 0:
                self._check_canary(handle)
        except (ZygoteLost, SandboxUnavailable, OSError) as error:
            # OSError: this process is out of descriptors or memory, which says nothing about the tool.
            self.vacate()
            wall_ms = (time.monotonic() - begin) * 1000
            return Result("infra", wall_ms=wall_ms, error=f"{type(error).__name__}: {error}")
        return Result(verdict.status, verdict.value, talk.account.cpu_s * 1000, talk.wall_s * 1000, verdict.error)

    def renew(self) -> None:
        """Put a fresh zygote here; raises `SandboxUnavailable`."""
        self.vacate()
        handle = Handle(self._blueprint)
        with self._lock:
            self.handle = handle
            ended = self._ended
        if ended:
            self.vacate()
            raise PoolClosed("the pool was closed meanwhile")
        try:
            self._check_canary(handle)
        except ZygoteLost as error:
            self.vacate()
            raise SandboxUnavailable("zygote", str(error), REMEDIES["zygote"]) from None

    def vacate(self) -> None:
        """End the zygote, if there is one. For the thread that holds the seat."""
        with self._lock:
            handle, self.handle = self.handle, None
        if handle is not None:
            handle.close()

    def end(self) -> None:
        """End the zygote for good; any thread may call this. Its holder closes the descriptors."""
        with self._lock:
            self._ended = True
            handle = self.handle
        if handle is not None:
            handle.end()

    def _usable(self) -> Handle:
        if self.handle is None or self.handle.runs >= RUNS_PER_ZYGOTE:
            self.renew()
        assert self.handle is not None
        return self.handle

    def _check_canary(self, handle: Handle) -> None:
        """Raise `ZygoteLost` unless a run with a known answer gives it."""
        verdict = judge(handle.converse(_CANARY_REQUEST), self._blueprint.limits)
        if verdict.status != "ok" or verdict.value != _CANARY_ANSWER:
            raise ZygoteLost(f"its canary answered {verdict.status} {verdict.value!r} {verdict.error}")


def _shut(owner: int, closed: threading.Event, executor: ThreadPoolExecutor, seats: list[_Seat]) -> None:
    """Runs once per pool. Does not refer to the pool, so that a forgotten one is closed as well."""
    if os.getpid() != owner:
        return  # a fork of the client shares the sockets; ending them is the client's business
    closed.set()
    executor.shutdown(wait=False)  # what waits in it finds the pool closed
    for seat in seats:
        seat.end()
    with contextlib.suppress(RuntimeError):  # the last reference to the pool may go in a thread of its own
        executor.shutdown(wait=True)
    for seat in seats:
        seat.vacate()
