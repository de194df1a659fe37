"""A Ray of the run's own, and the end of all its processes, files and sockets afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from scopeif.training.cpu import preload
from scopeif.watchdog import Watchdog

RUN_FOLDER = "SCOPEIF_RUN_FOLDER"
"""Environment variable with the run's temporary folder on this node."""

NODE_LOGS = "SCOPEIF_NODE_LOGS"
"""Environment variable with the folder that a cluster job keeps the logs of its nodes in."""

JOB_NODES = "SCOPEIF_JOB_NODES"
"""Environment variable with the number of nodes of a cluster job."""


@contextlib.contextmanager
def own_ray(config: Any, run: Path, phase: Callable[[str], None]) -> Iterator[None]:
    """Start Ray, or connect to the cluster that ``ray_kwargs.ray_init.address`` or RAY_ADDRESS names, for one run.

    Args:
        config: the composed config.
        run: the run directory; the logs of all workers are copied there in the end, or a link to those of a cluster.
        phase: told what happens.
    """
    import ray

    folder = Path(tempfile.mkdtemp(prefix="sif-", dir="/tmp"))  # short: socket paths below it are bounded
    watchdog = Watchdog(folder)
    variables = _environment(config, run, folder)
    os.environ.update(variables)
    phase("starting Ray")
    try:
        ray.init(**_options(config, folder, variables), log_to_driver=False, logging_level="ERROR")
        yield
    finally:
        ray.shutdown()
        keep_logs(folder, run / "logs")
        _link_node_logs(run / "logs")
        watchdog.finish()


def ray_address(config: Any) -> str:
    """The cluster that the run joins, or `local` for a Ray of its own."""
    return str(config.ray_kwargs.ray_init.get("address") or os.environ.get("RAY_ADDRESS") or "local")


def keep_logs(ray_folder: Path, target: Path) -> None:
    """Copy the logs of a node's workers out of Ray's temporary folder; a failure must not hide why the run ended."""
    with contextlib.suppress(OSError, shutil.Error):
        logs = ray_folder / "session_latest" / "logs"
        shutil.copytree(logs, target, dirs_exist_ok=True, ignore=_log_noise)


def _link_node_logs(target: Path) -> None:
    """A link to the logs of a cluster's nodes, named after its job; the nodes write them when they end."""
    if NODE_LOGS in os.environ:
        folder = Path(os.environ[NODE_LOGS])
        with contextlib.suppress(OSError):
            target.mkdir(exist_ok=True)
            (target / f"{folder.parent.name}-{folder.name}").symlink_to(folder)


def _options(config: Any, folder: Path, variables: dict[str, str]) -> dict[str, Any]:
    from omegaconf import OmegaConf

    asked: Any = OmegaConf.to_container(config.ray_kwargs.ray_init, resolve=True)
    options = {name: value for name, value in asked.items() if value is not None}
    options.setdefault("include_dashboard", False)
    if config.trainer.device != "cpu":
        from verl.trainer.constants_ppo import get_ppo_ray_runtime_env

        given = options.get("runtime_env", {})
        own: dict[str, Any] = get_ppo_ray_runtime_env(config)
        together = own.get("env_vars", {}) | given.get("env_vars", {})
        options["runtime_env"] = own | given | {"env_vars": together}
    options["address"] = ray_address(config)
    if options["address"] == "local":
        options["_temp_dir"] = str(folder)
    else:  # a running cluster has its own folders and resources, and inherits no variable
        environment = options.setdefault("runtime_env", {})
        kept = {name: value for name, value in variables.items() if name not in ("TMPDIR", RUN_FOLDER)}
        environment["env_vars"] = kept | environment.get("env_vars", {})
        for name in ("num_cpus", "num_gpus", "include_dashboard"):
            options.pop(name, None)
    return options


def _log_noise(_: str, names: list[str]) -> set[str]:
    return {name for name in names if not name.startswith(("worker-", "raylet", "gcs_server"))}


def _environment(config: Any, run: Path, folder: Path) -> dict[str, str]:
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
            "MALLOC_ARENA_MAX": "2",  # a dozen processes with an arena a thread hold gigabytes of freed memory
            "VERL_PLATFORM": "cpu",  # a machine may have a GPU and the CPU stack
            "TORCH_COMPILE_DISABLE": "1",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the executor stays in the engine's process
            "OMP_NUM_THREADS": str(len(os.sched_getaffinity(0))),
            "RAY_worker_niceness": "0",  # Ray's 15 leaves the run what every other process on the machine does not want
            "RAY_preload_python_modules": preload.__name__,
            "RAY_worker_maximum_startup_concurrency": str(preload.WORKERS),
        }
    chosen = {name: os.environ.get(name, value) for name, value in wanted.items()}
    return chosen | {"TENSORBOARD_DIR": str(run / "tensorboard"), "TMPDIR": str(folder), RUN_FOLDER: str(folder)}
