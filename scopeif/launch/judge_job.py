"""Servers of the judge as a SLURM job on one node: as many as its GPUs allow, listed in a shared file while well.

    python -m scopeif.launch.judge_job [argument of vllm serve ...]        (in a job: launch/judge.sbatch)

SIGUSR1, some time before the time limit, takes the servers off the list, lets them finish what they hold and ends
them; SIGTERM does so without waiting. Exit status: 0 ended by a signal, 2 wrong settings, 69 no server runs any longer.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from scopeif.errors import ClusterError, InvalidInputError, ScopeIFError
from scopeif.launch.endpoint_lease import EndpointLease
from scopeif.launch.job_log import last_words, say
from scopeif.launch.judge_server import JudgeServer
from scopeif.launch.numbers import read_number

COMMAND = "vllm serve {model} --served-model-name {name} --tensor-parallel-size {tp} --port {port}"
NO_SERVER = 69
"""EX_UNAVAILABLE of sysexits.h."""
STARTS = 4
"""How often one server is started before it is given up."""
END_GRACE_S = 20.0


@dataclass(frozen=True)
class JudgeSettings:
    """From the environment; launch/judge.sbatch explains the variables."""

    endpoints: Path
    gpus: tuple[str, ...]
    tp: int = 2
    model: str = "openai/gpt-oss-120b"
    name: str = "openai/gpt-oss-120b"
    command: str = COMMAND
    host: str = ""
    start_s: float = 1800.0
    drain_s: float = 600.0
    poll_s: float = 10.0
    logs: Path = Path("runs/jobs")
    owner: str = "local"

    @classmethod
    def from_environment(cls, variables: Mapping[str, str]) -> JudgeSettings:
        """Read the variables.

        Raises:
            InvalidInputError: one is missing or wrong, or there are fewer GPUs than one server needs.
        """
        if not variables.get("JUDGE_ENDPOINTS"):
            raise InvalidInputError(
                "JUDGE_ENDPOINTS is not set", fix="name the file that judge.endpoints_file of the training names"
            )
        job = variables.get("SLURM_JOB_ID", "local")
        model = variables.get("JUDGE_MODEL") or cls.model
        tp = int(read_number(variables, "JUDGE_TP", cls.tp))
        gpus = tuple(filter(None, variables.get("CUDA_VISIBLE_DEVICES", "").split(",")))
        if tp < 1 or len(gpus) < tp:
            raise InvalidInputError(
                f"{len(gpus)} GPUs (CUDA_VISIBLE_DEVICES) are too few for a server of {tp} (JUDGE_TP)",
                fix="ask for more: sbatch --gpus-per-node=8",
            )
        return cls(
            endpoints=Path(variables["JUDGE_ENDPOINTS"]).absolute(),
            gpus=gpus,
            tp=tp,
            model=model,
            name=variables.get("JUDGE_NAME") or cls.name,
            command=variables.get("JUDGE_COMMAND") or cls.command,
            host=variables.get("JUDGE_HOST") or socket.gethostname(),
            start_s=read_number(variables, "JUDGE_START_S", cls.start_s),
            drain_s=read_number(variables, "JUDGE_DRAIN_S", cls.drain_s),
            poll_s=read_number(variables, "JUDGE_POLL_S", cls.poll_s),
            logs=Path(variables.get("SCOPEIF_JOBS") or cls.logs).absolute() / job,
            owner=job,
        )

    def servers(self, arguments: Sequence[str]) -> list[JudgeServer]:
        """One server for every `tp` GPUs, not started yet."""
        filled = {"{model}": self.model, "{name}": self.name, "{tp}": str(self.tp)}
        words = [
            re.sub("{(model|name|tp)}", lambda found: filled[found[0]], word) for word in shlex.split(self.command)
        ]
        groups = [self.gpus[i : i + self.tp] for i in range(0, len(self.gpus) - self.tp + 1, self.tp)]
        self.logs.mkdir(parents=True, exist_ok=True)
        return [
            JudgeServer(
                [*words, *arguments],
                {"CUDA_VISIBLE_DEVICES": ",".join(group)},
                self.host,
                self.logs / f"judge-{number}.log",
            )
            for number, group in enumerate(groups)
        ]


class JudgeJob:
    """The servers of this job, and its part of the list."""

    def __init__(self, settings: JudgeSettings, arguments: Sequence[str]) -> None:
        self._settings = settings
        self._servers = settings.servers(arguments)
        self._lease = EndpointLease(settings.endpoints, settings.owner)
        self._listed: list[str] = []

    def run(self) -> None:
        """Serve until a signal comes.

        Raises:
            ClusterError: no server runs any longer, each was started `STARTS` times.
        """
        for number in (signal.SIGUSR1, signal.SIGTERM):
            signal.signal(number, _stop)
        try:
            for server in self._servers:
                self._start(server)
            while True:
                self._look()
                time.sleep(self._settings.poll_s)
        except _Stopped as stop:
            _ignore_signals()
            say(f"received {stop.signal.name}: off the list")
            self._release()
            if stop.signal is signal.SIGUSR1:
                self._drain()
        finally:
            _ignore_signals()
            self._release()
            for server in self._servers:
                server.send(signal.SIGTERM)
            for server in self._servers:
                server.wait(END_GRACE_S)

    def _start(self, server: JudgeServer) -> None:
        server.start()
        say(f"starting {server.url}, log {server.log}")

    def _look(self) -> None:
        """Mend what is broken, and list what is well."""
        for server in self._servers:
            if server.look(self._settings.start_s):
                continue
            if server.starts < STARTS:
                say(f"{server.url} ended with status {server.status}: {last_words(server.log)}")
                self._start(server)
        if all(server.status is not None for server in self._servers):
            raise ClusterError(
                f"no judge server runs: {last_words(self._servers[0].log)}",
                place=f"job {self._settings.owner}",
                fix=f"see {self._settings.logs}/judge-*.log",
            )
        urls = [server.url for server in self._servers if server.well]
        if urls != self._listed:
            say(f"{len(urls)} of {len(self._servers)} servers listed in {self._settings.endpoints}")
            self._listed = urls
        try:
            self._lease.hold(urls)
        except OSError as error:  # the next round writes it again
            say(f"the list of endpoints was not written: {error}")

    def _release(self) -> None:
        try:
            self._lease.release()
        except OSError as error:  # the list forgets a job that is silent
            say(f"the list of endpoints was not written: {error}")

    def _drain(self) -> None:
        """Until no server holds a request; training reads the list every few seconds, so not at once."""
        deadline = time.monotonic() + self._settings.drain_s
        quiet = 0
        while time.monotonic() < deadline and quiet < 2:
            time.sleep(min(self._settings.poll_s, max(0.0, deadline - time.monotonic())))
            held = [server.requests() for server in self._servers if server.status is None]
            quiet = quiet + 1 if all(number == 0 for number in held) else 0
        say("drained" if quiet else "the time for draining is over")


class _Stopped(Exception):
    """A signal came."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


def _stop(number: int, _: FrameType | None) -> None:
    raise _Stopped(number)


def _ignore_signals() -> None:
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the job; returns its exit status."""
    try:
        settings = JudgeSettings.from_environment(os.environ)
        JudgeJob(settings, list(sys.argv[1:] if arguments is None else arguments)).run()
    except ScopeIFError as error:
        print(f"error: {error}", file=sys.stderr, flush=True)
        return 2 if isinstance(error, InvalidInputError) else NO_SERVER
    return 0


if __name__ == "__main__":
    sys.exit(main())
