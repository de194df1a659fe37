"""From a composed config to a finished run: checks, run directory, Ray, the trainer, signals, the end of everything."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scopeif import __version__
from scopeif.errors import ScopeIFError, TrainingFailed, TrainingStopped
from scopeif.training.checkpoints import Checkpoints
from scopeif.training.consistency import check_consistency
from scopeif.training.console import RunConsole
from scopeif.training.cpu.precision import has_bf16, use_fp32
from scopeif.training.data import file_paths, prepare_files, prepare_validation
from scopeif.training.extending import extend
from scopeif.training.folders import folder_bytes
from scopeif.training.own_ray import own_ray
from scopeif.training.policies import ensure_policy
from scopeif.training.preflight import check_machine, require_disk, require_job_nodes
from scopeif.training.run_dir import STUCK_ATTEMPTS, Lease, RunDir, fingerprint, lease
from scopeif.training.settings import Settings
from scopeif.training.step_log import StepLog, read_metrics

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
    console.say(f"ScopeIF {__version__}, run {settings.run.name}: checking machine, policy and data", style="bold")
    check_consistency(config, settings)
    require_job_nodes(config.trainer.nnodes)
    check_machine(settings)
    identity = fingerprint(OmegaConf.to_yaml(_what_matters(config), resolve=True), _files(config))
    taken = lease(Path(settings.run.root).absolute(), settings.run.name, identity)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # until the trainer can save
    try:
        try:
            require_disk(taken.run.path, settings.run.min_disk_gb, folder_bytes(taken.run.path))
            _prepare(config, settings, taken, console)
        except BaseException:
            if not taken.resumed:  # nothing has run here
                shutil.rmtree(taken.run.path)
            raise
        taken.run.config_file.write_text(OmegaConf.to_yaml(config, resolve=True))
        return _Attempt(config, settings, taken, console, command, identity).run()
    finally:
        console.close()
        taken.release()


def _prepare(config: Any, settings: Settings, taken: Lease, console: RunConsole) -> None:
    """Everything of the config that depends on this run directory and this machine."""
    from omegaconf import open_dict

    run = taken.run.path
    config.data.train_files = prepare_files(_plain(config.data.train_files), run / "data", "train")
    prepare_validation(config, settings, run / "data")
    model = ensure_policy(config.actor_rollout_ref.model.path, console.say)
    config.actor_rollout_ref.model.path = str(model.absolute())
    if "enable_thinking" not in config.data.apply_chat_template_kwargs:  # templates that know no such thing ignore it
        with open_dict(config.data.apply_chat_template_kwargs):
            config.data.apply_chat_template_kwargs.enable_thinking = settings.thinking
    config.trainer.default_local_dir = str(Checkpoints(run).folder)
    Checkpoints(run).folder.mkdir(exist_ok=True)
    if taken.resume_step:
        config.trainer.resume_mode = "resume_path"
        config.trainer.resume_from_path = str(Checkpoints(run).step_folder(taken.resume_step))
        config.trainer.val_before_train = _lacks_validation(config, run, taken.resume_step)
    elif settings.run.extends:
        console.say(f"continues {settings.run.extends} after step {extend(config, settings.run.extends)}")
    if config.trainer.device == "cpu" and not has_bf16():
        console.say("this CPU has no bf16 instructions: computing in fp32, about half as fast")
        use_fp32(config)
    StepLog(run).forget_after(taken.resume_step if taken.resume_step else -1)


def _lacks_validation(config: Any, run: Path, step: int) -> bool:
    """Whether the step was saved by a stop that did not wait for its validation."""
    every = config.trainer.test_freq
    return every > 0 and step % every == 0 and step not in read_metrics(run, "val")


def _what_matters(config: Any) -> Any:
    """The config without what may change between two attempts at the same run."""
    from omegaconf import OmegaConf

    kept = OmegaConf.create(OmegaConf.to_container(config, resolve=True))
    for name in ("root", "stop_grace_s", "min_memory_gb", "min_disk_gb", "stall_s"):
        del kept.run[name]
    del kept.ray_kwargs  # the cluster that the run joins
    kept.verification.pop("remote", None)  # where the service runs
    if kept.judge is not None:  # where the judge runs, and how patiently it is asked, may change
        kept.judge = {name: kept.judge[name] for name in ("model", "reasoning_effort", "sampling", "extra_body")}
    return kept


def _files(config: Any) -> list[Path]:
    """The data files of a config: other rows under the same name are another run."""
    named = (_plain(files) for files in (config.data.train_files, config.data.val_files))
    return [path for files in named for path in file_paths(files)]


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
            with self._signals(), own_ray(self.config, self.run_dir.path, self.console.phase):
                self._install_handlers()  # Ray sets its own for SIGTERM
                self._train()
        except _Interrupted:
            return self._stopped(f"{self.received[-1].name}")
        except TrainingStopped as stop:
            if type(stop) is not TrainingStopped:  # the trainer itself found a reason
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
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        from scopeif.training.runner import Runner

        self.console.follow(self.run_dir.path)
        self.console.phase("starting the trainer")
        # On this node, which sees the run's files at once; on others a network file system shows changes later.
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        runner = ray.remote(Runner).options(num_cpus=1, scheduling_strategy=here).remote()
        pending = [runner.run.remote(self.config)]
        while pending:
            done, pending = ray.wait(pending, timeout=POLL_S)
            self.console.poll()
            self._obey()
        try:
            ray.get(done)
        except ray.exceptions.RayError as error:
            raise self._explained(error) from error

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

    def _explained(self, error: Exception) -> ScopeIFError:
        """ScopeIF's own error behind a Ray error, else one that says where the remote traceback is."""
        cause: BaseException = error
        while isinstance(getattr(cause, "cause", None), BaseException):
            cause = cause.cause  # type: ignore[attr-defined]
        if isinstance(cause, ScopeIFError):
            return cause
        file = self.run_dir.path / "error.txt"
        file.write_text(f"{error}\n")
        last = next((line for line in reversed(str(error).splitlines()) if line.strip()), type(error).__name__)
        return TrainingFailed(
            f"the trainer failed: {last.strip()}",
            place=str(self.run_dir.path),
            fix=f"the traceback is in {file}, the logs of all workers in {self.run_dir.path / 'logs'}",
        )

    # -- words -------------------------------------------------------------------------------------------------------

    def _stopped(self, reason: str) -> int:
        self.run_dir.end("stopped", reason)
        steps = Checkpoints(self.run_dir.path).complete_steps()
        where = f"from step {steps[-1]}" if steps else "from the start: no checkpoint was saved yet"
        self.console.close()
        self.console.say(f"stopped ({reason}); the same command resumes {where}:\n         {self.command}")
        number, saved = (self.received or [signal.SIGTERM])[0], steps[-1] if steps else 0
        if number is signal.SIGUSR1 and self.run_dir.stuck(saved):  # a job would queue again for ever
            raise TrainingStopped(
                f"{STUCK_ATTEMPTS} attempts in a row have saved nothing new",
                place=str(self.run_dir.path),
                fix="give it more time than loading, a step and a save take (docs/cluster.md), or save more often "
                "(trainer.save_freq)",
            )
        return 128 + number.value

    def _summary(self) -> None:
        self.console.close()
        run, checkpoints = self.run_dir.path, Checkpoints(self.run_dir.path)
        best = checkpoints.best()
        self.console.say("finished", style="bold")
        if best:
            figure = f"{best.metric} {best.value:.3f}, step {best.step}"
            self.console.say(f"best model   {checkpoints.best_model}  ({figure})")
        if steps := checkpoints.complete_steps():
            self.console.say(f"checkpoint   {checkpoints.step_folder(steps[-1])}")
        self.console.say(f"metrics      {run / 'metrics.jsonl'}; tensorboard --logdir {run / 'tensorboard'}")
        self.console.say(f"rollouts     {run / 'rollouts'}")


class _Interrupted(Exception):
    """Stop at once."""
