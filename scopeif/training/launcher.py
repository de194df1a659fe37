"""From a composed config to a finished run: checks, run directory, Ray, the trainer, signals, the end of everything."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scopeif.errors import ScopeIFError, TrainingStopped
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.console import RunConsole
from scopeif.training.cpu.precision import has_bf16, use_fp32
from scopeif.training.data import prepare_files
from scopeif.training.policies import ensure_policy
from scopeif.training.preflight import check_machine
from scopeif.training.run_dir import Lease, RunDir, fingerprint, lease
from scopeif.training.settings import Settings
from scopeif.training.step_log import StepLog
from scopeif.training.watchdog import Family, Watchdog, remove_leftovers

POLL_S = 0.2
SAVING_SIGNALS = (signal.SIGTERM, signal.SIGUSR1)


def launch(config: Any, command: str) -> int:
    """Run one training to its end; returns the exit status of the command.

    Args:
        config: the composed config.
        command: how the user started it, for the lines that say how to resume.

    Raises:
        ScopeIFError: what is wrong, before or during training.
    """
    from omegaconf import OmegaConf

    settings = Settings.from_config(config)
    console = RunConsole()
    console.say(f"[bold]ScopeIF[/bold] recipe {settings.run.name}: checking machine, policy and data")
    check_machine(settings)
    text = OmegaConf.to_yaml(config, resolve=True)
    taken = lease(Path(settings.run.root).absolute(), settings.run.name, fingerprint(text))
    try:
        _prepare(config, taken, console)
        taken.run.config_file.write_text(OmegaConf.to_yaml(config, resolve=True))
        return _Attempt(config, settings, taken, console, command, fingerprint(text)).run()
    finally:
        console.close()
        taken.release()


def _prepare(config: Any, taken: Lease, console: RunConsole) -> None:
    """Everything of the config that depends on this run directory and this machine."""
    run = taken.run.path
    model = ensure_policy(config.actor_rollout_ref.model.path, console.say)
    config.actor_rollout_ref.model.path = str(model.absolute())
    config.data.train_files = prepare_files(_plain(config.data.train_files), run / "data", "train")
    config.data.val_files = prepare_files(_plain(config.data.val_files), run / "data", "val")
    config.trainer.default_local_dir = str(Checkpoints(run).folder)
    Checkpoints(run).folder.mkdir(exist_ok=True)
    if taken.resume_step:
        config.trainer.resume_mode = "resume_path"
        config.trainer.resume_from_path = str(Checkpoints(run).step_folder(taken.resume_step))
        config.trainer.val_before_train = False
    if config.trainer.device == "cpu" and not has_bf16():
        console.say("this CPU has no bf16 instructions: computing in fp32, about half as fast")
        use_fp32(config)
    StepLog(run).forget_after(taken.resume_step if taken.resume_step else -1)


def _plain(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value) if OmegaConf.is_config(value) else value


class _Attempt:
    """One start of the trainer in a run directory."""

    def __init__(
        self, config: Any, settings: Settings, taken: Lease, console: RunConsole, command: str, identity: str
    ) -> None:
        self.config, self.settings, self.console, self.command = config, settings, console, command
        self.run_dir: RunDir = taken.run
        self.taken, self.identity = taken, identity
        self.received: list[signal.Signals] = []

    def run(self) -> int:
        how = f"resumes after step {self.taken.resume_step}" if self.taken.resumed else "new run"
        self.console.say(f"run directory {self.run_dir.path} ({how})")
        self.run_dir.begin(self.identity, self.taken.resume_step)
        try:
            with self._signals(), self._ray():
                self._train()
        except _Interrupted:
            return self._stopped(f"{self.received[-1].name}")
        except TrainingStopped as stop:
            if not self.received:  # the trainer itself found a reason
                self.run_dir.end("failed", str(stop))
                raise
            return self._stopped(stop.message)
        except BaseException as error:
            self.run_dir.end("failed", f"{type(error).__name__}: {error}")
            raise
        self.run_dir.end("finished")
        self._summary()
        return 0

    def _train(self) -> None:
        import ray

        from scopeif.training.runner import Runner

        self.console.follow(self.run_dir.path)
        self.console.phase("starting the trainer")
        runner = ray.remote(Runner).options(num_cpus=1).remote()
        pending = [runner.run.remote(self.config)]
        while pending:
            done, pending = ray.wait(pending, timeout=POLL_S)
            self.console.poll()
            self._obey()
        try:
            ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise _cause(error) from error

    # -- signals -----------------------------------------------------------------------------------------------------

    @contextmanager
    def _signals(self) -> Iterator[None]:
        numbers = (*SAVING_SIGNALS, signal.SIGINT)
        before = {number: signal.getsignal(number) for number in numbers}
        self._install_handlers()
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _install_handlers(self) -> None:
        for number in (*SAVING_SIGNALS, signal.SIGINT):
            signal.signal(number, lambda n, _: self.received.append(signal.Signals(n)))

    def _obey(self) -> None:
        """A first SIGTERM or SIGUSR1 saves and stops; Ctrl-C, or a second signal, stops at once."""
        if not self.received:
            return
        if len(self.received) > 1 or self.received[0] is signal.SIGINT:
            raise _Interrupted
        if not self.run_dir.stop_requested():
            import threading

            self.console.say(f"{self.received[0].name}: saving at the next safe point; a second signal stops at once")
            self.run_dir.request_stop(self.received[0].name)
            timer = threading.Timer(self.settings.run.stop_grace_s, self.received.append, [self.received[0]])
            timer.daemon = True
            timer.start()

    # -- processes ---------------------------------------------------------------------------------------------------

    @contextmanager
    def _ray(self) -> Iterator[None]:
        """A Ray of our own, and the end of all its processes, files and sockets afterwards."""
        import ray

        folder = tempfile.mkdtemp(prefix="sif-")  # short: socket paths below it are bounded
        watchdog = Watchdog(folder)
        family = Family(os.getpid(), spared=frozenset({watchdog.pid}))
        os.environ.update(_environment(self.config, self.run_dir.path))
        self.console.phase("starting Ray")
        try:
            self._start_ray(folder)
            yield
        finally:
            files = family.files()
            logs = Path(folder) / "session_latest" / "logs"
            shutil.copytree(logs, self.run_dir.path / "logs", dirs_exist_ok=True, ignore=_log_noise)
            ray.shutdown()
            remove_leftovers({*files, *family.end()}, folder)
            watchdog.dismiss()

    def _start_ray(self, folder: str) -> None:
        import ray
        from omegaconf import OmegaConf

        given: Any = OmegaConf.to_container(self.config.ray_kwargs.ray_init, resolve=True)
        options = {name: value for name, value in given.items() if value is not None}
        options.setdefault("include_dashboard", False)
        if self.config.trainer.device != "cpu":
            from verl.trainer.constants_ppo import get_ppo_ray_runtime_env

            options["runtime_env"] = get_ppo_ray_runtime_env(self.config)
        ray.init(**options, _temp_dir=folder, log_to_driver=False, logging_level="ERROR")
        self._install_handlers()  # Ray sets its own for SIGTERM

    # -- words -------------------------------------------------------------------------------------------------------

    def _stopped(self, reason: str) -> int:
        self.run_dir.end("stopped", reason)
        steps = Checkpoints(self.run_dir.path).complete_steps()
        where = f"from step {steps[-1]}" if steps else "from the start: no checkpoint was saved yet"
        self.console.close()
        self.console.say(f"stopped ({reason}); the same command resumes {where}:\n         {self.command}")
        return 128 + self.received[0].value

    def _summary(self) -> None:
        self.console.close()
        run, checkpoints = self.run_dir.path, Checkpoints(self.run_dir.path)
        best = checkpoints.best()
        self.console.say("[bold]finished[/bold]")
        if best:
            figure = f"{best.metric} {best.value:.3f}, step {best.step}"
            self.console.say(f"best model   {checkpoints.best_model}  ({figure})")
        if steps := checkpoints.complete_steps():
            self.console.say(f"checkpoint   {checkpoints.step_folder(steps[-1])}")
        self.console.say(f"metrics      {run / 'metrics.jsonl'}; tensorboard --logdir {run / 'tensorboard'}")
        self.console.say(f"rollouts     {run / 'rollouts'}")


class _Interrupted(Exception):
    """Stop at once."""


def _cause(error: Any) -> BaseException:
    """ScopeIF's own error behind a Ray task error, else the Ray error with its remote traceback."""
    cause: BaseException = error
    while isinstance(getattr(cause, "cause", None), BaseException):
        cause = cause.cause  # type: ignore[attr-defined]
    return cause if isinstance(cause, ScopeIFError) else error


def _log_noise(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if not name.startswith(("worker-", "raylet", "gcs_server"))}


def _environment(config: Any, run: Path) -> dict[str, str]:
    """Variables that every process of the run inherits; what the user has set wins, paths of the run excepted."""
    wanted = {
        "RAY_USAGE_STATS_ENABLED": "0",
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_OFFLINE": "1",
        "TOKENIZERS_PARALLELISM": "false",
        "VLLM_LOGGING_LEVEL": "WARN",
    }
    if config.trainer.device == "cpu":
        wanted |= {
            "TORCH_COMPILE_DISABLE": "1",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "OMP_NUM_THREADS": str(len(os.sched_getaffinity(0))),
        }
    chosen = {name: os.environ.get(name, value) for name, value in wanted.items()}
    return chosen | {"TENSORBOARD_DIR": str(run / "tensorboard")}
